"""`python runtime_lock.py requirements.lock`: prints the part of the lock that a server needs.

The lock also holds the tools of developers. Its comments (`# via …`) say who asked for a package:
what is reached from the project's own dependencies, and not only from its dev group, is kept, with
its version and hashes as they stand. Needs no more than Python's standard library.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

OURS = "leadline (pyproject.toml)"


def blocks(lock: str) -> dict[str, str]:
    """Split the lock into one text a package, by name."""
    found = {}
    for block in re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE):
        match = re.match(r"([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==", block)
        if match:
            found[match[1]] = block
    return found


def asked_for_by(block: str) -> set[str]:
    """Read from a block's comments who asked for the package."""
    comment = re.search(r"# via(.*)", block, flags=re.DOTALL)
    if comment is None:
        return set()
    lines = (line.strip().lstrip("#").strip() for line in comment[1].splitlines())
    return {line for line in lines if line}


def runtime(lock: str) -> str:
    """Give the blocks that a server needs, in order; raises ValueError where there is none."""
    packages = blocks(lock)
    parents = {name: asked_for_by(block) for name, block in packages.items()}
    kept = {name for name, by in parents.items() if OURS in by}
    if not kept:
        raise ValueError(f"no package of the lock was asked for by {OURS}")
    while True:
        more = {name for name, by in parents.items() if by & kept} - kept
        if not more:
            return "".join(block for name, block in packages.items() if name in kept)
        kept |= more


if __name__ == "__main__":
    sys.stdout.write(runtime(Path(sys.argv[1]).read_text(encoding="utf-8")))
