"""The wall between orgs: every operation of the OpenAPI file with every wrong credential."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml

if TYPE_CHECKING:
    from deploy.tests.stack.tenants import Tenant

pytestmark = pytest.mark.stack

SCHEMA = Path(__file__).resolve().parents[3] / "docs/openapi.yaml"
PUBLIC = {
    ("GET", "/api/v1/session"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/api/schema"),
}
REFUSED = {400, 401, 403, 404, 405, 409, 415}
AGENT_ROUTES = [
    ("POST", "/api/agent/v1/token"),
    ("GET", "/api/agent/v1/desired"),
    ("POST", "/api/agent/v1/status"),
    ("POST", "/api/agent/v1/services"),
    ("DELETE", "/api/agent/v1/services/{slug}"),
    ("GET", "/api/agent/v1/commands"),
]


def operations() -> list[tuple[str, str]]:
    """List every operation of the OpenAPI file as (METHOD, path)."""
    paths: dict[str, dict[str, Any]] = yaml.safe_load(SCHEMA.read_text())["paths"]
    verbs = {"get", "post", "put", "patch", "delete"}
    return [(verb.upper(), path) for path, item in paths.items() for verb in item if verb in verbs]


OPERATIONS = operations()
GUARDED = [operation for operation in OPERATIONS if operation not in PUBLIC]


def filled(path: str, victim: Tenant) -> str:
    """Put the victim's own identifiers into a path's parameters."""
    kind = path.removeprefix("/api/v1/").split("/")[0]
    return re.sub(r"\{[^}]+\}", lambda _: victim.ids[kind], path)


def possessions(tenant: Tenant) -> dict[str, Any]:
    """Read all that an org owns, as itself, without what moves by being read."""
    moving = {"last_seen", "last_used_at", "at"}
    return {
        kind: [
            {key: value for key, value in row.items() if key not in moving}
            for row in tenant.request("GET", f"/api/v1/{kind}").json()["results"]
        ]
        for kind in tenant.ids
    }


def test_the_schema_lists_the_routes() -> None:
    assert len(GUARDED) >= 20


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_without_a_credential_nothing_is_answered(
    tenants: tuple[Tenant, Tenant], method: str, path: str
) -> None:
    victim, _ = tenants
    answer = httpx.request(method, victim.url + filled(path, victim), json={}, timeout=20)
    assert answer.status_code in {401, 403}, answer.text
    assert victim.marker not in answer.text


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_another_org_sees_and_changes_nothing(
    tenants: tuple[Tenant, Tenant], method: str, path: str
) -> None:
    victim, intruder = tenants
    before = possessions(victim)
    for body in (
        {},
        {"name": "taken", "role": "owner", "agent": victim.ids["agents"], "address": "127.0.0.1:1"},
    ):
        if "{" in path or method == "GET":
            answer = intruder.request(method, filled(path, victim), json=body)
            assert victim.marker not in answer.text
            if "{" in path:
                assert answer.status_code in REFUSED, answer.text
    assert possessions(victim) == before


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_naming_another_org_is_refused(
    tenants: tuple[Tenant, Tenant], method: str, path: str
) -> None:
    victim, intruder = tenants
    answer = intruder.request(
        method, filled(path, victim), json={}, headers={"Leadline-Org": victim.org}
    )
    assert answer.status_code in REFUSED, answer.text
    assert victim.marker not in answer.text


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_tokens_and_agent_keys_do_not_open_the_api(
    tenants: tuple[Tenant, Tenant], method: str, path: str
) -> None:
    victim, _ = tenants
    for credential in (
        victim.agent_key,
        victim.read_token(),
        victim.ingest_token(),
        victim.key[:-1] + "x",
        "llk_",
        "x" * 5000,
    ):
        answer = httpx.request(
            method,
            victim.url + filled(path, victim),
            json={},
            headers={"Authorization": f"Bearer {credential}"},
            timeout=20,
        )
        assert answer.status_code in {400, 401, 403}, (
            credential[:8],
            answer.status_code,
            answer.text,
        )
        assert victim.marker not in answer.text


@pytest.mark.parametrize(("method", "path"), AGENT_ROUTES)
def test_agent_routes_know_agent_keys_only(
    tenants: tuple[Tenant, Tenant], method: str, path: str
) -> None:
    victim, intruder = tenants
    before = possessions(victim)
    target = filled(path.replace("{slug}", victim.ids["services"]), victim)
    for credential in (victim.key, victim.read_token(), victim.ingest_token(), "lla_unknown"):
        answer = victim.agent(
            method, target, json={}, headers={"Authorization": f"Bearer {credential}"}
        )
        assert answer.status_code in {400, 401, 403}, answer.text
    foreign = intruder.agent(method, target, params={"wait": 0}, json={})
    assert victim.marker not in foreign.text
    if "{slug}" in path:
        assert foreign.status_code == httpx.codes.NOT_FOUND
    assert possessions(victim) == before


def test_a_session_of_one_org_cannot_choose_another(tenants: tuple[Tenant, Tenant]) -> None:
    victim, intruder = tenants
    with httpx.Client(base_url=intruder.url, timeout=20) as browser:
        browser.get("/api/v1/session")
        signed_in = browser.post(
            "/api/auth/browser/v1/auth/login",
            json={"email": intruder.email, "password": intruder.password},
            headers={"X-CSRFToken": browser.cookies["csrftoken"], "Origin": intruder.url},
        )
        assert signed_in.status_code == httpx.codes.OK, signed_in.text
        assert browser.get("/api/v1/fleet").status_code == httpx.codes.OK
        for path in ("/api/v1/fleet", "/api/v1/services", "/api/v1/session", "/api/v1/audit"):
            answer = browser.get(path, headers={"Leadline-Org": victim.org})
            assert victim.marker not in answer.text
            assert victim.org not in answer.text
        without_token = browser.post("/api/v1/enrolment-tokens", json={})
        assert without_token.status_code == httpx.codes.FORBIDDEN
