"""What enrolled agents change in the inventory: leases, reports, services.

Rows are locked in one order: node, services, agents.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from backend.accounts import audit
from backend.errors import Conflict, Invalid
from backend.events.actions import event_create
from backend.events.wakeup import wake
from backend.inventory import grammar, lease
from backend.inventory.actions import agent_bump
from backend.inventory.liveness import AgentState, agent_state
from backend.inventory.models import Agent, Service
from backend.inventory.reads import watcher_of

if TYPE_CHECKING:
    from backend.inventory import wire

_ONE_EVENT_IN = dt.timedelta(minutes=10)


def refuse(found: dict[str, str | None]) -> None:
    """Raise 400 with every field that was found wrong."""
    wrong = [(name, sentence) for name, sentence in found.items() if sentence]
    if wrong:
        raise Invalid(*wrong)


def agent_lease_take(*, agent: Agent, asker: lease.Asker, version: str) -> Agent:
    """Give the lease to the instance that asks, or leave an event and raise `second_instance`."""
    with transaction.atomic():
        locked = (
            Agent.objects.select_for_update(of=("self",)).select_related("node").get(pk=agent.pk)
        )
        holder = lease.Holder(
            instance=locked.instance, place=locked.place, seen_at=locked.instance_seen_at
        )
        now = timezone.now()
        verdict = lease.judge(holder, asker, now)
        if verdict is not lease.Verdict.REFUSED:
            _take_lease(locked, asker, version, now)
            if verdict is lease.Verdict.TAKEOVER:
                detail = {"before": str(holder.instance), "now": str(asker.instance)}
                audit.record("agent.lease_taken_over", f"agent {locked.node.slug}", detail)
            return locked
    # Outside the transaction: the refusal must not take the event back with it.
    second_instance_report(agent=agent, instance=str(asker.instance))
    raise second_instance()


def _take_lease(agent: Agent, asker: lease.Asker, version: str, now: dt.datetime) -> None:
    agent.instance, agent.place, agent.instance_seen_at = asker.instance, asker.place, now
    agent.version = version
    agent.save(update_fields=["instance", "place", "instance_seen_at", "version"])


def second_instance() -> Conflict:
    """Return the problem of a process that carries another live process's identity."""
    detail = (
        "Another process with this agent's identity is at work: stop one of the two, "
        "or enrol this one under a name of its own."
    )
    return Conflict(detail, code="second_instance")


@transaction.atomic
def second_instance_report(*, agent: Agent, instance: str) -> None:
    """Write the event of a second instance, once in ten minutes however often it asks."""
    slug = agent.node.slug
    event = event_create(
        kind="second_instance",
        text=f"A second process with the identity of the agent on {slug} asked for a token.",
        node=slug,
        agent=agent.pk,
        detail={"instance": instance},
        once_in=_ONE_EVENT_IN,
    )
    if event is not None:
        wake("agent", agent.pk)


def agent_status_report(*, agent: Agent, report: wire.StatusRequest, version: str) -> None:
    """Keep what an agent says; raises `second_instance` for one without the lease."""
    try:
        with transaction.atomic():
            _keep_services(agent, report.services or [])
            _keep_status(agent, report, version)
    except Conflict:
        second_instance_report(agent=agent, instance=str(report.instance))
        raise


def _keep_status(agent: Agent, report: wire.StatusRequest, version: str) -> None:
    now = timezone.now()
    spool = report.spool
    seen: dict[str, Any] = {
        "seen_at": now,
        "instance_seen_at": now,
        "started_at": dt.datetime.fromtimestamp(report.started_at, tz=dt.UTC),
        "clock_offset_seconds": report.clock_offset_seconds,
        "reported_generation": report.generation,
        "spool_bytes": spool.bytes,
        "spool_segments": spool.segments,
        "spool_oldest_age_seconds": spool.oldest_age_seconds,
        "dropped_samples": spool.dropped_samples,
        "version": version,
    }
    shown = ("version", "reported_generation", "dropped_samples")
    changed = any(getattr(agent, name) != seen[name] for name in shown)
    if changed or agent_state(watcher_of(agent), now) is not AgentState.UP:
        seen["changed_at"] = now
        wake("agent", agent.pk)
    if not Agent.objects.filter(pk=agent.pk, instance=report.instance).update(**seen):
        raise second_instance()


def _keep_services(agent: Agent, reports: list[wire.ServiceReport]) -> None:
    said = {report.slug: report for report in reports}
    held = Service.objects.filter(agent=agent, removed_at=None).order_by("slug")
    differ = [row.slug for row in held if row.slug in said and _take_report(row, said[row.slug])]
    for row in held.select_for_update().filter(slug__in=differ):
        engine = row.engine
        _take_report(row, said[row.slug])
        row.changed_at = timezone.now()
        row.save(update_fields=[*_REPORTED, "engine", "changed_at"])
        wake("service", row.slug)
        if row.engine != engine:
            text = f"{row.slug} is {row.engine} now; it was {engine}."
            event_create(kind="service_engine_changed", text=text, service=row.slug)
            agent_bump(agent.pk)


