"""What people change in the inventory; each is one transaction and leaves an audit entry."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from backend.accounts import audit, keys
from backend.accounts.scope import current_actor
from backend.errors import Invalid, NotFound
from backend.events.actions import event_create
from backend.events.wakeup import wake
from backend.inventory import grammar
from backend.inventory.models import Agent, EnrolmentToken, Node, Service

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

TOKEN_LIFE = timedelta(hours=1)
_TOKENS_KEPT = timedelta(days=30)

_SERIES = "New series begin from now on; the history so far stays under the earlier labels."
_TOLD_TO_AGENT = {"name", "address", "user", "password", "tls", "agent", *grammar.LABELS}


class Changed(NamedTuple):
    """A changed thing's slug, and a sentence for people where the change has a side effect."""

    slug: str
    notice: str | None


@transaction.atomic
def enrolment_token_create() -> tuple[EnrolmentToken, str]:
    """Make a token with which one agent can enrol; returns its row and the token itself."""
    secret = keys.new_secret(keys.ENROLMENT_TOKEN)
    token = EnrolmentToken.objects.create(
        prefix=secret.prefix,
        sha256=secret.sha256,
        created_by=current_actor(),
        expires_at=timezone.now() + TOKEN_LIFE,
    )
    audit.record("enrolment_token.created", f"enrolment token {token.prefix}")
    return token, secret.full


@transaction.atomic
def enrolment_token_revoke(*, token_id: UUID) -> None:
    """Delete an enrolment token, so that nobody enrols with it any more."""
    token = EnrolmentToken.objects.filter(pk=token_id).first()
    if token is None:
        raise NotFound("There is no such enrolment token in this org.")
    audit.record("enrolment_token.revoked", f"enrolment token {token.prefix}")
    token.delete()


def enrolment_tokens_prune() -> int:
    """Delete tokens that expired over 30 days ago, of all orgs; returns how many."""
    # unscoped: the same term holds for every org.
    old = EnrolmentToken.unscoped.filter(expires_at__lt=timezone.now() - _TOKENS_KEPT)
    return old.delete()[0]


def agent_bump(agent_id: UUID | None) -> None:
    """Raise an agent's generation, for its desired state changed, and wake its long poll."""
    if agent_id is None:
        return
    now = timezone.now()
    rows = Agent.objects.filter(pk=agent_id)
    rows.update(generation=F("generation") + 1, changed_at=now)
    wake("agent", agent_id)


@transaction.atomic
def agent_revoke(*, agent_id: UUID) -> None:
    """End an agent's key. Its services stay, silent, until another agent takes them."""
    agent = Agent.objects.select_for_update(of=("self",)).select_related("node").filter(pk=agent_id)
    found = agent.first()
    if found is None:
        raise NotFound("There is no such agent in this org.")
    if found.revoked_at is None:
        found.revoked_at = found.changed_at = timezone.now()
        found.save(update_fields=["revoked_at", "changed_at"])
        node = found.node.slug
        audit.record("agent.revoked", f"agent {node}", {"key": found.key_prefix})
        text = f"The agent on {node} was revoked."
        event_create(kind="agent_revoked", text=text, node=node, agent=found.pk)
    wake("agent", found.pk)


@transaction.atomic
def node_change(*, slug: str, changes: Mapping[str, Any]) -> Changed:
    """Change a node's name, environment, owner or tags."""
    node = Node.objects.select_for_update().filter(slug=slug).first()
    if node is None:
        raise NotFound(f"There is no node {slug!r} in this org.")
    changed = _assign(node, changes)
    if not changed:
        return Changed(slug, None)
    node.changed_at = timezone.now()
    node.save(update_fields=[*changed, "changed_at"])
    audit.record("node.changed", f"node {slug}", _told(changes, changed))
    wake("node", slug)
    if "environment" not in changed:
        return Changed(slug, None)
    live = node.agents.filter(revoked_at=None, superseded_at=None).values_list("pk", flat=True)
    agent_bump(live.first())
    return Changed(slug, f"The label environment of this node changed. {_SERIES}")


