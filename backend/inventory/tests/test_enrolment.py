from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from backend.conftest import Team
from backend.events.models import Event
from backend.inventory.models import Agent, EnrolmentToken, Node
from backend.inventory.tests.agents import call, enrol, enrol_body, enrolment_token

URL = "/api/v1/enrolment-tokens"


def test_a_token_from_the_settings_enrols_an_agent(home: Team) -> None:
    made = home.browser("operator").post(URL, {})
    assert made.status_code == 201, made.json()
    assert made.json()["command"].startswith("bin/leadline-agent enroll --server http")

    status, answer = call("POST", "enrol", enrol_body(made.json()["token"]))

    assert status == 201
    assert answer["org"] == str(home.org.id)
    assert answer["node"] == "db1"
    (listed,) = home.browser("viewer").get(URL).json()["results"]
    assert listed["used_by"] == "db1"
    assert listed["used_at"]
    assert "token" not in listed
    (agent,) = home.browser("viewer").get("/api/v1/agents").json()["results"]
    assert (agent["id"], agent["state"], agent["version"]) == (
        answer["agent_id"],
        "waiting",
        "0.1.0",
    )
    (node,) = home.browser("viewer").get("/api/v1/nodes").json()["results"]
    assert (node["slug"], node["agent"], node["services"]) == ("db1", answer["agent_id"], 0)


def test_the_key_and_the_token_are_not_kept(home: Team) -> None:
    token = enrolment_token(home)
    _, answer = call("POST", "enrol", enrol_body(token))

    kept = str(list(Agent.unscoped.values())) + str(list(EnrolmentToken.unscoped.values()))

    assert answer["key"] not in kept
    assert token not in kept


@pytest.mark.parametrize("token", ["", "lle_wrong", "lle_" + "a" * 51, "lla_" + "a" * 51])
def test_a_wrong_token_is_unknown(home: Team, token: str) -> None:
    status, answer = call("POST", "enrol", enrol_body(token))

    assert (status, answer["code"]) == (401, "enrolment_token_unknown")


def test_a_used_token_enrols_no_second_agent(home: Team) -> None:
    token = enrolment_token(home)
    call("POST", "enrol", enrol_body(token))

    status, answer = call("POST", "enrol", enrol_body(token, "db2"))

    assert (status, answer["code"]) == (410, "enrolment_token_used")
    assert Node.unscoped.filter(slug="db2").count() == 0


def test_a_token_lives_an_hour(home: Team) -> None:
    token = enrolment_token(home)

    with time_machine.travel(timezone.now() + timedelta(minutes=61)):
        status, answer = call("POST", "enrol", enrol_body(token))

    assert (status, answer["code"]) == (410, "enrolment_token_expired")


def test_a_deleted_token_is_unknown(home: Team, away: Team) -> None:
    made = home.browser("operator").post(URL, {}).json()
    assert away.browser("owner").delete(f"{URL}/{made['id']}").status_code == 404
    assert home.browser("operator").delete(f"{URL}/{made['id']}").status_code == 204

    status, answer = call("POST", "enrol", enrol_body(made["token"]))

    assert (status, answer["code"]) == (401, "enrolment_token_unknown")


def test_a_name_of_another_live_machine_is_taken_and_the_token_stays_good(home: Team) -> None:
    enrol(home, "db1", machine_id="one")
    token = enrolment_token(home)

    status, answer = call("POST", "enrol", enrol_body(token, "db1", machine_id="two"))

    assert (status, answer["code"]) == (409, "node_taken")
    status, _ = call("POST", "enrol", enrol_body(token, "db2", machine_id="two"))
    assert status == 201


def test_the_same_machine_gets_its_node_and_services_back(home: Team) -> None:
    first = enrol(home)
    first.service("demo")

    second = enrol(home)

    assert first.token()[1]["code"] == "agent_revoked"
    (service,) = second.desired()["services"]
    assert (service["slug"], service["epoch"]) == ("demo", 2)
    states = {agent.superseded_at is None for agent in Agent.unscoped.all()}
    assert states == {True, False}
    assert Node.unscoped.count() == 1
    assert Event.unscoped.filter(kind="agent_enrolled").count() == 2


def test_a_new_machine_takes_the_name_of_a_revoked_agent(home: Team) -> None:
    first = enrol(home, machine_id="one")
    first.service("demo")
    assert home.browser("operator").delete(f"/api/v1/agents/{first.id}").status_code == 204

    second = enrol(home, machine_id="two")

    assert first.call("GET", "desired")[1]["code"] == "agent_revoked"
    assert [one["slug"] for one in second.desired()["services"]] == ["demo"]


def test_two_orgs_may_use_one_name(home: Team, away: Team) -> None:
    enrol(home)
    enrol(away)

    assert Node.unscoped.filter(slug="db1").count() == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"node": {"slug": "DB 1", "hostname": "h", "machine_id": "m"}}, "node.slug"),
        ({"node": {"slug": "db1", "hostname": "h\n", "machine_id": "m"}}, "node.hostname"),
        ({"node": {"slug": "db1", "hostname": "h", "machine_id": ""}}, "node.machine_id"),
        ({"node": {"slug": "db1", "hostname": "h"}}, "node.machine_id"),
        ({"node": {"slug": 7, "hostname": "h", "machine_id": "m"}}, "node.slug"),
        ({"instance": "none"}, "instance"),
        ({"place": "not hex"}, "place"),
        ({"token": None}, "token"),
    ],
)
def test_wrong_input_names_the_field(home: Team, change: dict[str, Any], field: str) -> None:
    status, answer = call("POST", "enrol", enrol_body(enrolment_token(home)) | change)

    assert (status, answer["code"]) == (400, "invalid")
    assert [error["field"] for error in answer["errors"]] == [field]
    assert answer["errors"][0]["message"].endswith(".")
    assert Node.unscoped.count() == 0


def test_every_wrong_field_is_named(home: Team) -> None:
    node = {"slug": "-", "hostname": "\t", "machine_id": "", "os": "\0", "arch": "a" * 99}

    _, answer = call("POST", "enrol", enrol_body(enrolment_token(home), **node))

    assert {error["field"] for error in answer["errors"]} == {f"node.{name}" for name in node}


@pytest.mark.parametrize("body", ["{", "[]", "7", '"\\ud800"', b"\xff"])
def test_a_body_that_is_not_the_document_is_invalid(home: Team, body: str | bytes) -> None:

    headers = {"Leadline-Protocol": "1"}
    path = "/api/agent/v1/enrol"
    answer = Client().generic("POST", path, body, "application/json", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_a_large_body_is_refused(home: Team) -> None:
    status, answer = call("POST", "enrol", {"token": "a" * 70_000})

    assert (status, answer["code"]) == (413, "too_large")


@pytest.mark.parametrize("protocol", ["", "0", "2", "one"])
def test_another_protocol_is_refused(home: Team, protocol: str) -> None:
    body = enrol_body(enrolment_token(home))

    status, answer = call("POST", "enrol", body, {"Leadline-Protocol": protocol})

    assert (status, answer["code"]) == (426, "protocol_unsupported")
