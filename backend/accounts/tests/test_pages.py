"""Lists go by cursor."""

from __future__ import annotations

from typing import Any

import pytest

from backend.conftest import Team

URL = "/api/v1/members"


def emails(body: dict[str, object]) -> list[str]:
    rows = body["results"]
    assert isinstance(rows, list)
    return [row["email"].partition("@")[0] for row in rows]


def test_next_and_previous_walk_through_everything(home: Team) -> None:
    client = home.browser("viewer")

    first = client.get(f"{URL}?limit=3").json()
    assert emails(first) == ["viewer", "operator", "admin"]
    assert first["previous"] is None
    second = client.get(first["next"]).json()
    assert emails(second) == ["owner"]
    assert second["next"] is None
    assert emails(client.get(second["previous"]).json()) == ["viewer", "operator", "admin"]


def test_links_begin_with_the_public_address(home: Team, settings: Any) -> None:
    settings.PUBLIC_URL = "https://leadline.example.org"
    link = home.browser("viewer").get(f"{URL}?limit=1").json()["next"]

    assert link.startswith("https://leadline.example.org/api/v1/members?")
    assert "limit=1" in link


@pytest.mark.parametrize("limit", ["0", "501", "-1", "ten", "", "1.5", "٣", "9" * 5000])
def test_a_wrong_limit_is_named(home: Team, limit: str) -> None:
    answer = home.browser("viewer").get(URL, {"limit": limit})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "limit")


@pytest.mark.parametrize("cursor", ["x", "cD1ub3RhZGF0ZQ==", "cD0lMDA=", "bz0tMQ==", "é"])
def test_a_made_up_cursor_is_named(home: Team, cursor: str) -> None:
    answer = home.browser("viewer").get(URL, {"cursor": cursor})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cursor")
