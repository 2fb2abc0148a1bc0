"""What changes orgs, members and API keys; each is one transaction and leaves an audit entry."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from backend.accounts import audit, keys
from backend.accounts.models import ApiKey, AuditEntry, Membership, Org, User
from backend.accounts.roles import KeyScope, Role
from backend.accounts.scope import org_scope
from backend.errors import Conflict, Forbidden, Invalid, NotFound

AUDIT_KEPT = timedelta(days=400)


class NewUser(NamedTuple):
    """A user and the password just made for them; None where they had an account before."""

    user: User
    password: str | None


@transaction.atomic
def org_create(*, name: str, email: str) -> tuple[Org, NewUser]:
    """Make an org with its first owner; for the server's operator: the address may be known."""
    if Org.objects.filter(name=name).exists():
        raise Conflict(f"There is an org named {name} already.", code="org_taken")
    org = Org.objects.create(name=name)
    user = User.objects.filter(email=email.strip().lower()).first()
    new = NewUser(user, None) if user else _user_create(email=email, name="")
    with org_scope(org.id):
        Membership.objects.create(user=new.user, role=Role.OWNER)
        audit.record("org.created", f"org {name}", {"owner": new.user.email})
    return org, new


def _user_create(*, email: str, name: str) -> NewUser:
    password = secrets.token_urlsafe(15)
    return NewUser(User.objects.create_user(email, password, name), password)


@transaction.atomic
def member_add(*, email: str, name: str, role: Role, by: Role) -> tuple[Membership, str | None]:
    """Add a person to the current org; returns the password that was made for them.

    An address that has an account is refused: whoever opened that account knows its password, and
    would be in this org from now on. The server's operator can put an account into several orgs.
    """
    _check_may_give(by, role)
    if Membership.objects.filter(user__email=email.strip().lower()).exists():
        raise Conflict("This person is a member already.", code="member_exists")
    try:
        with transaction.atomic():
            new = _user_create(email=email, name=name)
    except IntegrityError:
        raise Conflict(
            "This address has an account on this server; "
            "its operator can add it with `python -m backend add-member`.",
            code="email_taken",
        ) from None
    membership = Membership.objects.create(user=new.user, role=role)
    audit.record("member.added", f"user {new.user.email}", {"role": str(role)})
    return membership, new.password


@transaction.atomic
def member_attach(*, org: Org, email: str, role: Role) -> tuple[Membership, NewUser]:
    """Put a person, known or new, into an org; for the server's operator."""
    user = User.objects.filter(email=email.strip().lower()).first()
    new = NewUser(user, None) if user else _user_create(email=email, name="")
    with org_scope(org.id):
        if Membership.objects.filter(user=new.user).exists():
            raise Conflict(
                f"{new.user.email} is a member of {org.name} already.", code="member_exists"
            )
        membership = Membership.objects.create(user=new.user, role=role)
        audit.record("member.added", f"user {new.user.email}", {"role": str(role)})
    return membership, new


@transaction.atomic
def member_change_role(*, member_id: UUID, role: Role, by: Role) -> Membership:
    """Give a member of the current org another role; an org keeps at least one owner."""
    membership = _member_lock(member_id, by)
    _check_may_give(by, role)
    before = membership.role
    if before == role:
        return membership
    if before == Role.OWNER:
        _check_not_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    audit.record(
        "member.role_changed",
        f"user {membership.user.email}",
        {"before": before, "after": str(role)},
    )
    return membership


@transaction.atomic
def member_remove(*, member_id: UUID, by: Role) -> None:
    """Take a member out of the current org; an account that is in no org any more is deleted."""
    membership = _member_lock(member_id, by)
    if membership.role == Role.OWNER:
        _check_not_last_owner(membership)
    user = membership.user
    membership.delete()
    audit.record("member.removed", f"user {user.email}", {"role": membership.role})
    # unscoped: an account lives as long as any org has it as a member.
    if not Membership.unscoped.filter(user=user).exists():
        user.delete()


def _member_lock(member_id: UUID, by: Role) -> Membership:
    # All members are locked, in one order: of two owners who remove each other, one waits.
    rows = Membership.objects.select_for_update(of=("self",)).order_by("id").select_related("user")
    found = {row.pk: row for row in rows}.get(member_id)
    if found is None:
        raise NotFound("There is no such member in this org.")
    if found.role == Role.OWNER and by != Role.OWNER:
        raise Forbidden("Only an owner may change or remove an owner.")
    return found


def _check_may_give(by: Role, role: Role) -> None:
    if role == Role.OWNER and by != Role.OWNER:
        raise Forbidden("Only an owner may make an owner.")


def _check_not_last_owner(membership: Membership) -> None:
    if not Membership.objects.filter(role=Role.OWNER).exclude(pk=membership.pk).exists():
        raise Conflict(
            "An org keeps at least one owner: make somebody else an owner first.", code="last_owner"
        )


@transaction.atomic
def api_key_create(
    *, name: str, scopes: Sequence[KeyScope], expires_at: datetime | None, created_by: str
) -> tuple[ApiKey, str]:
    """Make an API key of the current org; returns it and the key itself, which is not kept."""
    if expires_at is not None and expires_at <= timezone.now():
        raise Invalid(("expires_at", "This time is past."))
    secret = keys.new_secret(keys.API_KEY)
    key = ApiKey.objects.create(
        name=name,
        prefix=secret.prefix,
        sha256=secret.sha256,
        scopes=[scope.value for scope in KeyScope if scope in scopes],
        expires_at=expires_at,
        created_by=created_by,
    )
    audit.record("api_key.created", f"api key {key.prefix}", {"name": name, "scopes": key.scopes})
    return key, secret.full


@transaction.atomic
def api_key_revoke(*, key_id: UUID) -> None:
    """End an API key of the current org at once."""
    key = ApiKey.objects.filter(pk=key_id).first()
    if key is None:
        raise NotFound("There is no such API key in this org.")
    key.delete()
    audit.record("api_key.revoked", f"api key {key.prefix}", {"name": key.name})


def audit_prune() -> int:
    """Delete audit entries older than they are kept, of all orgs; returns how many."""
    # unscoped: the same term holds for every org.
    return AuditEntry.unscoped.filter(at__lt=timezone.now() - AUDIT_KEPT).delete()[0]
