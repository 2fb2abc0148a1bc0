"""What writes events; each is part of the transaction of the change that it tells of."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from backend.events.models import Event

if TYPE_CHECKING:
    from uuid import UUID


@transaction.atomic
def event_create(
    *,
    kind: str,
    text: str,
    node: str = "",
    service: str = "",
    agent: UUID | None = None,
    detail: dict[str, Any] | None = None,
    once_in: timedelta | None = None,
) -> Event | None:
    """Write an event of the current org.

    `kind` is one word with underscores, `text` one sentence, `node` and `service` are slugs,
    `detail` holds no secret. With `once_in`, None is returned where the same agent had an event of
    this kind that recently: what repeats every few seconds is one event.
    """
    if once_in is not None:
        recent = Event.objects.filter(kind=kind, agent=agent, at__gt=timezone.now() - once_in)
        if recent.exists():
            return None
    return Event.objects.create(
        kind=kind, text=text[:500], node=node, service=service, agent=agent, detail=detail or {}
    )
