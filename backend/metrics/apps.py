"""The metrics room as a Django application."""

from __future__ import annotations

from django.apps import AppConfig
from typing_extensions import override


class MetricsConfig(AppConfig):
    """Adds its checks to /readyz."""

    name = "backend.metrics"
    label = "metrics"

    @override
    def ready(self) -> None:
        from backend import health  # noqa: PLC0415 -- after the applications are loaded
        from backend.metrics import reads  # noqa: PLC0415 -- as above

        health.register("victoriametrics", reads.victoriametrics_ready)
        health.register("ingest", reads.ingest_ready)
        health.register("disk", reads.disk_ready)
