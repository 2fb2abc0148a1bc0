"""Live pages: who listens to which org, and what each has yet to hear.

What a page has not been sent yet is kept as a set of changed things: a thing that changes a hundred
times meanwhile is one line, and a page that reads too slowly even so is cut off, for it comes back
and reads everything anew.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog
from django.db import DatabaseError
from django.utils import timezone

from backend.errors import Problem
from backend.events import blocking
from backend.events.wakeup import Change
from backend.fleet import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

log = structlog.get_logger(__name__)

POLL_SECONDS = 5.0
_PENDING_MAX = 1000
_PAGES_PER_ORG = 200
# A row that was stamped before the last poll may have been committed after it.
_OVERLAP = timedelta(seconds=10)


class Page:
    """One open page: the org it shows and the changes that it has yet to hear."""

    def __init__(self, org: str) -> None:
        self.org = org
        self.too_slow = False
        self._pending: dict[Change, None] = {}
        self._any = asyncio.Event()

    def tell(self, change: Change) -> None:
        """Add a change to what is to be sent."""
        if len(self._pending) >= _PENDING_MAX:
            self.too_slow = True
        else:
            self._pending[change] = None
        self._any.set()

    async def changes(self, seconds: float) -> list[Change]:
        """Return what is to be sent, as soon as there is something; nothing after `seconds`."""
        try:
            await asyncio.wait_for(self._any.wait(), seconds)
        except TimeoutError:
            return []
        self._any.clear()
        changes, self._pending = list(self._pending), {}
        return changes


class Pages:
    """All open pages of this process, and the poll that finds what Redis did not tell."""

    def __init__(self, hears: Callable[[], bool]) -> None:
        self._of_org: dict[str, set[Page]] = {}
        self._hears = hears

    def open(self, org: str) -> Page:
        """Add a page; raises 429 where the org has 200 open already."""
        pages = self._of_org.setdefault(org, set())
        if len(pages) >= _PAGES_PER_ORG:
            detail = f"This org has {_PAGES_PER_ORG} live pages open; close one."
            headers = {"Retry-After": "30"}
            raise Problem(429, "too_many_pages", "Too many live pages", detail, headers=headers)
        page = Page(org)
        pages.add(page)
        return page

    def close(self, page: Page) -> None:
        """Take a page away."""
        pages = self._of_org.get(page.org, set())
        pages.discard(page)
        if not pages:
            self._of_org.pop(page.org, None)

    def tell(self, change: Change) -> None:
        """Tell every page of the change's org."""
        for page in self._of_org.get(change.org, ()):
            page.tell(change)

    async def run(self) -> None:
        """Poll until cancelled: who fell silent, and every change while Redis is away."""
        last = timezone.now()
        heard_all = False
        while True:
            await asyncio.sleep(POLL_SECONDS)
            now, hears = timezone.now(), self._hears()
            try:
                # The round after a reconnect still reads the rows: they may have changed before it.
                await self._poll(last, now, rows=not (hears and heard_all))
            except DatabaseError as error:
                log.warning("pages_not_polled", reason=type(error).__name__)
                continue
            last, heard_all = now, hears

    async def _poll(self, last: datetime, now: datetime, *, rows: bool) -> None:
        orgs = list(self._of_org)
        if not orgs:
            return
        changes: Iterable[Change] = await blocking.run(lambda: reads.fallen_silent(orgs, last, now))
        if rows:
            since = last - _OVERLAP
            changes = [*changes, *await blocking.run(lambda: reads.changed_rows(orgs, since))]
        for change in changes:
            self.tell(change)
