from __future__ import annotations

import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from deploy import leftovers
from deploy.leftovers import recorded_processes, stat
from deploy.part import rotate
from deploy.processes import read_table
from deploy.settings import ROOT
from deploy.stack import Stack, StackError, free_port

PATIENCE_SECONDS = 30


class Lines(list[str]):
    """What a person was told, with a way to await a line."""

    def __init__(self) -> None:
        super().__init__()
        self._news = threading.Condition()

    def __call__(self, line: str) -> None:
        with self._news:
            self.append(line)
            self._news.notify_all()

    def wait_for(self, text: str) -> str:
        with self._news:
            assert self._news.wait_for(
                lambda: any(text in line for line in self), PATIENCE_SECONDS
            ), self
        return next(line for line in self if text in line)


def gone(pid: int) -> bool:
    """Tell whether a process has ended; a container's first process may never collect it."""
    found = stat(pid)
    return found is None or found.state == "Z"


def ask_redis(stack: Stack, *words: str) -> str:
    with socket.create_connection(("127.0.0.1", stack.port("redis")), 5) as connection:
        connection.sendall((" ".join(words) + "\r\n").encode())
        return connection.recv(200).decode()


def test_postgresql_redis_and_victoriametrics_start_and_stop(open_folder: Path) -> None:
    stack = Stack(
        open_folder / "data", ["postgresql", "redis", "victoriametrics"], {"TESTING": "1"}
    )
    stack.start()
    pids = stack.pids
    try:
        assert set(pids) == {"postgresql", "redis", "victoriametrics"}
        assert stack.env["DATABASE_PORT"] == str(stack.port("postgresql"))
        password = Path(stack.env["REDIS_PASSWORD_FILE"]).read_text().strip()
        assert ask_redis(stack, "PING").startswith("-NOAUTH")
        assert ask_redis(stack, "AUTH", password).startswith("+OK")
        for pid in pids.values():
            words = Path(f"/proc/{pid}/cmdline").read_text()
            assert password not in words
            if os.geteuid() == 0:
                assert Path(f"/proc/{pid}").stat().st_uid != 0
    finally:
        stack.stop()
    assert all(gone(pid) for pid in pids.values())
    assert list((open_folder / "data/run").glob("*.json")) == []


def test_secrets_are_readable_by_their_user_only(open_folder: Path) -> None:
    stack = Stack(open_folder / "data", ["redis"])
    stack.start()
    stack.stop()
    files = list((open_folder / "data/secrets").iterdir())
    assert files
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    assert (open_folder / "data/log").stat().st_mode & 0o077 == 0


def test_a_killed_part_is_started_again_and_said(open_folder: Path) -> None:
    said = Lines()
    stack = Stack(open_folder / "data", ["redis"], say=said)
    stack.start()
    stack.supervise = True
    try:
        before = stack.pids["redis"]
        stack.kill("redis")
        line = said.wait_for("starting it again")
        assert line.startswith("redis was ended by SIGKILL; starting it again in 0.5 s")
        said.wait_for("redis runs again")
        assert stack.pids["redis"] != before
        assert ask_redis(stack, "PING").startswith("-NOAUTH")
    finally:
        stack.stop()


def test_without_supervision_a_killed_part_waits_for_restart(open_folder: Path) -> None:
    stack = Stack(open_folder / "data", ["redis"])
    stack.start()
    try:
        stack.kill("redis")
        assert stack.pids == {}
        stack.restart("redis")
        assert ask_redis(stack, "PING").startswith("-NOAUTH")
    finally:
        stack.stop()


