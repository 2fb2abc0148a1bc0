from __future__ import annotations

from typing import Any

import pytest

from backend.conftest import Team
from backend.fleet import service_info, tasks
from backend.inventory.tests.agents import enrol
from backend.metrics import store
from backend.metrics.remote_write import Sample


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Sample]]:
    """Catch what goes to the store; that it gets there is metrics/tests' business."""
    found: dict[str, list[Sample]] = {}

    def write(*, org_id: Any, samples: Any) -> None:
        if str(org_id) in found:
            raise store.StoreError("refused")
        found[str(org_id)] = list(samples)

    monkeypatch.setattr(store, "write", write)
    return found


def test_every_org_gets_its_services_and_only_those(
    home: Team, away: Team, pushed: dict[str, list[Sample]]
) -> None:
    agent = enrol(home)
    agent.service("orders", labels={"environment": "prod"})
    agent.service("gone", address="127.0.0.1:1")
    agent.call("DELETE", "services/gone")
    enrol(away).service("theirs")
    changes = {"name": "The orders", "owner": "shop", "tags": ["a", "b"]}
    home.browser("operator").patch("/api/v1/services/orders", changes)

    tasks.push_service_info()

    assert {org: [s.labels["service"] for s in samples] for org, samples in pushed.items()} == {
        str(home.org.id): ["orders"],
        str(away.org.id): ["theirs"],
    }
    (sample,) = pushed[str(home.org.id)]
    assert (sample.name, sample.value, sample.stamp_ms % 60_000) == ("leadline_service_info", 1, 0)
    assert dict(sample.labels) == {
        "job": "leadline",
        "instance": "orders",
        "service": "orders",
        "node": "db1",
        "engine": "mariadb",
        "cluster": "",
        "replication_set": "",
        "environment": "prod",
        "name": "The orders",
        "owner": "shop",
        "tags": "a,b",
    }


def test_one_org_that_cannot_be_served_stops_no_other(
    home: Team, away: Team, pushed: dict[str, list[Sample]]
) -> None:
    enrol(home).service("orders")
    enrol(away).service("theirs")
    pushed[min(str(home.org.id), str(away.org.id))] = []

    assert service_info.push_all() == 1

    assert len(pushed[max(str(home.org.id), str(away.org.id))]) == 1
