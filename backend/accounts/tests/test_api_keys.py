from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from rest_framework.test import APIClient

from backend.accounts.models import ApiKey
from backend.conftest import Team

URL = "/api/v1/api-keys"


def make(team: Team, **fields: Any) -> dict[str, Any]:
    body = {"name": "deploys", "scopes": ["read"], **fields}
    answer = team.browser("admin").post(URL, body)
    assert answer.status_code == 201, answer.json()
    made: dict[str, Any] = answer.json()
    return made


def bearer(key: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def test_the_key_is_shown_once_and_not_kept(home: Team) -> None:
    made = make(home, scopes=["write", "read"])

    kept = ApiKey.unscoped.get()
    assert made["key"].startswith(kept.prefix)
    assert made["key"] not in {kept.prefix, kept.sha256}
    assert made["scopes"] == ["read", "write"]
    (listed,) = home.browser("viewer").get(URL).json()["results"]
    assert listed == {name: value for name, value in made.items() if name != "key"}
    assert listed["created_by"] == "admin@home.example"


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [("read", {"GET"}), ("write", {"GET"}), ("admin", {"GET", "POST"})],
)
def test_a_scope_gives_what_its_role_may(home: Team, scope: str, allowed: set[str]) -> None:
    client = home.program(scope)

    got = {
        "GET": client.get("/api/v1/members").status_code,
        "POST": client.post(URL, {"name": "another", "scopes": ["read"]}).status_code,
    }

    assert got == {"GET": 200, "POST": 201 if "POST" in allowed else 403}


def test_no_key_makes_an_owner(home: Team) -> None:
    answer = home.program("admin").post(
        "/api/v1/members", {"email": "a@home.example", "role": "owner"}
    )

    assert answer.status_code == 403


def test_a_key_expires(home: Team) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with time_machine.travel(now, tick=False) as clock:
        client = bearer(make(home, expires_at="2026-11-21T13:00:00Z")["key"])
        clock.shift(timedelta(minutes=59, seconds=59))
        assert client.get("/api/v1/members").status_code == 200
        clock.shift(timedelta(seconds=1))
        answer = client.get("/api/v1/members")

    assert (answer.status_code, answer.json()["code"]) == (401, "api_key_unknown")


def test_a_revoked_key_is_out_at_once(home: Team) -> None:
    made = make(home)
    assert home.browser("admin").delete(f"{URL}/{made['id']}").status_code == 204

    assert bearer(made["key"]).get("/api/v1/members").status_code == 401
    assert home.browser("admin").delete(f"{URL}/{made['id']}").status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        "llk_",
        "llk_" + "a" * 51,
        "lla_" + "a" * 51,
        "llk_" + "é" * 51,
        "eyJhbGciOiJFUzI1NiJ9.e30.x",
        "",
    ],
)
def test_a_wrong_key_is_unknown(home: Team, wrong: str) -> None:
    answer = bearer(wrong).get("/api/v1/members")

    assert (answer.status_code, answer.json()["code"]) == (401, "api_key_unknown")
    assert answer["WWW-Authenticate"] == "Bearer"


def test_the_right_prefix_with_another_rest_is_unknown(home: Team) -> None:
    key = make(home)["key"]

    assert (
        bearer(key[:-1] + ("a" if key[-1] != "a" else "b")).get("/api/v1/members").status_code
        == 401
    )


def test_a_wrong_key_is_not_helped_by_a_session(home: Team) -> None:
    client = home.browser("owner")

    assert (
        client.get("/api/v1/members", headers={"Authorization": "Bearer llk_wrong"}).status_code
        == 401
    )


def test_last_use_is_written_once_a_minute(home: Team) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with time_machine.travel(now, tick=False) as clock:
        client = bearer(make(home)["key"])
        client.get("/api/v1/members")
        clock.shift(timedelta(seconds=60))
        client.get("/api/v1/members")
        assert ApiKey.unscoped.get().last_used_at == now
        clock.shift(timedelta(seconds=1))
        client.get("/api/v1/members")
        assert ApiKey.unscoped.get().last_used_at == now + timedelta(seconds=61)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes.0"),
        ({"scopes": "read"}, "scopes"),
        ({"expires_at": "tomorrow"}, "expires_at"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
    ],
)
def test_bad_input_names_the_field(home: Team, fields: dict[str, Any], field: str) -> None:
    answer = home.browser("admin").post(URL, {"name": "deploys", "scopes": ["read"], **fields})

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not ApiKey.unscoped.exists()


def test_a_foreign_key_is_not_there(home: Team, away: Team) -> None:
    made = make(away)

    assert home.browser("owner").get(URL).json()["results"] == []
    assert home.browser("owner").delete(f"{URL}/{made['id']}").status_code == 404
    assert ApiKey.unscoped.count() == 1


def test_the_list_takes_few_queries(home: Team, django_assert_max_num_queries: Any) -> None:
    for number in range(3):
        make(home, name=f"key {number}")
    client = home.browser("viewer")
    with django_assert_max_num_queries(4):  # session, user, memberships, keys
        assert len(client.get(URL).json()["results"]) == 3
