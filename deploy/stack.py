"""Starts and supervises the processes of deploy/processes.yaml on one machine.

stack = Stack(data_dir, ["postgresql", "redis"])
stack.start()
... stack.env, stack.port("postgresql") ...
stack.stop()
"""

from __future__ import annotations

import atexit
import contextlib
import json
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deploy import leftovers, prepare
from deploy.account import AccountError, account_for
from deploy.archive import ArchiveError
from deploy.claim import Claim, ClaimError
from deploy.part import Part, PartError, port_is_free
from deploy.place import Place, PlaceError
from deploy.processes import Process, fill, read_table
from deploy.settings import ROOT, SettingError, complete, split_address
from deploy.unpack import UnpackError, ensure

if TYPE_CHECKING:
    from collections.abc import Callable

BACK_OFF_SECONDS = (0.5, 1, 2, 4, 8, 15, 30)
# A process that has lived this long starts its back-off anew.
STEADY_SECONDS = 60.0


# What our own rooms say in one sentence.
SAID = (
    AccountError,
    ArchiveError,
    ClaimError,
    PartError,
    PlaceError,
    SettingError,
    UnpackError,
)


class StackError(Exception):
    """The stack cannot be started; the text is one sentence."""


def free_port() -> int:
    """Find a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Stack:
    """Some of the table's processes, with all they depend on.

    `data_dir` holds everything they keep. `parts` are names of rows. `settings` are those of the
    table; ports that they do not name are free ones. `say` gets one line for each thing a person
    should know. With `supervise` set, a process that ends by itself is started again.
    """

    def __init__(
        self,
        data_dir: Path,
        parts: list[str],
        settings: dict[str, str] | None = None,
        say: Callable[[str], None] = print,
    ) -> None:
        """Check the settings; raises StackError with one sentence."""
        self.data_dir = Path(data_dir).resolve()
        self.say = say
        self.supervise = False
        self.started: Callable[[Process], None] = lambda _row: None
        self.results: dict[str, str] = {}
        self._table = read_table()
        given = settings or {}
        unknown = set(given) - set(self._table.settings)
        if unknown:
            raise StackError(
                f"{', '.join(sorted(unknown))} is not a setting of deploy/processes.yaml"
            )
        values = {
            name: given.get(name, setting.default) for name, setting in self._table.settings.items()
        }
        for name in self._table.settings:
            if name.endswith("_PORT") and name not in given:
                values[name] = str(free_port())
        if "LISTEN" not in given:
            values["LISTEN"] = f"127.0.0.1:{free_port()}"
        try:
            self.values = complete(values, self.data_dir)
        except SettingError as error:
            raise StackError(str(error)) from error
        try:
            self._rows = self._table.with_dependencies(parts)
        except KeyError as error:
            raise StackError(
                f"{error.args[0]} is not a process of deploy/processes.yaml"
            ) from error
        self.parts: dict[str, Part] = {}
        self._ready = {row.name: threading.Event() for row in self._rows}
        self._stopping = threading.Event()
        self._failure: str = ""
        self._threads: list[threading.Thread] = []
        self._turn = threading.RLock()
        self._claim = Claim(self.data_dir)

    @property
    def env(self) -> dict[str, str]:
        """Give the backend's settings as environment variables; secrets by their files."""
        return {
            name: fill(text, self.values)
            for name, text in self._table.environments["backend"].items()
        }

    def port(self, name: str) -> int:
        """Give the port of a process."""
        setting = self._table.processes[name].port
        return (
            split_address(self.values["LISTEN"])[1]
            if setting == "LISTEN"
            else int(self.values[setting])
        )

    @property
    def pids(self) -> dict[str, int]:
        """Give the process ids of what runs now."""
        return {
            name: part.popen.pid for name, part in self.parts.items() if part.popen and part.alive
        }

    # --- starting ---

    def start(self) -> None:
        """Start everything and wait until it is ready; after a StackError nothing runs."""
        atexit.register(self.stop)
        try:
            self._open()
            self._check_ports()
            self._start_all()
        except SAID as error:
            self.stop()
            raise StackError(str(error)) from error
        except BaseException:
            self.stop()
            raise

    @property
    def groups(self) -> list[str]:
        """Give the groups of deploy/versions.lock that the processes need."""
        return sorted({row.program for row in self._rows} - {"python", "agent"})

    def check_free(self) -> None:
        """See that nothing runs on DATA_DIR and that the ports are free; raises StackError."""
        try:
            with contextlib.suppress(FileNotFoundError):
                self._claim.take(self.values["PUBLIC_URL"])
        except ClaimError as error:
            raise StackError(str(error)) from error
        try:
            # What an earlier run left behind still holds its ports; starting ends it first.
            if not self._claim.left_behind():
                self._check_ports()
        finally:
            self._claim.drop()

    def _open(self) -> None:
        ensure(self.groups, self.say)
        needs: list[Path] = []
        if any(row.program == "python" for row in self._rows):
            needs += [prepare.PYTHON, ROOT / "deploy/processes.yaml"]
        if any(row.program == "agent" for row in self._rows):
            needs.append(prepare.AGENT)
        missing = next((path for path in needs if not path.exists()), None)
        if missing:
            raise StackError(f"{missing} is missing: run `make build`")
        nearest = next(
            folder
            for folder in (self.data_dir.parent, *self.data_dir.parent.parents)
            if folder.is_dir()
        )
        place = Place(self.data_dir, account_for([*needs, nearest], self.say))
        place.lay_out()
        self._claim.take(self.values["PUBLIC_URL"])
        self._end_leftovers()
        self.parts = {row.name: Part(row, self.values, place) for row in self._rows}

    def _end_leftovers(self) -> None:
        for record in self._claim.left_behind():
            row = self._table.processes.get(record.stem)
            leftovers.end(record, self.data_dir, row.stop_signal if row else "SIGTERM")
            self.say(f"ended {record.stem}, which an earlier run had left behind")

    def _check_ports(self) -> None:
        for row in self._rows:
            for setting in row.ports(self.values):
                loopback = f"127.0.0.1:{self.values[setting]}"
                host, port = split_address(
                    self.values["LISTEN"] if setting == "LISTEN" else loopback
                )
                if not port_is_free(host, port):
                    raise StackError(
                        f"port {port} for {row.name} is taken: end what listens there, or set "
                        f"{setting} to another one"
                    )

    def _start_all(self) -> None:
        self._stopping.clear()
        self._failure = ""
        threads = [
            threading.Thread(target=self._start_row, args=(row,), daemon=True) for row in self._rows
        ]
        self._threads += threads
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure:
            raise StackError(self._failure)

    def _start_row(self, row: Process) -> None:
        try:
            for name in row.depends:
                while not self._ready[name].wait(0.2):
                    if self._stopping.is_set() or self._failure:
                        return
            if self._failure:
                return
            if row.prepare:
                prepare.STEPS[row.prepare](self.parts[row.name].place, self.values, self.env)
            if row.one_shot:
                self.results[row.name] = self.parts[row.name].run_once()
            else:
                self._launch(row.name)
            self._ready[row.name].set()
            self.started(row)
        except (*SAID, OSError, ValueError, subprocess.SubprocessError) as error:
            if row.optional and not self._stopping.is_set():
                self.say(f"{error}; going on without it")
                self._ready[row.name].set()
                return
            with self._turn:
                self._failure = self._failure or str(error)
            self._stopping.set()

    def _launch(self, name: str) -> None:
        part = self.parts[name]
        with self._turn:
            if self._stopping.is_set():
                return
            part.start()
        part.wait_ready(self._stopping)
        watcher = threading.Thread(target=self._watch, args=(part, part.popen), daemon=True)
        watcher.start()
        self._threads.append(watcher)

    # --- while it runs ---

    def _watch(self, part: Part, popen: subprocess.Popen[bytes]) -> None:
        """Wait for the end of one process, and start it again where that is wanted."""
        began, tries = time.monotonic(), 0
        while True:
            popen.wait()
            if (
                self._stopping.is_set()
                or part.popen is not popen
                or not self.supervise
                or not part.process.restart
            ):
                return
            if time.monotonic() - began > STEADY_SECONDS:
                tries = 0
            pause = BACK_OFF_SECONDS[min(tries, len(BACK_OFF_SECONDS) - 1)]
            self.say(
                f"{part.name} {part.ended()}; starting it again in {pause:g} s (log: {part.log})"
            )
            if self._stopping.wait(pause):
                return
            began, tries = time.monotonic(), tries + 1
            with self._turn:
                if self._stopping.is_set():
                    return
                part.end_rest()
                with contextlib.suppress(PartError):
                    part.start()
            if part.popen is popen or part.popen is None:
                continue
            popen = part.popen
            with contextlib.suppress(PartError):
                part.wait_ready(self._stopping)
                self.say(f"{part.name} runs again")

    def kill(self, name: str) -> None:
        """Kill a process (and those of its group) at once, as a crash would."""
        part = self.parts[name]
        part.signal(signal.SIGKILL)
        if part.popen and not self.supervise:
            part.popen.wait()

    def restart(self, name: str) -> None:
        """Stop a process where it runs, start it and wait until it is ready; raises StackError."""
        part = self.parts[name]
        part.stop()
        try:
            self._launch(name)
        except PartError as error:
            raise StackError(str(error)) from error

    # --- stopping ---

    def stop(self) -> None:
        """End exactly what was started, in the reverse order, and let go of DATA_DIR."""
        self._stopping.set()
        atexit.unregister(self.stop)
        with self._turn:
            waiting = {
                name: part
                for name, part in self.parts.items()
                if part.popen is not None and (part.alive or part.record.exists())
            }
            while waiting:
                needed = {name for part in waiting.values() for name in self._needs(part.process)}
                wave = [part for name, part in waiting.items() if name not in needed]
                enders = [threading.Thread(target=part.stop) for part in wave]
                for ender in enders:
                    ender.start()
                for ender in enders:
                    ender.join()
                for part in wave:
                    del waiting[part.name]
        # Outside the turn, which a thread about to start something may be waiting for: it sees that
        # it must not.
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._claim.drop()

    def _needs(self, row: Process) -> set[str]:
        """Give all that a row depends on; one-shot rows between do not break the order."""
        return {process.name for process in self._table.with_dependencies([row.name])} - {row.name}

    def result(self, name: str) -> dict[str, Any]:
        """Give the JSON document that a one-shot process printed as its last line."""
        lines = self.results.get(name, "").strip().splitlines()
        try:
            document: dict[str, Any] = json.loads(lines[-1])
        except (IndexError, ValueError) as error:
            raise StackError(f"{name} did not say what it has made") from error
        return document
