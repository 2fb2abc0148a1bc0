from __future__ import annotations

import random
import threading

from deploy.demo_workload import OLD_ORDERS, ROUNDS_TO_SLOW_QUERY, SLOW_QUERY, one_round, rounds


def test_a_round_reads_and_every_second_one_writes() -> None:
    chance = random.Random(1)  # noqa: S311 - the same rounds at every run
    reading, writing = one_round(1, chance), one_round(2, chance)
    assert all(text.startswith("SELECT") for text in reading)
    assert any(text.startswith("INSERT") for text in writing)
    assert any(text.startswith("UPDATE") for text in writing)


def test_the_slower_query_comes_now_and_then_and_old_orders_go() -> None:
    chance = random.Random(1)  # noqa: S311 - the same rounds at every run
    slow = [n for n in range(1, 3 * ROUNDS_TO_SLOW_QUERY) if SLOW_QUERY in one_round(n, chance)]
    assert slow == [ROUNDS_TO_SLOW_QUERY, 2 * ROUNDS_TO_SLOW_QUERY]
    assert OLD_ORDERS in one_round(ROUNDS_TO_SLOW_QUERY, chance)


def test_rounds_end_when_they_are_stopped() -> None:
    stop = threading.Event()
    steps = rounds(stop)
    next(steps)
    stop.set()
    assert list(steps) == []
