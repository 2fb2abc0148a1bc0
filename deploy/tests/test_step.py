from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import step

ROOT = Path(step.__file__).resolve().parent.parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a repository of its own: step.py works in the one it stands in."""
    (tmp_path / "deploy").mkdir()
    shutil.copy(step.__file__, tmp_path / "deploy/step.py")
    (tmp_path / "input").write_text("1")
    return tmp_path


def run(tree: Path, *words: str, name: str = "a step") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "deploy/step.py", name, "--inputs", "input", "--outputs", "output"]
    return subprocess.run(
        [*command, "--", *words], cwd=tree, capture_output=True, text=True, check=False
    )


def test_a_step_runs_once_until_its_input_changes(tree: Path) -> None:
    words = ("sh", "-c", "echo x >> output")
    assert "a step: done in" in run(tree, *words).stdout
    assert run(tree, *words).stdout == ""
    (tree / "input").write_text("2")
    run(tree, *words)
    assert (tree / "output").read_text() == "x\nx\n"


def test_a_copy_with_other_times_is_not_built_again(tree: Path) -> None:
    words = ("sh", "-c", "echo x >> output")
    run(tree, *words)
    (tree / "input").touch()
    assert run(tree, *words).stdout == ""


def test_a_step_runs_again_when_its_output_is_gone_or_its_command_another(tree: Path) -> None:
    run(tree, "touch", "output")
    (tree / "output").unlink()
    assert run(tree, "touch", "output").stdout
    assert run(tree, "touch", "./output").stdout


def test_a_failed_step_shows_what_it_printed_and_runs_again(tree: Path) -> None:
    done = run(tree, "sh", "-c", "touch output; echo the reason; exit 3")
    assert done.returncode == 3
    assert "the reason" in done.stdout
    assert "failed with code 3" in done.stdout
    assert run(tree, "sh", "-c", "touch output; echo the reason; exit 3").returncode == 3


def test_a_long_step_says_that_it_still_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(step, "SAY_EVERY_SECONDS", 0.1)
    assert step.run("long", ["sleep", "0.5"], tmp_path / "log") == 0
    assert "  long … 0 s\n" in capsys.readouterr().out
