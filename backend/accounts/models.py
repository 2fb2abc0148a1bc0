"""Orgs, users, memberships, API keys and the audit trail."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from typing_extensions import override

from backend.accounts.roles import KeyScope, Role
from backend.accounts.scope import OrgModel


class Org(models.Model):
    """A tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    @override
    def __str__(self) -> str:
        return self.name


class UserManager(BaseUserManager["User"]):
    """Makes users; the e-mail address is kept in lower case, so one address is one user."""

    def create_user(self, email: str, password: str | None = None, name: str = "") -> User:
        """Make a user; without a password nobody can sign in as them."""
        user = self.model(email=email.strip().lower(), name=name)
        user.set_password(password)
        user.save(using=self._db)
        return user

    @override
    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser):
    """A person; signs in with an e-mail address."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(max_length=254, unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="user_email_lower_case"
            )
        ]

    @override
    def __str__(self) -> str:
        return self.email


class Membership(OrgModel):
    """A user's place in an org."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_known"
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.role} {self.user_id}"


class ApiKey(OrgModel):
    """A program's key to the API of one org; only its prefix and its SHA-256 are kept."""

    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=16, unique=True)
    sha256 = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=8, choices=KeyScope.choices))
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    created_by = models.CharField(max_length=254)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["org", "-created_at", "id"])]

    @override
    def __str__(self) -> str:
        return f"api key {self.prefix}"


class AuditEntry(OrgModel):
    """Who did what to which thing; written in the transaction of the deed, never changed."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=300)
    action = models.CharField(max_length=64)
    object = models.CharField(max_length=300)
    detail: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["org", "-at", "-id"]),
            models.Index(fields=["at"]),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor} {self.action} {self.object}"
