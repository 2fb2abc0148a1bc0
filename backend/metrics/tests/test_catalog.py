from __future__ import annotations

from backend.conftest import Team
from backend.metrics import catalog


def test_every_metric_is_described_once() -> None:
    names = [metric.name for metric in catalog.METRICS]

    assert len(names) == len(set(names))
    for metric in catalog.METRICS:
        assert metric.help.endswith("."), metric.name
        assert not metric.help[0].islower(), metric.name
        assert not metric.name.endswith("_total") or metric.type == "counter", metric.name
        assert not metric.name.endswith("_info") or metric.type == "info", metric.name


def test_a_metric_finds_its_own_entry_or_its_narrowest_family() -> None:
    found = {
        name: entry.name if (entry := catalog.describe(name)) else None
        for name in (
            "leadline_canary",
            "node_memory_MemAvailable_bytes",
            "node_memory_HugePages_Total",
            "mysql_global_status_innodb_log_waits",
            "mysql_global_status_threads_running",
            "unknown_metric",
        )
    }

    assert found == {
        "leadline_canary": "leadline_canary",
        "node_memory_MemAvailable_bytes": "node_memory_*_bytes",
        "node_memory_HugePages_Total": "node_memory_*",
        "mysql_global_status_innodb_log_waits": "mysql_global_status_*",
        "mysql_global_status_threads_running": "mysql_global_status_threads_running",
        "unknown_metric": None,
    }


def test_the_catalog_is_served(home: Team) -> None:
    rows = home.browser("viewer").get("/api/v1/metrics").json()

    assert {
        "name": "node_load1",
        "type": "gauge",
        "unit": "",
        "help": "Load average over one minute.",
    } in rows
    assert len(rows) == len(catalog.METRICS)
