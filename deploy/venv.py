"""Makes .venv with exactly the packages of requirements.lock, checked by their hashes.

uv does the work; where it is not installed, pip puts it into .cache/uv. The interpreter is the
system's where it is new enough: the unprivileged user that root starts everything as could not
enter one below /root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
UV_HOME = ROOT / ".cache/uv"
UV_VERSION = "0.13.8"
LEAST = (3, 11)
NEWEST_MINOR = 15


def succeeds(command: list[str]) -> bool:
    """Tell whether a command is there and exits with 0; its output is dropped."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603
    except OSError:
        return False


def works(python: str) -> bool:
    """Tell whether an interpreter is new enough and complete."""
    least = f"sys.version_info[:2] < {LEAST}"
    return succeeds([python, "-c", f"import ctypes, ssl, sqlite3, sys; sys.exit({least})"])


def interpreter() -> str:
    """Choose the interpreter of .venv: the system's, else the one that runs this."""
    names = ["python3", *(f"python3.{minor}" for minor in range(LEAST[1], NEWEST_MINOR))]
    return next((f"/usr/bin/{name}" for name in names if works(f"/usr/bin/{name}")), sys.executable)


def pip_commands() -> list[list[str]]:
    """List the ways to pip, the likeliest first; a venv of its own where this Python has none."""
    own = UV_HOME / "pip"
    ways = [[sys.executable, "-m", "pip"], ["/usr/bin/python3", "-m", "pip"]]
    found = [way for way in ways if succeeds([*way, "--version"])]
    if not found:
        subprocess.run([sys.executable, "-m", "venv", str(own)], check=True)  # noqa: S603
        found = [[str(own / "bin/python"), "-m", "pip"]]
    return found


def uv() -> str:
    """Find uv, or have pip put it into .cache/uv."""
    installed = UV_HOME / "bin/uv"
    if installed.exists():
        return str(installed)
    if (found := shutil.which("uv")) is not None:
        return found
    options = "--quiet --disable-pip-version-check --no-deps --only-binary=:all: --upgrade"
    subprocess.run(  # noqa: S603 - pip with fixed arguments
        [
            *pip_commands()[0],
            "install",
            *options.split(),
            *("--target", str(UV_HOME), f"uv=={UV_VERSION}"),
        ],
        check=True,
    )
    return str(installed)


def uv_environment() -> dict[str, str]:
    """Let uv use the index and certificates that pip is set up with, which it does not read."""
    env = dict(os.environ)
    if "SSL_CERT_FILE" not in env and env.get("PIP_CERT"):
        env["SSL_CERT_FILE"] = env["PIP_CERT"]
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True,
        text=True,
        check=False,
    )
    index = env.get("PIP_INDEX_URL") or (asked.stdout.strip() if asked.returncode == 0 else "")
    if index and "UV_DEFAULT_INDEX" not in env and "UV_INDEX_URL" not in env:
        env["UV_DEFAULT_INDEX"] = index
    env.setdefault("UV_HTTP_TIMEOUT", "120")
    # A hard link or a copy of root's cache must stay readable for the user that the processes run
    # as.
    env.setdefault("UV_LINK_MODE", "copy")
    return env


def lock() -> None:
    """Write requirements.lock anew: the newest versions pyproject.toml allows, with hashes."""
    options = "--quiet --upgrade --generate-hashes --no-emit-index-url --group dev"
    subprocess.run(  # noqa: S603 - uv with fixed arguments
        [
            *(uv(), "pip", "compile", *options.split()),
            *("--python-version", ".".join(map(str, LEAST))),
            *("--custom-compile-command", "make lock"),
            *("--output-file", "requirements.lock", "pyproject.toml"),
        ],
        cwd=ROOT,
        env=uv_environment(),
        check=True,
    )


def main() -> int:
    """Make .venv, or bring it up to date; with the word `lock`, write requirements.lock instead."""
    if sys.argv[1:] == ["lock"]:
        lock()
        return 0
    tool, env, python = uv(), uv_environment(), interpreter()
    made = VENV / "bin/python"
    if not works(str(made)):
        command = [tool, "venv", "--clear", "--python", python, str(VENV)]
        subprocess.run(command, env=env, check=True)  # noqa: S603 - uv with fixed arguments
    command = [tool, "pip", "sync", "--python", str(made), "--require-hashes", "--compile-bytecode"]
    subprocess.run([*command, "requirements.lock"], cwd=ROOT, env=env, check=True)  # noqa: S603
    # A careful umask of root's must not keep the unprivileged user out.
    subprocess.run(["chmod", "-R", "a+rX", str(VENV)], check=True)  # noqa: S603, S607
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{Path(error.cmd[0]).name} failed with code {error.returncode}\n")
        sys.exit(1)
