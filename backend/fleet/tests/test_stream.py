from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import connections
from rest_framework.test import APIClient

from backend.accounts.keys import AGENT_KEY, new_secret
from backend.accounts.scope import org_scope
from backend.conftest import Team
from backend.fleet.tests.conftest import Streams
from backend.fleet.tests.wire import Answer, ask, get, opened
from backend.inventory.models import Agent as Rows
from backend.inventory.models import Node
from backend.inventory.tests.agents import PROTOCOL, Agent, enrol, up
from deploy.stack import free_port

COMMANDS = "/api/agent/v1/commands"
EVENTS = "/api/v1/events"


def headers(agent: Agent) -> dict[str, str]:
    return PROTOCOL | {"Authorization": f"Bearer {agent.key}"}


async def wait(streams: Streams, agent: Agent, **query: Any) -> Answer:
    return await ask(streams.url + COMMANDS, headers(agent), **query)


def poll(streams: Streams, agent: Agent, **query: Any) -> Answer:
    return asyncio.run(wait(streams, agent, **query))


def credentials(team: Team) -> dict[str, str]:
    found: dict[str, str] = team.program("read")._credentials
    return {"Authorization": found["HTTP_AUTHORIZATION"]}


async def next_event(lines: Any, kind: str) -> dict[str, Any]:
    """Give the data of the next event of a kind, within 8 s: the fallback poll needs 5."""
    async with asyncio.timeout(8):
        while True:
            if await anext(lines) == f"event: {kind}":
                data: dict[str, Any] = json.loads((await anext(lines)).removeprefix("data: "))
                return data


def test_a_differing_generation_is_answered_at_once(streams: Streams, home: Team) -> None:
    agent = enrol(home)
    generation = agent.desired()["generation"]

    began = time.monotonic()
    answer = poll(streams, agent, generation=generation + 7, wait=20)

    assert answer.json() == {"generation": generation, "commands": []}
    assert time.monotonic() - began < 1


def test_the_same_generation_waits_as_long_as_asked(streams: Streams, home: Team) -> None:
    agent = enrol(home)
    generation = agent.desired()["generation"]

    began = time.monotonic()
    answer = poll(streams, agent, generation=generation, wait=1)
    took = time.monotonic() - began

    assert answer.json()["generation"] == generation
    assert 1 <= took < 2
    assert poll(streams, agent, generation=9, wait=0).json()["generation"] == generation


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({}, "generation"),
        ({"generation": "x"}, "generation"),
        ({"generation": "-1"}, "generation"),
        ({"generation": "1", "wait": "long"}, "wait"),
    ],
)
def test_a_wrong_poll_names_the_field(
    streams: Streams, home: Team, query: dict[str, str], field: str
) -> None:
    answer = poll(streams, enrol(home), **query)

    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


def test_who_may_not_poll_is_told(streams: Streams, home: Team) -> None:
    agent = enrol(home)
    nobody = Agent("", "lla_unknown", "")
    url = streams.url + COMMANDS

    assert poll(streams, nobody, generation=1).json()["code"] == "agent_key_unknown"
    assert get(url, {"Leadline-Protocol": "2"}, generation=1).status == 426
    assert asyncio.run(ask(url, headers(agent), "POST")).status == 405
    assert get(f"{streams.url}/api/v1/other").json()["code"] == "not_found"


def woken(streams: Streams, agent: Agent, change: Callable[[], Any]) -> tuple[Answer, float]:
    """Make a change while an agent waits; gives what it was answered and after how long."""
    generation = agent.desired()["generation"]

    async def change_while_it_waits() -> tuple[Answer, float]:
        waiting = asyncio.create_task(wait(streams, agent, generation=generation, wait=20))
        done, _ = await asyncio.wait({waiting}, timeout=1)
        assert not done
        began = time.monotonic()
        await apart(change)
        return await waiting, time.monotonic() - began

    return asyncio.run(change_while_it_waits())


def test_a_change_wakes_the_wait_within_a_second(streams: Streams, home: Team) -> None:
    agent = enrol(home)
    agent.service("demo")
    generation = agent.desired()["generation"]

    answer, took = woken(streams, agent, lambda: rename(home))

    assert answer.json()["generation"] == generation + 1
    assert took < 1


def rename(team: Team) -> None:
    answer = team.browser("operator").patch("/api/v1/services/demo", {"name": "Orders"})
    assert answer.status_code == 200, answer.json()


async def apart(work: Callable[..., Any], *given: Any) -> Any:
    """Do blocking work in a thread, which then gives its connection back."""

    def run() -> Any:
        try:
            return work(*given)
        finally:
            connections.close_all()

    return await asyncio.to_thread(run)


def test_a_revoked_agent_is_sent_away_at_once(streams: Streams, home: Team) -> None:
    agent = enrol(home)
    path = f"/api/v1/agents/{agent.id}"

    answer, took = woken(streams, agent, lambda: home.browser("operator").delete(path))

    assert (answer.status, answer.json()["code"]) == (401, "agent_revoked")
    assert took < 1
    assert poll(streams, agent, generation=1).json()["code"] == "agent_revoked"


