"""What stands around every request."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.urls import clear_url_caches, path
from typing_extensions import override
from whitenoise.middleware import WhiteNoiseMiddleware

from backend import urls
from backend.accounts.scope import NoOrg, current_org_id
from backend.conftest import Team


class Unread(io.RawIOBase):
    """A body that fails the test when it is read."""

    @override
    def readinto(self, buffer: object) -> int:
        raise AssertionError("the body was read")


@pytest.fixture
def lines() -> Iterator[Any]:
    with structlog.testing.capture_logs(
        processors=[structlog.contextvars.merge_contextvars]
    ) as captured:
        yield captured


@pytest.mark.parametrize(
    "url", ["/ingest/api/v1/write", "/ingest", "/prometheus/api/v1/query", "/prometheus/"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_the_data_plane_is_refused_without_reading_the_body(url: str, method: str) -> None:
    body: Any = {"wsgi.input": Unread(), "CONTENT_LENGTH": "1000000"}
    answer = Client().generic(method, url, **body)

    assert (answer.status_code, answer.json()["code"]) == (401, "token_expired")
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"] == "Bearer"


def test_names_that_only_begin_alike_are_not_the_data_plane(db: None) -> None:
    assert Client().get("/ingested").status_code != 401


def test_a_request_id_is_given_and_a_sane_one_is_kept() -> None:
    given = Client().get("/healthz")["X-Request-Id"]
    kept = Client().get("/healthz", headers={"X-Request-Id": "build-17.a_b"})["X-Request-Id"]

    assert len(given) == 32
    assert kept == "build-17.a_b"


@pytest.mark.parametrize(
    "wrong", ["short", "x" * 129, "has a space", 'quote"d-1234', "line\nbreak-123", "ümlaut-12345"]
)
def test_another_request_id_is_replaced(wrong: str) -> None:
    assert Client().get("/healthz", headers={"X-Request-Id": wrong})["X-Request-Id"] != wrong


def test_each_request_is_one_line_with_its_id_org_and_actor(
    home: Team, lines: list[dict[str, Any]]
) -> None:
    client = home.browser("viewer")
    answer = client.get("/api/v1/members?limit=1&q=hunter2")

    (line,) = [one for one in lines if one["event"] == "request"]
    assert line["request_id"] == answer["X-Request-Id"]
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/members", 200)
    assert (line["org"], line["actor"]) == (str(home.org.id), "viewer@home.example")
    assert "hunter2" not in json.dumps(line)


def test_nothing_of_a_request_stays_for_the_next(home: Team, lines: list[dict[str, Any]]) -> None:
    home.browser("viewer").get("/api/v1/members")
    with pytest.raises(NoOrg):
        current_org_id()

    Client().get("/api/v1/session")
    assert "org" not in lines[-1]
    assert structlog.contextvars.get_contextvars() == {}


@pytest.mark.parametrize(
    "url", ["/api/nothing", "/api/v1/nothing", "/api/v1/members/", "/api/auth/browser/v1/nothing"]
)
def test_an_unknown_address_of_the_api_is_a_problem(url: str) -> None:
    answer = Client().get(url)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer["Content-Type"] == "application/problem+json"


def test_a_foreign_host_is_told_the_right_one(settings: Any) -> None:
    answer = Client().get("/api/v1/session", headers={"Host": "evil.example"})

    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_host")
    assert settings.PUBLIC_URL in answer.json()["detail"]


@pytest.fixture
def broken(monkeypatch: Any) -> Iterator[Callable[[Exception], Any]]:
    """Return a function that asks for an address whose view raises."""

    def ask(error: Exception) -> Any:
        def view(request: object) -> HttpResponse:
            raise error

        monkeypatch.setattr(urls, "urlpatterns", [path("api/v1/broken", view)])
        clear_url_caches()
        return Client(raise_request_exception=False).get("/api/v1/broken")

    yield ask
    monkeypatch.undo()
    clear_url_caches()


def test_a_failure_is_a_problem_without_its_reason(
    broken: Callable[[Exception], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = broken(RuntimeError("hunter2"))

    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert answer.json()["request_id"] == answer["X-Request-Id"]
    assert b"hunter2" not in answer.content
    assert any(record.exc_info for record in caplog.records)


def test_a_database_that_is_down_is_a_503(broken: Callable[[Exception], Any]) -> None:
    answer = broken(OperationalError("connection to 10.0.0.1 refused"))

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert b"10.0.0.1" not in answer.content


def test_answers_of_the_api_are_not_kept_and_pages_are_fenced(home: Team) -> None:
    answer = home.browser("viewer").get("/api/v1/members")

    assert answer["Cache-Control"] == "no-store"
    policy = dict(part.split(" ", 1) for part in answer["Content-Security-Policy"].split("; "))
    assert [name for name, value in policy.items() if "unsafe" in value] == ["style-src"]
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Frame-Options"] == "DENY"


def test_every_other_address_gives_the_page(tmp_path: Path, settings: Any) -> None:
    settings.FRONTEND_DIST = tmp_path
    (tmp_path / "index.html").write_text("<!doctype html><title>Leadline</title>")

    for url in ("/", "/services/db1", "/settings/agents?x=1"):
        answer = Client().get(url)
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/html")
        assert answer["Cache-Control"] == "no-cache"
    assert Client().head("/").status_code == 200
    assert Client().get("/assets/gone-AbCd1234.js").status_code == 404
    assert Client().post("/", {}).status_code == 405


def test_a_missing_build_says_so(tmp_path: Path, settings: Any) -> None:
    settings.FRONTEND_DIST = tmp_path / "dist"
    answer = Client().get("/")

    assert answer.status_code == 503
    assert answer.content == b"The user interface is not built: run `make build` and start again.\n"


def test_hashed_files_are_kept_for_ever(tmp_path: Path, settings: Any) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "index-AbCd_123.js").write_text("1")
    (tmp_path / "favicon.svg").write_text("<svg/>")
    settings.WHITENOISE_ROOT = str(tmp_path)
    server = WhiteNoiseMiddleware(lambda request: None)

    def kept(url: str) -> Any:
        return dict(server.files[url].get_response("HEAD", {}).headers)["Cache-Control"]

    assert "immutable" in kept("/assets/index-AbCd_123.js")
    assert "immutable" not in kept("/favicon.svg")
