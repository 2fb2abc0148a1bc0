"""What the accounts room can tell."""

from __future__ import annotations

from django.db.models import QuerySet

from backend.accounts.models import ApiKey, AuditEntry, Membership


def members() -> QuerySet[Membership]:
    """Return the memberships of the current org, each with its user."""
    return Membership.objects.select_related("user")


def api_keys() -> QuerySet[ApiKey]:
    """Return the API keys of the current org."""
    return ApiKey.objects.all()


def audit_entries() -> QuerySet[AuditEntry]:
    """Return the audit trail of the current org."""
    return AuditEntry.objects.all()
