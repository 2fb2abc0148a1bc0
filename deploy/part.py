"""One process of the stack: started in its own session, watched, ended by its id."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from deploy import leftovers
from deploy.processes import fill
from deploy.settings import ROOT
from deploy.unpack import Binary, binary

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from deploy.place import Place
    from deploy.processes import Process

POLL_SECONDS = 0.05
ASK_LIMIT_SECONDS = 5
LOG_LIMIT_BYTES = 10 * 1024 * 1024
LOG_TAIL_BYTES = 8000
BROKEN = 500


class PartError(Exception):
    """A process cannot be started or did not become ready; the text is one sentence."""


def port_is_free(host: str, port: int) -> bool:
    """Tell whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def rotate(log: Path) -> None:
    """Keep one older log beside the current one, so that logs stay bounded."""
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))


def telling_line(text: str) -> str:
    """Give the line that most likely says what went wrong: the last unindented one."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    whole = [line for line in lines if line[0] not in " \t" and not line.startswith("LINE ")]
    return (whole or lines or ["it printed nothing"])[-1].strip()


class Part:
    """A row of the table with its values filled in, and its process while it runs."""

    def __init__(self, process: Process, values: dict[str, str], place: Place) -> None:
        """Fill the row; nothing is started yet."""
        self.process = process
        self.name = process.name
        self.values = values
        self.place = place
        self.popen: subprocess.Popen[bytes] | None = None
        self.record = place.data / "run" / f"{process.name}.json"
        self.log = place.log(process.name)
        self.environment = {name: fill(text, values) for name, text in process.environment.items()}

    def program(self, words: tuple[str, ...] | list[str]) -> Binary:
        """Say how to run a command of this row."""
        filled = [fill(word, self.values) for word in words]
        if self.process.program == "python":
            found = Binary([str(ROOT / ".venv/bin/python")])
        elif self.process.program == "agent":
            found = Binary([str(ROOT / "bin/leadline-agent")])
        else:
            found = binary(self.process.program, filled[0])
        return Binary([*found.argv, *filled[1:]], found.env)

    def command(self) -> Binary:
        """Give the whole command, with the arguments of settings that are on."""
        return self.program(self.process.words(self.values))

    def start(self) -> None:
        """Start the process with its output in its log; raises PartError when that cannot be."""
        how = self.command()
        rotate(self.log)
        with self.log.open("ab") as log:
            try:
                self.popen = subprocess.Popen(  # noqa: S603 - the command is a row of our own table
                    [*self.place.account.prefix, *how.argv],
                    env=self.place.environment({**how.env, **self.environment}),
                    cwd=ROOT if self.process.program == "python" else self.place.data,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as error:
                raise PartError(f"{self.name} cannot be started: {error}") from error
        leftovers.record(self.record, self.popen.pid)

    def run_once(self) -> str:
        """Run a one-shot process to its end and give what it printed; its errors go to the log.

        Its output may hold a password that is shown once. Raises PartError with its last line when
        it fails.
        """
        how = self.command()
        rotate(self.log)
        with self.log.open("a+b") as log:
            before = log.seek(0, os.SEEK_END)
            with subprocess.Popen(  # noqa: S603 - the command is a row of our own table
                [*self.place.account.prefix, *how.argv],
                env=self.place.environment({**how.env, **self.environment}),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            ) as self.popen:
                leftovers.record(self.record, self.popen.pid)
                try:
                    printed = self.popen.communicate(timeout=self.process.ready_seconds)[0].decode(
                        errors="replace"
                    )
                except subprocess.TimeoutExpired as error:
                    self.signal(signal.SIGKILL)
                    raise PartError(
                        f"{self.name} did not end within {self.process.ready_seconds:.0f} s; its "
                        f"log is {self.log}"
                    ) from error
            self.record.unlink(missing_ok=True)
            if self.popen.returncode != 0:
                log.seek(before)
                said = telling_line(log.read().decode(errors="replace"))
                raise PartError(f"{self.name} failed: {said} (log: {self.log})")
        return printed

    @property
    def alive(self) -> bool:
        """Tell whether its process runs."""
        return self.popen is not None and self.popen.poll() is None

    def ended(self) -> str:
        """Say how the process ended."""
        code = self.popen.poll() if self.popen else None
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
        return f"ended with code {code}"

    def last_line(self) -> str:
        """Give the line of its log that most likely says what went wrong."""
        with contextlib.suppress(OSError):
            return telling_line(self.log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace"))
        return "it has no log"

    def wait_ready(self, stop: threading.Event) -> None:
        """Wait until it serves; raises PartError when it ends, takes too long, or `stop` is set."""
        deadline = time.monotonic() + self.process.ready_seconds
        while not self._serves():
            if not self.alive:
                raise PartError(f"{self.name} {self.ended()}: {self.last_line()} (log: {self.log})")
            if time.monotonic() > deadline:
                raise PartError(
                    f"{self.name} did not become ready within {self.process.ready_seconds:.0f} s: "
                    f"{self.last_line()} (log: {self.log})"
                )
            if stop.wait(POLL_SECONDS):
                raise PartError(f"{self.name} was stopped before it was ready")

    def _serves(self) -> bool:
        ready: dict[str, Any] = self.process.ready
        if "tcp" in ready:
            host, _, port = fill(ready["tcp"], self.values).rpartition(":")
            with (
                contextlib.suppress(OSError),
                socket.create_connection((host, int(port)), ASK_LIMIT_SECONDS),
            ):
                return self.alive
            return False
        if "http" in ready:
            return self.alive and _answers(fill(ready["http"], self.values))
        if "command" in ready:
            how = self.program(ready["command"])
            try:
                asked = subprocess.run(  # noqa: S603 - the command is a row of our own table
                    [*self.place.account.prefix, *how.argv],
                    env=self.place.environment(how.env),
                    cwd=self.place.data,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=ASK_LIMIT_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return False
            return asked.returncode == 0 and self.alive
        return self.alive

    def signal(self, number: int) -> None:
        """Send a signal to the living process and to those it started in its group."""
        if self.popen is not None and self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number)

    def stop(self) -> None:
        """Ask it to end, and after its time end it."""
        if self.popen is None:
            return
        if self.alive:
            # Only the process itself is asked: it knows how to end those it started.
            self.popen.send_signal(signal.Signals[self.process.stop_signal])
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(self.process.stop_seconds)
            if self.alive:
                self.signal(signal.SIGKILL)
        self.popen.wait()
        self.end_rest()

    def end_rest(self) -> None:
        """End what an ended process has left in its session; no process of anybody else."""
        leftovers.end(self.record, self.place.data, "SIGKILL")


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname or "", parts.port, timeout=ASK_LIMIT_SECONDS
    )
    try:
        connection.request("GET", parts.path or "/")
        return connection.getresponse().status < BROKEN
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
