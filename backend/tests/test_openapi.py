"""The OpenAPI document: made without a warning, and true to what the routes do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from backend import openapi
from backend.conftest import Team


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    openapi.document.cache_clear()
    loaded: dict[str, Any] = yaml.safe_load(openapi.document())
    return loaded


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    ]


def test_it_is_valid_and_made_without_a_warning(capsys: Any) -> None:
    GENERATOR_STATS.reset()
    openapi.document.cache_clear()
    made = yaml.safe_load(openapi.document())

    validate_schema(made)
    assert capsys.readouterr().err == ""
    assert made["openapi"] == "3.1.0"


def test_every_route_wants_credentials_but_the_session(document: dict[str, Any]) -> None:
    doors = {
        path
        for path, _, one in operations(document)
        if {"apiKey": []} not in one.get("security", [])
    }
    assert doors == {"/api/v1/session"}


def test_every_operation_may_answer_with_a_problem(document: dict[str, Any]) -> None:
    for path, method, one in operations(document):
        answer = one["responses"]["default"]["content"]
        assert list(answer) == ["application/problem+json"], f"{method} {path}"
    assert set(document["components"]["schemas"]["Problem"]["required"]) >= {
        "code",
        "detail",
        "request_id",
    }


def test_the_kept_document_is_the_made_one(document: dict[str, Any]) -> None:
    kept = Path(__file__).resolve().parents[2] / "docs/openapi.yaml"
    assert yaml.safe_load(kept.read_text()) == document, "run `make schema` and commit its result"


def test_operations_have_names_of_their_own(document: dict[str, Any]) -> None:
    names = [one["operationId"] for _, _, one in operations(document)]
    assert len(set(names)) == len(names)


def test_every_route_of_the_document_is_there(document: dict[str, Any]) -> None:
    for path, method, _ in operations(document):
        url = path.replace("{", "").replace("}", "")
        for parameter in ("member_id", "key_id", "id", "agent_id", "token_id"):
            url = url.replace(f"/{parameter}", "/00000000-0000-0000-0000-000000000000")
        status = Client().generic(method.upper(), url).status_code
        assert status == (200 if path == "/api/v1/session" else 401), f"{method} {path}"


def test_it_is_served_to_everybody(home: Team) -> None:
    answer = Client().get("/api/schema")
    assert yaml.safe_load(answer.content)["info"]["title"] == "Leadline"
    asked = Client().get("/api/schema", headers={"Accept": "application/json"})
    assert asked.json() == yaml.safe_load(answer.content)


def test_the_command_needs_no_settings() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "backend", "schema"],
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.encode() == openapi.document()
