"""Is this server ready: one short check a part, each with two seconds, all at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import NamedTuple

import psycopg
import redis
import structlog
from django.conf import settings
from django.db import connections

log = structlog.get_logger(__name__)

LIMIT_SECONDS = 2.0


class NotReady(Exception):
    """A part does not work; anyone may read the message, so it holds no secret."""


class Part(NamedTuple):
    """What a check said of one part."""

    name: str
    ok: bool
    detail: str


class _Check:
    """One check; while an earlier run of it still hangs, no second one is started."""

    def __init__(self, name: str, look: Callable[[], str]) -> None:
        self.name = name
        self._look = look
        self._lock = threading.Lock()
        self._running: Future[Part] | None = None

    def begin(self) -> Future[Part]:
        with self._lock:
            if self._running is not None and not self._running.done():
                return self._running
            future: Future[Part] = Future()
            self._running = future
        threading.Thread(
            target=self._run, args=(future,), name=f"health-{self.name}", daemon=True
        ).start()
        return future

    def _run(self, future: Future[Part]) -> None:
        try:
            part = Part(self.name, ok=True, detail=self._look())
        except NotReady as error:
            part = Part(self.name, ok=False, detail=str(error))
        except Exception:
            log.exception("health_check_failed", part=self.name)
            part = Part(
                self.name,
                ok=False,
                detail="The check itself failed; the server's log has the reason.",
            )
        finally:
            connections.close_all()
        future.set_result(part)


_checks: dict[str, _Check] = {}


def register(name: str, look: Callable[[], str]) -> None:
    """Add a part. `look` returns a short sentence or raises NotReady; the order is kept."""
    _checks[name] = _Check(name, look)


def look() -> list[Part]:
    """Run every check; one that gives no answer in time is not ready."""
    runs = {check.name: check.begin() for check in _checks.values()}
    wait(runs.values(), timeout=LIMIT_SECONDS)
    late = f"It gave no answer within {LIMIT_SECONDS:.0f} s."
    return [
        run.result() if run.done() else Part(name, ok=False, detail=late)
        for name, run in runs.items()
    ]


def _postgresql() -> str:
    """Ask over a connection of its own: the pool's may all be busy, which is not broken."""
    database = settings.DATABASES["default"]
    try:
        with psycopg.connect(
            host=database["HOST"],
            port=database["PORT"],
            dbname=database["NAME"],
            user=database["USER"],
            password=database["PASSWORD"],
            connect_timeout=2,
            options="-c statement_timeout=1500",
            application_name="leadline-health",
        ) as connection:
            connection.execute("SELECT 1")
    except psycopg.Error as error:
        log.warning("postgresql_not_ready", error=str(error))
        raise NotReady("PostgreSQL does not answer.") from error
    return "PostgreSQL answers."


def _redis() -> str:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=1.5, socket_connect_timeout=1.5
    )
    try:
        client.ping()
    except redis.RedisError as error:
        log.warning("redis_not_ready", error=str(error))
        raise NotReady(
            "Redis does not answer; live pages and background jobs wait longer."
        ) from error
    finally:
        client.close()
    return "Redis answers."


register("postgresql", _postgresql)
register("redis", _redis)
