from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.databases import MONITOR, MONITOR_PASSWORD, SOCKET_PATH_LIMIT, Database, MariaDB, MySQL
from deploy.settings import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "version"), [(MariaDB, "10.11."), (MySQL, "9.")])
def test_a_server_keeps_its_data_when_it_is_killed(
    open_folder: Path, kind: type[Database], version: str
) -> None:
    with kind(open_folder / "data") as server:
        assert server.root_sql("SELECT VERSION()").startswith(version)
        server.root_sql("CREATE DATABASE kept; CREATE TABLE kept.t (n INT) ENGINE=InnoDB")
        server.root_sql("INSERT INTO kept.t VALUES (7)")
        port = server.port
        server.kill()
        server.start()
        assert server.port == port
        assert server.root_sql("SELECT n FROM kept.t") == "7\n"
        assert server.dsn("a", "b") == f"a:b@tcp(127.0.0.1:{port})/"
        grants = server.root_sql(f"SHOW GRANTS FOR '{MONITOR}'@'127.0.0.1'")
        assert "PROCESS" in grants
        assert "ALL PRIVILEGES" not in grants
        assert server.socket.is_socket()
    assert not server.socket.exists()


@pytest.mark.slow
def test_a_long_path_gets_a_short_socket(open_folder: Path) -> None:
    with MariaDB(open_folder / ("x" * 120) / "data") as server:
        assert len(str(server.socket)) <= SOCKET_PATH_LIMIT
        assert server.root_sql("SELECT 1") == "1\n"
    assert not server.socket.parent.exists()


@pytest.mark.slow
def test_only_the_users_we_made_exist(open_folder: Path) -> None:
    with MariaDB(open_folder / "data") as server:
        users = set(server.root_sql("SELECT DISTINCT user FROM mysql.global_priv").split())
        hosts = set(server.root_sql("SELECT DISTINCT host FROM mysql.global_priv").split())
    assert users == {"root", MONITOR, "mariadb.sys"}
    assert hosts == {"localhost", "127.0.0.1"}


@pytest.mark.slow
def test_a_command_runs_between_both_servers() -> None:
    script = "import json, os; print(json.dumps(dict(os.environ))); raise SystemExit(7)"
    done = subprocess.run(
        [sys.executable, "-m", "deploy.databases", "--", sys.executable, "-c", script],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    for name in ("MARIADB", "MYSQL"):
        assert (
            f'"LEADLINE_TEST_{name}": "{MONITOR}:{MONITOR_PASSWORD}@tcp(127.0.0.1:' in done.stdout
        )
        assert f'"LEADLINE_TEST_{name}_ROOT": "root:' in done.stdout


def test_the_dashes_are_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.databases", "true"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"usage" in done.stderr
