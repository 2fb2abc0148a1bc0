"""The fleet list: one row a service, with its state, found by text and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Case, CharField, Count, F, Func, Q, QuerySet, Value, When

from backend.events.wakeup import Change
from backend.inventory import reads as inventory
from backend.inventory.liveness import SILENT_AFTER, Reported, ServiceState
from backend.inventory.models import Agent, Node, Service

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

EMPTY_REASONS = ("no_agent", "agent_silent", "no_service", "filtered_out")
_EXACT = ("engine", "environment", "cluster")
_CHANGES_MAX = 1000


class Counts(TypedDict):
    """How many services are in each state, the filter on the state left aside."""

    up: int
    down: int
    silent: int
    waiting: int


def with_state(services: QuerySet[Service], now: datetime) -> QuerySet[Any]:
    """Add `state` in SQL: the verdict of inventory.liveness, held to it by a test."""
    fresh = Q(agent__seen_at__gt=now - SILENT_AFTER)
    ended = (
        Q(agent=None) | Q(agent__revoked_at__isnull=False) | Q(agent__superseded_at__isnull=False)
    )
    state = Case(
        When(ended, then=Value(ServiceState.SILENT.value)),
        When(agent__seen_at=None, then=Value(ServiceState.WAITING.value)),
        When(~fresh, then=Value(ServiceState.SILENT.value)),
        When(reported_state=Reported.UP.value, then=Value(ServiceState.UP.value)),
        When(reported_state=Reported.DOWN.value, then=Value(ServiceState.DOWN.value)),
        default=Value(ServiceState.WAITING.value),
        output_field=CharField(),
    )
    return services.annotate(state=state)


def fleet(filters: Mapping[str, str], now: datetime) -> tuple[QuerySet[Service], Counts]:
    """Return the services that pass the filters, and how many there are in each state.

    `filters` may hold q (a part of slug, name, node, address, cluster or a tag), engine,
    environment, cluster and state; an empty value filters nothing.
    """
    found = with_state(inventory.services(), now)
    for name in _EXACT:
        if filters.get(name):
            found = found.filter(**{name: filters[name]})
    for word in filters.get("q", "").split():
        found = _with_word(found, word)
    counts = _count(found)
    if filters.get("state"):
        found = found.filter(state=filters["state"])
    return found, counts


def _with_word(services: QuerySet[Service], word: str) -> QuerySet[Service]:
    tags = Func(F("tags"), Value("\n"), function="array_to_string", output_field=CharField())
    places = ("slug", "name", "node__slug", "address", "cluster", "tag_text")
    match = Q()
    for place in places:
        match |= Q(**{f"{place}__icontains": word})
    return services.annotate(tag_text=tags).filter(match)


def _count(services: QuerySet[Any]) -> Counts:
    rows = services.order_by().values("state").annotate(number=Count("pk"))
    numbers: dict[str, int] = {row["state"]: row["number"] for row in rows}
    return Counts(
        up=numbers.get("up", 0),
        down=numbers.get("down", 0),
        silent=numbers.get("silent", 0),
        waiting=numbers.get("waiting", 0),
    )


def empty_reason(now: datetime) -> str:
    """Say why a list without rows is empty."""
    if inventory.services().exists():
        return "filtered_out"
    live = Agent.objects.filter(revoked_at=None, superseded_at=None)
    if not live.exists():
        return "no_agent"
    heard = live.filter(seen_at__gt=now - SILENT_AFTER).exists()
    return "no_service" if heard else "agent_silent"


def service_row(service: Service, now: datetime) -> dict[str, Any]:
    """Return one row of the list."""
    return inventory.service_row(service, now)


def fallen_silent(orgs: list[str], last: datetime, now: datetime) -> list[Change]:
    """Return the agents of some orgs that fell silent between two moments, and what they watch.

    Nobody writes a row when an agent falls silent, so nothing but the clock can tell.
    """
    fell = Q(seen_at__gt=last - SILENT_AFTER, seen_at__lte=now - SILENT_AFTER)
    # unscoped: pages of all orgs are served by one process; each change goes to its own org's pages
    # only.
    agents = Agent.unscoped.filter(fell, org_id__in=orgs, revoked_at=None, superseded_at=None)
    found = [
        change
        for agent_id, org, node in agents.values_list("pk", "org_id", "node__slug")[:_CHANGES_MAX]
        for change in (Change(str(org), "agent", str(agent_id)), Change(str(org), "node", node))
    ]
    services = Service.unscoped.filter(agent__in=agents, removed_at=None)
    return found + [
        Change(str(org), "service", slug)
        for org, slug in services.values_list("org_id", "slug")[:_CHANGES_MAX]
    ]


def changed_rows(orgs: list[str], since: datetime) -> list[Change]:
    """Return what of some orgs has changed since a moment."""
    # unscoped: as in fallen_silent.
    recent = {"org_id__in": orgs, "changed_at__gte": since}
    agents = Agent.unscoped.filter(**recent).values_list("org_id", "pk")
    nodes = Node.unscoped.filter(**recent).values_list("org_id", "slug")
    services = Service.unscoped.filter(**recent).values_list("org_id", "slug")
    return [
        *(Change(str(org), "agent", str(key)) for org, key in agents[:_CHANGES_MAX]),
        *(Change(str(org), "node", key) for org, key in nodes[:_CHANGES_MAX]),
        *(Change(str(org), "service", key) for org, key in services[:_CHANGES_MAX]),
    ]
