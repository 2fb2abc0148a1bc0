"""What the metrics room can tell of itself: the store's boot id, and the checks behind /readyz."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from backend.health import NotReady
from backend.metrics import store
from backend.metrics.models import Heartbeat

_CANARY_LATE_SECONDS = 30
_BEAT_LATE_SECONDS = 20
_DISK_LEAST = 3 * 1024**3  # the store stops taking samples at 2 GB
_GB = 1e9


def store_boot_id() -> str:
    """Return the store's boot id as the canary last saw it; empty before its first look."""
    return Heartbeat.objects.values_list("store_boot_id", flat=True).first() or ""


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
