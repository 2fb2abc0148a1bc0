"""The wall between orgs: scoped queries and saves need a current org, and fail without one."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import structlog
from django.db import models
from typing_extensions import override


class NoOrg(RuntimeError):
    """A scoped query or a save ran outside every `org_scope`."""


class WrongOrg(RuntimeError):
    """A row of one org was about to be written in the scope of another."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The org that a request or job works for, and who it works as (for the audit trail)."""

    org_id: uuid.UUID
    actor: str


_current: ContextVar[Scope | None] = ContextVar("leadline_org_scope", default=None)


def current_org_id() -> uuid.UUID:
    """Return the current org's id; raises NoOrg outside every scope."""
    scope = _current.get()
    if scope is None:
        raise NoOrg(
            "This needs a current org: run it inside org_scope(), or use the manager 'unscoped'."
        )
    return scope.org_id


def current_actor() -> str:
    """Return who acts now: an e-mail address, `key <prefix>`, `agent <node>` or `system`."""
    scope = _current.get()
    return scope.actor if scope else "system"


@contextmanager
def org_scope(org_id: uuid.UUID | str, actor: str = "system") -> Iterator[None]:
    """Work for one org inside the block; the scope before it comes back after it."""
    token = _current.set(Scope(uuid.UUID(str(org_id)), actor))
    try:
        yield
    finally:
        _current.reset(token)


def enter_org(org_id: uuid.UUID, actor: str) -> None:
    """Set the org for the rest of the running request; `no_org` around it takes it away."""
    _current.set(Scope(org_id, actor))
    structlog.contextvars.bind_contextvars(org=str(org_id), actor=actor)


@contextmanager
def no_org() -> Iterator[None]:
    """Begin and end with no org, whatever the block enters: stands around every request."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


M = TypeVar("M", bound="OrgModel")


class OrgQuerySet(models.QuerySet[M]):
    """Rows of the current org; new rows are given the current org."""

    @override
    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        rows = list(objs)
        for row in rows:
            row.check_org()
        return super().bulk_create(rows, *args, **kwargs)

    @override
    def bulk_update(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> int:
        rows = list(objs)
        for row in rows:
            row.check_org()
        return super().bulk_update(rows, *args, **kwargs)

    @override
    def update(self, **kwargs: Any) -> int:
        if "org" in kwargs or "org_id" in kwargs:
            raise WrongOrg("A row does not move to another org.")
        return super().update(**kwargs)


class OrgManager(models.Manager[M]):
    """Filters by the current org and raises NoOrg where there is none: it fails closed."""

    @override
    def get_queryset(self) -> OrgQuerySet[M]:
        return OrgQuerySet[M](self.model, using=self._db).filter(org_id=current_org_id())


class OrgModel(models.Model):
    """A row that belongs to one org.

    `objects` sees the current org's rows only. `unscoped` sees all and is easy to grep for:
    authentication, periodic jobs and the processes that serve all orgs use it, and say why.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    org = models.ForeignKey(
        "accounts.Org", on_delete=models.CASCADE, related_name="+", editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OrgManager[Self]] = OrgManager()
    unscoped: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True

    @override
    def save(self, *args: Any, **kwargs: Any) -> None:
        self.check_org()
        super().save(*args, **kwargs)

    @override
    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self.check_org()
        return super().delete(*args, **kwargs)

    def check_org(self) -> None:
        """Give a new row the current org; raise WrongOrg where it or a row it names has another."""
        here = current_org_id()
        name = self._meta.verbose_name
        if not self.org_id:  # a new row
            self.org_id = here
        if self.org_id != here:
            raise WrongOrg(f"This {name} belongs to another org than the current one.")
        for field in self._meta.concrete_fields:
            if isinstance(field, models.ForeignKey) and field.is_cached(self):
                other = field.get_cached_value(self)
                if isinstance(other, OrgModel) and other.org_id != here:
                    raise WrongOrg(f"The {field.name} of this {name} belongs to another org.")
