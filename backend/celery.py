"""The Celery application: it only wakes workers; what is to be done stands in PostgreSQL."""

from __future__ import annotations

import os
from typing import Any

import structlog
from celery import Celery
from celery.signals import setup_logging, task_postrun, task_prerun

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.settings")

from django.conf import settings

app = Celery("leadline")
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # Redis may be away for long; the rows wait
    broker_transport_options={"visibility_timeout": 3600},  # longer than the longest task
    imports=("backend.schedule",),  # which imports every room's tasks
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=1500,
    task_time_limit=1800,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone="UTC",
)


@setup_logging.connect
def _keep_our_logging(**kwargs: Any) -> None:
    """Celery sets up no logging where this has a receiver; backend.settings did it."""
    del kwargs


@task_prerun.connect
def _bind_task(task_id: str, task: Any, **kwargs: Any) -> None:
    del kwargs
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)


@task_postrun.connect
def _unbind_task(**kwargs: Any) -> None:
    del kwargs
    structlog.contextvars.clear_contextvars()
