"""The canary: a process that pushes a sample every 5 s the way agents do, and reads it back.

It tells an outage of the ingest path from a fleet that died. It outlives every outage: of the
store, of vmauth and of PostgreSQL, where it keeps what it saw.
"""

from __future__ import annotations

import signal
import threading
import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import structlog
from django.db import DatabaseError, connections
from django.utils import timezone

from backend.metrics import store
from backend.metrics.models import Heartbeat
from backend.metrics.remote_write import Sample

if TYPE_CHECKING:
    from types import FrameType

log = structlog.get_logger(__name__)

EVERY_SECONDS = 5.0
"""Between two samples."""
BEAT_SECONDS = 2.5
"""Between two looks at the store: a boot id that is given to agents must be fresh."""
SYSTEM_ORG = uuid.UUID(int=0)
"""The server's own org: nobody is a member, so nobody reads its series through a token."""

_METRIC = "leadline_canary"
_LOOK_BACK = "[10m]"


class Canary:
    """What was seen last; one `beat` pushes, reads back and writes the heartbeat."""

    def __init__(self) -> None:
        self.canary_at: datetime | None = None
        self.boot_id = ""
        self._pushed_stamp = 0

    def beat(self) -> bool:
        """Do one round; tells whether all of it worked."""
        # The row's time is that of the look, not of the writing: the boot id is no newer.
        looked_at = timezone.now()
        store_ok = self._look()
        pushed = self._push()
        self._read_back()
        written = self._write_down(looked_at, store_ok=store_ok)
        return written and store_ok and pushed

    def _look(self) -> bool:
        try:
            self.boot_id = store.boot_id()
        except store.StoreError as error:
            log.warning("canary_store_silent", reason=str(error))
            return False
        return True

    def _push(self) -> bool:
        # On the grid of the interval, as agents stamp.
        stamp = int(time.time() // EVERY_SECONDS * EVERY_SECONDS)
        if stamp == self._pushed_stamp:
            return True
        sample = Sample(name=_METRIC, value=float(stamp), stamp_ms=stamp * 1000)
        try:
            store.write(org_id=SYSTEM_ORG, samples=[sample])
        except (store.StoreError, DatabaseError, RuntimeError) as error:
            # DatabaseError and RuntimeError: the signing key could not be read.
            log.warning("canary_not_pushed", reason=str(error))
            return False
        self._pushed_stamp = stamp
        return True

    def _read_back(self) -> None:
        # The value is the stamp: what comes back tells how old it is, whatever the store's look-
        # back.
        try:
            series = store.query(
                org_id=SYSTEM_ORG, promql=f"max(last_over_time({_METRIC}{_LOOK_BACK}))"
            )
        except store.StoreError as error:
            log.warning("canary_not_read_back", reason=str(error))
            return
        for one in series:
            self.canary_at = datetime.fromtimestamp(one.points[-1][1], tz=UTC)

    def _write_down(self, looked_at: datetime, *, store_ok: bool) -> bool:
        seen = {"at": looked_at, "store_ok": store_ok, "canary_at": self.canary_at}
        if self.boot_id:
            seen["store_boot_id"] = self.boot_id
        try:
            Heartbeat.objects.update_or_create(id=1, defaults=seen)
        except DatabaseError as error:
            log.warning("canary_not_written_down", reason=type(error).__name__)
            return False
        return True


def run() -> None:
    """Beat until SIGTERM or SIGINT."""
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        ended.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    canary = Canary()
    log.info("canary_started")
    while not ended.is_set():
        began = time.monotonic()
        try:
            canary.beat()
        except Exception:
            # Whatever it was, the next round comes: a canary that dies of one bad answer tells of
            # no outage.
            log.exception("canary_round_failed")
        finally:
            # Back to the pool, which replaces a connection that an outage of PostgreSQL broke.
            connections.close_all()
        ended.wait(max(0.0, BEAT_SECONDS - (time.monotonic() - began)))
    log.info("canary_stopped")
