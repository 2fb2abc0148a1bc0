from __future__ import annotations

import threading
from typing import Any
from uuid import UUID

import pytest
from django.db import connections, transaction

from backend.accounts import actions
from backend.accounts.models import Membership, User
from backend.accounts.roles import Role
from backend.accounts.scope import org_scope
from backend.conftest import Team

URL = "/api/v1/members"


def member_id(team: Team, role: str) -> str:
    return str(Membership.unscoped.get(org=team.org, user=team.people[role]).id)


def test_lists_the_own_org_only(home: Team, away: Team) -> None:
    rows = home.browser("viewer").get(URL).json()["results"]

    assert [row["email"] for row in rows] == [
        f"{role}@home.example" for role in ("viewer", "operator", "admin", "owner")
    ]
    assert rows[0] == {
        "id": member_id(home, "viewer"),
        "email": "viewer@home.example",
        "name": "The viewer",
        "role": "viewer",
    }


def test_the_list_takes_few_queries(home: Team, django_assert_max_num_queries: Any) -> None:
    client = home.browser("viewer")
    with django_assert_max_num_queries(4):  # session, user, memberships, members
        assert len(client.get(URL).json()["results"]) == 4


def test_an_admin_adds_a_person_who_can_then_sign_in(home: Team) -> None:
    answer = home.browser("admin").post(
        URL, {"email": "New@Home.example", "name": "The new one", "role": "operator"}
    )

    assert answer.status_code == 201
    body = answer.json()
    assert (body["email"], body["role"]) == ("new@home.example", "operator")
    assert User.objects.get(email="new@home.example").check_password(body["password"])


def test_an_address_with_an_account_elsewhere_is_refused(home: Team, away: Team) -> None:
    answer = home.browser("owner").post(URL, {"email": "Viewer@away.example", "role": "viewer"})

    assert (answer.status_code, answer.json()["code"]) == (409, "email_taken")
    assert Membership.unscoped.filter(org=home.org).count() == 4


def test_a_member_is_not_added_twice(home: Team) -> None:
    answer = home.browser("owner").post(URL, {"email": "viewer@home.example", "role": "admin"})

    assert (answer.status_code, answer.json()["code"]) == (409, "member_exists")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"role": "viewer"}, "email"),
        ({"email": "nobody", "role": "viewer"}, "email"),
        ({"email": "a@home.example", "role": "king"}, "role"),
        ({"email": "a@home.example"}, "role"),
        ({"email": "a@home.example", "role": "viewer", "name": "n" * 201}, "name"),
        ({"email": "a@home.example", "role": "viewer", "name": "\0"}, "name"),
    ],
)
def test_bad_input_names_the_field_and_changes_nothing(
    home: Team, body: dict[str, str], field: str
) -> None:
    answer = home.browser("owner").post(URL, body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert Membership.unscoped.filter(org=home.org).count() == 4


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_lesser_roles_change_nothing(home: Team, role: str) -> None:
    client = home.browser(role)
    one = f"{URL}/{member_id(home, 'viewer')}"

    answers = [
        client.post(URL, {"email": "a@home.example", "role": "viewer"}),
        client.patch(one, {"role": "admin"}),
        client.delete(one),
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (403, "forbidden")
    ] * 3


def test_only_an_owner_makes_an_owner(home: Team) -> None:
    one = f"{URL}/{member_id(home, 'viewer')}"

    assert home.browser("admin").patch(one, {"role": "owner"}).status_code == 403
    assert (
        home.browser("admin").post(URL, {"email": "a@home.example", "role": "owner"}).status_code
        == 403
    )
    assert home.browser("owner").patch(one, {"role": "owner"}).json()["role"] == "owner"


def test_an_admin_does_not_touch_an_owner(home: Team) -> None:
    one = f"{URL}/{member_id(home, 'owner')}"

    assert home.browser("admin").patch(one, {"role": "viewer"}).status_code == 403
    assert home.browser("admin").delete(one).status_code == 403
    assert Membership.unscoped.get(org=home.org, user=home.people["owner"]).role == "owner"


def test_the_last_owner_stays(home: Team) -> None:
    one = f"{URL}/{member_id(home, 'owner')}"
    client = home.browser("owner")

    answers = [client.patch(one, {"role": "admin"}), client.delete(one)]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (409, "last_owner")
    ] * 2


def test_a_removed_member_is_out_at_once(home: Team) -> None:
    removed = home.browser("viewer")
    assert removed.get(URL).status_code == 200

    assert home.browser("admin").delete(f"{URL}/{member_id(home, 'viewer')}").status_code == 204

    assert removed.get(URL).status_code == 401
    assert not User.objects.filter(email="viewer@home.example").exists()


def test_an_account_in_two_orgs_outlives_one_of_them(home: Team, away: Team, in_both: User) -> None:
    one = Membership.unscoped.get(org=home.org, user=in_both)

    assert home.browser("owner").delete(f"{URL}/{one.id}").status_code == 204

    assert User.objects.filter(pk=in_both.pk).exists()
    assert Membership.unscoped.filter(user=in_both).get().org == away.org


def test_a_foreign_member_is_not_there(home: Team, away: Team) -> None:
    one = f"{URL}/{member_id(away, 'viewer')}"
    client = home.browser("owner")

    answers = [client.patch(one, {"role": "admin"}), client.delete(one)]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (404, "not_found")
    ] * 2
    assert Membership.unscoped.get(org=away.org, user=away.people["viewer"]).role == "viewer"


def test_changes_are_written_down(home: Team) -> None:
    client = home.browser("owner")
    one = f"{URL}/{member_id(home, 'viewer')}"
    client.patch(one, {"role": "admin"})
    client.delete(one)

    rows = client.get("/api/v1/audit").json()["results"]

    assert [(row["action"], row["actor"], row["object"]) for row in rows[:2]] == [
        ("member.removed", "owner@home.example", "user viewer@home.example"),
        ("member.role_changed", "owner@home.example", "user viewer@home.example"),
    ]
    assert rows[1]["detail"] == {"before": "viewer", "after": "admin"}


def test_two_owners_cannot_step_down_at_once(home: Team, transactional_db: None) -> None:
    second = Membership.unscoped.get(org=home.org, user=home.people["admin"])
    Membership.unscoped.filter(pk=second.pk).update(role="owner")
    asking, answered, answers = threading.Event(), threading.Event(), []

    def step_down() -> None:
        client = home.browser("admin")
        asking.set()
        answers.append(client.patch(f"{URL}/{second.pk}", {"role": "admin"}))
        connections.close_all()
        answered.set()

    other = threading.Thread(target=step_down)
    with transaction.atomic(), org_scope(home.org.id):
        first = member_id(home, "owner")
        actions.member_change_role(member_id=UUID(first), role=Role.ADMIN, by=Role.OWNER)
        other.start()
        assert asking.wait(5)
        assert not answered.wait(0.3), "it must wait for who was first"
    other.join(5)

    assert (answers[0].status_code, answers[0].json()["code"]) == (409, "last_owner")
    assert Membership.unscoped.filter(org=home.org, role="owner").count() == 1
