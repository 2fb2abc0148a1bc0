"""Signing keys, and the one row that tells how the metric store does."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from typing_extensions import override

from backend.accounts.secrets import EncryptedTextField


class SigningKey(models.Model):
    """An ES256 key pair of the server; vmauth knows the public keys of the newest two."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    private_key = EncryptedTextField()
    public_key = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    signs_from = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-signs_from", "-created_at"]

    @override
    def __str__(self) -> str:
        return f"signing key {self.id}"


class Heartbeat(models.Model):
    """What the canary saw last; one row.

    `canary_at` is the stamp of the newest canary sample that came back through the whole path,
    `store_boot_id` changes with every start of the metric store, `at` is when the store was looked
    at.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    at = models.DateTimeField()
    store_ok = models.BooleanField(default=False)
    store_boot_id = models.CharField(max_length=64, blank=True)
    canary_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(id=1), name="heartbeat_one_row"),
        ]

    @override
    def __str__(self) -> str:
        return f"heartbeat {self.at:%H:%M:%S}"
