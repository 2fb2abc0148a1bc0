from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from backend.accounts.models import AuditEntry
from backend.conftest import Team
from backend.events.models import Event
from backend.inventory.models import Service
from backend.inventory.tests.agents import Agent, down, enrol, up

PASSWORD = "the server's own pässword "


@pytest.fixture
def agent(home: Team) -> Agent:
    return enrol(home)


def patch(team: Team, slug: str = "demo", **changes: Any) -> dict[str, Any]:
    answer = team.browser("operator").patch(f"/api/v1/services/{slug}", changes)
    assert answer.status_code == 200, answer.json()
    document: dict[str, Any] = answer.json()
    return document


def get(team: Team, slug: str = "demo") -> dict[str, Any]:
    answer = team.browser("viewer").get(f"/api/v1/services/{slug}")
    assert answer.status_code == 200, answer.json()
    document: dict[str, Any] = answer.json()
    return document


def test_an_agent_adds_a_service_and_is_told_to_watch_it(agent: Agent, home: Team) -> None:
    before = agent.desired()["generation"]

    status, entry = agent.service("demo", labels={"cluster": "c1", "environment": "prod"})

    assert status == 201
    desired = agent.desired()
    assert desired["services"] == [entry]
    assert desired["generation"] > before
    assert desired["intervals"] == {"host": 5, "mysql": 5}
    assert entry["labels"] == {"cluster": "c1", "replication_set": "", "environment": "prod"}
    assert (entry["password"], entry["epoch"], entry["name"]) == (None, 1, "demo")
    shown = get(home)
    assert (shown["state"], shown["password_held_by"], shown["node"]) == ("waiting", "agent", "db1")


def test_adding_it_again_updates_it_and_keeps_what_people_chose(agent: Agent, home: Team) -> None:
    agent.service("demo", labels={"cluster": "c1"})
    patch(home, name="Orders", tags=["a"], password=PASSWORD)
    row = Service.unscoped.get()

    status, entry = agent.service("demo", address="10.0.0.9:3307", user="other", labels=None)

    assert status == 200
    assert (entry["name"], entry["address"], entry["user"]) == ("Orders", "10.0.0.9:3307", "other")
    assert entry["labels"]["cluster"] == "c1"
    # `add mysql` was given a password that works: the server's gives way.
    assert (entry["password"], entry["password_version"]) == (None, 3)
    assert Service.unscoped.get().pk == row.pk


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"slug": "A"}, "slug"),
        ({"slug": "-a"}, "slug"),
        ({"slug": "a" * 64}, "slug"),
        ({"slug": ""}, "slug"),
        ({"engine": "oracle"}, "engine"),
        ({"address": "host"}, "address"),
        ({"address": "host:0"}, "address"),
        ({"address": "host:65536"}, "address"),
        ({"address": "host:+1"}, "address"),
        ({"address": "::1:3306"}, "address"),
        ({"address": "[::x]:3306"}, "address"),
        ({"address": "unix:relative"}, "address"),
        ({"address": "unix:/" + "a" * 200}, "address"),
        ({"address": "tcp://host:3306"}, "address"),
        ({"user": ""}, "user"),
        ({"user": "a\nb"}, "user"),
        ({"tls": "on"}, "tls"),
        ({"name": "a" * 201}, "name"),
        ({"labels": {"cluster": "a" * 129}}, "labels.cluster"),
        ({"labels": {"environment": "a\0"}}, "labels.environment"),
    ],
)
def test_wrong_input_names_the_field(agent: Agent, change: dict[str, Any], field: str) -> None:
    status, answer = agent.service(**({"slug": "demo"} | change))

    assert (status, answer["code"]) == (400, "invalid")
    assert [error["field"] for error in answer["errors"]] == [field]
    assert Service.unscoped.count() == 0


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:3306", "db-1.example.org:1", "[::1]:3306", "[fe80::1]:65535", "unix:/run/my.sock"],
)
def test_addresses_that_fit(agent: Agent, address: str) -> None:
    assert agent.service("demo", address=address)[0] == 201


