"""What stands around every route of the agents: protocol, key, size and shape of bodies."""

from __future__ import annotations

from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from backend.accounts.scope import enter_org
from backend.errors import Invalid, Problem, TooLarge, problem_response
from backend.inventory import reads, wire
from backend.inventory.grammar import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    View = Callable[..., HttpResponse]

T = TypeVar("T")

PROTOCOL = 1
SMALL_BODY = 64 * 1024
STATUS_BODY = 2 * 1024 * 1024
_VERSION_MAX = 64


def open_route(method: str) -> Callable[[View], View]:
    """Make a view of a function: one method, the protocol checked, problems answered."""

    def decorate(view: View) -> View:
        @csrf_exempt  # agents send a key, never a cookie
        @wraps(view)
        def answer_or_problem(request: HttpRequest, **parts: Any) -> HttpResponse:
            try:
                _check_method(request, method)
                check_protocol(request.headers.get("Leadline-Protocol"))
                return view(request, **parts)
            except Problem as problem:
                return problem_response(problem, request)

        return answer_or_problem

    return decorate


def agent_route(method: str) -> Callable[[View], View]:
    """Make a view of a function that also takes the agent, and works in that agent's org."""

    def decorate(view: View) -> View:
        @wraps(view)
        def with_agent(request: HttpRequest, **parts: Any) -> HttpResponse:
            agent = reads.agent_of_key(bearer(request.headers.get("Authorization")))
            enter_org(agent.org_id, f"agent {agent.node.slug}")
            return view(request, agent, **parts)

        return open_route(method)(with_agent)

    return decorate


def _check_method(request: HttpRequest, method: str) -> None:
    if request.method != method:
        raise Problem(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "Method not allowed",
            f"Only {method} is answered here.",
            headers={"Allow": method},
        )


def check_protocol(given: str | None) -> None:
    """Raise 426 unless the request speaks the protocol of this server."""
    if given == str(PROTOCOL):
        return
    raise Problem(
        HTTPStatus.UPGRADE_REQUIRED,
        "protocol_unsupported",
        "Protocol not supported",
        f"This server speaks protocol {PROTOCOL}, named in the header Leadline-Protocol: "
        "install a leadline-agent of a fitting version.",
        headers={"Upgrade": f"leadline/{PROTOCOL}"},
    )


def bearer(header: str | None) -> str:
    """Return the key of an Authorization header, an empty text where there is none."""
    scheme, _, key = (header or "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def body_of(request: HttpRequest, kind: type[T], limit: int = SMALL_BODY) -> T:
    """Read a body as `kind`; one that announces more than `limit` bytes is refused unread."""
    try:
        announced = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise Invalid(detail="The Content-Length is not a number.") from None
    if announced > limit:
        raise TooLarge(limit)
    body = request.read(limit + 1)
    if len(body) > limit:
        raise TooLarge(limit)
    return wire.decode(body, kind)


def agent_version(request: HttpRequest) -> str:
    """Return the agent's version as its headers tell it."""
    return one_line(request.headers.get("Leadline-Agent", ""), _VERSION_MAX)


def answer(document: Any, status: int = HTTPStatus.OK) -> HttpResponse:
    """Answer with JSON."""
    return HttpResponse(
        msgspec.json.encode(document), status=status, content_type="application/json"
    )
