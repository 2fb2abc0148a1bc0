from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from deploy import run
from deploy.processes import read_table
from deploy.settings import ROOT, from_environment
from deploy.stack import Stack

if TYPE_CHECKING:
    from pathlib import Path

ACCOUNT = {"org": "1", "email": "owner@localhost", "password": "once"}


def make_run(**settings: str) -> subprocess.CompletedProcess[str]:
    """Run what `make run` runs, where it must refuse before it builds or starts anything."""
    return subprocess.run(
        [sys.executable, "-m", "deploy.run"],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_demo_0_leaves_the_demo_out() -> None:
    table = read_table()
    everything = run.parts_for(from_environment(table, {}))
    without = run.parts_for(from_environment(table, {"DEMO": "0"}))
    assert set(everything) == set(table.processes)
    assert set(everything) - set(without) == {"demo-mariadb", "demo-service", "demo-workload"}


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"LISTEN": "0.0.0.0:8427"}, "needs TLS_CERT and TLS_KEY"),
        ({"REDIS_PORT": "x"}, "REDIS_PORT must be a port"),
        ({"PUBLIC_URL": "http://leadline.example.com"}, "plain HTTP"),
    ],
)
def test_a_wrong_setting_is_refused_with_one_sentence(
    tmp_path: Path, settings: dict[str, str], named: str
) -> None:
    done = make_run(DATA_DIR=str(tmp_path / "data"), **settings)
    assert done.returncode == 1
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "data").exists()


def test_a_second_run_says_that_it_runs(open_folder: Path) -> None:
    first = Stack(open_folder / "data", ["redis"])
    first.start()
    try:
        done = make_run(DATA_DIR=str(open_folder / "data"))
    finally:
        first.stop()
    assert done.returncode == 1
    assert f"already runs on DATA_DIR={open_folder / 'data'}" in done.stderr
    assert f"process {os.getpid()}" in done.stderr


def test_the_first_start_shows_the_password_and_the_lines_to_paste(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stack = Stack(tmp_path / "data", ["redis"])
    run.announce(stack, ACCOUNT)
    shown = capsys.readouterr().out
    assert stack.values["PUBLIC_URL"] in shown
    assert "only this machine can reach it" in shown
    assert "owner@localhost" in shown
    assert "once" in shown
    assert "GRANT PROCESS, REPLICATION CLIENT ON *.*" in shown
    lines = [line.strip() for line in shown.splitlines() if "bin/leadline-agent" in line]
    state = f"--state-dir {tmp_path}/data/agent"
    assert [line.split()[1] for line in lines] == ["add", "check"]
    assert all(line.endswith(state) for line in lines)


def test_a_later_start_says_how_to_get_another_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run.announce(Stack(tmp_path / "data", ["redis"]), {**ACCOUNT, "password": None})
    shown = capsys.readouterr().out
    assert "deploy.manage changepassword owner@localhost" in shown
    assert "None" not in shown


def test_the_ready_file_is_for_its_owner_only(open_folder: Path) -> None:
    stack = Stack(open_folder / "data", ["redis"])
    stack.start()
    try:
        run.write_ready_file(open_folder / "ready", stack, ACCOUNT)
        document = json.loads((open_folder / "ready").read_text())
        assert document["url"] == stack.values["PUBLIC_URL"]
        assert document["password"] == "once"
        assert document["ports"] == {"redis": stack.port("redis")}
        assert document["pids"] == stack.pids
        assert (open_folder / "ready").stat().st_mode & 0o077 == 0
    finally:
        stack.stop()
