"""Which processes are ours: recorded when they are started.

So a later run ends what an earlier one left behind, and nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 10.0
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Stat:
    """What /proc tells of a process: its session, and its start in clock ticks since boot."""

    pid: int
    state: str
    session: int
    started: int


def boot_id() -> str:
    """Give the id of this boot: process ids mean nothing across boots."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def stat(pid: int) -> Stat | None:
    """Read one process; None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold anything, so count from its end.
    fields = text.rpartition(")")[2].split()
    return Stat(pid, fields[0], int(fields[3]), int(fields[19]))


def record(path: Path, pid: int) -> None:
    """Write down a process that we have started as the leader of a session of its own."""
    seen = stat(pid)
    if seen is not None:
        path.write_text(
            json.dumps({"pid": pid, "started": seen.started, "boot": boot_id()}), encoding="utf-8"
        )


def _marked(pid: int, marker: str) -> bool:
    with contextlib.suppress(OSError):
        return marker.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def recorded_processes(path: Path, data: Path) -> list[Stat]:
    """List the living processes of a record: the recorded one, and those in its session."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        pid, started, boot = int(entry["pid"]), int(entry["started"]), entry["boot"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if boot != boot_id():
        return []
    leader = stat(pid)
    if leader is not None and leader.started != started:
        return []
    everyone = (stat(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    marker = f"LEADLINE_DATA_DIR={data}"
    return [
        seen
        for seen in everyone
        if seen is not None
        and seen.session == pid
        and seen.state != "Z"
        and seen.started >= started
        and (seen.pid == pid or leader is not None or _marked(seen.pid, marker))
    ]


def end(path: Path, data: Path, first: str = "SIGTERM") -> int:
    """End the living processes of a record, by id, and remove it; gives how many there were."""
    found = recorded_processes(path, data)
    for number in (signal.Signals[first], signal.SIGKILL):
        deadline = time.monotonic() + PATIENCE_SECONDS
        _send(recorded_processes(path, data), number)
        while recorded_processes(path, data) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
    path.unlink(missing_ok=True)
    return len(found)


def _send(processes: list[Stat], number: int) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)
