from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from backend.accounts.scope import org_scope
from backend.conftest import Team
from backend.errors import Problem
from backend.events.wakeup import Change
from backend.fleet.live import Page, Pages
from backend.fleet.reads import fallen_silent, with_state
from backend.inventory import models
from backend.inventory.liveness import Watcher, service_verdict
from backend.inventory.reads import services, watcher_of
from backend.inventory.tests.agents import Agent, down, enrol, up

URL = "/api/v1/fleet"
NOW = timezone.now()


def fleet(team: Team, **query: Any) -> dict[str, Any]:
    answer = team.browser("viewer").get(URL, query)
    assert answer.status_code == 200, answer.json()
    document: dict[str, Any] = answer.json()
    return document


def slugs(team: Team, **query: Any) -> list[str]:
    return [row["slug"] for row in fleet(team, **query)["results"]]


@pytest.fixture
def agent(home: Team) -> Agent:
    """Watch three services: one up, one down, one not reported on."""
    agent = enrol(home)
    agent.service("orders", labels={"cluster": "shop", "environment": "prod"}, engine="mysql")
    agent.service("billing", address="db.example.org:3307", labels={"environment": "prod"})
    agent.service("lab", address="127.0.0.1:3308", labels={"environment": "test"})
    agent.status(up("orders", engine="mysql", version="9.1.0"), down("billing"))
    return agent


def test_a_row_has_what_the_page_shows(agent: Agent, home: Team) -> None:
    rows = {row["slug"]: row for row in fleet(home)["results"]}

    assert rows["orders"].pop("last_seen").endswith("Z")
    assert rows["orders"] == {
        "slug": "orders",
        "name": "orders",
        "engine": "mysql",
        "version": "9.1.0",
        "address": "127.0.0.1:3306",
        "node": "db1",
        "environment": "prod",
        "cluster": "shop",
        "replication_set": "",
        "owner": "",
        "tags": [],
        "state": "up",
        "reason": "",
        "agent": agent.id,
    }
    assert (rows["billing"]["state"], rows["billing"]["reason"]) == ("down", "The server says no.")
    assert rows["lab"]["state"] == "waiting"


def test_search_looks_everywhere_and_takes_every_word(agent: Agent, home: Team) -> None:
    browser = home.browser("operator")
    browser.patch("/api/v1/services/lab", {"name": "Try-Out 100%", "tags": ["gold", "x_y"]})

    assert slugs(home, q="ORD") == ["orders"]
    assert slugs(home, q="example.org") == ["billing"]
    assert slugs(home, q="shop") == ["orders"]
    assert slugs(home, q="db1 try") == ["lab"]
    assert slugs(home, q="gold") == ["lab"]
    assert slugs(home, q="100%") == ["lab"]
    assert slugs(home, q="x_y") == ["lab"]
    assert slugs(home, q="%") == ["lab"]
    assert slugs(home, q="gold orders") == []


def test_filters_narrow_and_counts_leave_the_state_aside(agent: Agent, home: Team) -> None:
    assert slugs(home, environment="prod") == ["billing", "orders"]
    assert slugs(home, engine="mysql") == ["orders"]
    assert slugs(home, cluster="shop", environment="test") == []

    page = fleet(home, environment="prod", state="down")

    assert [row["slug"] for row in page["results"]] == ["billing"]
    assert page["counts"] == {"up": 1, "down": 1, "silent": 0, "waiting": 0}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"state": "broken"}, "state"),
        ({"limit": "0"}, "limit"),
        ({"limit": "501"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"cursor": "made-up"}, "cursor"),
        ({"q": "a" * 201}, "q"),
        ({"q": "a\0b"}, "q"),
    ],
)
def test_a_wrong_query_names_the_field(home: Team, query: dict[str, str], field: str) -> None:
    answer = home.browser("viewer").get(URL, query)

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_pages_do_not_shift_when_rows_come_and_go(agent: Agent, home: Team) -> None:
    first = fleet(home, limit=1)
    assert [row["slug"] for row in first["results"]] == ["billing"]
    agent.service("aaa", address="127.0.0.1:9999")
    home.browser("operator").delete("/api/v1/services/billing")

    path = first["next"].split("/", 3)[3]
    second = home.browser("viewer").get(f"/{path}").json()

    assert [row["slug"] for row in second["results"]] == ["lab"]
    assert second["counts"]["waiting"] == 2


