"""Every metric: its name, type, unit, and one sentence. A * stands for a family read by pattern.

Names of host and database metrics are node_exporter's and mysqld_exporter's, so that community
dashboards work; ours begin with leadline_. A test holds what agents send against this list.
"""

# ruff: noqa: E501 -- a table has one metric a line

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_TYPES = {"gauge", "counter", "info", "untyped"}


class Metric(NamedTuple):
    """One metric or family; an info is always 1, of an untyped one the server's manual tells."""

    name: str
    type: str
    unit: str
    help: str


def _table(text: str) -> tuple[Metric, ...]:
    """Read lines of `name type unit sentence`; a unit of - is none."""
    rows = []
    for line in text.strip().splitlines():
        name, kind, unit, sentence = line.split(maxsplit=3)
        if kind not in _TYPES:
            raise ValueError(f"{name} has the unknown type {kind}.")
        rows.append(Metric(name, kind, "" if unit == "-" else unit, sentence))
    return tuple(rows)


AGENT = _table("""
leadline_agent_info info - The agent's version, as a label.
leadline_agent_start_time_seconds gauge seconds When the agent was started, in Unix time.
leadline_agent_clock_offset_seconds gauge seconds How far the server's clock is ahead of the host's; stamps are corrected by it.
leadline_agent_spool_bytes gauge bytes What waits on the agent's disk to be sent.
leadline_agent_spool_segments gauge segments How many segments wait on the agent's disk.
leadline_agent_dropped_samples_total counter samples Samples dropped because the spool was full or the server refused them.
leadline_agent_pushes_total counter pushes Pushes by result: ok, failed or dropped.
leadline_agent_resident_memory_bytes gauge bytes Memory that the agent's process holds.
leadline_agent_cpu_seconds_total counter seconds Processor time that the agent's process used.
leadline_collector_success gauge - 1 where the collector's last pass worked, else 0.
leadline_collector_seconds gauge seconds How long the collector's last pass took.
""")

SERVER = _table("""
leadline_canary gauge seconds The stamp of the sample itself, pushed through vmauth every 5 s to prove the path.
leadline_service_info info - A service's name, owner and tags, as labels; pushed every minute.
""")

HOST = _table("""
node_boot_time_seconds gauge seconds When the host was started, in Unix time.
node_time_seconds gauge seconds The host's own clock, in Unix time, uncorrected.
node_uname_info info - The host's kernel and architecture, as labels.
node_context_switches_total counter switches Switches between threads.
node_forks_total counter processes Processes started.
node_intr_total counter interrupts Interrupts served.
node_procs_running gauge processes Processes that run or wait for a processor.
node_procs_blocked gauge processes Processes that wait for a disk.
node_cpu_seconds_total counter seconds Time each processor spent in each mode.
node_cpu_guest_seconds_total counter seconds Time each processor spent on virtual machines, by mode.
node_load1 gauge - Load average over one minute.
node_load5 gauge - Load average over five minutes.
node_load15 gauge - Load average over fifteen minutes.
node_memory_*_bytes gauge bytes A figure of /proc/meminfo: MemTotal, MemAvailable, Cached, SwapFree and the rest.
node_memory_* gauge - A figure of /proc/meminfo that is a count: HugePages_Total and its like.
node_disk_info info - A disk's numbers, model and serial, as labels.
node_disk_io_now gauge requests Requests that the disk works on now.
node_disk_io_time_seconds_total counter seconds Time during which the disk had work.
node_disk_io_time_weighted_seconds_total counter seconds Time that all requests together waited and were served.
node_disk_read_bytes_total counter bytes Bytes read.
node_disk_written_bytes_total counter bytes Bytes written.
node_disk_read_time_seconds_total counter seconds Time that all reads together took.
node_disk_write_time_seconds_total counter seconds Time that all writes together took.
node_disk_reads_completed_total counter requests Reads done.
node_disk_writes_completed_total counter requests Writes done.
node_disk_reads_merged_total counter requests Reads that were joined to another.
node_disk_writes_merged_total counter requests Writes that were joined to another.
node_disk_discard* counter - Discards: how many, how long, how many sectors, how many joined.
node_disk_flush_requests_total counter requests Flushes done.
node_disk_flush_requests_time_seconds_total counter seconds Time that all flushes together took.
node_filesystem_size_bytes gauge bytes Size of the filesystem.
node_filesystem_free_bytes gauge bytes What is free, with what only root may use.
node_filesystem_avail_bytes gauge bytes What is free to everyone.
node_filesystem_files gauge inodes Inodes in all.
node_filesystem_files_free gauge inodes Inodes that are free.
node_filesystem_readonly gauge - 1 where the filesystem is mounted read-only.
node_filesystem_device_error gauge - 1 where the filesystem could not be asked.
node_network_receive_bytes_total counter bytes Bytes received by each interface.
node_network_transmit_bytes_total counter bytes Bytes sent by each interface.
node_network_receive_* counter packets Packets received by each interface, or lost on the way in, by cause.
node_network_transmit_* counter packets Packets sent by each interface, or lost on the way out, by cause.
node_network_* untyped - A property of a network interface.
""")

