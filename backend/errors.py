"""The one error a user sees: RFC 9457 problem+json, made here and nowhere else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from django.core.exceptions import DisallowedHost, PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

log = structlog.get_logger(__name__)

CONTENT_TYPE = "application/problem+json"


class FieldError(NamedTuple):
    """One wrong field of a request: its name as the client wrote it, and one sentence."""

    field: str
    message: str


class Problem(Exception):
    """An error that a person or a program may see.

    `status` is the HTTP status, `code` a stable word for programs, `title` the kind of problem,
    `detail` one sentence on this case, `errors` the wrong fields.
    """

    status: int = HTTPStatus.INTERNAL_SERVER_ERROR
    code: str = "internal"
    title: str = "Internal error"

    def __init__(
        self,
        status: int | None = None,
        code: str | None = None,
        title: str | None = None,
        detail: str = "",
        errors: Sequence[tuple[str, str]] = (),
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = int(status if status is not None else self.status)
        self.code = code or self.code
        self.title = title or self.title
        self.detail = detail
        self.errors = [FieldError(*error) for error in errors]
        self.headers = dict(headers or {})
        super().__init__(f"{self.status} {self.code}: {detail or self.title}")

    def document(self, request_id: str) -> dict[str, Any]:
        """Return the problem+json document."""
        return {
            "type": f"urn:leadline:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "request_id": request_id,
            "errors": [error._asdict() for error in self.errors],
        }

    def body(self, request_id: str) -> bytes:
        """Return the problem+json document as bytes, for answers made outside Django."""
        return json.dumps(self.document(request_id)).encode()


class Invalid(Problem):
    """400: the request is wrong; `errors` name the fields."""

    status, code, title = HTTPStatus.BAD_REQUEST, "invalid", "Invalid request"

    def __init__(self, *errors: tuple[str, str], detail: str = "") -> None:
        super().__init__(detail=detail or _first_message(errors), errors=errors)


class NotAuthenticated(Problem):
    """401: no credentials, or wrong ones."""

    status, code, title = HTTPStatus.UNAUTHORIZED, "not_authenticated", "Not signed in"

    def __init__(
        self, detail: str = "Sign in or send an API key.", code: str | None = None
    ) -> None:
        super().__init__(code=code, detail=detail, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Problem):
    """403: known, but not allowed."""

    status, code, title = HTTPStatus.FORBIDDEN, "forbidden", "Not allowed"

    def __init__(
        self, detail: str = "Your role does not allow this.", code: str | None = None
    ) -> None:
        super().__init__(code=code, detail=detail)


class NotFound(Problem):
    """404: there is no such thing, or it belongs to another org (the answer does not say which)."""

    status, code, title = HTTPStatus.NOT_FOUND, "not_found", "Not found"

    def __init__(
        self, detail: str = "There is no such thing here.", code: str | None = None
    ) -> None:
        super().__init__(code=code, detail=detail)


class Conflict(Problem):
    """409: right in itself, but not in the present state; `code` says which conflict."""

    status, code, title = HTTPStatus.CONFLICT, "conflict", "Conflict"

    def __init__(self, detail: str, code: str | None = None) -> None:
        super().__init__(code=code, detail=detail)


class Gone(Problem):
    """410: was there, is used up or expired."""

    status, code, title = HTTPStatus.GONE, "gone", "No longer valid"

    def __init__(self, detail: str, code: str | None = None) -> None:
        super().__init__(code=code, detail=detail)


class TooLarge(Problem):
    """413: the body is larger than this route takes."""

    status, code, title = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", "Body too large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(detail=f"The body may have at most {limit_bytes} bytes.")


class Unavailable(Problem):
    """503: a part that this request needs does not answer now."""

    status, code, title = HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "Not available now"

    def __init__(self, detail: str, code: str | None = None) -> None:
        super().__init__(code=code, detail=detail)


def _first_message(errors: Sequence[tuple[str, str]]) -> str:
    return f"{errors[0][0]}: {errors[0][1]}" if errors else "The request is not valid."


def request_id_of(request: object) -> str:
    """Return the id that the request-id middleware gave to this request, or an empty string."""
    return str(getattr(request, "request_id", ""))


def problem_response(problem: Problem, request: HttpRequest) -> HttpResponse:
    """Turn a problem into an answer of a plain Django view."""
    return HttpResponse(
        problem.body(request_id_of(request)),
        status=problem.status,
        content_type=CONTENT_TYPE,
        headers=problem.headers,
    )


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn whatever a DRF view raised into problem+json; an unknown exception stays one (a 500)."""
    problem = problem_of(exc)
    if problem is None:
        return None
    set_rollback()
    return Response(
        problem.document(request_id_of(context.get("request"))),
        status=problem.status,
        headers=problem.headers,
        content_type=CONTENT_TYPE,
    )


