"""What the metrics room can tell of itself: the store's boot id, and the checks behind /readyz."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from backend.health import NotReady
from backend.metrics import store
from backend.metrics.models import Heartbeat

_BOOT_ID_FRESH = timedelta(seconds=5)
_CANARY_LATE_SECONDS = 30
_BEAT_LATE_SECONDS = 20
_DISK_LEAST = 3 * 1024**3  # the store stops taking samples at 2 GB
_GB = 1e9


def store_boot_id() -> str:
    """Return the store's boot id; empty where it was not seen within the last 5 s.

    An agent takes it as proof that what was accepted 10 s before has reached the disk, which takes
    the store up to 5 s; so an older look proves nothing, and the agent keeps its samples for
    longer.
    """
    beat = Heartbeat.objects.first()
    if beat is None or not beat.store_ok or timezone.now() - beat.at > _BOOT_ID_FRESH:
        return ""
    return beat.store_boot_id


def victoriametrics_ready() -> str:
    """Ask VictoriaMetrics itself."""
    try:
        store.check()
    except store.StoreError as error:
        raise NotReady(str(error)) from error
    return "VictoriaMetrics answers."


def ingest_ready() -> str:
    """Judge the way of a sample by the canary's heartbeat row."""
    beat = Heartbeat.objects.first()
    if beat is None:
        raise NotReady("The canary has not run yet.")
    now = timezone.now()
    late = (now - beat.at).total_seconds()
    if late > _BEAT_LATE_SECONDS:
        raise NotReady(f"The canary process has not been heard of for {late:.0f} s.")
    if beat.canary_at is None:
        raise NotReady("No canary sample has come back yet.")
    age = (now - beat.canary_at).total_seconds()
    if age > _CANARY_LATE_SECONDS:
        raise NotReady(f"The newest canary sample that came back is {age:.0f} s old.")
    return f"A canary sample came back {max(age, 0):.0f} s ago."


def disk_ready() -> str:
    """Look at the disk that holds the data: vmauth's config lies in the data directory."""
    path = Path(settings.VMAUTH_CONFIG).parent
    while not path.exists() and path != path.parent:
        path = path.parent
    free = shutil.disk_usage(path).free
    told = f"{free / _GB:.1f} GB are free where the data lie."
    if free < _DISK_LEAST:
        raise NotReady(told)
    return told
