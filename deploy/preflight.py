"""Checks what Leadline needs: names each missing or old thing with the command that gets it.

Runs on any Python 3.7 or newer, because an old Python is one of the things it must be able to name.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PYTHON = (3, 11)
GO = (1, 26)
NODE = (20, 19)
DEBIAN = 12
FREE_BYTES = 4 * 1024**3

GET_GO = (
    "curl -fsSL https://go.dev/dl/go1.26.0.linux-amd64.tar.gz | tar -xz -C /usr/local"
    " && export PATH=/usr/local/go/bin:$PATH"
)
GET_NODE = (
    "curl -fsSL https://nodejs.org/dist/v20.19.0/node-v20.19.0-linux-x64.tar.gz"
    " | tar -xz -C /usr/local --strip-components=1"
)


def version_of(command: list[str]) -> tuple[int, ...] | None:
    """Give the first version number that a tool prints; None when there is no such tool."""
    if shutil.which(command[0]) is None:
        return None
    try:
        shown = subprocess.run(  # noqa: S603 - the fixed commands below
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(rb"(\d+)\.(\d+)(?:\.(\d+))?", shown.stdout)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def written(version: tuple[int, ...]) -> str:
    """Write a version as people read it."""
    return ".".join(map(str, version)) if version else "a version that cannot be read"


def check_tool(
    name: str, command: list[str], least: tuple[int, ...], get: str, debians: str
) -> str | None:
    """Complain when a tool is missing or older than `least`, with the command that gets it."""
    have = version_of(command)
    if have is not None and have[: len(least)] >= least:
        return None
    state = "is missing" if have is None else f"is {written(have)}, too old"
    return f"{name} {state}: {written(least)} or newer is needed{debians}. Get it with:\n    {get}"


def check_python() -> str | None:
    """Find a Python that is new enough: this one, or the system's."""
    if sys.version_info[:2] >= PYTHON:
        return None
    have = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return (
        f"Python is {have}, too old: 3.11 or newer is needed. Get it with:\n"
        "    apt-get install -y python3"
    )


def check_installer() -> str | None:
    """See that this Python can install packages, by pip or in a venv of its own."""
    for module in ("pip", "ensurepip"):
        found = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False
        )
        if found.returncode == 0:
            return None
    return (
        "Python has neither pip nor venv. Get them with:\n"
        "    apt-get install -y python3-pip python3-venv"
    )


def check_debian(os_release: str) -> str | None:
    """See that this is Debian 12 or newer; the servers are unpacked from its packages."""
    fields = dict(re.findall(r'^(\w+)="?([^"\n]*)', os_release, re.MULTILINE))
    number = fields.get("VERSION_ID", "").split(".")[0]
    if fields.get("ID") == "debian" and (not number or int(number) >= DEBIAN):
        return None
    name = fields.get("PRETTY_NAME", "an unknown system")
    return (
        f"this machine runs {name}: Debian 12 or newer is needed,"
        " because the servers are unpacked from Debian's packages."
    )


def check_programs() -> list[str]:
    """See that the small tools are there, each with the package that has it."""
    packages = {"make": "make", "apt-get": "apt", "dpkg-deb": "dpkg", "tar": "tar"}
    if os.geteuid() == 0:
        packages["setpriv"] = "util-linux"
    missing = [
        f"{tool} is missing. Get it with:\n    apt-get install -y {package}"
        for tool, package in packages.items()
        if shutil.which(tool) is None
    ]
    if not Path("/usr/share/zoneinfo/UTC").exists():
        missing.append(
            "PostgreSQL needs the time zones. Get them with:\n    apt-get install -y tzdata"
        )
    return missing


def check_disk(folder: Path) -> str | None:
    """See that there is room to build and run; VictoriaMetrics takes no samples below 2 GB."""
    free = shutil.disk_usage(folder).free
    if free >= FREE_BYTES:
        return None
    return f"{folder} has {free / 1024**3:.1f} GB free: 4 GB are needed."


def go_elsewhere() -> str:
    """Say so where a Go is installed but not on PATH."""
    if shutil.which("go") is None and Path("/usr/local/go/bin/go").exists():
        return "export PATH=/usr/local/go/bin:$PATH"
    return GET_GO


def complaints(root: Path) -> list[str]:
    """List all that is missing or too old on this machine, one sentence and one command each."""
    found = [
        check_debian(Path("/etc/os-release").read_text(encoding="utf-8")),
        check_python(),
        check_installer(),
        check_tool(
            "Go",
            ["go", "env", "GOVERSION"],
            GO,
            go_elsewhere(),
            " (Debian's own golang package is too old)",
        ),
        check_tool(
            "Node",
            ["node", "--version"],
            NODE,
            GET_NODE,
            " (Debian's own nodejs package is too old)",
        ),
        check_tool("npm", ["npm", "--version"], (10,), GET_NODE, " (it comes with Node)"),
        check_disk(root),
    ]
    return [complaint for complaint in found if complaint] + check_programs()


def main() -> int:
    """Print what is missing; exits 1 when something is."""
    found = complaints(Path(__file__).resolve().parent.parent)
    for complaint in found:
        sys.stderr.write(f"- {complaint}\n")
    if found:
        noun = "1 thing is" if len(found) == 1 else f"{len(found)} things are"
        sys.stderr.write(f"Leadline cannot be set up yet: {noun} missing (listed above).\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
