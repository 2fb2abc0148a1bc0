from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from deploy import preflight

if TYPE_CHECKING:
    from pathlib import Path

BOOKWORM = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n'


def tool(folder: Path, name: str, prints: str) -> None:
    """Put a program on PATH that prints a version."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{prints}'\n")
    path.chmod(0o755)


@pytest.fixture
def only_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_missing_tool_is_named_with_the_command_that_gets_it(only_path: Path) -> None:
    complaint = preflight.check_tool("Go", ["go"], (1, 26), "get go", " (Debian's is too old)")
    assert complaint == (
        "Go is missing: 1.26 or newer is needed (Debian's is too old). Get it with:\n    get go"
    )


@pytest.mark.parametrize("prints", ["go version go1.19.8 linux/amd64", "go1.25.9"])
def test_an_old_tool_is_named_with_its_version(only_path: Path, prints: str) -> None:
    tool(only_path, "go", prints)
    complaint = preflight.check_tool("Go", ["go"], (1, 26), "get go", "")
    assert complaint is not None
    assert "too old" in complaint


@pytest.mark.parametrize("prints", ["v20.19.0", "v22.1.0", "v20.20.2"])
def test_a_new_enough_tool_is_no_complaint(only_path: Path, prints: str) -> None:
    tool(only_path, "node", prints)
    assert preflight.check_tool("Node", ["node"], (20, 19), "get node", "") is None


@pytest.mark.parametrize("prints", ["v20.9.0", "v18.20.4", "nonsense"])
def test_versions_are_compared_as_numbers(only_path: Path, prints: str) -> None:
    tool(only_path, "node", prints)
    assert preflight.check_tool("Node", ["node"], (20, 19), "get node", "") is not None


@pytest.mark.parametrize(
    "release", [BOOKWORM, BOOKWORM.replace("12", "13"), "ID=debian\nPRETTY_NAME=sid\n"]
)
def test_debian_12_and_newer_will_do(release: str) -> None:
    assert preflight.check_debian(release) is None


@pytest.mark.parametrize(
    ("release", "named"),
    [
        (BOOKWORM.replace("12", "11"), "Debian GNU/Linux 11"),
        ('ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04"\n', "Ubuntu 24.04"),
    ],
)
def test_another_system_is_named(release: str, named: str) -> None:
    complaint = preflight.check_debian(release)
    assert complaint is not None
    assert named in complaint
    assert "Debian 12 or newer" in complaint


def test_too_little_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "FREE_BYTES", 1 << 60)
    complaint = preflight.check_disk(tmp_path)
    assert complaint is not None
    assert str(tmp_path) in complaint


def test_the_command_lists_all_that_is_missing_and_fails(only_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, preflight.__file__],
        env={**os.environ, "PATH": str(only_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    for name in ("Go is missing", "Node is missing", "npm is missing", "make is missing"):
        assert name in done.stderr
    assert "apt-get install -y make" in done.stderr
