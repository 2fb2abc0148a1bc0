"""What the inventory can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Count, Prefetch, Q

from backend.accounts import keys
from backend.errors import NotAuthenticated, NotFound
from backend.inventory.liveness import AgentState, Watcher, agent_state, service_verdict
from backend.inventory.models import Agent, EnrolmentToken, Node, Service

if TYPE_CHECKING:
    from datetime import datetime
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


def watcher_of(agent: Agent) -> Watcher:
    """Return what a verdict needs to know of an agent."""
    return Watcher(
        last_seen=agent.seen_at,
        revoked=agent.revoked_at is not None,
        superseded=agent.superseded_at is not None,
    )


def service_row(service: Service, now: datetime) -> dict[str, Any]:
    """Return a service as a row of the fleet shows it."""
    watcher = watcher_of(service.agent) if service.agent else None
    verdict = service_verdict(watcher, service.reported_state, service.reported_error, now)
    return {
        "slug": service.slug,
        "name": service.name,
        "engine": service.engine,
        "version": service.reported_version,
        "address": service.address,
        "node": service.node.slug,
        "environment": service.environment,
        "cluster": service.cluster,
        "replication_set": service.replication_set,
        "owner": service.owner,
        "tags": service.tags,
        "state": verdict.state,
        "reason": verdict.reason,
        "last_seen": watcher.last_seen if watcher else None,
        "agent": service.agent_id,
    }


def service_document(service: Service, now: datetime) -> dict[str, Any]:
    """Return all that is shown of one service: never its password."""
    return service_row(service, now) | {
        "user": service.user,
        "tls": service.tls,
        "password_held_by": "agent" if service.password is None else "server",
        "epoch": service.epoch,
        "created_at": service.created_at,
    }


def node_document(node: Node, now: datetime) -> dict[str, Any]:
    """Return all that is shown of a node that `nodes` gave."""
    live: list[Agent] = getattr(node, "live_agents")  # noqa: B009 -- Prefetch(to_attr=) sets it
    agent = live[0] if live else None
    return {
        "slug": node.slug,
        "name": node.name,
        "hostname": node.hostname,
        "environment": node.environment,
        "owner": node.owner,
        "tags": node.tags,
        "state": agent_state(watcher_of(agent), now) if agent else AgentState.SILENT,
        "last_seen": agent.seen_at if agent else None,
        "agent": agent.pk if agent else None,
        "services": getattr(node, "service_count"),  # noqa: B009 -- an annotation
        "created_at": node.created_at,
    }


def agent_document(agent: Agent, now: datetime) -> dict[str, Any]:
    """Return all that is shown of an agent that `agents` gave."""
    held: list[Service] = getattr(agent, "held_services")  # noqa: B009 -- Prefetch(to_attr=) sets it
    return {
        "id": agent.pk,
        "node": agent.node.slug,
        "version": agent.version,
        "protocol": agent.protocol,
        "state": agent_state(watcher_of(agent), now),
        "last_seen": agent.seen_at,
        "clock_offset_seconds": agent.clock_offset_seconds,
        "spool": {
            "bytes": agent.spool_bytes,
            "segments": agent.spool_segments,
            "oldest_age_seconds": agent.spool_oldest_age_seconds,
            "dropped_samples": agent.dropped_samples,
        },
        "key_prefix": agent.key_prefix,
        "services": [service.slug for service in held],
        "problems": [
            {
                "service": service.slug,
                "code": service.reported_code,
                "error": service.reported_error,
            }
            for service in held
            if service.reported_code
        ],
        "created_at": agent.created_at,
    }


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
    """Return the nodes of the current org with `live_agents` (one or none) and `service_count`."""
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
    """Return the agents of the current org, ended ones too, with node and `held_services`."""
    held = Service.objects.filter(removed_at=None).order_by("slug")
    return Agent.objects.select_related("node").prefetch_related(
        Prefetch("services", queryset=held, to_attr="held_services")
    )


def enrolment_tokens() -> QuerySet[EnrolmentToken]:
    """Return the enrolment tokens of the current org."""
    return EnrolmentToken.objects.all()


def generation_of(agent_id: UUID) -> int:
    """Return the generation of an agent's desired state."""
    return Agent.objects.values_list("generation", flat=True).get(pk=agent_id)


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

    The generation is read before the rest: a change in between is then announced once too often,
    never missed.
    """
    agent = Agent.objects.select_related("node").get(pk=agent_id)
    held = Service.objects.filter(agent=agent, removed_at=None).order_by("slug")
    return {
        "generation": agent.generation,
        "node": {"slug": agent.node.slug, "labels": {"environment": agent.node.environment}},
        "intervals": INTERVALS,
        "services": [desired_service(service) for service in held],
    }
