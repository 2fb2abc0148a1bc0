"""Hears the wake-ups of `wakeup.py` in the asynchronous process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import structlog
from django.conf import settings
from redis import RedisError
from redis.asyncio import Redis

from backend.events.wakeup import CHANNEL, Change

if TYPE_CHECKING:
    from collections.abc import Callable

log = structlog.get_logger(__name__)

_AGAIN_SECONDS = 1.0
_ALIVE_SECONDS = 5.0


class Listener:
    """One subscription a process; while `hears` is False, the rows must be polled."""

    def __init__(self, on_change: Callable[[Change], None]) -> None:
        self.hears = False
        self._on_change = on_change

    async def run(self) -> None:
        """Listen until cancelled; a lost connection is made again."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                if self.hears:
                    log.warning("wakeups_unheard", reason=type(error).__name__)
            finally:
                self.hears = False
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _listen(self) -> None:
        client = Redis.from_url(
            settings.REDIS_URL,
            socket_connect_timeout=_ALIVE_SECONDS,
            health_check_interval=_ALIVE_SECONDS,
        )
        async with client, client.pubsub(ignore_subscribe_messages=True) as channel:
            await channel.subscribe(CHANNEL)
            self.hears = True
            while True:
                # The timeout lets the health check speak, which finds a connection that died
                # without a word.
                message = await channel.get_message(timeout=_ALIVE_SECONDS)
                if message is not None:
                    self._take(message["data"])

    def _take(self, data: bytes) -> None:
        try:
            change = msgspec.json.decode(data, type=Change)
        except msgspec.DecodeError:
            log.warning("wakeup_unreadable")
            return
        self._on_change(change)
