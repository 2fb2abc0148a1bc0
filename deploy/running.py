"""Runs the program behind `make run` as a child on free ports, for end-to-end tests and benches."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deploy.processes import read_table
from deploy.stack import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
STOP_SECONDS = 60


class NotRunningError(Exception):
    """The product did not come up; the text holds the last lines that it printed."""


@dataclass(frozen=True)
class Running:
    """A product that is up: what it wrote into its ready file, and the seconds until then."""

    document: dict[str, Any]
    seconds: float

    @property
    def url(self) -> str:
        """The one address."""
        return str(self.document["url"])


def free_settings(data_dir: Path) -> dict[str, str]:
    """Give every port of the table a free one, for a run beside others."""
    ports = {name: str(free_port()) for name in read_table().settings if name.endswith("_PORT")}
    return ports | {"LISTEN": f"127.0.0.1:{free_port()}", "DATA_DIR": str(data_dir)}


@contextlib.contextmanager
def product(
    command: list[str], settings: dict[str, str], limit_seconds: float, cwd: Path = ROOT
) -> Iterator[Running]:
    """Start the product, wait until it is up, and stop it at the end as Ctrl-C would."""
    data_dir = Path(settings["DATA_DIR"])
    data_dir.mkdir(parents=True, exist_ok=True)
    ready, log = data_dir / "ready.json", data_dir / "run.log"
    ready.unlink(missing_ok=True)
    started = time.monotonic()
    with log.open("wb") as output:
        child = subprocess.Popen(  # noqa: S603 - commands of our own
            command,
            cwd=cwd,
            env={**os.environ, **settings, "READY_FILE": str(ready)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while not ready.exists():
            if child.poll() is not None or time.monotonic() - started > limit_seconds:
                tail = log.read_text(errors="replace")[-3000:]
                took = time.monotonic() - started
                message = f"not up after {took:.0f} s (exit {child.poll()}):\n{tail}"
                raise NotRunningError(message)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(0.1)
        yield Running(json.loads(ready.read_text()), time.monotonic() - started)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGINT)
            try:
                child.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                sys.stderr.write(
                    f"the product did not stop within {STOP_SECONDS} s of SIGINT and was killed\n"
                )
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def run_command() -> list[str]:
    """Give the program behind `make run`, without the build before it."""
    return [str(ROOT / ".venv/bin/python"), "-m", "deploy.run"]