def test_every_wrong_field_is_named(agent: Agent) -> None:
    _, answer = agent.service("X", engine="", address="", user="", tls="", labels={"cluster": "\t"})

    fields = {error["field"] for error in answer["errors"]}
    assert fields == {"slug", "engine", "address", "user", "tls", "labels.cluster"}


def test_a_name_that_another_live_agent_watches_is_taken(agent: Agent, home: Team) -> None:
    agent.service("demo")

    status, answer = enrol(home, "db2").service("demo")

    assert (status, answer["code"]) == (409, "service_taken")
    assert "db1" in answer["detail"]


def test_a_remote_server_goes_to_another_agent_once_its_own_is_revoked(
    agent: Agent, home: Team
) -> None:
    agent.service("remote", address="10.0.0.9:3306")
    agent.service("local", address="127.0.0.1:3306")
    home.browser("operator").delete(f"/api/v1/agents/{agent.id}")
    other = enrol(home, "db2")

    assert other.service("remote", address="10.0.0.9:3306")[1]["epoch"] == 2
    # The same loopback address on another host is another server.
    assert other.service("local", address="127.0.0.1:3306")[1]["code"] == "service_taken"


def test_a_removed_service_keeps_its_row_and_its_name(agent: Agent, home: Team) -> None:
    agent.service("demo")
    patch(home, password=PASSWORD)

    assert home.browser("operator").delete("/api/v1/services/demo").status_code == 204

    assert home.browser("viewer").get("/api/v1/services/demo").status_code == 404
    assert agent.desired()["services"] == []
    row = Service.unscoped.get()
    assert (row.removed_at is not None, row.password) == (True, None)
    assert agent.service("demo", address="10.1.1.1:3306")[1]["code"] == "service_taken"
    status, entry = agent.service("demo")
    assert (status, entry["epoch"]) == (201, 2)
    assert Service.unscoped.get().pk == row.pk


def test_an_agent_removes_only_its_own(agent: Agent, home: Team) -> None:
    agent.service("demo")

    assert enrol(home, "db2").call("DELETE", "services/demo")[0] == 404
    assert agent.call("DELETE", "services/demo") == (204, None)
    assert agent.call("DELETE", "services/demo")[1]["code"] == "not_found"


def test_rename_retag_and_a_new_password_keep_the_row_and_the_slug(
    agent: Agent, home: Team
) -> None:
    agent.service("demo")
    row = Service.unscoped.get()
    before = agent.desired()["generation"]

    shown = patch(
        home, name="Orders", tags=["eu", "gold"], owner="shop", user="app", password=PASSWORD
    )

    assert (shown["slug"], shown["name"], shown["tags"]) == ("demo", "Orders", ["eu", "gold"])
    assert (shown["password_held_by"], shown["notice"]) == ("server", None)
    assert "password" not in shown
    assert Service.unscoped.get().pk == row.pk
    desired = agent.desired()
    assert desired["generation"] == before + 1
    (entry,) = desired["services"]
    assert (entry["password"], entry["password_version"], entry["user"]) == (PASSWORD, 2, "app")
    patch(home, password="")
    (entry,) = agent.desired()["services"]
    assert (entry["password"], entry["password_version"]) == (None, 3)


def test_the_password_stands_in_no_row_no_audit_and_no_answer(agent: Agent, home: Team) -> None:
    from django.db import connection  # noqa: PLC0415

    agent.service("demo")
    patch(home, password=PASSWORD)

    with connection.cursor() as cursor:
        cursor.execute("SELECT inventory_service::text FROM inventory_service")
        stored = str(cursor.fetchall())
    told = str(list(AuditEntry.unscoped.values())) + str(list(Event.unscoped.values()))
    assert PASSWORD not in stored + told + str(get(home))
    assert AuditEntry.unscoped.get(action="service.changed").detail == {"password": "changed"}