def problem_of(exc: Exception) -> Problem | None:
    """Return the problem that stands for an exception of Django or DRF, None for an unknown one."""
    if isinstance(exc, Problem):
        return exc
    for kinds, problem in _PROBLEMS:
        if isinstance(exc, kinds):
            return problem(exc)
    return None


def _rate_limited(exc: drf.Throttled) -> Problem:
    wait = str(int(getattr(exc, "wait", None) or 1))
    return Problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        "rate_limited",
        "Too many requests",
        f"Try again in {wait} s.",
        headers={"Retry-After": wait},
    )


def _other(exc: drf.APIException) -> Problem:
    status = HTTPStatus(exc.status_code)
    return Problem(status, str(exc.default_code), status.phrase.capitalize(), str(exc.detail))


_PROBLEMS: tuple[tuple[Any, Callable[[Any], Problem]], ...] = (
    (drf.ValidationError, lambda exc: Invalid(*field_errors(exc.detail))),
    ((Http404, drf.NotFound), lambda _: NotFound()),
    ((PermissionDenied, drf.PermissionDenied), lambda _: Forbidden()),
    ((drf.NotAuthenticated, drf.AuthenticationFailed), lambda _: NotAuthenticated()),
    (drf.ParseError, lambda exc: Invalid(detail=f"The body cannot be read: {exc.detail}")),
    (drf.Throttled, _rate_limited),
    (drf.APIException, _other),
)


def field_errors(detail: Any, path: str = "") -> list[tuple[str, str]]:
    """Flatten DRF's nested errors to (field, message); a nested field reads `labels.cluster`."""
    if isinstance(detail, dict):
        pairs = []
        for key, value in detail.items():
            name = "" if key == "non_field_errors" else str(key)
            pairs += field_errors(value, ".".join(part for part in (path, name) if part))
        return pairs
    if isinstance(detail, list):
        pairs = []
        for index, value in enumerate(detail):
            nested = isinstance(value, dict | list)
            if nested and not value:
                continue
            pairs += field_errors(value, f"{path}.{index}".strip(".") if nested else path)
        return pairs
    return [(path, str(detail))]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    log.info("bad_request", reason=type(exception).__name__)
    if isinstance(exception, DisallowedHost):
        detail = f"This server answers at {settings.PUBLIC_URL} only (the setting PUBLIC_URL)."
        return problem_response(Problem(400, "unknown_host", "Unknown host", detail), request)
    return problem_response(Invalid(detail="The request cannot be read."), request)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler403."""
    del exception
    return problem_response(Forbidden(), request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a request that came with the session cookie but without its CSRF token."""
    log.info("csrf_failure", reason=reason)
    detail = "Send the csrftoken cookie's value in the header X-CSRFToken."
    return problem_response(Forbidden(detail, code="csrf_failed"), request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404."""
    del exception
    return problem_response(NotFound("There is no such address."), request)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500; the exception itself stands in the log under the same request id."""
    if isinstance(sys.exception(), OperationalError):
        return problem_response(Unavailable("The database does not answer; try again."), request)
    detail = "The server failed on this request; its log has the reason under this request id."
    return problem_response(Problem(detail=detail), request)
