"""Signing in and out, as the browser does it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from rest_framework.test import APIClient

from backend.accounts.models import AuditEntry, User
from backend.conftest import Team

LOGIN = "/api/auth/browser/v1/auth/login"
SESSION = "/api/auth/browser/v1/auth/session"
PASSWORD = "/api/auth/browser/v1/account/password/change"
WHO = "/api/v1/session"


@pytest.fixture(autouse=True)
def _no_attempts_yet(db: None) -> None:
    cache.clear()


def sign_in(email: str, password: str, client: APIClient | None = None) -> Any:
    return (client or APIClient()).post(LOGIN, {"email": email, "password": password})


def test_a_person_signs_in_and_out(home: Team) -> None:
    client = APIClient(enforce_csrf_checks=True)
    assert client.get(WHO).json() == {"authenticated": False}
    token = {"X-CSRFToken": client.cookies["csrftoken"].value}

    body = {"email": "Viewer@home.example", "password": "password of viewer"}
    assert client.post(LOGIN, body, headers=token).status_code == 200
    assert client.cookies["leadline_session"]["httponly"]
    assert client.get(WHO).json() == {
        "authenticated": True,
        "user": {"email": "viewer@home.example", "name": "The viewer"},
        "org": {"id": str(home.org.id), "name": "home"},
        "role": "viewer",
        "orgs": [{"id": str(home.org.id), "name": "home", "role": "viewer"}],
        "public_url": "http://127.0.0.1:1",
        "reachable": False,
    } | {"public_url": client.get(WHO).json()["public_url"]}

    token = {"X-CSRFToken": client.cookies["csrftoken"].value}
    assert (
        client.delete(SESSION, headers=token).status_code == 401
    )  # allauth's word for: signed out
    assert client.get(WHO).json() == {"authenticated": False}
    assert not Session.objects.exists()


def test_signing_in_needs_the_csrf_header(home: Team) -> None:
    answer = sign_in(
        "viewer@home.example", "password of viewer", APIClient(enforce_csrf_checks=True)
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")


def test_a_wrong_password_and_an_unknown_address_look_the_same(home: Team) -> None:
    wrong = sign_in("viewer@home.example", "wrong")
    unknown = sign_in("nobody@home.example", "wrong")

    assert wrong.status_code == unknown.status_code == 400
    assert wrong.json() == unknown.json()


def test_guessing_is_slowed_down(home: Team) -> None:
    for _ in range(5):
        assert sign_in("viewer@home.example", "wrong").status_code == 400

    answer = sign_in("viewer@home.example", "password of viewer")

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "too_many_login_attempts"
    assert sign_in("admin@home.example", "password of admin").status_code == 200


def test_guessing_many_addresses_is_slowed_down_by_the_clients_address(home: Team) -> None:
    client = APIClient(
        headers={"X-Forwarded-For": "203.0.113.8, 203.0.113.7"}
    )  # vmauth adds the last one
    for number in range(20):
        sign_in(f"nobody{number}@home.example", "wrong", client)

    refused = sign_in("viewer@home.example", "password of viewer", client)
    elsewhere = APIClient(headers={"X-Forwarded-For": "203.0.113.7, 203.0.113.8"})

    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "too_many_login_attempts"
    assert sign_in("viewer@home.example", "password of viewer", elsewhere).status_code == 200


def test_an_inactive_account_stays_out(home: Team) -> None:
    User.objects.filter(email="viewer@home.example").update(is_active=False)

    assert sign_in("viewer@home.example", "password of viewer").status_code != 200
    assert home.browser("viewer").get("/api/v1/members").status_code == 401


@pytest.mark.parametrize(
    "path", ["auth/signup", "auth/password/request", "auth/email/verify", "account/email", "config"]
)
def test_other_doors_are_not_there(home: Team, path: str) -> None:
    answer = APIClient().post(
        f"/api/auth/browser/v1/{path}", {"email": "a@home.example", "password": "a long password"}
    )

    assert answer.status_code == 404
    assert User.objects.count() == 4


def test_a_password_is_changed_by_who_knows_it(home: Team) -> None:
    client = home.browser("viewer")
    new = "something long and new"

    assert (
        client.post(PASSWORD, {"current_password": "wrong", "new_password": new}).status_code == 400
    )
    assert (
        client.post(
            PASSWORD, {"current_password": "password of viewer", "new_password": "short"}
        ).status_code
        == 400
    )
    assert (
        client.post(
            PASSWORD, {"current_password": "password of viewer", "new_password": new}
        ).status_code
        == 200
    )
    assert sign_in("viewer@home.example", new).status_code == 200


def test_signing_in_is_written_down_in_each_org(home: Team, away: Team, in_both: User) -> None:
    in_both.set_password("password of both")
    in_both.save()
    AuditEntry.unscoped.all().delete()

    sign_in("both@example.org", "password of both")

    rows = AuditEntry.unscoped.values_list("org__name", "actor", "action").order_by("org__name")
    assert list(rows) == [(name, "both@example.org", "session.opened") for name in ("away", "home")]


def test_the_session_tells_of_all_orgs(home: Team, away: Team, in_both: User) -> None:
    client = APIClient()
    client.force_login(in_both)

    here = client.get(WHO).json()
    there = client.get(WHO, headers={"Leadline-Org": str(away.org.id)}).json()
    lost = client.get(WHO, headers={"Leadline-Org": "00000000-0000-0000-0000-000000000000"}).json()

    assert (here["org"]["name"], here["role"]) == ("home", "viewer")
    assert (there["org"]["name"], there["role"]) == ("away", "owner")
    assert (lost["org"], lost["role"]) == (None, None)
    assert [one["name"] for one in here["orgs"]] == ["home", "away"]
