"""Which of two processes with one agent's identity may go on. Pure: rows and clock are given.

A state directory copied to a second host carries the same key. Were both served, every delta would
be counted twice, so one instance at a time holds an agent's lease and any other gets no token.
"""

import dataclasses
import datetime as dt
import enum
import uuid

SILENCE = dt.timedelta(seconds=90)
"""How long the holder must have been unheard of before a stranger may take its place."""


class Verdict(enum.Enum):
    """What becomes of an instance that asks for a token."""

    SAME = "same"
    FIRST = "first"
    SUCCESSOR = "successor"
    TAKEOVER = "takeover"
    REFUSED = "refused"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Holder:
    """The instance that the server last served, where it ran and when it was heard of."""

    instance: uuid.UUID | None
    place: str
    seen_at: dt.datetime | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Asker:
    """An instance that asks: its id, the one its directory used before, and where it runs."""

    instance: uuid.UUID
    previous: uuid.UUID | None
    place: str


def judge(holder: Holder, asker: Asker, now: dt.datetime) -> Verdict:
    """Serve the holder, its successor from the same place, or anyone after 90 s of silence."""
    if holder.instance is None or holder.seen_at is None:
        return Verdict.FIRST
    if asker.instance == holder.instance:
        return Verdict.SAME
    # The place (host boot, device and inode of the state directory) tells a restart from a copy: a
    # copied directory also carries the previous instance, but lies elsewhere.
    if asker.previous == holder.instance and asker.place == holder.place:
        return Verdict.SUCCESSOR
    if now - holder.seen_at >= SILENCE:
        return Verdict.TAKEOVER
    return Verdict.REFUSED
