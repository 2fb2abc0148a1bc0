"""What agents send, typed. Unknown fields are ignored, so that a newer agent is understood too."""

from __future__ import annotations

import re
import uuid
from typing import Annotated, TypeVar

import msgspec

from backend.errors import Invalid

_BIGGEST = 2**63 - 1
_YEAR_2100 = 4_102_444_800

Text = Annotated[str, msgspec.Meta(max_length=512)]
Place = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{1,64}$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=_BIGGEST)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=_YEAR_2100)]


class NodeIdentity(msgspec.Struct, frozen=True):
    """The host that an agent runs on, as it sees itself."""

    slug: Text
    hostname: Text
    machine_id: Text
    os: Text = ""
    arch: Text = ""


class EnrolRequest(msgspec.Struct, frozen=True):
    """POST enrol."""

    token: Text
    node: NodeIdentity
    instance: uuid.UUID
    place: Place


class TokenRequest(msgspec.Struct, frozen=True):
    """POST token."""

    instance: uuid.UUID
    place: Place
    previous: uuid.UUID | None = None


class Spool(msgspec.Struct, frozen=True):
    """What waits on the agent's disk, and what it had to drop since it was enrolled."""

    bytes: Count = 0
    segments: Count = 0
    oldest_age_seconds: Seconds = 0
    dropped_samples: Count = 0


class ServiceReport(msgspec.Struct, frozen=True):
    """What an agent sees of one service."""

    slug: str
    state: str
    code: str | None = None
    error: str | None = None
    engine: str | None = None
    version: str | None = None


# Go writes an empty list or map as null.
Reports = Annotated[list[ServiceReport], msgspec.Meta(max_length=10_000)]


class StatusRequest(msgspec.Struct, frozen=True):
    """POST status."""

    instance: uuid.UUID
    generation: Count
    started_at: Seconds
    clock_offset_seconds: float | None = None
    spool: Spool = Spool()
    services: Reports | None = None


class ServiceRequest(msgspec.Struct, frozen=True):
    """POST services."""

    slug: Text
    engine: Text
    address: Text
    user: Text
    name: Text = ""
    tls: Text = "preferred"
    labels: dict[str, str] | None = None


T = TypeVar("T")

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<where>.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `(?P<name>\w+)`$")


def decode(body: bytes, kind: type[T]) -> T:
    """Read a body as one of the requests above; raises Invalid with the wrong field's name."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise Invalid(_wrong_field(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Invalid(detail="The body is not a JSON object.") from None


def _wrong_field(message: str) -> tuple[str, str]:
    parts = _WHERE.match(message)
    what, where = (parts["what"], parts["where"] or "") if parts else (message, "")
    missing = _MISSING.match(what)
    if missing:
        return ".".join(
            part for part in (where, missing["name"]) if part
        ), "This field is required."
    return where, f"{what.replace('`', '').rstrip('.')}."