@transaction.atomic
def service_change(*, slug: str, changes: Mapping[str, Any]) -> Changed:
    """Change a service's fields.

    `password` None goes back to the one that the agent holds; a new `agent` (its id) takes over the
    lease with the next epoch. Whatever is changed, the slug and with it the history stay.
    """
    service = _lock_service(slug)
    rest = dict(changes)
    notices = []
    before = service.agent_id
    moved = rest.pop("agent", before)
    changed = _assign(service, {name: rest[name] for name in rest if name != "password"})
    if "password" in rest and rest["password"] != service.password:
        service.password = rest["password"]
        service.password_version += 1
        changed += ["password", "password_version"]
    if moved != before:
        notices.append(_move(service, moved))
        changed += Service.LEASE_FIELDS
    if not changed:
        return Changed(slug, None)
    _save(service, changed)
    audit.record("service.changed", f"service {slug}", _told(changes, changed))
    if _TOLD_TO_AGENT.intersection(changed):
        # In one order, so that two services that swap their agents wait for one another.
        for agent_id in sorted({before, service.agent_id}, key=str):
            agent_bump(agent_id)
    labels = [name for name in grammar.LABELS if name in changed]
    if labels:
        plural = "s" if len(labels) > 1 else ""
        notices.append(f"The label{plural} {', '.join(labels)} of this service changed. {_SERIES}")
    if "address" in changed:
        text = f"The address of {slug} changed to {service.address}."
        event_create(kind="service_address_changed", text=text, service=slug)
    return Changed(slug, " ".join(notices) or None)


def _move(service: Service, agent_id: UUID) -> str:
    agent = Agent.objects.select_related("node").filter(pk=agent_id).first()
    if agent is None or not agent.is_live:
        raise Invalid(("agent", "There is no live agent with this id in this org."))
    came_from = service.node.slug
    service.lease_to(agent)
    slug, node = service.slug, agent.node.slug
    text = f"The agent on {node} took over {slug}."
    event_create(kind="service_moved", text=text, service=slug, node=node, agent=agent.pk)
    told = [text]
    if service.password is None:
        told.append("The password was with the agent before: set it here or add the service there.")
    if came_from != node:
        told.append(f"The label node changed. {_SERIES}")
    return " ".join(told)


@transaction.atomic
def service_remove(*, slug: str, agent: Agent | None = None) -> None:
    """Stop watching a service, with `agent` only one of its own; row and series stay."""
    service = _lock_service(slug)
    if agent is not None and service.agent_id != agent.pk:
        raise NotFound(f"This agent watches no service {slug!r}.")
    service.removed_at = timezone.now()
    service.password = None
    service.password_version += 1
    _save(service, ["removed_at", "password", "password_version"])
    audit.record("service.removed", f"service {slug}", {"node": service.node.slug})
    event_create(
        kind="service_removed",
        text=f"{slug} is no longer watched.",
        service=slug,
        node=service.node.slug,
        agent=service.agent_id,
    )
    agent_bump(service.agent_id)


def _lock_service(slug: str) -> Service:
    rows = Service.objects.select_for_update(of=("self",)).select_related("node", "agent")
    service = rows.filter(slug=slug, removed_at=None).first()
    if service is None:
        raise NotFound(f"There is no service {slug!r} in this org.")
    return service


def _save(service: Service, fields: list[str]) -> None:
    service.changed_at = timezone.now()
    service.save(update_fields=[*fields, "changed_at"])
    wake("service", service.slug)


def _assign(row: Node | Service, changes: Mapping[str, Any]) -> list[str]:
    """Set what differs; returns the names of the fields that did."""
    changed = [name for name, value in changes.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, changes[name])
    return changed


def _told(changes: Mapping[str, Any], changed: list[str]) -> dict[str, Any]:
    """Return what the audit trail hears: the new values, never a password."""
    shown = {name: changes[name] for name in changed if name in changes and name != "password"}
    told = {name: value if isinstance(value, list) else str(value) for name, value in shown.items()}
    return told | ({"password": "changed"} if "password" in changed else {})
