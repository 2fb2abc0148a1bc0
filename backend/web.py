"""What stands around every request: its id, its log line, refusals, headers, the page."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from backend.accounts.scope import no_org
from backend.errors import NotAuthenticated, NotFound, Problem, problem_response

Handler = Callable[[HttpRequest], HttpResponseBase]

log = structlog.get_logger(__name__)

_SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,128}")
_DATA_PLANE = ("/ingest", "/prometheus")
_QUIET = {"/healthz", "/readyz"}  # asked every few seconds by whoever supervises the process

# Mantine writes style elements at run time; nothing else is let off.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; "
    "font-src 'self' data:; "
    "connect-src 'self'; "
    "manifest-src 'self'; "
    "worker-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'none'"
)


def new_request_id(proposed: str | None) -> str:
    """Return the client's own request id where it is one a log can hold, else a new one."""
    if proposed is not None and _SANE_REQUEST_ID.fullmatch(proposed):
        return proposed
    return uuid.uuid4().hex


class RequestMiddleware:
    """Gives each request its id and one log line, and takes away whatever org it worked in."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        request_id = new_request_id(request.headers.get("X-Request-Id"))
        request.request_id = request_id  # type: ignore[attr-defined]  # for errors.request_id_of
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began = time.monotonic()
        with no_org():
            response = self.get_response(request)
        response["X-Request-Id"] = request_id
        if request.path not in _QUIET:
            log.info(
                "request",
                method=request.method,
                path=request.path,  # without the query, which may hold what a person searched for
                status=response.status_code,
                milliseconds=round((time.monotonic() - began) * 1000, 1),
            )
        structlog.contextvars.clear_contextvars()
        return response


class DataPlaneMiddleware:
    """Refuses samples and metric queries: vmauth sends here only what came without a good token.

    The body is not read. An agent or a browser answers by fetching a new token.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        if any(request.path == door or request.path.startswith(f"{door}/") for door in _DATA_PLANE):
            detail = "The token is missing, expired or not for this; fetch a new one."
            return problem_response(NotAuthenticated(detail, code="token_expired"), request)
        return self.get_response(request)


class SecurityHeadersMiddleware:
    """Says what a browser may do with our pages, and that answers of the API are not to be kept."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        response = self.get_response(request)
        response["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        if request.path.startswith("/api/"):
            response.setdefault("Cache-Control", "no-store")
        return response


def user_interface(request: HttpRequest) -> HttpResponse:
    """Answer every address that is not the API's with the page, which reads the address."""
    if request.path.startswith(("/api/", "/assets/")):
        return problem_response(NotFound("There is no such address."), request)
    if request.method not in {"GET", "HEAD"}:
        problem = Problem(
            405,
            "method_not_allowed",
            "Method not allowed",
            "Only GET is answered here.",
            headers={"Allow": "GET, HEAD"},
        )
        return problem_response(problem, request)
    try:
        page = (settings.FRONTEND_DIST / "index.html").read_bytes()
    except OSError:
        sentence = "The user interface is not built: run `make build` and start again.\n"
        return HttpResponse(sentence, status=503, content_type="text/plain; charset=utf-8")
    return HttpResponse(page, headers={"Cache-Control": "no-cache"})
