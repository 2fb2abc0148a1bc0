"""A real vmauth before the stack's VictoriaMetrics, with the rules that the test's own database gives."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.metrics import remote_write, tokens
from backend.metrics import vmauth as rules
from deploy.stack import free_port
from deploy.unpack import binary

DEADLINE_SECONDS = 20.0


def until(sentence: str, found: Any, seconds: float = DEADLINE_SECONDS) -> Any:
    """Ask again until `found()` gives something true; a new series can stay unseen for seconds."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        value = found()
        if value:
            return value
        time.sleep(0.1)  # the store tells nobody when a series becomes visible
    raise AssertionError(f"not within {seconds:.0f} s: {sentence}")


@dataclass
class Vmauth:
    url: str
    store: str
    config: Path
    process: subprocess.Popen[bytes]

    def reload(self) -> None:
        """Have the rules read now, and wait until that is done."""
        before = self._metric("vmauth_config_last_reload_success_timestamp_seconds")
        total = self._metric("vmauth_config_last_reload_total")
        self.process.send_signal(signal.SIGHUP)
        until(
            "vmauth reads its rules",
            lambda: (
                self._metric("vmauth_config_last_reload_total") > total
                and self._metric("vmauth_config_last_reload_success_timestamp_seconds") >= before
            ),
        )
        assert self._metric("vmauth_config_last_reload_successful") == 1

    def _metric(self, name: str) -> float:
        lines = httpx.get(f"{self.url}/metrics").text.splitlines()
        return float(next((line.split()[1] for line in lines if line.startswith(f"{name} ")), 0))

    def push(self, token: str, sample: remote_write.Sample, query: str = "") -> int:
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Encoding": remote_write.ENCODING,
            "Content-Type": remote_write.CONTENT_TYPE,
        }
        url = f"{self.url}/ingest/api/v1/write{query}"
        return httpx.post(url, content=remote_write.encode([sample]), headers=headers).status_code

    def ask(self, token: str, promql: str, **parameters: str) -> httpx.Response:
        return httpx.get(
            f"{self.url}/prometheus/api/v1/query",
            params={"query": promql, "nocache": "1", **parameters},
            headers={"Authorization": f"Bearer {token}"},
        )

    def rows(self, token: str, promql: str, **parameters: str) -> list[dict[str, str]]:
        answer = self.ask(token, promql, **parameters)
        assert answer.status_code == 200, answer.text
        return [row["metric"] for row in answer.json()["data"]["result"]]

    def flush(self) -> None:
        httpx.get(f"{self.store}/internal/force_flush")


@pytest.fixture
def keys(db: None) -> None:
    """Make the first signing key."""
    tokens._signers.clear()
    tokens.ensure()


@pytest.fixture
def vmauth(keys: None, settings: Any, tmp_path: Path) -> Iterator[Vmauth]:
    """Run vmauth with the rules as the server writes them; what is not the data plane goes nowhere."""
    port = free_port()
    settings.VMAUTH_CONFIG = tmp_path / "vmauth.yml"
    settings.VMAUTH_URL = f"http://127.0.0.1:{port}"
    assert rules.write_config()
    program = binary("victoriametrics", "vmauth")
    log = (tmp_path / "vmauth.log").open("wb")
    process = subprocess.Popen(
        [*program.command, f"-httpListenAddr=127.0.0.1:{port}", f"-auth.config={tmp_path}/vmauth.yml"],
        env={**os.environ, **program.environment},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    running = Vmauth(settings.VMAUTH_URL, settings.VICTORIAMETRICS_URL, settings.VMAUTH_CONFIG, process)
    try:
        until("vmauth answers", lambda: _answers(running))
        yield running
    finally:
        process.terminate()
        process.wait(10)
        log.close()


def _answers(running: Vmauth) -> bool:
    assert running.process.poll() is None, "vmauth ended: its rules are wrong"
    try:
        return httpx.get(f"{running.url}/health").status_code == 200
    except httpx.TransportError:
        return False
