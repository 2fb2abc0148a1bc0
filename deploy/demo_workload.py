# ruff: noqa: S608 - the statements of the demo are made of numbers drawn here, nothing comes from outside
"""A small steady load on the demo's database: reads, writes, and now and then one slower query.

`python -m deploy.demo_workload OPTION_FILE` speaks through the unpacked `mariadb` client, so it
needs no driver; the option file holds the address and the password.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from deploy.unpack import UnpackError, binary

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUND_SECONDS = 0.25
ROUNDS_TO_SLOW_QUERY = 40
KEPT_ORDERS = 20_000
ITEMS = 2_000
CUSTOMERS = 500

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS items (
  id INT UNSIGNED NOT NULL PRIMARY KEY, name VARCHAR(60) NOT NULL, price DECIMAL(8,2) NOT NULL,
  stock INT NOT NULL, KEY price (price)) ENGINE=InnoDB; CREATE TABLE IF NOT EXISTS orders ( id
  BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, customer INT UNSIGNED NOT NULL, item INT
  UNSIGNED NOT NULL, quantity INT NOT NULL, placed_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  KEY customer (customer)) ENGINE=InnoDB; SET max_recursive_iterations = 100000;
INSERT IGNORE INTO items (id, name, price, stock) WITH
  RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ITEMS}) SELECT
  n, CONCAT('item ', n), 1 + n % 97, 1000 FROM numbers;
"""

# No index helps here: every item is held against every other one.
SLOW_QUERY = (
    "SELECT a.price, COUNT(*), SUM(a.stock * b.stock) FROM items a JOIN items b"
    " ON a.price + 0 = b.price + 0 AND a.name <> REVERSE(b.name) GROUP BY a.price LIMIT 5"
)
OLD_ORDERS = f"DELETE FROM orders WHERE id + {KEPT_ORDERS} < (SELECT MAX(id) FROM orders)"


def one_round(number: int, chance: random.Random) -> list[str]:
    """Give the statements of one round; the values are drawn, so that no two are the same."""
    item, customer = chance.randint(1, ITEMS), chance.randint(1, CUSTOMERS)
    low, high = chance.randint(1, 40), chance.randint(41, 97)
    statements = [
        f"SELECT name, price, stock FROM items WHERE id = {item}",
        f"SELECT id, item FROM orders WHERE customer = {customer} ORDER BY id DESC LIMIT 10",
        f"SELECT COUNT(*), AVG(stock) FROM items WHERE price BETWEEN {low} AND {high}",
    ]
    if number % 2 == 0:
        order = f"{customer}, {item}, {chance.randint(1, 5)}"
        statements += [
            "START TRANSACTION",
            f"INSERT INTO orders (customer, item, quantity) VALUES ({order})",
            f"UPDATE items SET stock = IF(stock > 5, stock - 1, 1000) WHERE id = {item}",
            "COMMIT",
        ]
    if number % ROUNDS_TO_SLOW_QUERY == 0:
        statements += [SLOW_QUERY, OLD_ORDERS]
    return statements


def rounds(stop: threading.Event) -> Iterator[list[str]]:
    """Give a round every quarter of a second until `stop` is set; none is made up for."""
    chance = random.Random()  # noqa: S311 - a workload, not a secret
    number, due = 0, time.monotonic()
    while not stop.is_set():
        yield one_round(number, chance)
        number += 1
        due = max(due + ROUND_SECONDS, time.monotonic())
        stop.wait(due - time.monotonic())


def main() -> int:
    """Write rounds to the client until SIGTERM; ends with 1 when the client has ended."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        how = binary("mariadb", "mariadb")
    except UnpackError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    client = subprocess.Popen(  # noqa: S603 - the client that we unpacked
        [*how.argv, f"--defaults-file={sys.argv[1]}", "--batch", "--skip-column-names"],
        env={**os.environ, **how.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    if client.stdin is None:
        return 1
    try:
        client.stdin.write(SCHEMA)
        for statements in rounds(stop):
            client.stdin.write(";\n".join(statements) + ";\n")
            client.stdin.flush()
        client.stdin.close()
    except BrokenPipeError:
        # The client has said why; closing the pipe would only say the same again.
        sys.stderr.write("the database has closed the connection\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), client.stdin.fileno())
        client.wait()
        return 1
    return client.wait()


if __name__ == "__main__":
    sys.exit(main())
