"""The accounts room as a Django application."""

from __future__ import annotations

from django.apps import AppConfig
from typing_extensions import override


class AccountsConfig(AppConfig):
    """Hears of sign-ins, to write them into the audit trail."""

    name = "backend.accounts"
    label = "accounts"

    @override
    def ready(self) -> None:
        from backend.accounts import sign_in  # noqa: F401, PLC0415 - its receivers
