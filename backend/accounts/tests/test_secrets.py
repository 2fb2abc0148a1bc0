"""Secrets at rest are encrypted, and the key that encrypts them can be changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import FieldError
from django.db import connection, models
from typing_extensions import override

from backend.accounts import secrets
from backend.accounts.secrets import EncryptedTextField, Unreadable

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


class Locker(models.Model):
    """A table that exists while these tests run."""

    word = EncryptedTextField(null=True)

    objects: ClassVar[models.Manager[Locker]] = models.Manager()

    class Meta:
        app_label = "accounts"
        managed = False

    @override
    def __str__(self) -> str:
        return str(self.pk)


@pytest.fixture
def lockers(db: None, settings: Any) -> Iterator[None]:
    settings.ENCRYPTION_KEYS = (OLD,)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE accounts_locker (id bigserial PRIMARY KEY, word text)"
        )
        yield
        cursor.execute("DROP TABLE accounts_locker")


def stored() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT word FROM accounts_locker WHERE word IS NOT NULL ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def test_the_database_holds_no_plain_text(lockers: None) -> None:
    made = Locker.objects.create(word="pa$$ wörd")

    assert "pa$$" not in stored()[0]
    assert Locker.objects.get(pk=made.pk).word == "pa$$ wörd"
    assert Fernet(OLD).decrypt(stored()[0].encode()).decode() == "pa$$ wörd"


def test_nothing_stays_nothing(lockers: None) -> None:
    made = Locker.objects.create(word=None)

    assert Locker.objects.get(pk=made.pk).word is None
    assert Locker.objects.filter(word__isnull=True).exists()


def test_it_cannot_be_searched(lockers: None) -> None:
    for lookup in ("word", "word__contains", "word__in"):
        with pytest.raises(FieldError, match="encrypted"):
            list(Locker.objects.filter(**{lookup: "x"}))


def test_rotation_reaches_every_row_and_can_be_repeated(
    lockers: None, settings: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(secrets, "_BATCH", 2)
    for number in range(5):
        Locker.objects.create(word=f"word {number}")
    Locker.objects.create(word=None)
    settings.ENCRYPTION_KEYS = (NEW, OLD)
    Locker.objects.create(word="word 5")  # written with the new key already

    assert secrets.rotate_all() == 5
    assert secrets.rotate_all() == 0

    settings.ENCRYPTION_KEYS = (NEW,)
    words = [row.word for row in Locker.objects.order_by("pk") if row.word]
    assert words == [f"word {number}" for number in range(6)]
    for token in stored():
        Fernet(NEW).decrypt(token.encode())


def test_without_its_key_a_secret_is_unreadable(lockers: None, settings: Any) -> None:
    Locker.objects.create(word="word")
    settings.ENCRYPTION_KEYS = (NEW,)

    with pytest.raises(Unreadable, match="ENCRYPTION_KEYS"):
        Locker.objects.get()
    with pytest.raises(Unreadable, match="ENCRYPTION_KEYS"):
        secrets.rotate_all()
