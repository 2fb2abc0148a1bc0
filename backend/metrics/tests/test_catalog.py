from __future__ import annotations

import re
from pathlib import Path

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


def test_every_metric_that_agents_send_is_in_the_catalog() -> None:
    """Read the names out of the agent's own source: both sides look at the same file."""
    sources = Path(__file__).parents[3] / "agents"
    files = [file for file in sources.rglob("*.go") if not file.name.endswith("_test.go")]
    name = re.compile(r'"((?:leadline_(?:agent|collector)|node|mysql)_[a-zA-Z0-9_]*)"')
    found = {match for file in files for match in name.findall(file.read_text())}

    assert len(found) > 60
    # A name that ends in _ is a prefix, to which the agent adds what the server calls it.
    complete = {f"{one}x" if one.endswith("_") else one for one in found}
    assert sorted(one for one in complete if catalog.describe(one) is None) == []
