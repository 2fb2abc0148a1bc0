"""What leadline-agent sends: its tests write these files, and the server must take each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from backend.conftest import Team
from backend.inventory.tests.agents import Agent, call, enrol_body, enrolment_token

FILES = sorted((Path(__file__).parents[3] / "agents/testdata/payloads").rglob("*.json"))

# A field that only this document has tells which one it is.
MARKS = {"machine_id": "enrol", "previous": "token", "started_at": "status", "engine": "services"}


def kind_of(body: dict[str, Any]) -> str:
    fields = set(body) | set(body.get("node") or {})
    kinds = [kind for mark, kind in MARKS.items() if mark in fields]
    assert kinds, f"no route takes a document with {sorted(fields)}"
    return kinds[0]


def agent_of(team: Team, body: dict[str, Any]) -> Agent:
    """Enrol the agent that a document speaks for."""
    identity = {name: body[name] for name in ("instance", "place") if name in body}
    given = enrol_body(enrolment_token(team), "golden") | identity
    status, answer = call("POST", "enrol", given)
    assert status == 201, answer
    return Agent(answer["agent_id"], answer["key"], given["instance"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_server_takes_what_the_agent_sends(
    home: Team, live_signing_keys: None, file: Path
) -> None:
    body = json.loads(file.read_text())
    kind = kind_of(body)
    if kind == "enrol":
        status, answer = call("POST", "enrol", body | {"token": enrolment_token(home)})
        assert (status, answer.get("node")) == (201, body["node"]["slug"])
        return
    agent = agent_of(home, body)
    for service in body.get("services") or []:
        agent.service(service["slug"])

    status, answer = agent.call("POST", kind, body)

    assert status == (201 if kind == "services" else 200), answer
    if kind == "status":
        listed = home.browser("viewer").get("/api/v1/agents").json()["results"]
        assert listed[0]["spool"]["bytes"] == body["spool"]["bytes"]
        states = {
            row["slug"]: row["state"]
            for row in home.browser("viewer").get("/api/v1/fleet").json()["results"]
        }
        assert states == {one["slug"]: one["state"] for one in body["services"] or []}
