"""The claim to one DATA_DIR: a lock while we run, and an end to what an earlier run left behind."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

from deploy import leftovers


class ClaimError(Exception):
    """Another process runs on the same DATA_DIR; the text is one sentence that names it."""


class Claim:
    """The lock on one DATA_DIR, whose folder `run` must exist."""

    def __init__(self, data: Path) -> None:
        """Take nothing yet."""
        self.data = data
        self._lock: IO[str] | None = None

    def take(self, url: str) -> None:
        """Take the lock and write down who has it; raises ClaimError when somebody else has."""
        # Opened for appending: the one who fails to lock it must not wipe what it says.
        lock = (self.data / "run/lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            lock.close()
            raise ClaimError(f"Leadline already runs on DATA_DIR={self.data}: {holder}") from error
        lock.truncate(0)
        lock.write(f"process {os.getpid()}, {url}\n")
        lock.flush()
        self._lock = lock

    def drop(self) -> None:
        """Let go of the lock where we have it."""
        if self._lock is not None:
            self._lock.truncate(0)
            self._lock.close()
            self._lock = None

    def left_behind(self) -> list[Path]:
        """List the records of an earlier run whose processes still live."""
        records = sorted((self.data / "run").glob("*.json"))
        return [path for path in records if leftovers.recorded_processes(path, self.data)]