def test_two_hundred_agents_wait_on_few_connections(streams: Streams, home: Team) -> None:
    agents = crowd_of(home, 200)
    chosen = agents[137]
    chosen.service("demo")
    generations = {agent.id: 1 for agent in agents} | {chosen.id: 2}

    async def crowd() -> None:
        # Other processes of these tests hold idle connections too: only what the crowd adds counts.
        before = await apart(connections_of, streams)
        waits = {
            agent.id: asyncio.create_task(
                wait(streams, agent, generation=generations[agent.id], wait=6)
            )
            for agent in agents
        }
        done, _ = await asyncio.wait(waits.values(), timeout=3)
        assert not done
        assert await apart(connections_of, streams) - before <= 6
        began = time.monotonic()
        await apart(rename, home)
        assert (await waits.pop(chosen.id)).json()["generation"] == 3
        assert time.monotonic() - began < 1
        rest = await asyncio.gather(*waits.values())
        assert {(one.status, one.json()["generation"]) for one in rest} == {(200, 1)}

    asyncio.run(crowd())


def crowd_of(team: Team, count: int) -> list[Agent]:
    """Enrol many at once."""
    with org_scope(team.org.id):
        names = [f"n{number}" for number in range(count)]
        nodes = Node.objects.bulk_create(
            [Node(slug=name, name=name, hostname=name, machine_id=name) for name in names]
        )
        secrets = [new_secret(AGENT_KEY) for _ in nodes]
        rows = Rows.objects.bulk_create(
            [
                Rows(node=node, key_prefix=secret.prefix, key_sha256=secret.sha256)
                for node, secret in zip(nodes, secrets, strict=True)
            ]
        )
    pairs = zip(rows, secrets, strict=True)
    return [Agent(str(row.pk), secret.full, "") for row, secret in pairs]


def connections_of(streams: Streams) -> int:
    """Count what the server holds open on this database, the test's own connections left out."""
    database = django_settings.DATABASES["default"]
    with psycopg.connect(
        host=database["HOST"],
        port=database["PORT"],
        dbname=database["NAME"],
        user=database["USER"],
        password=database["PASSWORD"],
        application_name="test",
    ) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = 'leadline'"
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_page_hears_of_its_own_org_only(streams: Streams, home: Team, away: Team) -> None:
    agent, foreign = enrol(home), enrol(away)
    agent.service("demo")
    foreign.service("theirs")
    allowed = credentials(home)

    async def listen() -> None:
        async with opened(streams.url + EVENTS, allowed) as lines:
            await apart(foreign.status, up("theirs"))
            began = time.monotonic()
            await apart(agent.status, up("demo"))
            assert await next_event(lines, "service") == {"slug": "demo"}
            assert await next_event(lines, "agent") == {"id": agent.id}
            assert time.monotonic() - began < 1

    asyncio.run(listen())


def test_a_browser_names_its_org_in_the_address(
    streams: Streams, home: Team, away: Team, in_both: Any
) -> None:
    agent = enrol(away)
    agent.service("demo")
    browser = APIClient()
    browser.force_login(in_both)
    cookie = {"Cookie": f"leadline_session={browser.cookies['leadline_session'].value}"}

    async def listen() -> None:
        async with opened(streams.url + EVENTS, cookie, org=away.org.id) as lines:
            await apart(agent.status, up("demo"))
            assert await next_event(lines, "service") == {"slug": "demo"}

    asyncio.run(listen())


def test_who_may_not_listen_is_told(streams: Streams, home: Team, away: Team) -> None:
    url = streams.url + EVENTS
    allowed = credentials(home)
    foreign = allowed | {"Leadline-Org": str(away.org.id)}
    agent = enrol(home)

    assert get(url).json()["code"] == "not_authenticated"
    assert get(url, {"Cookie": "leadline_session=made-up"}).status == 401
    assert get(url, headers(agent)).json()["code"] == "api_key_unknown"
    assert get(url, foreign).json()["code"] == "org_forbidden"
    assert get(url, allowed, org="x").status == 400
    assert get(url, org=home.org.id).status == 401


def test_without_redis_a_wait_ends_by_the_poll(deaf_streams: Streams, home: Team) -> None:
    agent = enrol(home)
    agent.service("demo")
    generation = agent.desired()["generation"]

    answer, took = woken(deaf_streams, agent, lambda: rename(home))

    assert answer.json()["generation"] == generation + 1
    assert took < 6


def test_without_redis_a_page_hears_by_the_poll(deaf_streams: Streams, home: Team) -> None:
    enrol(home).service("demo")
    allowed = credentials(home)

    async def listen() -> None:
        async with opened(deaf_streams.url + EVENTS, allowed) as lines:
            await apart(rename, home)
            assert await next_event(lines, "service") == {"slug": "demo"}

    asyncio.run(listen())


def test_without_redis_no_change_fails_or_waits(
    home: Team, settings: Any, transactional_db: None
) -> None:
    from backend.events import wakeup  # noqa: PLC0415

    settings.REDIS_URL = f"redis://:x@127.0.0.1:{free_port()}/0"
    wakeup._client.cache_clear()
    agent = enrol(home)

    began = time.monotonic()
    assert agent.service("demo")[0] == 201
    rename(home)

    wakeup._client.cache_clear()
    wakeup._publisher._resting_until = 0
    assert time.monotonic() - began < 2
