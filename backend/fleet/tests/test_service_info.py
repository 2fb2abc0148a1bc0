from __future__ import annotations

from typing import Any

from backend.conftest import Team
from backend.fleet import service_info, tasks
from backend.inventory.tests.agents import enrol
from backend.metrics import store
from backend.metrics.tests.running import Vmauth, until


def test_every_org_gets_its_services_and_only_those(home: Team, away: Team, vmauth: Vmauth) -> None:
    agent = enrol(home)
    agent.service("orders", labels={"environment": "prod"})
    agent.service("gone", address="127.0.0.1:1")
    agent.call("DELETE", "services/gone")
    enrol(away).service("theirs")
    changes = {"name": "The orders", "owner": "shop", "tags": ["a", "b"]}
    home.browser("operator").patch("/api/v1/services/orders", changes)

    tasks.push_service_info()
    vmauth.flush()

    def seen(team: Team) -> list[store.Series]:
        return store.query(org_id=team.org.id, promql=service_info.METRIC)

    until("both orgs have theirs", lambda: seen(home) and seen(away))
    assert [series.labels["service"] for series in seen(away)] == ["theirs"]
    (series,) = seen(home)
    assert series.points[0][1] == 1
    assert dict(series.labels) == {
        "__name__": "leadline_service_info",
        "org": str(home.org.id),
        "job": "leadline",
        "instance": "orders",
        "service": "orders",
        "node": "db1",
        "engine": "mariadb",
        "environment": "prod",
        "name": "The orders",
        "owner": "shop",
        "tags": "a,b",
    }


def test_one_org_that_cannot_be_served_stops_no_other(
    home: Team, away: Team, keys: None, settings: Any
) -> None:
    settings.VMAUTH_URL = "http://127.0.0.1:1"
    enrol(home).service("orders")
    enrol(away).service("theirs")

    assert service_info.push_all() == 2
