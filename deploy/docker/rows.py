"""What containers and units both need to know of a row of deploy/processes.yaml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deploy.processes import Process, Table

LOOPBACK = "127.0.0.1"

NOT_PACKAGED = {
    "demo-mariadb": "the demo belongs to `make run`; a production server watches real databases",
    "demo-service": "as demo-mariadb",
    "demo-workload": "as demo-mariadb",
}
"""Rows that are neither a container nor a unit, with the reason."""

NOT_IN_COMPOSE = {
    **NOT_PACKAGED,
    "agent": "it watches a host, so it runs there: docs/install.md",
}
"""Rows that are not a container of docker-compose.yml, with the reason."""

NOT_A_SETTING = {"TESTING"}
"""Settings that only tests give; what hangs on them is left out."""

# The words of redis.conf as deploy/prepare.py writes it, but for the address and the password:
# here Redis has no file of its own, so that an upgrade can change them.
REDIS_OPTIONS = (
    ("--save", ""),
    ("--appendonly", "no"),
    ("--maxmemory", "128mb"),
    ("--maxmemory-policy", "noeviction"),
)

SECRETS_OF = {"postgresql": ("postgres_password", "database_password"), "redis": ("redis_auth",)}
"""Secrets that a row reads without an environment variable saying so."""


def without(words: tuple[str, ...], *options: str) -> tuple[str, ...]:
    """Drop options from PostgreSQL's words, which are pairs after the program: `-D`, `-c jit`."""
    kept = [words[0]]
    for letter, value in zip(words[1::2], words[2::2], strict=True):
        name = f"-c {value.partition('=')[0]}" if letter == "-c" else letter
        if name not in options:
            kept += [letter, value]
    return tuple(kept)


def secrets_of(row: Process) -> list[str]:
    """List the secrets that a process reads."""
    named = [
        text.removeprefix("{secrets}/")
        for name, text in row.environment.items()
        if name.endswith("_FILE") and text.startswith("{secrets}/")
    ]
    return [*named, *SECRETS_OF.get(row.name, ())]


def folders_of(row: Process) -> list[str]:
    """List the folders of DATA_DIR that a process writes to; vmauth only reads its own."""
    if row.name in {"vmauth", "redis"}:
        return []
    texts = [*row.command, *row.environment.values()]
    return sorted({match for text in texts for match in re.findall(r"\{data\}/([a-z-]+)", text)})


def ports(table: Table) -> dict[str, str]:
    """Give every port its default, and `LISTEN.port`."""
    found = {name: s.default for name, s in table.settings.items() if name.endswith("_PORT")}
    return {**found, "LISTEN.port": table.settings["LISTEN"].default.rpartition(":")[2]}
