"""An agent as the tests play it: the requests of leadline-agent, over Django's test client."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from backend.accounts.scope import org_scope
from backend.conftest import Team
from backend.inventory import actions

PROTOCOL = {"Leadline-Protocol": "1", "Leadline-Agent": "0.1.0"}
PLACE = "ab12"


def enrolment_token(team: Team) -> str:
    with org_scope(team.org.id, "test"):
        return actions.enrolment_token_create()[1]


def call(
    method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """Make one request; give the status and the JSON (None for an empty answer)."""
    answer = Client(raise_request_exception=True).generic(
        method,
        f"/api/agent/v1/{path}",
        b"" if body is None else json.dumps(body),
        content_type="application/json",
        headers=PROTOCOL | (headers or {}),
    )
    return answer.status_code, answer.json() if answer.content else None


def enrol_body(token: str, slug: str = "db1", **node: Any) -> dict[str, Any]:
    return {
        "token": token,
        "node": {"slug": slug, "hostname": slug, "machine_id": f"machine of {slug}"}
        | {"os": "linux", "arch": "amd64"}
        | node,
        "instance": str(uuid.uuid4()),
        "place": PLACE,
    }


@dataclass
class Agent:
    id: str
    key: str
    instance: str
    place: str = PLACE
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        return call(method, path, body, {"Authorization": f"Bearer {self.key}"} | headers)

    def token(self, **changes: Any) -> tuple[int, Any]:
        body = {"instance": self.instance, "previous": None, "place": self.place}
        return self.call("POST", "token", body | changes)

    def desired(self) -> dict[str, Any]:
        status, document = self.call("GET", "desired")
        assert status == 200, document
        found: dict[str, Any] = document
        return found

    def service(self, slug: str = "demo", **changes: Any) -> tuple[int, Any]:
        body = {
            "slug": slug,
            "name": "",
            "engine": "mariadb",
            "address": "127.0.0.1:3306",
            "user": "leadline",
            "tls": "off",
            "labels": {},
        }
        return self.call("POST", "services", body | changes)

    def status(self, *services: dict[str, Any], **changes: Any) -> tuple[int, Any]:
        body = {
            "instance": self.instance,
            "generation": 1,
            "started_at": time.time() - 60,
            "clock_offset_seconds": 0.012,
            "spool": {"bytes": 0, "segments": 0, "oldest_age_seconds": 0, "dropped_samples": 0},
            "services": list(services),
        }
        return self.call("POST", "status", body | changes)


def enrol(team: Team, slug: str = "db1", **node: Any) -> Agent:
    body = enrol_body(enrolment_token(team), slug, **node)
    status, document = call("POST", "enrol", body)
    assert status == 201, document
    return Agent(document["agent_id"], document["key"], body["instance"])


def up(slug: str = "demo", **changes: Any) -> dict[str, Any]:
    report = {"slug": slug, "state": "up", "code": None, "error": None}
    return report | {"engine": "mariadb", "version": "10.11.11-MariaDB"} | changes


def down(slug: str = "demo", **changes: Any) -> dict[str, Any]:
    report = {"slug": slug, "state": "down", "code": "denied", "error": "The server says no."}
    return report | changes