def test_a_taken_port_names_the_port_and_the_setting(open_folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        stack = Stack(open_folder / "data", ["redis"], {"REDIS_PORT": str(port)})
        with pytest.raises(StackError, match=f"port {port} for redis is taken.*set REDIS_PORT"):
            stack.start()


def test_every_port_that_a_process_listens_on_is_looked_at() -> None:
    vmauth = read_table().processes["vmauth"]
    assert vmauth.ports({"TLS_CERT": ""}) == ["LISTEN", "VMAUTH_INTERNAL_PORT"]
    assert vmauth.ports({"TLS_CERT": "x"}) == [
        "LISTEN",
        "VMAUTH_INTERNAL_PORT",
        "VMAUTH_LOCAL_PORT",
    ]


def test_a_second_start_on_the_same_data_says_that_it_runs(open_folder: Path) -> None:
    first = Stack(open_folder / "data", ["redis"])
    first.start()
    try:
        second = Stack(open_folder / "data", ["redis"])
        with pytest.raises(StackError, match=f"already runs on DATA_DIR.*process {os.getpid()}"):
            second.start()
        assert ask_redis(first, "PING").startswith("-NOAUTH")
    finally:
        first.stop()


def test_a_part_that_cannot_start_says_why(open_folder: Path) -> None:
    stack = Stack(open_folder / "data", ["redis"])
    wrong = ("redis-server", "--port", "no-number")
    stack._rows = [dataclasses.replace(row, command=wrong) for row in stack._rows]
    with pytest.raises(StackError, match=r"redis ended with code 1: .*\(log: .*redis.log\)"):
        stack.start()


def test_an_optional_step_that_fails_is_said_and_stops_nothing(open_folder: Path) -> None:
    said = Lines()
    stack = Stack(open_folder / "data", ["redis"], say=said)
    broken = dataclasses.replace(
        stack._rows[0],
        name="broken",
        command=("redis-cli", "-p", "1", "PING"),
        prepare="",
        port="",
        one_shot=True,
        optional=True,
    )
    stack._rows.append(broken)
    stack._ready["broken"] = threading.Event()
    stack._table.processes["broken"] = broken
    stack.start()
    try:
        assert said.wait_for("going on without it").startswith("broken failed: Could not connect")
        assert ask_redis(stack, "PING").startswith("-NOAUTH")
    finally:
        stack.stop()


def test_what_a_killed_run_left_behind_is_ended_and_nothing_else(open_folder: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from deploy.stack import Stack\n"
        f"stack = Stack(Path({str(open_folder / 'data')!r}), ['redis', 'postgresql'])\n"
        "stack.start(); print(stack.pids['redis'], flush=True); os.kill(os.getpid(), 9)\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    left = int(child.stdout.split()[-1])
    assert not gone(left)
    said = Lines()
    stranger = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    try:
        # A record whose process id now belongs to somebody else.
        (open_folder / "data/run/stranger.json").write_text(
            json.dumps({"pid": stranger.pid, "started": 1, "boot": leftovers.boot_id()})
        )
        stack = Stack(open_folder / "data", ["redis"], say=said)
        stack.start()
        stack.stop()
        assert gone(left)
        assert "ended redis, which an earlier run had left behind" in said
        assert "ended postgresql, which an earlier run had left behind" in said
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_record_of_another_boot_names_nobody(tmp_path: Path) -> None:
    record = tmp_path / "x.json"
    leftovers.record(record, os.getpid())
    entry = json.loads(record.read_text())
    assert entry["pid"] == os.getpid()
    record.write_text(json.dumps({**entry, "boot": "another"}))
    assert recorded_processes(record, tmp_path) == []
    record.write_text("half a rec")
    assert recorded_processes(record, tmp_path) == []


def test_a_folder_with_other_things_in_it_is_refused(open_folder: Path) -> None:
    (open_folder / "photos").mkdir()
    with pytest.raises(StackError, match="holds other folders"):
        Stack(open_folder, ["redis"]).start()
    assert [path.name for path in open_folder.iterdir()] == ["photos"]


def test_unknown_parts_and_settings_are_named(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="oracle is not a process"):
        Stack(tmp_path, ["oracle"])
    with pytest.raises(StackError, match="COLOUR is not a setting"):
        Stack(tmp_path, ["redis"], {"COLOUR": "red"})


def test_a_large_log_makes_room_at_the_next_start(tmp_path: Path) -> None:
    log = tmp_path / "part.log"
    log.write_bytes(b"x" * 100)
    rotate(log)
    assert log.exists()
    with log.open("ab") as handle:
        handle.truncate(11 * 1024 * 1024)
    rotate(log)
    assert not log.exists()
    assert (tmp_path / "part.log.1").exists()


def test_stopping_is_quick_when_a_restart_is_pending(open_folder: Path) -> None:
    said = Lines()
    stack = Stack(open_folder / "data", ["redis"], say=said)
    stack.start()
    stack.supervise = True
    stack.kill("redis")
    said.wait_for("starting it again")
    began = time.monotonic()
    stack.stop()
    assert time.monotonic() - began < PATIENCE_SECONDS
    assert stack.pids == {}


def test_free_ports_can_be_listened_on() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", free_port()))
