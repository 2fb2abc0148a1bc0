"""A small steady load on the demo's database: reads, writes, and now and then one slower query.

`python -m deploy.demo_workload OPTION_FILE` speaks through the unpacked `mariadb` client, so it needs no driver; the option
file holds the address and the password.
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
ITEMS = 3_000
CUSTOMERS = 500

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS items (
  id INT UNSIGNED NOT NULL PRIMARY KEY, name VARCHAR(60) NOT NULL, price DECIMAL(8,2) NOT NULL, stock INT NOT NULL,
  KEY price (price)) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS orders (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, customer INT UNSIGNED NOT NULL, item INT UNSIGNED NOT NULL,
  quantity INT NOT NULL, placed_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, KEY customer (customer)) ENGINE=InnoDB;
INSERT IGNORE INTO items (id, name, price, stock)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ITEMS})
  SELECT n, CONCAT('item ', n), 1 + n % 97, 1000 FROM numbers;
"""


def one_round(number: int, chance: random.Random) -> list[str]:
    """Give the statements of one round; every value is drawn, so that no two rounds are the same."""
    item, customer = chance.randint(1, ITEMS), chance.randint(1, CUSTOMERS)
    statements = [
        f"SELECT name, price, stock FROM items WHERE id = {item}",
        f"SELECT id, item, quantity FROM orders WHERE customer = {customer} ORDER BY id DESC LIMIT 10",
        f"SELECT COUNT(*), AVG(stock) FROM items WHERE price BETWEEN {chance.randint(1, 40)} AND {chance.randint(41, 97)}",
    ]
    if number % 2 == 0:
        statements += [
            "START TRANSACTION",
            f"INSERT INTO orders (customer, item, quantity) VALUES ({customer}, {item}, {chance.randint(1, 5)})",
            f"UPDATE items SET stock = IF(stock > 5, stock - 1, 1000) WHERE id = {item}",
            "COMMIT",
        ]
    if number % ROUNDS_TO_SLOW_QUERY == 0:
        # No index helps here: every item meets every other one of its price, and the result is sorted on disk or in memory.
        statements += [
            "SELECT a.price, COUNT(*), SUM(a.stock * b.stock) FROM items a JOIN items b ON a.price + 0 = b.price + 0"
            " GROUP BY a.price ORDER BY 3 DESC LIMIT 5",
            f"DELETE FROM orders ORDER BY id LIMIT {ROUNDS_TO_SLOW_QUERY // 2}" if number * 0.5 > KEPT_ORDERS else "DO 0",
        ]
    return statements


def rounds(stop: threading.Event) -> Iterator[list[str]]:
    """Give a round every quarter of a second until `stop` is set; a late round is not made up for."""
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
    with subprocess.Popen(  # noqa: S603 - the client that we unpacked
        [*how.argv, f"--defaults-file={sys.argv[1]}", "--batch", "--skip-column-names", "--unbuffered"],
        env={**os.environ, **how.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as client:
        pipe = client.stdin
        if pipe is None:
            return 1
        try:
            pipe.write(SCHEMA)
            for statements in rounds(stop):
                pipe.write(";\n".join(statements) + ";\n")
                pipe.flush()
            pipe.close()
        except BrokenPipeError:
            sys.stderr.write("the database has closed the connection\n")
            return 1
    return client.returncode


if __name__ == "__main__":
    sys.exit(main())
