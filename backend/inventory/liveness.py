"""What state a service, an agent or a node is in. Pure: reports and the clock are given.

Missing data is never 'up': once its agent is unheard of for a minute a service is silent, whatever
was said last.
"""

import dataclasses
import datetime as dt
import enum

SILENT_AFTER = dt.timedelta(seconds=60)
"""Four reports missed in a row (an agent reports every 15 s)."""


class ServiceState(enum.StrEnum):
    """The word a service's row shows."""

    UP = "up"
    DOWN = "down"
    SILENT = "silent"
    WAITING = "waiting"


class AgentState(enum.StrEnum):
    """The word an agent's row shows."""

    UP = "up"
    SILENT = "silent"
    WAITING = "waiting"
    REVOKED = "revoked"
    SUPERSEDED = "superseded"


class Reported(enum.StrEnum):
    """What an agent last said of a service; nothing yet is the empty word."""

    NOTHING = ""
    UP = "up"
    DOWN = "down"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Watcher:
    """The agent that holds a service's lease, as far as a verdict needs to know it."""

    last_seen: dt.datetime | None
    revoked: bool = False
    superseded: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Verdict:
    """A service's state, and one sentence that says why it is not up."""

    state: ServiceState
    reason: str


def agent_state(watcher: Watcher, now: dt.datetime) -> AgentState:
    """Judge an agent: a live one is up while it was heard of within a minute."""
    if watcher.revoked:
        return AgentState.REVOKED
    if watcher.superseded:
        return AgentState.SUPERSEDED
    if watcher.last_seen is None:
        return AgentState.WAITING
    return AgentState.UP if now - watcher.last_seen < SILENT_AFTER else AgentState.SILENT


def service_verdict(
    watcher: Watcher | None, reported: str, error: str, now: dt.datetime
) -> Verdict:
    """Judge a service by its agent's life first and by what that agent said second."""
    if watcher is None:
        return Verdict(state=ServiceState.SILENT, reason="No agent watches this service.")
    match agent_state(watcher, now):
        case AgentState.REVOKED:
            return Verdict(
                state=ServiceState.SILENT, reason="The agent that watched this service was revoked."
            )
        case AgentState.SUPERSEDED:
            return Verdict(
                state=ServiceState.SILENT,
                reason="The agent that watched this service was replaced by another.",
            )
        case AgentState.SILENT:
            return Verdict(
                state=ServiceState.SILENT,
                reason="The agent has not been heard of for over a minute.",
            )
        case AgentState.WAITING:
            return Verdict(state=ServiceState.WAITING, reason="The agent has not reported yet.")
        case AgentState.UP:
            return _reported(reported, error)


def _reported(reported: str, error: str) -> Verdict:
    if reported == Reported.UP:
        return Verdict(state=ServiceState.UP, reason=error)
    if reported == Reported.DOWN:
        return Verdict(
            state=ServiceState.DOWN, reason=error or "The agent cannot read this service."
        )
    return Verdict(
        state=ServiceState.WAITING, reason="The agent has not reported on this service yet."
    )
