"""The audit trail is the admins' to read, and nobody's to change."""

from __future__ import annotations

from typing import Any

from backend.accounts import audit
from backend.accounts.scope import org_scope
from backend.conftest import Team

URL = "/api/v1/audit"


def test_it_tells_the_own_orgs_deeds_newest_first(home: Team, away: Team) -> None:
    for team, name in ((home, "first"), (away, "foreign"), (home, "second")):
        with org_scope(team.org.id, "agent db1"):
            audit.record("service.renamed", name, {"before": "a"})

    rows = home.browser("admin").get(URL).json()["results"]

    assert rows[0]["action"] == "session.opened"
    del rows[0]
    assert [row["object"] for row in rows] == ["second", "first"]
    assert rows[0]["actor"] == "agent db1"
    assert rows[0]["detail"] == {"before": "a"}
    assert rows[0]["at"].endswith("Z")


def test_lesser_roles_do_not_read_it(home: Team) -> None:
    answers = {role: home.browser(role).get(URL).status_code for role in home.people}

    assert answers == {"viewer": 403, "operator": 403, "admin": 200, "owner": 200}


def test_the_list_takes_few_queries(home: Team, django_assert_max_num_queries: Any) -> None:
    with org_scope(home.org.id):
        for number in range(5):
            audit.record("x.y", str(number))
    client = home.browser("admin")
    with django_assert_max_num_queries(4):  # session, user, memberships, entries
        assert len(client.get(URL).json()["results"]) == 6
