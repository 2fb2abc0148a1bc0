"""The path of a number: how soon the first is seen, and its bytes on the wire and on disk."""

from __future__ import annotations

import re
import secrets
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from deploy.bench.result import Result
from deploy.running import ROOT, Running, free_settings, product, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_DATA_TARGET_SECONDS = 15
FIRST_DATA_RUNS = 3
LIMIT_SECONDS = 240
COLLECT_SECONDS = 120


class Browser:
    """A signed-in person, as the UI speaks to the server."""

    def __init__(self, running: Running) -> None:
        """Sign in."""
        document = running.document
        self.url = running.url
        self.http = httpx.Client(base_url=self.url, timeout=20)
        self.http.get("/api/v1/session")
        self.post(
            "/api/auth/browser/v1/auth/login",
            {"email": document["email"], "password": document["password"]},
        )

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send JSON with the CSRF token and give the answer."""
        answer = self.http.post(
            path,
            json=body,
            headers={"X-CSRFToken": self.http.cookies["csrftoken"], "Origin": self.url},
        )
        answer.raise_for_status()
        document: dict[str, Any] = answer.json()
        return document

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Ask for the value of now, as a chart would."""
        token = self.post("/api/v1/tokens/read", {})["token"]
        answer = self.http.get(
            "/prometheus/api/v1/query",
            params={"query": expression, "nocache": "1"},
            headers={"Authorization": f"Bearer {token}"},
        )
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["data"]["result"]
        return found


def first_data() -> Iterator[Result]:
    """Enrol and run a new agent; measure from `enroll` until a point of its host can be read."""
    with (
        tempfile.TemporaryDirectory(prefix="leadline-bench-") as folder,
        product(run_command(), free_settings(Path(folder) / "data"), LIMIT_SECONDS) as running,
    ):
        browser = Browser(running)
        seconds = [
            _first_point(browser, Path(folder) / f"agent{number}")
            for number in range(FIRST_DATA_RUNS)
        ]
    yield Result("first_data_s", max(seconds), "s", len(seconds), FIRST_DATA_TARGET_SECONDS)


def _first_point(browser: Browser, state: Path) -> float:
    agent = str(ROOT / "bin/leadline-agent")
    node = f"bench-{secrets.token_hex(4)}"
    token = browser.post("/api/v1/enrolment-tokens", {})["token"]
    started = time.monotonic()
    subprocess.run(  # noqa: S603 - our own agent
        [agent, "enroll", "--server", browser.url, "--name", node, "--state-dir", str(state)],
        input=token,
        text=True,
        check=True,
        capture_output=True,
    )
    child = subprocess.Popen(  # noqa: S603 - our own agent
        [agent, "run", "--state-dir", str(state)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        pause = threading.Event()
        while not browser.query(f'node_load1{{node="{node}"}}'):
            if time.monotonic() - started > LIMIT_SECONDS:
                message = f"no point of {node} after {LIMIT_SECONDS} s"
                raise TimeoutError(message)
            pause.wait(0.25)
        return time.monotonic() - started
    finally:
        child.terminate()
        child.wait()


def bytes_per_sample() -> Iterator[Result]:
    """Watch this machine and the demo's MariaDB for two minutes; count bytes sent and stored."""
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as folder:
        settings = free_settings(Path(folder) / "data")
        with product(run_command(), settings, LIMIT_SECONDS) as running:
            store = f"http://127.0.0.1:{settings['VICTORIAMETRICS_PORT']}"
            vmauth = f"http://127.0.0.1:{settings['VMAUTH_INTERNAL_PORT']}"
            before = _counters(store), _counters(vmauth)
            threading.Event().wait(COLLECT_SECONDS)
            after = _counters(store), _counters(vmauth)
            httpx.get(f"{store}/internal/force_flush", timeout=60)
            httpx.get(f"{store}/internal/force_merge", timeout=60)
            disk, rows = _settled(store)
            del running
    inserted = sum(
        value - before[0].get(name, 0)
        for name, value in after[0].items()
        if name.startswith("vm_rows_inserted_total")
    )
    sent = sum(
        value - before[1].get(name, 0)
        for name, value in after[1].items()
        if name.startswith("vm_tcplistener_read_bytes_total")
    )
    yield Result("bytes_per_sample", disk / rows, "bytes on disk", int(rows))
    yield Result("wire_bytes_per_sample", sent / inserted, "bytes into vmauth", int(inserted))


def _settled(store: str) -> tuple[float, float]:
    """Give the store's bytes and rows once its size no longer changes."""
    pause, last = threading.Event(), -1.0
    while True:
        counters = _counters(store)
        disk = sum(
            value
            for name, value in counters.items()
            if name.startswith("vm_data_size_bytes") and '"storage/' in name
        )
        rows = sum(
            value
            for name, value in counters.items()
            if name.startswith("vm_rows{") and '"storage/' in name
        )
        if disk == last and rows:
            return disk, rows
        last = disk
        pause.wait(2)


def _counters(address: str) -> dict[str, float]:
    """Read a process's own metrics."""
    text = httpx.get(f"{address}/metrics", timeout=20).text
    return {
        match[1]: float(match[2])
        for match in re.finditer(r"^([a-z_]+(?:\{[^}]*\})?) ([-+0-9.eE]+)$", text, re.MULTILINE)
    }