def test_tags_and_owner_are_not_the_agents_business(agent: Agent, home: Team) -> None:
    agent.service("demo")
    before = agent.desired()["generation"]

    patch(home, tags=["x"], owner="me")

    assert agent.desired()["generation"] == before


def test_a_new_environment_says_that_new_series_begin(agent: Agent, home: Team) -> None:
    agent.service("demo")

    shown = patch(home, environment="prod", cluster="c2")

    assert shown["notice"].startswith("The labels cluster, environment of this service changed.")
    assert "New series begin" in shown["notice"]
    assert patch(home, environment="prod")["notice"] is None


def test_moving_to_another_agent_is_a_new_epoch(agent: Agent, home: Team) -> None:
    agent.service("demo", address="10.0.0.9:3306")
    agent.status(up())
    other = enrol(home, "db2")
    before = agent.desired()["generation"], other.desired()["generation"]

    shown = patch(home, agent=other.id)

    assert (shown["node"], shown["epoch"], shown["state"]) == ("db2", 2, "waiting")
    assert "password was with the agent before" in shown["notice"]
    assert agent.desired()["services"] == []
    assert [one["epoch"] for one in other.desired()["services"]] == [2]
    assert (agent.desired()["generation"], other.desired()["generation"]) > before
    # What the agent before still says of it is not heard.
    agent.status(down())
    assert get(home)["state"] == "waiting"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"slug": "other"}, "slug"),
        ({"epoch": 9}, "epoch"),
        ({"name": ""}, "name"),
        ({"name": "a\u0007"}, "name"),
        ({"tags": ["a", "a"]}, "tags"),
        ({"tags": ["a" * 65]}, "tags"),
        ({"tags": [str(n) for n in range(21)]}, "tags"),
        ({"tags": "a"}, "tags"),
        ({"environment": "a" * 129}, "environment"),
        ({"address": "nowhere"}, "address"),
        ({"tls": "maybe"}, "tls"),
        ({"user": ""}, "user"),
        ({"password": "a" * 1025}, "password"),
        ({"agent": "none"}, "agent"),
        ({"agent": "00000000-0000-0000-0000-000000000009"}, "agent"),
    ],
)
def test_a_wrong_change_names_the_field_and_changes_nothing(
    agent: Agent, home: Team, change: dict[str, Any], field: str
) -> None:
    agent.service("demo")
    before = get(home)

    answer = home.browser("operator").patch("/api/v1/services/demo", change)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert {error["field"].split(".")[0] for error in answer.json()["errors"]} == {field}
    assert get(home) == before


def test_another_orgs_agent_cannot_take_it(agent: Agent, home: Team, away: Team) -> None:
    agent.service("demo")
    foreign = enrol(away)

    answer = home.browser("operator").patch("/api/v1/services/demo", {"agent": foreign.id})

    assert answer.json()["errors"][0]["field"] == "agent"


def test_another_org_sees_and_changes_nothing(agent: Agent, home: Team, away: Team) -> None:
    agent.service("demo")
    stranger = away.browser("owner")

    assert stranger.get("/api/v1/services").json()["results"] == []
    assert stranger.get("/api/v1/services/demo").status_code == 404
    assert stranger.patch("/api/v1/services/demo", {"name": "x"}).status_code == 404
    assert stranger.delete("/api/v1/services/demo").status_code == 404
    assert stranger.patch("/api/v1/nodes/db1", {"name": "x"}).status_code == 404
    assert stranger.delete(f"/api/v1/agents/{agent.id}").status_code == 404


def test_a_viewer_changes_nothing(agent: Agent, home: Team) -> None:
    agent.service("demo")
    viewer = home.browser("viewer")

    assert viewer.patch("/api/v1/services/demo", {"name": "x"}).status_code == 403
    assert viewer.delete("/api/v1/services/demo").status_code == 403
    assert viewer.patch("/api/v1/nodes/db1", {"name": "x"}).status_code == 403
    assert viewer.delete(f"/api/v1/agents/{agent.id}").status_code == 403
    assert viewer.post("/api/v1/enrolment-tokens", {}).status_code == 403


