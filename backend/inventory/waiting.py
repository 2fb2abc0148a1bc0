"""Agents that wait for a change of their desired state: 1,500 at once, with one query for all.

A wait ends when the agent's generation differs from the one it knows. Redis tells when to look;
where it does not, the rows are read every 5 s.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

import structlog
from django.db import DatabaseError

from backend.accounts import keys
from backend.errors import NotAuthenticated, Problem, Unavailable
from backend.events import blocking
from backend.inventory import reads
from backend.inventory.models import Agent

if TYPE_CHECKING:
    from collections.abc import Iterable

log = structlog.get_logger(__name__)

POLL_SECONDS = 5.0
_KEY_KEPT_SECONDS = 30.0
_KEYS_KEPT = 20_000
# A connection that broke without a word waits on beside its successor; more than two are a fault of
# the agent.
_WAITS_PER_AGENT = 2


class _KnownKey(NamedTuple):
    agent_id: UUID
    good_until: float


class AgentKeys:
    """Judges agents' keys; remembers a good one for 30 s, or until its agent's row changes."""

    def __init__(self) -> None:
        self._known: dict[str, _KnownKey] = {}
        self._of_agent: dict[UUID, str] = {}

    async def agent_id(self, full: str) -> UUID:
        """Return the id of the agent whose key this is; raises what `agent_of_key` does, or 503."""
        digest = keys.digest(full)
        known = self._known.get(digest)
        if known is not None and known.good_until > time.monotonic():
            return known.agent_id
        try:
            agent = await blocking.run(lambda: reads.agent_of_key(full))
        except DatabaseError as error:
            raise Unavailable("The database does not answer; ask again shortly.") from error
        if len(self._known) >= _KEYS_KEPT:
            self._known.clear()
            self._of_agent.clear()
        self._known[digest] = _KnownKey(agent.pk, time.monotonic() + _KEY_KEPT_SECONDS)
        self._of_agent[agent.pk] = digest
        return agent.pk

    def forget(self, agent_id: UUID) -> None:
        """Judge this agent's key anew the next time."""
        digest = self._of_agent.pop(agent_id, None)
        if digest is not None:
            self._known.pop(digest, None)


@dataclass(eq=False)
class _Wait:
    """One waiting request; `seen` is the generation that the row had when it was last read."""

    known: int
    seen: int
    ended: asyncio.Future[int] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Waits:
    """All waits of this process, and the one loop that looks for them."""

    def __init__(self) -> None:
        self._waits: dict[UUID, list[_Wait]] = {}
        self._to_look_at: set[UUID] = set()
        self._asked = asyncio.Event()

    async def wait(self, agent_id: UUID, known: int, seconds: float) -> int:
        """Return the agent's generation once it differs from `known`, at the latest in `seconds`.

        Raises the 401 problems of an agent that was revoked or replaced.
        """
        if seconds <= 0:
            return _known_or_raise(await blocking.run(partial(_states, [agent_id])), agent_id)
        wait = _Wait(known, known)
        waits = self._waits.setdefault(agent_id, [])
        waits.append(wait)
        for surplus in waits[:-_WAITS_PER_AGENT]:
            _end(surplus, surplus.seen)
        self.look(agent_id)
        try:
            return await asyncio.wait_for(wait.ended, seconds)
        except TimeoutError:
            return wait.seen
        finally:
            waits.remove(wait)
            if not waits and self._waits.get(agent_id) is waits:
                del self._waits[agent_id]

    def look(self, agent_id: UUID) -> None:
        """Have this agent's row read now, where somebody waits for it."""
        if agent_id in self._waits:
            self._to_look_at.add(agent_id)
            self._asked.set()

    async def run(self) -> None:
        """Look until cancelled: at once for whom it was asked, every 5 s for all."""
        next_poll = time.monotonic() + POLL_SECONDS
        while True:
            try:
                await asyncio.wait_for(self._asked.wait(), max(0.0, next_poll - time.monotonic()))
            except TimeoutError:
                self._to_look_at.update(self._waits)
                next_poll = time.monotonic() + POLL_SECONDS
            self._asked.clear()
            ids, self._to_look_at = self._to_look_at, set()
            if not ids:
                continue
            try:
                self._tell(ids, await blocking.run(partial(_states, ids)))
            except DatabaseError as error:
                # They wait on: the next poll looks again, and at worst their time runs out.
                log.warning("waits_not_looked_at", reason=type(error).__name__)

    def _tell(self, ids: Iterable[UUID], states: dict[UUID, int | Problem]) -> None:
        for agent_id in ids:
            state = states.get(agent_id)
            for wait in list(self._waits.get(agent_id, ())):
                if isinstance(state, int):
                    wait.seen = state
                    if state != wait.known:
                        _end(wait, state)
                elif not wait.ended.done():
                    wait.ended.set_exception(state or _gone())


def _known_or_raise(states: dict[UUID, int | Problem], agent_id: UUID) -> int:
    state = states.get(agent_id, _gone())
    if isinstance(state, Problem):
        raise state
    return state


def _gone() -> Problem:
    return NotAuthenticated("The agent is gone: enrol it again.", code="agent_key_unknown")


def _end(wait: _Wait, generation: int) -> None:
    if not wait.ended.done():
        wait.ended.set_result(generation)


def _states(ids: Iterable[UUID]) -> dict[UUID, int | Problem]:
    # unscoped: agents of all orgs wait in one process; each gets only its own number.
    rows = Agent.unscoped.filter(pk__in=list(ids)).only(
        "id", "generation", "revoked_at", "superseded_at"
    )
    return {agent.pk: _state(agent) for agent in rows}


def _state(agent: Agent) -> int | Problem:
    try:
        reads.refuse_ended(agent)
    except Problem as problem:
        return problem
    return agent.generation
