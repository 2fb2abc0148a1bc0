"""The fleet's periodic jobs."""

from __future__ import annotations

from celery import shared_task

from backend.fleet import service_info


@shared_task(expires=service_info.EVERY_SECONDS)
def push_service_info() -> None:
    """Push leadline_service_info for every org; to be run every minute."""
    service_info.push_all()