def test_what_an_agent_reports_is_shown(agent: Agent, home: Team) -> None:
    agent.service("demo", engine="mysql")
    agent.service("other", address="127.0.0.1:3307")

    agent.status(up(), down("other"), up("unknown"), generation=3)

    shown = get(home)
    assert (shown["state"], shown["version"]) == ("up", "10.11.11-MariaDB")
    assert (shown["engine"], shown["reason"]) == ("mariadb", "")
    other = get(home, "other")
    assert (other["state"], other["reason"]) == ("down", "The server says no.")
    (listed,) = home.browser("viewer").get("/api/v1/agents").json()["results"]
    assert listed["problems"] == [
        {"service": "other", "code": "denied", "error": "The server says no."}
    ]
    assert (listed["services"], listed["state"]) == (["demo", "other"], "up")
    assert listed["clock_offset_seconds"] == 0.012
    assert listed["spool"]["bytes"] == 0


def test_a_server_that_is_up_can_have_a_problem(agent: Agent, home: Team) -> None:
    agent.service("demo")

    agent.status(up() | {"code": "grant", "error": "The account lacks PROCESS."})

    shown = get(home)
    assert (shown["state"], shown["reason"]) == ("up", "The account lacks PROCESS.")
    (listed,) = home.browser("viewer").get("/api/v1/agents").json()["results"]
    problem = {"service": "demo", "code": "grant", "error": "The account lacks PROCESS."}
    assert listed["problems"] == [problem]


def test_what_an_agent_reports_is_cut_to_one_printable_line(agent: Agent, home: Team) -> None:
    agent.service("demo")

    agent.status(down(error="a\0b\n" + "c" * 1000, code="x" * 99))

    assert get(home)["reason"] == "a b " + "c" * 495 + "…"


def test_a_silent_agent_makes_its_services_silent(agent: Agent, home: Team) -> None:
    agent.service("demo")
    agent.status(up())
    assert get(home)["state"] == "up"

    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        shown = get(home)
        (node,) = home.browser("viewer").get("/api/v1/nodes").json()["results"]

    assert (shown["state"], node["state"]) == ("silent", "silent")
    assert shown["reason"] == "The agent has not been heard of for over a minute."


def test_the_status_answer_tells_of_a_change(agent: Agent, home: Team) -> None:
    agent.service("demo")
    generation = agent.status()[1]["generation"]

    patch(home, name="Orders")

    assert agent.status()[1]["generation"] == generation + 1


def test_a_node_is_renamed_and_its_environment_says_so(agent: Agent, home: Team) -> None:
    before = agent.desired()["generation"]
    browser = home.browser("operator")

    renamed = browser.patch("/api/v1/nodes/db1", {"name": "Big one", "tags": ["x"], "owner": "me"})
    moved = browser.patch("/api/v1/nodes/db1", {"environment": "prod"})

    assert (renamed.json()["name"], renamed.json()["notice"]) == ("Big one", None)
    assert "New series begin" in moved.json()["notice"]
    desired = agent.desired()
    assert desired["node"] == {"slug": "db1", "labels": {"environment": "prod"}}
    assert desired["generation"] == before + 1
    assert browser.patch("/api/v1/nodes/db1", {"slug": "x"}).status_code == 400


def test_lists_take_few_queries(
    agent: Agent, home: Team, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        agent.service(f"s{number}", address=f"127.0.0.1:{4000 + number}")
        enrol(home, f"n{number}")
    browser = home.browser("viewer")

    for path in ("services", "nodes", "agents", "enrolment-tokens"):
        with django_assert_max_num_queries(6):
            answer = browser.get(f"/api/v1/{path}?limit=3")
        assert len(answer.json()["results"]) == 3
        assert answer.json()["next"]
