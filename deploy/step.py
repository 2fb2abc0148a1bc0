"""Runs one step of the build when its inputs have changed, with a line at its start and its end.

`python3 deploy/step.py NAME [--inputs PATH…] [--outputs PATH…] -- COMMAND…`: the step is done when
its outputs exist and the content of its inputs and its command are those of the last time. Its own
output is kept in .cache/log/NAME.log, shown when it fails.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAY_EVERY_SECONDS = 15
LINES_SHOWN = 40
SKIPPED_FOLDERS = {
    "node_modules",
    "dist",
    "__pycache__",
    ".tsbuild",
    "test-results",
    "playwright-report",
}


def files_of(paths: list[str]) -> list[Path]:
    """List the files that some paths name, folders with all below them that is not generated."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            for folder, below, names in os.walk(path):
                below[:] = [name for name in below if name not in SKIPPED_FOLDERS]
                found += [Path(folder) / name for name in names]
        elif path.exists():
            found.append(path)
    return sorted(found)


def digest(inputs: list[str], command: list[str]) -> str:
    """Give one hash of the command and of every input's name and content."""
    total = hashlib.sha256("\0".join(command).encode())
    for path in files_of(inputs):
        total.update(f"{path}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def say(line: str) -> None:
    """Print one line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def run(name: str, command: list[str], log: Path) -> int:
    """Run the command, saying from time to time that it still runs; gives its exit code."""
    began = time.monotonic()
    code: int | None = None
    say(f"  {name} …")
    with (
        log.open("wb") as output,
        subprocess.Popen(  # noqa: S603 - a command of the Makefile
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        ) as process,
    ):
        try:
            while code is None:
                try:
                    code = process.wait(SAY_EVERY_SECONDS)
                except subprocess.TimeoutExpired:
                    say(f"  {name} … {time.monotonic() - began:.0f} s")
        except BaseException:
            process.terminate()
            raise
    seconds = time.monotonic() - began
    if code == 0:
        say(f"  {name}: done in {seconds:.0f} s")
    else:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        say("\n".join(lines[-LINES_SHOWN:]))
        say(f"  {name}: failed with code {code} after {seconds:.0f} s (log: {log})")
    return code


def main() -> int:
    """Run the step where it must be run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("--inputs", nargs="*", default=[])
    parser.add_argument("--outputs", nargs="*", default=[])
    dashes = sys.argv.index("--")
    arguments, command = parser.parse_args(sys.argv[1:dashes]), sys.argv[dashes + 1 :]
    os.chdir(ROOT)
    file_name = arguments.name.replace(" ", "-").replace("/", "-")
    stamp, log = Path(".cache/stamps") / file_name, Path(".cache/log") / f"{file_name}.log"
    for folder in (stamp.parent, log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    with stamp.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = digest(arguments.inputs, command)
        if (
            stamp.exists()
            and stamp.read_text(encoding="ascii") == wanted
            and all(Path(p).exists() for p in arguments.outputs)
        ):
            return 0
        stamp.unlink(missing_ok=True)
        code = run(arguments.name, command, log)
        if code == 0:
            # Taken again: npm and the like may write one of their own inputs.
            stamp.write_text(digest(arguments.inputs, command), encoding="ascii")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
