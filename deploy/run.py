"""`make run`: builds, starts everything, says how to go on, and stops it all at Ctrl-C.

`--ready-file PATH` (or READY_FILE) is written, 0600, once everything serves: a JSON
document with url, email, password (null but for the first start), data_dir, ports, pids and, with
the demo, its database's address, user and password.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.archive import ArchiveError
from deploy.processes import read_table
from deploy.settings import ROOT, SettingError, from_environment, is_loopback, split_address
from deploy.stack import Stack, StackError
from deploy.unpack import UnpackError, ensure

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

INTERRUPTED = 130


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM: end what was started."""


def say(line: str = "") -> None:
    """Print one line at once; a terminal that has gone away is no reason to stop."""
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except (BrokenPipeError, OSError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # Once is enough: what stops now must not be cut short by a second Ctrl-C.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise Interrupted


def build(groups: list[str]) -> None:
    """Build the agent and the UI while the servers are unpacked; raises StackError."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    with ThreadPoolExecutor(max_workers=1) as pool:
        unpacking = pool.submit(ensure, groups, lambda line: say(f"  {line} …"))
        make = subprocess.Popen(["make", "-j2", "agent", "ui"], cwd=ROOT, env=env)  # noqa: S607
        try:
            code = make.wait()
        except BaseException:
            make.terminate()
            make.wait()
            raise
        try:
            unpacking.result()
        except (UnpackError, ArchiveError, OSError, subprocess.SubprocessError) as error:
            raise StackError(f"the servers cannot be unpacked: {error}") from error
    if code != 0:
        raise StackError("the build failed (see above)")
    # The processes may not write beside their sources, so that every start would compile them anew.
    for name in ("backend", "deploy"):
        compileall.compile_dir(str(ROOT / name), quiet=2)


def parts_for(values: dict[str, str]) -> list[str]:
    """Give the names of the rows that these settings want."""
    return [
        row.name
        for row in read_table().processes.values()
        if not row.only_if or values[row.only_if] == "1"
    ]


def shown_path(path: Path) -> str:
    """Write a path as one would type it in the repository."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def announce(stack: Stack, account: dict[str, Any]) -> None:
    """Print where it is, how to sign in, and the next three lines to paste."""
    host, _ = split_address(stack.values["LISTEN"])
    state = shlex.quote(shown_path(stack.data_dir / "agent"))
    say()
    say("Leadline runs. Ctrl-C stops it.")
    say()
    say(f"  address   {stack.values['PUBLIC_URL']}")
    if is_loopback(host):
        say(
            "            only this machine can reach it; LISTEN, TLS_CERT and TLS_KEY open it to "
            "others"
        )
    say(f"  sign in   {account['email']}")
    reset = f".venv/bin/python -m deploy.manage changepassword {shlex.quote(str(account['email']))}"
    if account.get("password"):
        say(f"  password  {account['password']}")
        say(f"            shown this once; another one: {reset}")
    else:
        say(f"            the password was shown at the first start; another one: {reset}")
    say(f"  data      {shown_path(stack.data_dir)} (logs in {shown_path(stack.data_dir / 'log')})")
    say()
    say(
        "Next, watch a MySQL or MariaDB of your own. On the database, with a password of your "
        "choice:"
    )
    say()
    say(
        "  CREATE USER 'leadline'@'localhost' IDENTIFIED BY 'your-password';"
        " GRANT PROCESS, REPLICATION CLIENT ON *.* TO 'leadline'@'localhost';"
    )
    say()
    say("Then here (the password is asked for):")
    say()
    say(
        "  bin/leadline-agent add mysql --name my-database --address 127.0.0.1:3306 --user "
        f"leadline --state-dir {state}"
    )
    say(f"  bin/leadline-agent check my-database --state-dir {state}")
    say()


def keep_password(account: dict[str, Any]) -> None:
    """Print the first password where the start failed after it was made: it is told only once."""
    if account.get("password"):
        say(f"the owner {account['email']} was made with the password {account['password']}")


def write_ready_file(path: Path, stack: Stack, account: dict[str, Any]) -> None:
    """Tell a program that everything serves."""
    ports = {name: stack.port(name) for name, part in stack.parts.items() if part.process.port}
    document: dict[str, Any] = {
        "url": stack.values["PUBLIC_URL"],
        "email": account["email"],
        "password": account.get("password"),
        "data_dir": str(stack.data_dir),
        "ports": ports,
        "pids": stack.pids,
    }
    if "demo-mariadb" in stack.parts:
        place = stack.parts["demo-mariadb"].place
        document["demo"] = {
            "address": f"127.0.0.1:{stack.port('demo-mariadb')}",
            "user": "leadline",
            "password": place.read_secret("demo_monitor_password"),
        }
    fresh = path.with_name(path.name + ".new")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as handle:
        json.dump(document, handle)
    fresh.replace(path)


def run(ready_file: Path | None) -> None:
    """Build, start and supervise until interrupted; raises StackError or SettingError."""
    began = time.monotonic()
    table = read_table()
    values = from_environment(table, os.environ)
    data = Path(values["DATA_DIR"])
    stack = Stack(data if data.is_absolute() else ROOT / data, parts_for(values), values, say)
    stack.check_free()
    say("setting up (the first time takes some minutes) …")
    build(stack.groups)
    say(f"starting … {time.monotonic() - began:.0f} s")
    stack.started = lambda row: say(f"  {row.name}: {row.description}")
    stack.supervise = True
    announced = False
    try:
        stack.start()
        account = stack.result("setup")
        announce(stack, account)
        announced = True
        say(f"ready after {time.monotonic() - began:.0f} s")
        if ready_file:
            write_ready_file(ready_file, stack, account)
        threading.Event().wait()
    finally:
        if not announced and "setup" in stack.results:
            keep_password(stack.result("setup"))
        say("stopping …")
        stack.stop()
        if ready_file:
            ready_file.unlink(missing_ok=True)
        say("stopped")


def main() -> int:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(description="Set up and start everything on this machine.")
    parser.add_argument("--ready-file", type=Path, default=os.environ.get("READY_FILE"))
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        run(Path(arguments.ready_file) if arguments.ready_file else None)
    except (StackError, SettingError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except Interrupted:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
