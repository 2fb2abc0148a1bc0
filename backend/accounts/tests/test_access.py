"""Which org a request works in, with which rights, and that nothing else is let through."""

from __future__ import annotations

import uuid

import pytest
from rest_framework import status
from rest_framework.test import APIClient, APIRequestFactory
from rest_framework.views import APIView

from backend.accounts.access import OrgView
from backend.accounts.models import User
from backend.conftest import Team

URL = "/api/v1/members"


def test_nobody_is_refused_with_401(home: Team) -> None:
    answer = APIClient().get(URL)

    assert answer.status_code == status.HTTP_401_UNAUTHORIZED
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:leadline:problem:not_authenticated",
        "title": "Not signed in",
        "status": 401,
        "detail": "Sign in or send an API key.",
        "code": "not_authenticated",
        "request_id": answer["X-Request-Id"],
        "errors": [],
    }


def test_the_header_chooses_among_the_own_orgs(home: Team, away: Team, in_both: User) -> None:
    client = APIClient()
    client.force_login(in_both)

    def first_address(**headers: str) -> str:
        return str(client.get(URL, headers=headers).json()["results"][0]["email"])

    assert first_address() == "viewer@home.example"
    assert first_address(**{"Leadline-Org": str(away.org.id)}) == "viewer@away.example"
    body = {"email": "a@away.example", "role": "viewer"}
    assert client.post(URL, body).status_code == 403
    assert client.post(URL, body, headers={"Leadline-Org": str(away.org.id)}).status_code == 201


@pytest.mark.parametrize("how", ["browser", "program"])
def test_a_foreign_org_and_a_missing_one_look_the_same(home: Team, away: Team, how: str) -> None:
    client = home.browser("owner") if how == "browser" else home.program("admin")

    foreign = client.get(URL, headers={"Leadline-Org": str(away.org.id)})
    missing = client.get(URL, headers={"Leadline-Org": str(uuid.uuid4())})

    assert foreign.status_code == missing.status_code == 403
    assert {**foreign.json(), "request_id": ""} == {**missing.json(), "request_id": ""}
    assert foreign.json()["code"] == "org_forbidden"


def test_a_malformed_org_names_the_header(home: Team) -> None:
    answer = home.browser("owner").get(URL, headers={"Leadline-Org": "home"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Leadline-Org")


def test_a_person_without_an_org_is_told(db: None) -> None:
    client = APIClient()
    client.force_login(User.objects.create_user("nobody@example.org", "a long password"))

    answer = client.get(URL)

    assert (answer.status_code, answer.json()["code"]) == (403, "no_org")


def test_writing_with_the_cookie_needs_the_csrf_header(home: Team) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(home.people["owner"])
    body = {"email": "a@home.example", "role": "viewer"}

    refused = client.post(URL, body)
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf_failed")

    client.get("/api/v1/session")
    token = client.cookies["csrftoken"].value
    assert client.post(URL, body, headers={"X-CSRFToken": token}).status_code == 201


def test_a_key_needs_no_csrf_header(home: Team) -> None:
    client = home.program("admin")
    client.handler.enforce_csrf_checks = True

    assert client.post(URL, {"email": "a@home.example", "role": "viewer"}).status_code == 201


def test_a_method_without_a_role_is_refused(home: Team) -> None:
    class Careless(OrgView):
        def get(self, request: object) -> None:
            raise AssertionError(request)

    request = APIRequestFactory().get("/")
    request.user = home.people["owner"]

    assert Careless.as_view()(request).status_code == 403


def test_a_view_that_says_nothing_lets_nobody_in(home: Team) -> None:
    class Naked(APIView):
        def get(self, request: object) -> None:
            raise AssertionError(request)

    request = APIRequestFactory().get("/")
    request.user = home.people["owner"]

    assert Naked.as_view()(request).status_code == 403


@pytest.mark.parametrize("body", ["{", "[]", '"text"', "null", "\xff"])
def test_a_body_that_is_no_object_is_a_bad_request(home: Team, body: str) -> None:
    answer = home.browser("owner").generic(
        "POST", URL, body.encode("latin-1"), content_type="application/json"
    )

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"


def test_another_content_type_is_refused(home: Team) -> None:
    answer = home.browser("owner").generic(
        "POST", URL, "a=b", content_type="application/x-www-form-urlencoded"
    )

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_another_method_is_refused(home: Team) -> None:
    answer = home.browser("owner").put(URL, {})

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
