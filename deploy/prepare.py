"""What a process needs before its first start: made once, left alone afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from deploy import mariadb
from deploy.place import PlaceError
from deploy.settings import ROOT
from deploy.unpack import binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from deploy.place import Place

PYTHON = ROOT / ".venv/bin/python"
AGENT = ROOT / "bin/leadline-agent"
POSTGRES_MAJOR = "15"


def postgresql(place: Place, values: dict[str, str], backend: dict[str, str]) -> None:
    """Make the cluster with the role and the database `leadline`; only passwords open it."""
    del backend
    home = place.data / "postgresql/data"
    if home.exists():
        major = (home / "PG_VERSION").read_text(encoding="utf-8").strip()
        if major != POSTGRES_MAJOR:
            raise PlaceError(
                f"{home} was made by PostgreSQL {major} and this is {POSTGRES_MAJOR}: dump it "
                "with the old one and load it here."
            )
        return
    fresh = home.with_name("data.new")
    place.remove(fresh)
    testing = values.get("TESTING") == "1"
    initdb, server = binary("postgresql", "initdb"), binary("postgresql", "postgres")
    place.step(
        [
            *initdb.argv,
            *("-D", str(fresh), "-U", "postgres", f"--pwfile={place.secret('postgres_password')}"),
            *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8"),
            *(["--no-sync"] if testing else []),
        ],
        initdb.env,
    )
    password = place.read_secret("database_password")
    rights = " CREATEDB" if testing else ""
    # One statement a line: single-user mode reads them from standard input, so the password is on
    # no command line.
    place.step(
        [*server.argv, "--single", "-D", str(fresh), "-c", "jit=off", "postgres"],
        server.env,
        given=f"CREATE ROLE leadline LOGIN{rights} PASSWORD '{password}'\n"
        "CREATE DATABASE leadline OWNER leadline\n",
    )
    fresh.rename(home)


def redis(place: Place, values: dict[str, str], backend: dict[str, str]) -> None:
    """Write Redis's configuration, with its password; Redis carries no truth and keeps nothing."""
    del backend
    home = place.folder("redis")
    lines = [
        "bind 127.0.0.1",
        f"port {values['REDIS_PORT']}",
        f"requirepass {place.read_secret('redis_password')}",
        f'dir "{home}"',
        'save ""',
        "appendonly no",
        "maxmemory 128mb",
        "maxmemory-policy noeviction",
        "daemonize no",
    ]
    place.write(home / "redis.conf", "\n".join(lines) + "\n")


def vmauth(place: Place, values: dict[str, str], backend: dict[str, str]) -> None:
    """Copy the certificate and its key to where the unprivileged user can read them."""
    del backend
    for setting, name in (("TLS_CERT", "tls.crt"), ("TLS_KEY", "tls.key")):
        if values.get(setting):
            place.write(place.secret(name), Path(values[setting]).read_text(encoding="ascii"))


def agent(place: Place, values: dict[str, str], backend: dict[str, str]) -> None:
    """Enrol this machine's agent, the first time or when the server's address has changed."""
    home = place.folder("agent")
    identity = home / "identity.json"
    if (
        identity.exists()
        and json.loads(identity.read_text(encoding="utf-8")).get("server") == values["VMAUTH_URL"]
    ):
        return
    token_file = place.secret("enrolment_token")
    place.write(
        token_file,
        place.step([str(PYTHON), "-m", "backend", "create-enrolment-token"], backend, cwd=ROOT),
    )
    try:
        place.step(
            [
                str(AGENT),
                "enroll",
                "--server",
                values["VMAUTH_URL"],
                "--token-file",
                str(token_file),
                "--state-dir",
                str(home),
            ]
        )
    finally:
        token_file.unlink(missing_ok=True)


def demo_mariadb(place: Place, values: dict[str, str], backend: dict[str, str]) -> None:
    """Make the demo's database with a user of the least rights for the agent."""
    del backend
    home = place.folder("demo-mariadb")
    port = int(values["DEMO_MARIADB_PORT"])
    monitor = place.read_secret("demo_monitor_password")
    workload = place.read_secret("demo_workload_password")
    mariadb.prepare(
        place,
        home,
        port=port,
        root_password=place.read_secret("demo_root_password"),
        accounts=mariadb.demo_accounts(monitor, workload),
    )
    files = {
        "workload.cnf": mariadb.client_file("workload", workload, port=port, database="shop"),
        "ready.cnf": mariadb.client_file("leadline", monitor, port=port),
    }
    for name, text in files.items():
        place.write(home / name, text)


STEPS: dict[str, Callable[[Place, dict[str, str], dict[str, str]], None]] = {
    "postgresql": postgresql,
    "redis": redis,
    "vmauth": vmauth,
    "agent": agent,
    "demo-mariadb": demo_mariadb,
}
