"""What the inventory can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Count, Prefetch, Q

from backend.accounts import keys
from backend.errors import NotAuthenticated, NotFound
from backend.inventory.liveness import Watcher
from backend.inventory.models import Agent, EnrolmentToken, Node, Service

if TYPE_CHECKING:
    from uuid import UUID

    from django.db.models import QuerySet

INTERVALS = {"host": 5, "mysql": 5}
"""Seconds between two passes of each kind of collector."""

_LIVE = Q(revoked_at=None, superseded_at=None)


def agent_of_key(full: str) -> Agent:
    """Return the agent whose key this is; raises 401 where it is unknown, revoked or superseded."""
    prefix = keys.split(full, keys.AGENT_KEY)
    # unscoped: the key itself tells which org the request is for.
    rows = Agent.unscoped.select_related("node")
    agent = rows.filter(key_prefix=prefix).first() if prefix else None
    if agent is None or not keys.verify(full, agent.key_sha256):
        detail = "The agent key is unknown here: enrol this agent again."
        raise NotAuthenticated(detail, code="agent_key_unknown")
    refuse_ended(agent)
    return agent


def refuse_ended(agent: Agent) -> None:
    """Raise 401 where an agent was revoked or replaced."""
    if agent.revoked_at is not None:
        raise NotAuthenticated("This agent was revoked: enrol it again.", code="agent_revoked")
    if agent.superseded_at is not None:
        detail = "Another agent was enrolled in this one's place: enrol it again if that was wrong."
        raise NotAuthenticated(detail, code="agent_revoked")


def watcher_of(agent: Agent | None) -> Watcher | None:
    """Return what a verdict needs to know of an agent."""
    if agent is None:
        return None
    return Watcher(
        last_seen=agent.seen_at,
        revoked=agent.revoked_at is not None,
        superseded=agent.superseded_at is not None,
    )


def services() -> QuerySet[Service]:
    """Return the services of the current org that were not removed, with node and agent."""
    return Service.objects.filter(removed_at=None).select_related("node", "agent")


def service(slug: str) -> Service:
    """Return a service of the current org; raises NotFound."""
    found = services().filter(slug=slug).first()
    if found is None:
        raise NotFound(f"There is no service {slug!r} in this org.")
    return found


def nodes() -> QuerySet[Node]:
    """Return the nodes of the current org, each with `live_agents` (one or none) and `service_count`."""
    live = Prefetch("agents", queryset=Agent.objects.filter(_LIVE), to_attr="live_agents")
    count = Count("services", filter=Q(services__removed_at=None))
    return Node.objects.annotate(service_count=count).prefetch_related(live)


def node(slug: str) -> Node:
    """Return a node of the current org as `nodes` does; raises NotFound."""
    found = nodes().filter(slug=slug).first()
    if found is None:
        raise NotFound(f"There is no node {slug!r} in this org.")
    return found


def agents() -> QuerySet[Agent]:
    """Return the agents of the current org, ended ones too, each with its node and `held_services`."""
    held = Service.objects.filter(removed_at=None).order_by("slug")
    return Agent.objects.select_related("node").prefetch_related(
        Prefetch("services", queryset=held, to_attr="held_services")
    )


def enrolment_tokens() -> QuerySet[EnrolmentToken]:
    """Return the enrolment tokens of the current org."""
    return EnrolmentToken.objects.all()


def desired_service(service: Service) -> dict[str, Any]:
    """Return a service as its agent is told to watch it."""
    return {
        "slug": service.slug,
        "name": service.name,
        "engine": service.engine,
        "address": service.address,
        "user": service.user,
        "password": service.password,
        "password_version": service.password_version,
        "tls": service.tls,
        "labels": {
            "cluster": service.cluster,
            "replication_set": service.replication_set,
            "environment": service.environment,
        },
        "epoch": service.epoch,
    }


def desired_state(agent_id: UUID) -> dict[str, Any]:
    """Return all that an agent is to do.

    The generation is read before the rest: a change in between is then announced once too often, never missed.
    """
    agent = Agent.objects.select_related("node").get(pk=agent_id)
    held = Service.objects.filter(agent=agent, removed_at=None).order_by("slug")
    return {
        "generation": agent.generation,
        "node": {"slug": agent.node.slug, "labels": {"environment": agent.node.environment}},
        "intervals": INTERVALS,
        "services": [desired_service(service) for service in held],
    }
