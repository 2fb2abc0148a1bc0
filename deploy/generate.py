"""`python -m deploy.generate [--check]`: writes what is made from deploy/processes.yaml.

That is docker-compose.yml and, in deploy/systemd, the units, their settings file and
`leadline-backend`. With `--check` nothing is written: a file that differs is shown as a diff, and
the exit code is 1.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tomllib

from deploy.docker import compose
from deploy.processes import read_table
from deploy.settings import ROOT
from deploy.systemd import by_hand, units


def generate() -> dict[str, str]:
    """Give the text of every generated file, by its path in the repository."""
    table = read_table()
    with (ROOT / "pyproject.toml").open("rb") as handle:
        version = tomllib.load(handle)["project"]["version"]
    systemd = {**units.render(table), **by_hand.render(table)}
    return {
        "docker-compose.yml": compose.render(table, version),
        **{f"deploy/systemd/{name}": text for name, text in systemd.items()},
    }


def orphans(files: dict[str, str]) -> list[str]:
    """List units in deploy/systemd that the table no longer makes."""
    kept = [
        *(ROOT / "deploy/systemd").glob("*.service"),
        *(ROOT / "deploy/systemd").glob("*.target"),
    ]
    paths = (str(path.relative_to(ROOT)) for path in kept)
    return sorted(path for path in paths if path not in files)


def differences(files: dict[str, str]) -> str:
    """Give the diff from what is checked in to what the table makes, empty where they agree."""
    found: list[str] = []
    for name, text in files.items():
        path = ROOT / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        found += difflib.unified_diff(
            old.splitlines(keepends=True),
            text.splitlines(keepends=True),
            name,
            f"{name} (generated)",
        )
    found += [f"{name} is no longer made from deploy/processes.yaml\n" for name in orphans(files)]
    return "".join(found)


def write(files: dict[str, str]) -> None:
    """Write every file, and remove units whose row is gone."""
    for name, text in files.items():
        path = ROOT / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    for name in orphans(files):
        (ROOT / name).unlink()


def main() -> int:
    """Write the files, or with --check compare them."""
    parser = argparse.ArgumentParser(description="Write what is made from deploy/processes.yaml.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, exit 1 at a difference"
    )
    arguments = parser.parse_args()
    files = generate()
    if not arguments.check:
        write(files)
        return 0
    found = differences(files)
    if found:
        sys.stdout.write(found)
        sys.stderr.write("run `python -m deploy.generate` and commit what it writes\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
