"""Readiness names what is not ready, in time and without secrets."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.test import Client

from backend import health
from backend.conftest import Team

CLOSED_PORT = 1  # binding it needs root, so nothing of a test listens there


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: Any) -> None:
    kept = {name: health._checks[name] for name in ("postgresql", "redis")}
    monkeypatch.setattr(health, "_checks", dict(kept))


def parts(answer: Any) -> dict[str, bool]:
    return {part["name"]: part["ok"] for part in answer.json()["parts"]}


def test_it_lives_without_any_part() -> None:
    assert Client().get("/healthz").json() == {"ok": True}


def test_ready_when_every_part_is() -> None:
    answer = Client().get("/readyz")

    assert answer.status_code == 200
    assert parts(answer) == {"postgresql": True, "redis": True}


def test_names_the_part_that_is_down(settings: Any) -> None:
    settings.REDIS_URL = f"redis://:hunter2@127.0.0.1:{CLOSED_PORT}/0"
    answer = Client().get("/readyz")

    assert answer.status_code == 503
    assert parts(answer) == {"postgresql": True, "redis": False}
    assert b"hunter2" not in answer.content


def test_postgresql_down_is_named_and_its_password_is_not(settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(settings.DATABASES["default"], "PORT", CLOSED_PORT)
    monkeypatch.setitem(settings.DATABASES["default"], "PASSWORD", "hunter2")
    answer = Client().get("/readyz")

    assert (answer.status_code, parts(answer)["postgresql"]) == (503, False)
    assert b"hunter2" not in answer.content


def test_a_part_that_hangs_is_late_and_is_asked_once(monkeypatch: Any) -> None:
    monkeypatch.setattr(health, "LIMIT_SECONDS", 0.2)
    asked, answer_now = [], threading.Event()

    def hang() -> str:
        asked.append(1)
        answer_now.wait(10)
        return "At last."

    health.register("slow", hang)
    began = time.monotonic()
    first = {part.name: part for part in health.look()}
    second = {part.name: part for part in health.look()}
    answer_now.set()

    assert time.monotonic() - began < 2
    assert not first["slow"].ok
    assert not second["slow"].ok
    assert "no answer" in first["slow"].detail
    assert first["redis"].ok
    assert len(asked) == 1


def test_a_check_that_fails_itself_says_so_without_the_reason() -> None:
    def fail() -> str:
        raise ValueError("hunter2")

    health.register("broken", fail)
    answer = Client().get("/readyz")

    assert parts(answer)["broken"] is False
    assert b"hunter2" not in answer.content


def test_another_room_adds_its_part(home: Team) -> None:
    def look() -> str:
        raise health.NotReady("The disk is full.")

    health.register("disk", look)
    body = home.browser("viewer").get("/api/v1/health").json()

    assert body["ok"] is False
    assert body["parts"][-1] == {"name": "disk", "ok": False, "detail": "The disk is full."}


def test_the_api_wants_a_member() -> None:
    assert Client().get("/api/v1/health").status_code == 401
