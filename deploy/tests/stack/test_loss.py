"""Nothing lost: parts of the server and the agent are killed while it watches this machine."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deploy.stack import Stack
    from deploy.tests.stack.tenants import Tenant

pytestmark = pytest.mark.stack

AGENT = str(Path(__file__).resolve().parents[3] / "bin/leadline-agent")
STEP_MS = 5000
STORE_KILLS = 20
DJANGO_KILLS = {4, 11}
AGENT_KILLS = {7, 14}
PATIENCE_SECONDS = 20


def await_true(question: Callable[[], Any], what: str) -> None:
    """Ask until the answer is true; fail with what was awaited when it takes too long."""
    pause, deadline = threading.Event(), time.monotonic() + PATIENCE_SECONDS
    while not question():
        assert time.monotonic() < deadline, f"waited {PATIENCE_SECONDS} s for {what}"
        pause.wait(0.1)


@dataclass
class RunningAgent:
    """A real agent with a state directory of its own; `dead` holds when it did not run, in ms."""

    state: Path
    node: str
    process: subprocess.Popen[bytes] | None = None
    dead: list[tuple[float, float]] = field(default_factory=list)

    def start(self) -> None:
        """Run it."""
        log = (self.state.parent / "agent.log").open("ab")
        self.process = subprocess.Popen(
            [AGENT, "run", "--state-dir", str(self.state)], stdout=log, stderr=log
        )
        log.close()

    def kill_and_start(self) -> None:
        """Kill it as a crash would, and start it again once it holds the lock no more."""
        assert self.process is not None
        died = time.time() * 1000
        self.process.kill()
        self.process.wait()
        self.start()
        await_true(
            lambda: self.status().get("pid") == (self.process and self.process.pid),
            "the agent to run again",
        )
        self.dead.append((died, time.time() * 1000))

    def status(self) -> dict[str, Any]:
        """Read what it last wrote about itself."""
        path = self.state / "status.json"
        document: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return document

    def stop(self) -> None:
        """End it as systemd would."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE_SECONDS)


@pytest.fixture
def agent(tenants: tuple[Tenant, Tenant], tmp_path: Path) -> Iterator[RunningAgent]:
    """Enrol an agent that watches this machine, and run it."""
    tenant, node = tenants[0], "killed"
    token = tenant.request("POST", "/api/v1/enrolment-tokens", json={}).json()["token"]
    state = tmp_path / "state"
    command = [AGENT, "enroll", "--server", tenant.url, "--name", node, "--state-dir", str(state)]
    subprocess.run(command, input=token, text=True, check=True, timeout=PATIENCE_SECONDS)
    running = RunningAgent(state, node)
    running.start()
    yield running
    running.stop()


def rows_inserted(store: str) -> float:
    """Count the rows that VictoriaMetrics took by remote write since it was started."""
    text = httpx.get(f"{store}/metrics", timeout=PATIENCE_SECONDS).text
    return sum(
        float(value)
        for value in re.findall(
            r'^vm_rows_inserted_total\{type="promremotewrite"[^}]*\} (\S+)', text, re.MULTILINE
        )
    )


def more_rows(store: str, than: float) -> bool:
    """Tell whether another row came in."""
    return rows_inserted(store) > than


def stamps(store: str, series: str) -> list[int]:
    """Read every stamp of one series as it is stored, in ms, each once."""
    httpx.get(f"{store}/internal/force_flush", timeout=PATIENCE_SECONDS)
    text = httpx.get(
        f"{store}/api/v1/export",
        params={"match[]": series, "reduce_mem_usage": "0"},
        timeout=PATIENCE_SECONDS,
    ).text
    found = [stamp for line in text.splitlines() for stamp in json.loads(line)["timestamps"]]
    return sorted(set(found))


def missing(found: list[int], dead: list[tuple[float, float]]) -> list[int]:
    """List the grid's stamps that are not there though the agent lived."""
    have = set(found)
    grid = range(found[0], found[-1] + 1, STEP_MS)
    return [
        stamp
        for stamp in grid
        if stamp not in have
        and not any(died - STEP_MS < stamp < back + STEP_MS for died, back in dead)
    ]


def complete(found: list[int], dead: list[tuple[float, float]]) -> bool:
    """Tell whether the whole time of the kills is there, without a hole."""
    return len(found) >= STORE_KILLS and not missing(found, dead)


def boot_id(tenant: Tenant) -> str:
    """Ask which start of the store the server tells its agents."""
    body = {"instance": tenant.instance, "previous": None, "place": "aa"}
    answer = tenant.agent("POST", "/api/agent/v1/token", json=body)
    return str(answer.json()["store_boot_id"])


def test_missing_finds_a_hole() -> None:
    assert missing([0, 5000, 15000], []) == [10000]
    assert missing([0, 5000, 15000], [(9000, 11000)]) == []


def test_kills_lose_no_stamp(
    stack: Stack, tenants: tuple[Tenant, Tenant], agent: RunningAgent
) -> None:
    store = f"http://127.0.0.1:{stack.port('victoriametrics')}"
    two_seconds = threading.Event()
    for number in range(STORE_KILLS):
        before = rows_inserted(store)
        await_true(functools.partial(more_rows, store, before), "an acknowledged push")
        two_seconds.wait(2)
        stack.kill("victoriametrics")
        stack.restart("victoriametrics")
        if number in DJANGO_KILLS:
            stack.kill("django")
            stack.restart("django")
        if number in AGENT_KILLS:
            agent.kill_and_start()
    # The store came back before the next push, so none failed: the server must tell the agent.
    booted = boot_id(tenants[1])
    stack.kill("victoriametrics")
    stack.restart("victoriametrics")
    await_true(lambda: boot_id(tenants[1]) != booted, "the server to see that the store restarted")
    series = f'node_load1{{node="{agent.node}"}}'
    await_true(lambda: complete(stamps(store, series), agent.dead), "every stamp to be back")
    found = stamps(store, series)
    assert all(stamp % STEP_MS == 0 for stamp in found), "stamps stand on the interval's grid"
    assert missing(found, agent.dead) == []