MYSQL = _table("""
mysql_up gauge - 1 where the agent could sign in and read, else 0.
mysql_version_info info - The server's version and its comment, as labels.
mysql_transaction_isolation info - The server's isolation level, as a label.
mysql_global_status_commands_total counter statements Statements by command (Com_*).
mysql_global_status_handlers_total counter calls Calls of the storage engines by kind (Handler_*).
mysql_global_status_connection_errors_total counter connections Connections refused, by cause (Connection_errors_*).
mysql_global_status_innodb_row_ops_total counter rows Rows that InnoDB read, inserted, updated and deleted.
mysql_global_status_performance_schema_lost_total counter - What performance_schema had no room for, by instrument.
mysql_global_status_buffer_pool_pages gauge pages Pages of InnoDB's buffer pool by state.
mysql_global_status_buffer_pool_dirty_pages gauge pages Pages of InnoDB's buffer pool not yet written.
mysql_global_status_buffer_pool_page_changes_total counter pages Changes of pages in InnoDB's buffer pool by operation.
mysql_global_status_questions counter statements Statements that clients sent.
mysql_global_status_queries counter statements Statements executed, with those inside stored programs.
mysql_global_status_slow_queries counter statements Statements slower than long_query_time.
mysql_global_status_threads_connected gauge connections Connections open now.
mysql_global_status_threads_running gauge threads Threads at work now.
mysql_global_status_aborted_connects counter connections Attempts to connect that failed.
mysql_global_status_bytes_received counter bytes Bytes received from clients.
mysql_global_status_bytes_sent counter bytes Bytes sent to clients.
mysql_global_status_uptime gauge seconds How long the server has run.
mysql_global_status_* untyped - A figure of SHOW GLOBAL STATUS, in lower case; the server's manual says what it counts.
mysql_global_variables_max_connections gauge connections How many connections the server allows.
mysql_global_variables_innodb_buffer_pool_size gauge bytes Size of InnoDB's buffer pool.
mysql_global_variables_* gauge - A number of SHOW GLOBAL VARIABLES, in lower case; ON is 1 and OFF is 0.
mysql_galera_variables_info info - Galera's cluster name, as a label.
mysql_galera_status_info info - Galera's state identifiers and provider version, as labels.
mysql_galera_gcache_size_bytes gauge bytes Size of Galera's write-set cache.
mysql_galera_evs_repl_latency_* gauge seconds Galera's replication latency: least, mean, most, deviation and how many samples.
""")

METRICS = AGENT + SERVER + HOST + MYSQL


def describe(name: str) -> Metric | None:
    """Return the entry of a metric or of its narrowest family; None for an unknown one."""
    exact = _exact().get(name)
    if exact is not None:
        return exact
    return next((metric for pattern, metric in _families() if pattern.fullmatch(name)), None)


@cache
def _exact() -> dict[str, Metric]:
    return {metric.name: metric for metric in METRICS if "*" not in metric.name}


@cache
def _families() -> list[tuple[re.Pattern[str], Metric]]:
    families = sorted((m for m in METRICS if "*" in m.name), key=lambda m: -len(m.name))
    return [(re.compile(re.escape(m.name).replace(r"\*", ".+")), m) for m in families]
