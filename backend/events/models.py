"""Marks in time."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from typing_extensions import override

from backend.accounts.scope import OrgModel


class Event(OrgModel):
    """Something happened to a node, a service or an agent; the row is never changed."""

    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=64)
    node = models.CharField(max_length=63, blank=True)
    service = models.CharField(max_length=63, blank=True)
    agent = models.UUIDField(null=True)
    text = models.CharField(max_length=500)
    detail: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["org", "-at", "-id"]),
            models.Index(fields=["org", "agent", "kind", "-at"]),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.kind} {self.text}"
