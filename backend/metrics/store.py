"""The only client of VictoriaMetrics.

Reads go to it directly, and every one of them is cut to one org. Writes go through vmauth with an
ingest token, as an agent's do, so that the server's own samples prove the whole path.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
from django.conf import settings

from backend.metrics import remote_write, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from uuid import UUID

    from backend.metrics.remote_write import Sample

_READ_TIMEOUT = httpx.Timeout(10, connect=2)
_WRITE_TIMEOUT = httpx.Timeout(5, connect=2)
_LOOK_TIMEOUT = httpx.Timeout(1.5)
_STARTED = re.compile(
    r"^(?:vm_app_start_timestamp|process_start_time_seconds) (\S+)$", re.MULTILINE
)


class StoreError(Exception):
    """The store, or vmauth before it, refused or did not answer; the message is one sentence."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Series:
    """One series of an answer: labels, and (Unix seconds, value) pairs in order of time."""

    labels: Mapping[str, str]
    points: list[tuple[float, float]]


class _Row(msgspec.Struct):
    metric: dict[str, str] = {}
    value: tuple[float, str] | None = None
    values: list[tuple[float, str]] = []


class _Data(msgspec.Struct):
    result: list[_Row] = []


class _Answer(msgspec.Struct):
    status: str
    data: _Data = msgspec.field(default_factory=_Data)
    error: str = ""


@cache
def _client() -> httpx.Client:
    # trust_env off: the store is on our own network, and a proxy from the environment must not see
    # it.
    return httpx.Client(timeout=_READ_TIMEOUT, trust_env=False)


def query(*, org_id: UUID, promql: str) -> list[Series]:
    """Evaluate an expression over one org's series now; `name[5m]` gives the points of a time."""
    # Both forms: the store ORs them, so one of them alone would leave the other open.
    wall = f'{{org="{org_id}"}}'
    form = {"query": promql, "extra_filters": wall, "extra_filters[]": wall, "nocache": "1"}
    try:
        answer = _client().post(f"{settings.VICTORIAMETRICS_URL}/api/v1/query", data=form)
    except httpx.HTTPError as error:
        raise StoreError("The metric store does not answer.") from error
    return _parse(answer)


def _parse(answer: httpx.Response) -> list[Series]:
    try:
        document = msgspec.json.decode(answer.content, type=_Answer)
    except msgspec.DecodeError as error:
        raise StoreError(f"The metric store answered {answer.status_code}.") from error
    if document.status != "success":
        reason = document.error.splitlines()[0][:300] if document.error else "no reason given"
        raise StoreError(f"The metric store refused a query: {reason}.")
    return [
        Series(
            labels=row.metric,
            points=[(t, float(v)) for t, v in (row.values or ([row.value] if row.value else []))],
        )
        for row in document.data.result
    ]


def write(*, org_id: UUID, samples: Iterable[Sample]) -> None:
    """Push samples of one org through vmauth; raises StoreError; sending again is free."""
    token = tokens.sign(org_id=org_id, use=tokens.Use.INGEST)
    headers = {
        "Authorization": f"Bearer {token.text}",
        "Content-Type": remote_write.CONTENT_TYPE,
        "Content-Encoding": remote_write.ENCODING,
        "X-Prometheus-Remote-Write-Version": "0.1.0",
    }
    url = f"{settings.VMAUTH_URL}/ingest/api/v1/write"
    body = remote_write.encode(samples)
    try:
        answer = _client().post(url, content=body, headers=headers, timeout=_WRITE_TIMEOUT)
    except httpx.HTTPError as error:
        raise StoreError("vmauth does not answer.") from error
    if answer.status_code != HTTPStatus.NO_CONTENT:
        raise StoreError(f"A push of the server's own samples was answered {answer.status_code}.")


def boot_id() -> str:
    """Return a text that changes with every start of the store; raises StoreError."""
    started = _STARTED.findall(_look("/metrics").text)
    if not started:
        raise StoreError("The metric store does not tell when it was started.")
    return "-".join(sorted(set(started)))


def check() -> None:
    """Raise StoreError unless the store says that it is well."""
    _look("/health")


def _look(path: str) -> Any:
    try:
        answer = _client().get(settings.VICTORIAMETRICS_URL + path, timeout=_LOOK_TIMEOUT)
    except httpx.HTTPError as error:
        raise StoreError("VictoriaMetrics does not answer.") from error
    if answer.status_code != HTTPStatus.OK:
        raise StoreError(f"VictoriaMetrics answers {answer.status_code}.")
    return answer
