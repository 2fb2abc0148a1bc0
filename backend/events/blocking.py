"""Runs blocking work (the ORM) for the asynchronous process, in a few threads."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from django.db import connections

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_THREADS = 4
_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="blocking")


async def run(work: Callable[[], T]) -> T:
    """Run `work` in a thread; an org that it enters and what it binds to the log end with it."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_pool, context.run, _work, work)


def _work(work: Callable[[], T]) -> T:
    try:
        return work()
    finally:
        # Back to the pool of connections: a thread that kept one would keep a dead one after an
        # outage.
        connections.close_all()
