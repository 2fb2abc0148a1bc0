"""The ASGI process as it runs in production, on the test's own database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from backend.fleet.tests.wire import get
from backend.metrics.tests.conftest import keys, vmauth
from backend.metrics.tests.running import until
from deploy.stack import free_port

__all__ = ["keys", "vmauth"]


@dataclass
class Streams:
    url: str
    pid: int


@contextmanager
def running(**settings: str) -> Iterator[Streams]:
    """Run the ASGI process on the test's database; what a test commits it sees."""
    from django.conf import settings as django_settings

    port = free_port()
    name = django_settings.DATABASES["default"]["NAME"]
    program = ["-m", "granian", "--interface", "asgi", "--host", "127.0.0.1", "--port", str(port)]
    limits = ["--workers", "1", "--backlog", "4096", "--backpressure", "8192", "--no-ws"]
    process = subprocess.Popen(
        [sys.executable, *program, *limits, "--log-level", "warning", "backend.asgi:application"],
        env={**os.environ, "DATABASE_NAME": name, **settings},
    )
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert process.poll() is None, "the ASGI process ended"
        try:
            return get(f"{url}/healthz").status == 404
        except OSError:
            return False

    try:
        until("the ASGI process answers", answers)
        yield Streams(url, process.pid)
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="session")
def _with_redis(django_db_setup: None) -> Iterator[Streams]:
    with running() as found:
        yield found


@pytest.fixture(scope="session")
def _without_redis(django_db_setup: None) -> Iterator[Streams]:
    with running(REDIS_PORT=str(free_port())) as found:
        yield found


@pytest.fixture
def streams(_with_redis: Streams, transactional_db: None) -> Streams:
    """Give the ASGI process as it usually is."""
    return _with_redis


@pytest.fixture
def deaf_streams(_without_redis: Streams, transactional_db: None) -> Streams:
    """Give an ASGI process whose Redis is away."""
    return _without_redis
