"""Signing in is allauth's; here stands what it may not do, and what the audit trail hears."""

from __future__ import annotations

from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest
from typing_extensions import override

from backend.accounts import audit
from backend.accounts.access import memberships_of
from backend.accounts.models import User
from backend.accounts.scope import org_scope

log = structlog.get_logger(__name__)


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Closes the sign-up door: people are added by an admin of their org."""

    @override
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        del request
        return False


@receiver(user_logged_in)
def _signed_in(sender: object, user: User, **kwargs: Any) -> None:
    del sender, kwargs
    _write_down("session.opened", user)


@receiver(user_logged_out)
def _signed_out(sender: object, user: User | None, **kwargs: Any) -> None:
    del sender, kwargs
    if user is not None:
        _write_down("session.closed", user)


@receiver(user_login_failed)
def _failed(sender: object, **kwargs: Any) -> None:
    del sender, kwargs
    log.warning(
        "sign_in_failed"
    )  # without the address: people type their password into the wrong field


def _write_down(action: str, user: User) -> None:
    for membership in memberships_of(user):
        with org_scope(membership.org_id, user.email):
            audit.record(action, f"user {user.email}")
