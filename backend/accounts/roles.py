"""Roles and API key scopes, and which of them is enough for what."""

from __future__ import annotations

from django.db import models


class Role(models.TextChoices):
    """What a person may do in an org; each role may do all that the ones before it may."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        """Return the place in the order viewer < operator < admin < owner."""
        return list(Role).index(self)

    def includes(self, other: Role) -> bool:
        """Tell whether this role may do what `other` may."""
        return self.rank >= other.rank


class KeyScope(models.TextChoices):
    """What an API key may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    @property
    def role(self) -> Role:
        """Return the role whose rights this scope gives; no scope gives those of an owner."""
        return {
            KeyScope.READ: Role.VIEWER,
            KeyScope.WRITE: Role.OPERATOR,
            KeyScope.ADMIN: Role.ADMIN,
        }[self]
