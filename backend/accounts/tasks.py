"""The accounts room's periodic jobs."""

from __future__ import annotations

import structlog
from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore

from backend.accounts import actions

log = structlog.get_logger(__name__)


@shared_task
def prune_sessions() -> None:
    """Delete sessions that have run out."""
    SessionStore.clear_expired()


@shared_task
def prune_audit() -> None:
    """Delete audit entries older than 400 days."""
    log.info("audit_pruned", rows=actions.audit_prune())
