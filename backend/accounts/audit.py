"""The audit trail: one row a deed, in the deed's own transaction."""

from __future__ import annotations

from typing import Any

from backend.accounts.models import AuditEntry
from backend.accounts.scope import current_actor


def record(action: str, object: str, detail: dict[str, Any] | None = None) -> None:  # noqa: A002 - the API's own word
    """Write down a deed of the current actor in the current org.

    `action` is `<thing>.<verb in the past>` (`api_key.created`), `object` names the thing as people
    know it, `detail` holds what changed and never a secret.
    """
    AuditEntry.objects.create(
        actor=current_actor(), action=action, object=object, detail=detail or {}
    )
