"""A real vmauth before the stack's VictoriaMetrics, and patience with both."""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from backend.metrics import remote_write

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

    def answers(self) -> bool:
        assert self.process.poll() is None, "vmauth ended: its rules are wrong"
        try:
            return httpx.get(f"{self.url}/health").status_code == 200
        except httpx.TransportError:
            return False
