"""The inventory's periodic jobs."""

from __future__ import annotations

import structlog
from celery import shared_task

from backend.inventory import actions

log = structlog.get_logger(__name__)


@shared_task
def prune_enrolment_tokens() -> None:
    """Delete enrolment tokens that expired over 30 days ago."""
    log.info("enrolment_tokens_pruned", rows=actions.enrolment_tokens_prune())
