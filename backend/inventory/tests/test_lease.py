from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from backend.accounts.models import AuditEntry
from backend.conftest import Team
from backend.events.models import Event
from backend.inventory.lease import Asker, Holder, Verdict, judge
from backend.inventory.tests.agents import Agent, enrol

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ONE, TWO, THREE = (uuid.UUID(int=n) for n in (1, 2, 3))


@pytest.mark.parametrize(
    ("instance", "previous", "place", "silent_seconds", "verdict"),
    [
        (ONE, None, "here", 0, Verdict.SAME),
        (ONE, None, "elsewhere", 0, Verdict.SAME),
        (ONE, None, "here", 1000, Verdict.SAME),
        (TWO, ONE, "here", 0, Verdict.SUCCESSOR),
        (TWO, ONE, "elsewhere", 0, Verdict.REFUSED),
        (TWO, ONE, "elsewhere", 89, Verdict.REFUSED),
        (TWO, ONE, "elsewhere", 90, Verdict.TAKEOVER),
        (TWO, THREE, "here", 0, Verdict.REFUSED),
        (TWO, THREE, "here", 89, Verdict.REFUSED),
        (TWO, None, "here", 0, Verdict.REFUSED),
        (TWO, None, "here", 90, Verdict.TAKEOVER),
    ],
)
def test_who_may_hold_the_lease(
    instance: uuid.UUID,
    previous: uuid.UUID | None,
    place: str,
    silent_seconds: int,
    verdict: Verdict,
) -> None:
    seen = NOW - timedelta(seconds=silent_seconds)
    holder = Holder(instance=ONE, place="here", seen_at=seen)

    assert judge(holder, Asker(instance=instance, previous=previous, place=place), NOW) is verdict


def test_nobody_before_is_the_first() -> None:
    nobody = Holder(instance=None, place="", seen_at=None)

    assert judge(nobody, Asker(instance=ONE, previous=None, place="x"), NOW) is Verdict.FIRST


@pytest.fixture
def agent(home: Team, live_signing_keys: None) -> Agent:
    return enrol(home)


def test_the_instance_that_enrolled_gets_tokens(agent: Agent) -> None:
    status, answer = agent.token()

    assert status == 200
    assert answer["expires_in"] == 600
    assert abs(answer["server_time"] - datetime.now(UTC).timestamp()) < 5
    assert answer["generation"] == 1


def test_a_restart_from_the_same_directory_succeeds_at_once(agent: Agent) -> None:
    successor = str(uuid.uuid4())

    assert agent.token(instance=successor, previous=agent.instance)[0] == 200
    # The one before is out now, even if it still runs.
    status, answer = agent.token()
    assert (status, answer["code"]) == (409, "second_instance")


def test_a_copy_gets_no_token_and_leaves_one_event(agent: Agent) -> None:
    copy = {"instance": str(uuid.uuid4()), "previous": agent.instance, "place": "ff"}

    for _ in range(3):
        status, answer = agent.token(**copy)
        assert (status, answer["code"]) == (409, "second_instance")

    event = Event.unscoped.get(kind="second_instance")
    assert (event.node, str(event.agent)) == ("db1", agent.id)
    assert agent.token()[0] == 200


def test_after_90_seconds_of_silence_another_takes_over_and_it_is_written_down(
    agent: Agent,
) -> None:
    copy = {"instance": str(uuid.uuid4()), "previous": None, "place": "ff"}

    with time_machine.travel(timezone.now() + timedelta(seconds=91)):
        assert agent.token(**copy)[0] == 200

    assert AuditEntry.unscoped.filter(action="agent.lease_taken_over").count() == 1


def test_a_report_keeps_the_lease_alive(agent: Agent) -> None:
    copy = {"instance": str(uuid.uuid4()), "previous": None, "place": "ff"}
    start = timezone.now()
    with time_machine.travel(start + timedelta(seconds=80)):
        assert agent.status()[0] == 200

    with time_machine.travel(start + timedelta(seconds=100)):
        assert agent.token(**copy)[0] == 409


def test_a_report_of_another_instance_changes_nothing(agent: Agent, home: Team) -> None:
    agent.service("demo")

    report = {"slug": "demo", "state": "down", "code": "denied", "error": "no"}
    status, answer = agent.status(report, instance=str(uuid.uuid4()))

    assert (status, answer["code"]) == (409, "second_instance")
    service = home.browser("viewer").get("/api/v1/services/demo").json()
    assert service["state"] == "waiting"
    assert Event.unscoped.filter(kind="second_instance").count() == 1


@pytest.mark.parametrize("key", ["", "lla_short", "llk_" + "a" * 51])
def test_an_unknown_key_is_refused(agent: Agent, key: str) -> None:
    agent.key = key

    status, answer = agent.token()

    assert (status, answer["code"]) == (401, "agent_key_unknown")


def test_the_right_prefix_with_another_rest_is_unknown(agent: Agent) -> None:
    agent.key = agent.key[:12] + "x" * (len(agent.key) - 12)

    assert agent.token()[1]["code"] == "agent_key_unknown"


def test_a_revoked_agent_is_out_of_every_route(agent: Agent, home: Team) -> None:
    assert home.browser("operator").delete(f"/api/v1/agents/{agent.id}").status_code == 204

    answers = [
        agent.token(),
        agent.status(),
        agent.service(),
        agent.call("GET", "desired"),
        agent.call("DELETE", "services/demo"),
    ]

    assert {(status, answer["code"]) for status, answer in answers} == {(401, "agent_revoked")}
    (listed,) = home.browser("viewer").get("/api/v1/agents").json()["results"]
    assert listed["state"] == "revoked"


def test_an_agents_key_is_nothing_to_the_api_for_people(agent: Agent) -> None:
    from rest_framework.test import APIClient  # noqa: PLC0415

    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {agent.key}")

    assert client.get("/api/v1/services").status_code == 401
