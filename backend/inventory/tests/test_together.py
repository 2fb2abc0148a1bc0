"""Two at the same time: the rows are locked, so exactly one of them gets what there is one of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connections

from backend.conftest import Team
from backend.inventory.models import Agent as Rows
from backend.inventory.models import Service
from backend.inventory.tests.agents import call, down, enrol, enrol_body, enrolment_token, up


def together(*works: Callable[[], Any]) -> list[Any]:
    """Run each work in a thread, all let loose at one moment; gives their results in order."""
    gate = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)

    def run(place: int) -> None:
        try:
            gate.wait(10)
            results[place] = works[place]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


def test_one_token_enrols_one_of_four(home: Team, transactional_db: None) -> None:
    token = enrolment_token(home)

    def work(slug: str) -> Callable[[], Any]:
        return lambda: call("POST", "enrol", enrol_body(token, slug))

    answers = together(*(work(f"db{number}") for number in range(4)))

    assert sorted(status for status, _ in answers) == [201, 410, 410, 410]


def test_one_machine_enrolled_twice_at_once_has_one_live_agent(
    home: Team, transactional_db: None
) -> None:
    bodies = [enrol_body(enrolment_token(home)) for _ in range(3)]

    def work(body: dict[str, Any]) -> Callable[[], Any]:
        return lambda: call("POST", "enrol", body)

    answers = together(*(work(body) for body in bodies))

    assert [status for status, _ in answers] == [201, 201, 201]
    assert Rows.unscoped.filter(superseded_at=None).count() == 1


def test_one_name_goes_to_one_of_two_agents(home: Team, transactional_db: None) -> None:
    agents = [enrol(home, slug) for slug in ("db1", "db2")]

    answers = together(*(lambda agent=agent: agent.service("demo") for agent in agents))

    assert sorted(status for status, _ in answers) == [201, 409]
    assert Service.unscoped.count() == 1


def test_reports_and_changes_at_once_do_not_lock_each_other_out(
    home: Team, transactional_db: None
) -> None:
    agent = enrol(home)
    agent.service("a")
    agent.service("b", address="127.0.0.1:3307")
    browser = home.browser("operator")

    def report() -> list[int]:
        states = (up, down)
        return [
            agent.status(states[n % 2]("b"), states[n % 2]("a", engine="mysql"))[0]
            for n in range(20)
        ]

    def change() -> list[int]:
        return [
            browser.patch(f"/api/v1/services/{'ab'[n % 2]}", {"name": f"n{n}"}).status_code
            for n in range(20)
        ]

    def register() -> list[int]:
        return [agent.service("a", user=f"u{n}")[0] for n in range(20)]

    assert {status for results in together(report, change, register) for status in results} == {200}
