"""Secrets at rest: encrypted with the newest of ENCRYPTION_KEYS, readable with each of them."""

from __future__ import annotations

from functools import cache
from typing import Any, Never

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.core.exceptions import FieldError
from django.db import models, transaction
from django.db.models.functions import Cast
from typing_extensions import override

_BATCH = 200


class Unreadable(RuntimeError):
    """A stored secret was encrypted with a key that ENCRYPTION_KEYS does not hold."""


@cache
def _ring(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def _keys() -> tuple[str, ...]:
    return tuple(settings.ENCRYPTION_KEYS)


def encrypt(plain: str) -> str:
    """Encrypt with the newest key."""
    return _ring(_keys()).encrypt(plain.encode()).decode()


def decrypt(stored: str) -> str:
    """Decrypt with whichever key fits; raises Unreadable where none does."""
    try:
        return _ring(_keys()).decrypt(stored.encode()).decode()
    except InvalidToken:
        raise Unreadable(
            "A stored secret cannot be read: its key is not among ENCRYPTION_KEYS."
        ) from None


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]  # takes none at run time
    """Text that is encrypted in the database and plain in Python; it cannot be searched."""

    @override
    def get_prep_value(self, value: Any) -> Any:
        return None if value is None else encrypt(str(value))

    def from_db_value(
        self, value: str | None, expression: object, connection: object
    ) -> str | None:
        """Decrypt what the database gave."""
        del expression, connection
        return None if value is None else decrypt(value)

    @override
    def get_lookup(self, lookup_name: str) -> Any:
        if lookup_name != "isnull":
            self._refuse(lookup_name)
        return super().get_lookup(lookup_name)

    def _refuse(self, lookup_name: str) -> Never:
        raise FieldError(f"{self.name} is encrypted and cannot be searched with '{lookup_name}'.")


def rotate_all() -> int:
    """Encrypt every stored secret anew with the newest key; returns how many rows changed.

    Rows that the newest key already reads are passed over, so it can be stopped and started again.
    """
    newest = Fernet(_keys()[0])
    changed = 0
    for model in apps.get_models():
        names = [
            field.name
            for field in model._meta.local_concrete_fields
            if isinstance(field, EncryptedTextField)
        ]
        for name in names:
            changed += _rotate_field(model, name, newest)
    return changed


def _rotate_field(model: type[models.Model], name: str, newest: Fernet) -> int:
    rows = model._base_manager.filter(**{f"{name}__isnull": False}).order_by("pk")
    changed, last = 0, None
    while True:
        with transaction.atomic():
            page = rows if last is None else rows.filter(pk__gt=last)
            # Locked, so that a password set meanwhile is not written over with the old one.
            batch = list(
                page.annotate(stored=Cast(name, models.TextField()))
                .select_for_update(of=("self",))
                .values_list("pk", "stored")[:_BATCH]
            )
            for pk, stored in batch:
                if not _reads(newest, stored):
                    model._base_manager.filter(pk=pk).update(**{name: decrypt(stored)})
                    changed += 1
        if not batch:
            return changed
        last = batch[-1][0]


def _reads(key: Fernet, stored: str) -> bool:
    try:
        key.decrypt(stored.encode())
    except InvalidToken:
        return False
    return True
