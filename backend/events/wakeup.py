"""Tells waiting requests that a row has changed, through Redis.

A wake-up carries no truth: whoever hears it reads the row. With Redis down nothing fails and
nothing is lost; the waiting process then finds the change by its poll, within 5 s.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec
import redis
import structlog
from django.conf import settings
from django.db import transaction

from backend.accounts.scope import current_org_id

if TYPE_CHECKING:
    from uuid import UUID

log = structlog.get_logger(__name__)

CHANNEL = "leadline:changes"
_LIMIT_SECONDS = 0.5
_REST_SECONDS = 5.0

Kind = Literal["agent", "service", "node"]


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """What changed: an agent by its id, a service or a node by its slug."""

    org: str
    kind: Kind
    key: str


class _Publisher:
    """One client a process; it rests after a failure, so that a dead Redis costs little."""

    def __init__(self) -> None:
        self._resting_until = 0.0

    def publish(self, change: Change) -> None:
        if time.monotonic() < self._resting_until:
            return
        try:
            _client().publish(CHANNEL, msgspec.json.encode(change))
        except redis.RedisError as error:
            self._resting_until = time.monotonic() + _REST_SECONDS
            log.warning("wakeup_not_sent", reason=type(error).__name__)


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=_LIMIT_SECONDS,
        socket_connect_timeout=_LIMIT_SECONDS,
    )


_publisher = _Publisher()


def wake(kind: Kind, key: UUID | str) -> None:
    """Tell the waiting processes, once the transaction commits, that this row changed."""
    change = Change(org=str(current_org_id()), kind=kind, key=str(key))
    transaction.on_commit(lambda: _publisher.publish(change), robust=True)
