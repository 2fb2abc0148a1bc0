"""Run every test lane in turn and end with one line: N passed, N failed, N skipped.

A lane is one runner (pytest, go test, vitest, playwright, a lint tool). Its result is counted from
the runner's own report file, never from its text. A runner that fails without naming a failed test
counts as one failure; a lane that cannot run here is named with its reason and counts as one skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv/bin/python")
LANE_LIMIT_SECONDS = 1500


@dataclass
class Count:
    """What one lane found."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)


def run(command: list[str], env: dict[str, str] | None = None, cwd: Path = ROOT) -> int:
    """Run one command with its output on ours; one past the limit is ended and has failed."""
    try:
        return subprocess.run(  # noqa: S603 - commands are written in this file
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            timeout=LANE_LIMIT_SECONDS,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        say(f"ended after {LANE_LIMIT_SECONDS} s: {' '.join(command)}")
        return 124


def say(text: str) -> None:
    """Print one line at once, in order with the runners' output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def failed_without_a_name(count: Count, code: int) -> Count:
    """Count a runner that failed but named no failed test (a crash, a build error)."""
    if code != 0 and count.failed == 0:
        count.failed = 1
        count.notes.append(f"the runner ended with code {code} and named no failed test")
    if code == 0 and count.passed == 0 and count.skipped == 0:
        count.failed = 1
        count.notes.append("the runner ran no test")
    return count


def count_junit(report: Path, code: int) -> Count:
    """Count a JUnit XML report as pytest writes it; each skip keeps its reason."""
    count = Count()
    if report.exists():
        for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own report
            name = f"{case.get('classname')}::{case.get('name')}"
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                count.failed += 1
                count.notes.append(f"failed: {name}")
            elif skip is not None:
                count.skipped += 1
                count.notes.append(f"skipped: {name}: {skip.get('message')}")
            else:
                count.passed += 1
    return failed_without_a_name(count, code)


def lint(_: Path) -> Count:
    """`make check`, one count for the whole."""
    return (
        failed_without_a_name(Count(passed=1), 0)
        if run(["make", "check"]) == 0
        else Count(failed=1)
    )


def pytest_lane(*arguments: str) -> Callable[[Path], Count]:
    """Build a lane that runs pytest with these arguments."""

    def lane(work: Path) -> Count:
        report = work / "junit.xml"
        code = run([PYTHON, "-m", "pytest", "-q", f"--junitxml={report}", *arguments])
        return count_junit(report, code)

    return lane


def go(_: Path) -> Count:
    """Run `go test -race`, the readers against a real MariaDB and a real MySQL."""
    command = [
        PYTHON, "-m", "deploy.databases", "--",
        "go", "-C", "agents", "test", "-race", "-shuffle=on", "-count=1", "-json", "./...",
    ]  # fmt: skip
    count = Count()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603 - see above
    output: dict[str, list[str]] = {}
    for line in process.stdout or []:
        if not line.startswith("{"):
            say(line.rstrip())
            continue
        event = json.loads(line)
        key = f"{event.get('Package', '')} {event.get('Test', '')}"
        if event["Action"] in {"output", "build-output"}:
            output.setdefault(key, []).append(event["Output"].rstrip())
        elif event["Action"] in {"pass", "fail", "skip"} and "Test" in event:
            record_go(count, event["Action"], key, output)
        elif event["Action"] == "fail":
            say("\n".join(output.get(key, [])))
        elif event["Action"] == "build-fail":
            say("\n".join(text for lines in output.values() for text in lines))
    return failed_without_a_name(count, process.wait())


def record_go(count: Count, action: str, key: str, output: dict[str, list[str]]) -> None:
    """Add one finished Go test to the count; a failure shows its output, a skip its reason."""
    if action == "pass":
        count.passed += 1
    elif action == "skip":
        count.skipped += 1
        reason = next(
            (text.strip() for text in output.get(key, []) if ".go:" in text), "no reason given"
        )
        count.notes.append(f"skipped: {key}: {reason}")
    else:
        count.failed += 1
        count.notes.append(f"failed: {key}")
        say("\n".join(output.get(key, [])))


def vitest(work: Path) -> Count:
    """Run the frontend's unit and screen tests."""
    report = work / "vitest.json"
    reporters = ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"]
    code = run(["npm", "run", "--silent", "test", "--workspace", "frontend", "--", *reporters])
    count = Count()
    if report.exists():
        result = json.loads(report.read_text())
        count = Count(
            result["numPassedTests"],
            result["numFailedTests"],
            result["numPendingTests"] + result["numTodoTests"],
        )
    return failed_without_a_name(count, code)


def end_to_end(work: Path) -> Count:
    """Playwright in the system's Chromium on the stack that `make run` starts."""
    if shutil.which("chromium") is None and run(["make", "chromium"]) != 0:
        return Count(
            skipped=1,
            notes=["skipped: Chromium is not installed and could not be installed by this user"],
        )
    report = work / "playwright.json"
    wrapper = [PYTHON, "-m", "deploy.tests.end_to_end", str(work / "data"), "--"]
    code = run(
        [*wrapper, "npm", "run", "--silent", "e2e"], {"PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}
    )
    count = Count()
    if report.exists():
        stats = json.loads(report.read_text())["stats"]
        count = Count(stats["expected"] + stats["flaky"], stats["unexpected"], stats["skipped"])
        if stats["flaky"]:
            count.notes.append(f"flaky: {stats['flaky']} (a bug to find)")
    return failed_without_a_name(count, code)


LANES: dict[str, Callable[[Path], Count]] = {
    "check": lint,
    "unit: backend and deploy": pytest_lane("-n", "2", "-m", "not stack", "backend", "deploy"),
    "unit: agent, with real MariaDB and MySQL": go,
    "unit: frontend": vitest,
    "stack: org wall, kills, crowd": pytest_lane("-m", "stack", "backend", "deploy"),
    "end to end: Chromium": end_to_end,
}


def main() -> int:
    """Run all lanes (or those whose name holds an argument) and print the closing line."""
    total = Count()
    for name, lane in LANES.items():
        if len(sys.argv) > 1 and not any(word in name for word in sys.argv[1:]):
            continue
        say(f"\n=== {name}")
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="leadline-lane-") as work:
            count = lane(Path(work))
        total.passed += count.passed
        total.failed += count.failed
        total.skipped += count.skipped
        for note in count.notes:
            say(f"  {note}")
        seconds = time.monotonic() - started
        say(
            f"--- {name}: {count.passed} passed, {count.failed} failed, "
            f"{count.skipped} skipped, {seconds:.0f} s"
        )
    say(f"\n{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