def test_an_empty_list_says_why(home: Team) -> None:
    assert fleet(home)["empty_reason"] == "no_agent"

    agent = enrol(home)
    assert fleet(home)["empty_reason"] == "agent_silent"
    agent.status()
    assert fleet(home)["empty_reason"] == "no_service"
    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        assert fleet(home)["empty_reason"] == "agent_silent"
    agent.service("demo")
    assert fleet(home)["empty_reason"] is None
    assert fleet(home, q="nothing")["empty_reason"] == "filtered_out"
    home.browser("operator").delete("/api/v1/services/demo")
    home.browser("operator").delete(f"/api/v1/agents/{agent.id}")
    assert fleet(home)["empty_reason"] == "no_agent"


def test_another_org_sees_nothing(agent: Agent, away: Team) -> None:
    page = fleet(away)

    assert page["results"] == []
    assert page["counts"] == {"up": 0, "down": 0, "silent": 0, "waiting": 0}
    assert page["empty_reason"] == "no_agent"


def test_the_list_takes_few_queries(
    agent: Agent, home: Team, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        agent.service(f"s{number}", address=f"127.0.0.1:{4000 + number}")
    browser = home.browser("viewer")

    with django_assert_max_num_queries(6):
        assert len(browser.get(URL).json()["results"]) == 23


SEEN = [None, 0, 59, 60, 61, 10_000]
REPORTED = ["", "up", "down"]
ENDED = [(False, False), (True, False), (False, True)]


def test_the_list_and_the_verdict_agree_in_every_case(home: Team) -> None:
    with org_scope(home.org.id):
        cases = itertools.product(SEEN, REPORTED, ENDED)
        for number, (seen, reported, (revoked, superseded)) in enumerate(cases):
            _plant(f"s{number}", seen, reported, revoked=revoked, superseded=superseded)
        node = models.Node.objects.first()
        assert node is not None
        _service("orphan", node, None, "up")

        found = list(with_state(services(), NOW))

        assert len(found) == len(SEEN) * len(REPORTED) * len(ENDED) + 1
        for row in found:
            watcher: Watcher | None = watcher_of(row.agent) if row.agent else None
            verdict = service_verdict(watcher, row.reported_state, "", NOW)
            assert row.state == verdict.state, (row.reported_state, watcher)
            assert bool(verdict.reason) == (verdict.state != "up")
        assert {row.state for row in found} == {"up", "down", "silent", "waiting"}


def _plant(slug: str, seen: int | None, reported: str, *, revoked: bool, superseded: bool) -> None:
    node = models.Node.objects.create(slug=slug, name=slug, hostname=slug, machine_id=slug)
    agent = models.Agent.objects.create(
        node=node,
        key_prefix=slug,
        key_sha256="",
        seen_at=None if seen is None else NOW - timedelta(seconds=seen),
        revoked_at=NOW if revoked else None,
        superseded_at=NOW if superseded else None,
    )
    _service(slug, node, agent, reported)


def _service(slug: str, node: models.Node, agent: models.Agent | None, reported: str) -> None:
    models.Service.objects.create(
        slug=slug,
        name=slug,
        node=node,
        agent=agent,
        engine="mysql",
        address="a:1",
        user="u",
        tls="off",
        reported_state=reported,
    )


def test_an_agent_that_falls_silent_is_told_once(agent: Agent, home: Team, away: Team) -> None:
    seen = models.Agent.unscoped.get().seen_at
    assert seen is not None
    falls = seen + timedelta(seconds=60)
    orgs = [str(home.org.id), str(away.org.id)]
    step = timedelta(seconds=2)

    assert fallen_silent(orgs, falls - 2 * step, falls - step) == []
    told = fallen_silent(orgs, falls - step, falls + step)
    assert fallen_silent(orgs, falls + step, falls + 2 * step) == []
    assert fallen_silent([str(away.org.id)], falls - step, falls + step) == []

    assert {(change.kind, change.key) for change in told} == {
        ("agent", agent.id),
        ("node", "db1"),
        ("service", "orders"),
        ("service", "billing"),
        ("service", "lab"),
    }
    assert {change.org for change in told} == {str(home.org.id)}


def test_a_page_that_reads_too_slowly_keeps_little_and_is_cut_off() -> None:
    page = Page("org")
    for number in range(5000):
        page.tell(Change("org", "service", f"s{number % 10}"))
    assert not page.too_slow
    assert len(asyncio.run(page.changes(1))) == 10

    for number in range(1001):
        page.tell(Change("org", "service", f"s{number}"))

    assert page.too_slow


def test_an_org_opens_two_hundred_pages_and_no_more() -> None:
    pages = Pages(lambda: True)
    opened = [pages.open("one") for _ in range(200)]

    with pytest.raises(Problem, match="too_many_pages"):
        pages.open("one")

    assert pages.open("two").org == "two"
    pages.close(opened[0])
    assert pages.open("one").org == "one"