_REPORTED = ("reported_state", "reported_code", "reported_error", "reported_version")


def _take_report(row: Service, report: wire.ServiceReport) -> bool:
    """Put a report into a row; tells whether that changed anything."""
    up = report.state == "up"
    new = {
        "reported_state": "up" if up else "down",
        # A server that is up can have a problem too: a missing privilege, say.
        "reported_code": grammar.one_line(report.code or ("" if up else "error"), 32),
        "reported_error": grammar.one_line(report.error or ""),
        # A server that is down tells no version: the last known one stays.
        "reported_version": grammar.one_line(report.version or "", 128) or row.reported_version,
        "engine": report.engine if report.engine in grammar.ENGINES else row.engine,
    }
    changed = any(getattr(row, name) != value for name, value in new.items())
    for name, value in new.items():
        setattr(row, name, value)
    return changed


@transaction.atomic
def service_register(*, agent: Agent, request: wire.ServiceRequest) -> tuple[Service, bool]:
    """Add a service to an agent, or update one that it watches; tells whether it is new.

    The agent was just given the password, so one that was set on the server gives way to it. A name
    that a person chose stays. Raises 409 `service_taken` where the slug is another server's or
    another live agent's.
    """
    _check_service(request)
    rows = Service.objects.select_for_update(of=("self",)).select_related("node", "agent")
    service = rows.filter(slug=request.slug).first()
    if service is None:
        return _create_service(agent, request), True
    added = service.removed_at is not None
    if added or service.agent_id != agent.pk:
        _check_may_take(service, agent, request.address)
        service.lease_to(agent)
        service.removed_at = None
    service.engine, service.address = request.engine, request.address
    service.user, service.tls = request.user, request.tls
    labels = request.labels or {}
    for name in grammar.LABELS:
        setattr(service, name, labels.get(name, getattr(service, name)))
    if service.password is not None:
        service.password = None
        service.password_version += 1
    service.changed_at = timezone.now()
    service.save()
    _tell_of_service(service, "added" if added else "changed")
    return service, added


def _check_service(request: wire.ServiceRequest) -> None:
    labels = grammar.label_problems(request.labels or {})
    found = {
        "slug": grammar.slug_problem(request.slug),
        "name": grammar.text_problem(request.name, grammar.NAME_MAX),
        "engine": grammar.engine_problem(request.engine),
        "address": grammar.address_problem(request.address),
        "user": grammar.user_problem(request.user),
        "tls": grammar.tls_problem(request.tls),
    }
    refuse(found | {f"labels.{name}": sentence for name, sentence in labels.items()})


def _check_may_take(service: Service, agent: Agent, address: str) -> None:
    same_node = service.node_id == agent.node_id
    if service.removed_at is not None:
        if not (same_node and service.address == address):
            raise _taken(service, "it belonged to another server, and two histories must not mix.")
        return
    if service.agent is not None and service.agent.is_live:
        raise _taken(service, f"the agent on {service.agent.node.slug} watches it.")
    # A loopback address or a socket names another server on another host.
    if not same_node and (service.address != address or grammar.is_local(address)):
        raise _taken(service, f"it is a server on {service.node.slug}; move it in the settings.")


def _taken(service: Service, reason: str) -> Conflict:
    detail = f"The name {service.slug!r} is taken: {reason} Choose another name."
    return Conflict(detail, code="service_taken")


def _create_service(agent: Agent, request: wire.ServiceRequest) -> Service:
    try:
        with transaction.atomic():
            service = Service.objects.create(
                slug=request.slug,
                name=request.name or request.slug,
                node=agent.node,
                agent=agent,
                engine=request.engine,
                address=request.address,
                user=request.user,
                tls=request.tls,
                **{name: (request.labels or {}).get(name, "") for name in grammar.LABELS},
            )
    except IntegrityError:
        detail = f"The name {request.slug!r} was taken by another agent this moment."
        raise Conflict(detail, code="service_taken") from None
    _tell_of_service(service, "added")
    return service


def _tell_of_service(service: Service, deed: str) -> None:
    slug, node = service.slug, service.node.slug
    audit.record(f"service.{deed}", f"service {slug}", {"address": service.address, "node": node})
    if deed == "added":
        text = f"{slug} is watched by the agent on {node}."
        event_create(
            kind="service_added", text=text, service=slug, node=node, agent=service.agent_id
        )
    wake("service", slug)
    agent_bump(service.agent_id)
