"""Enrolment: a token becomes an agent, on its node and with the services that it inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.utils import timezone

from backend.accounts import audit, keys
from backend.accounts.scope import enter_org
from backend.errors import Conflict, Gone, NotAuthenticated
from backend.events.actions import event_create
from backend.events.wakeup import wake
from backend.inventory import grammar
from backend.inventory.agent_actions import refuse
from backend.inventory.models import Agent, EnrolmentToken, Node, Service

if TYPE_CHECKING:
    from backend.inventory import wire


class Enrolled(NamedTuple):
    """A new agent and its key, which is not kept."""

    agent: Agent
    key: str


@transaction.atomic
def agent_enrol(*, request: wire.EnrolRequest, version: str) -> Enrolled:
    """Use up an enrolment token for a new agent; the org is the token's.

    The same machine under the same slug keeps its node and its services, and its agent before is
    superseded. Raises 400, 401, 409 or 410; only a success uses the token up.
    """
    _check_identity(request.node)
    token = _lock_token(request.token)
    slug = request.node.slug
    enter_org(token.org_id, f"agent {slug}")
    node = _take_node(request.node)
    now = timezone.now()
    Service.objects.select_for_update().filter(node=node).count()
    old = Agent.objects.filter(node=node, revoked_at=None, superseded_at=None)
    for agent in old.select_for_update():
        agent.superseded_at = agent.changed_at = now
        agent.save(update_fields=["superseded_at", "changed_at"])
        wake("agent", agent.pk)
    secret = keys.new_secret(keys.AGENT_KEY)
    agent = Agent.objects.create(
        node=node,
        key_prefix=secret.prefix,
        key_sha256=secret.sha256,
        instance=request.instance,
        place=request.place,
        instance_seen_at=now,
        version=version,
    )
    _inherit_services(node, agent)
    token.used_at, token.used_by = now, slug
    token.save(update_fields=["used_at", "used_by"])
    audit.record("agent.enrolled", f"agent {slug}", {"token": token.prefix, "key": secret.prefix})
    text = f"An agent was enrolled on {slug}."
    event_create(kind="agent_enrolled", text=text, node=slug, agent=agent.pk)
    wake("agent", agent.pk)
    wake("node", slug)
    return Enrolled(agent, secret.full)


def _check_identity(node: wire.NodeIdentity) -> None:
    found = {
        "node.slug": grammar.slug_problem(node.slug),
        "node.hostname": grammar.text_problem(node.hostname, 253),
        "node.machine_id": grammar.text_problem(node.machine_id)
        if node.machine_id
        else "A machine id is needed to know this host again.",
        "node.os": grammar.text_problem(node.os, 32),
        "node.arch": grammar.text_problem(node.arch, 32),
    }
    refuse(found)


def _lock_token(full: str) -> EnrolmentToken:
    prefix = keys.split(full, keys.ENROLMENT_TOKEN)
    # unscoped: the token itself tells which org the agent will belong to.
    rows = EnrolmentToken.unscoped.select_for_update().filter(prefix=prefix)
    token = rows.first() if prefix else None
    if token is None or not keys.verify(full, token.sha256):
        detail = "The enrolment token is unknown: make a new one in the settings."
        raise NotAuthenticated(detail, code="enrolment_token_unknown")
    if token.used_at is not None:
        detail = "The enrolment token has been used: each one enrols one agent."
        raise Gone(detail, code="enrolment_token_used")
    if token.expires_at <= timezone.now():
        detail = "The enrolment token has expired: make a new one, good for an hour."
        raise Gone(detail, code="enrolment_token_expired")
    return token


def _take_node(identity: wire.NodeIdentity) -> Node:
    node, created = Node.objects.get_or_create(
        slug=identity.slug,
        defaults={
            "name": identity.slug,
            "hostname": identity.hostname,
            "machine_id": identity.machine_id,
            "os": identity.os,
            "arch": identity.arch,
        },
    )
    if created:
        return node
    node = Node.objects.select_for_update().get(pk=node.pk)
    if node.machine_id != identity.machine_id:
        live = Agent.objects.filter(node=node, revoked_at=None, superseded_at=None)
        if live.exists():
            detail = (
                f"The node {identity.slug!r} is another machine with a live agent: "
                "choose another name, or revoke that agent first."
            )
            raise Conflict(detail, code="node_taken")
    node.hostname, node.machine_id = identity.hostname, identity.machine_id
    node.os, node.arch = identity.os, identity.arch
    node.changed_at = timezone.now()
    node.save(update_fields=["hostname", "machine_id", "os", "arch", "changed_at"])
    return node


def _inherit_services(node: Node, agent: Agent) -> None:
    """Give the new agent what earlier agents of its node watched, each with the next epoch."""
    ended = Service.objects.filter(node=node, removed_at=None)
    for service in ended.select_related("agent"):
        if service.agent is not None and service.agent.is_live:
            continue
        service.lease_to(agent)
        service.save(update_fields=Service.LEASE_FIELDS)
        wake("service", service.slug)
