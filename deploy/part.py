"""One process of the stack: started in a session of its own, watched until it is ready, ended by its id."""

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
        extra = [word for setting, arguments in self.process.when.items() if self.values.get(setting) not in {"", "0", None} for word in arguments]
        return self.program([*self.process.command, *extra])

    def start(self) -> None:
        """Start the process with its output in its log; raises PartError when there is no such program."""
        how = self.command()
        rotate(self.log)
        with self.log.open("ab") as log:
            self.place.account.give(self.log)
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
                message = f"{self.name} cannot be started: {error}"
                raise PartError(message) from error
        leftovers.record(self.record, self.popen.pid)

    def run_once(self) -> str:
        """Run a one-shot process to its end and give what it printed; only its errors go to the log.

        Its output may hold a password that is shown once. Raises PartError with its last line when it fails.
        """
        how = self.command()
        rotate(self.log)
        with self.log.open("a+b") as log:
            self.place.account.give(self.log)
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
                    printed = self.popen.communicate(timeout=self.process.ready_seconds)[0].decode(errors="replace")
                except subprocess.TimeoutExpired as error:
                    self.signal(signal.SIGKILL)
                    message = f"{self.name} did not end within {self.process.ready_seconds:.0f} s; its log is {self.log}"
                    raise PartError(message) from error
            self.record.unlink(missing_ok=True)
            if self.popen.returncode != 0:
                log.seek(before)
                lines = log.read().decode(errors="replace").strip().splitlines() or [f"it ended with code {self.popen.returncode}"]
                message = f"{self.name} failed: {lines[-1]} (log: {self.log})"
                raise PartError(message)
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
        """Give the last line of its log."""
        with contextlib.suppress(OSError):
            lines = self.log.read_bytes()[-4000:].decode(errors="replace").strip().splitlines()
            return lines[-1].strip() if lines else "its log is empty"
        return "it has no log"

    def wait_ready(self, stop: threading.Event) -> None:
        """Wait until it serves; raises PartError when it ends or takes too long, or when `stop` is set."""
        deadline = time.monotonic() + self.process.ready_seconds
        while not self._serves():
            if not self.alive:
                message = f"{self.name} {self.ended()}: {self.last_line()} (log: {self.log})"
                raise PartError(message)
            if time.monotonic() > deadline:
                message = f"{self.name} did not become ready within {self.process.ready_seconds:.0f} s: {self.last_line()} (log: {self.log})"
                raise PartError(message)
            if stop.wait(POLL_SECONDS):
                message = f"{self.name} was stopped before it was ready"
                raise PartError(message)

    def _serves(self) -> bool:
        ready: dict[str, Any] = self.process.ready
        if "tcp" in ready:
            host, _, port = fill(ready["tcp"], self.values).rpartition(":")
            with contextlib.suppress(OSError), socket.create_connection((host, int(port)), ASK_LIMIT_SECONDS):
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
        """Send a signal to the process and to those it started in its group."""
        if self.popen is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.popen.pid, number)

    def stop(self) -> None:
        """Ask it to end, and after its time end it."""
        if self.popen is None:
            return
        if self.alive:
            # Only the process itself is asked: it knows how to end those it started.
            self.popen.send_signal(signal.Signals[self.process.stop_signal])
            try:
                self.popen.wait(self.process.stop_seconds)
            except subprocess.TimeoutExpired:
                pass
        self.signal(signal.SIGKILL)
        self.popen.wait()
        self.record.unlink(missing_ok=True)


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=ASK_LIMIT_SECONDS)
    try:
        connection.request("GET", parts.path or "/")
        return connection.getresponse().status < BROKEN
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
