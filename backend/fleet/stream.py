"""The small ASGI application: live pages (server-sent events) and agents' long polls.

It only reads. GET /api/v1/events takes a session cookie or an API key; the org comes by the header
Leadline-Org or, as a browser's EventSource can set none, by ?org=. GET /api/agent/v1/commands takes
an agent key, ?generation=N and &wait=SECONDS.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from importlib import import_module
from typing import Any
from uuid import UUID

import msgspec
import structlog
from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError
from rest_framework.request import Request

from backend.accounts.access import ApiKeyAuthentication, SessionAuthentication, access_of
from backend.accounts.scope import no_org
from backend.errors import (
    CONTENT_TYPE,
    Invalid,
    NotFound,
    Problem,
    Unavailable,
    problem_of,
)
from backend.events import blocking
from backend.events.listening import Listener
from backend.events.wakeup import Change
from backend.fleet.live import Page, Pages
from backend.inventory.agent_door import bearer, check_protocol
from backend.inventory.waiting import AgentKeys, Waits
from backend.web import new_request_id

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Serve = Callable[[ASGIRequest, "asyncio.Task[None]", Send], Awaitable[None]]

log = structlog.get_logger(__name__)

LONGEST_WAIT_SECONDS = 55.0
PING_SECONDS = 15.0
_JUDGED_AGAIN_SECONDS = 60.0
_SEND_SECONDS = 30.0
_GENERATION_DIGITS = 18


class Streams:
    """What this process knows: open pages, waiting agents, and what wakes them."""

    def __init__(self) -> None:
        self._listener = Listener(self._take)
        self.pages = Pages(lambda: self._listener.hears)
        self.waits = Waits()
        self.keys = AgentKeys()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to listen and to poll."""
        loops = (self._listener.run, self.pages.run, self.waits.run)
        self._tasks = [asyncio.create_task(_forever(loop)) for loop in loops]

    async def stop(self) -> None:
        """End the loops."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _take(self, change: Change) -> None:
        if change.kind == "agent":
            with suppress(ValueError):
                agent_id = UUID(change.key)
                self.keys.forget(agent_id)
                self.waits.look(agent_id)
        self.pages.tell(change)


async def _forever(loop: Callable[[], Awaitable[None]]) -> None:
    """Begin a loop again whatever it failed of: waiting requests depend on it."""
    while True:
        try:
            await loop()
        except Exception:
            log.exception("loop_failed")
        await asyncio.sleep(1)


_running: Streams | None = None


def _streams() -> Streams:
    global _running  # noqa: PLW0603 -- one a process; made where the event loop runs
    if _running is None:
        _running = Streams()
        _running.start()
    return _running


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one connection (ASGI 3)."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http":
        await _answer(scope, receive, send)


async def _live(receive: Receive, send: Send) -> None:
    global _running  # noqa: PLW0603 -- as above
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            _streams()
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            if _running is not None:
                await _running.stop()
                _running = None
            await send({"type": "lifespan.shutdown.complete"})
            return


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    request = ASGIRequest({**scope, "root_path": ""}, io.BytesIO())
    gone = asyncio.create_task(_gone(receive))
    request_id = new_request_id(request.headers.get("X-Request-Id"))
    try:
        await _route(request, gone, send, request_id)
    except (OSError, TimeoutError, RuntimeError) as error:
        log.debug("client_gone", path=request.path, reason=type(error).__name__)
    finally:
        gone.cancel()


async def _route(
    request: ASGIRequest, gone: asyncio.Task[None], send: Send, request_id: str
) -> None:
    try:
        serve = _route_of(request)
        await serve(request, gone, send)
    except Problem as problem:
        await _send_problem(send, problem, request_id)
    except DatabaseError as error:
        log.warning("stream_without_database", reason=type(error).__name__)
        away = Unavailable("The database does not answer; ask again shortly.")
        await _send_problem(send, away, request_id)


def _route_of(request: ASGIRequest) -> Serve:
    serve = _ROUTES.get(request.path)
    if serve is None:
        raise NotFound("There is no such address.")
    if request.method != "GET":
        allowed = {"Allow": "GET"}
        detail = "Only GET is answered here."
        raise Problem(405, "method_not_allowed", "Method not allowed", detail, headers=allowed)
    return serve


async def _gone(receive: Receive) -> None:
    """End when the client has gone away; a body that it sends is passed over."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _commands(request: ASGIRequest, gone: asyncio.Task[None], send: Send) -> None:
    check_protocol(request.headers.get("Leadline-Protocol"))
    known, seconds = _wanted(request)
    streams = _streams()
    agent_id = await streams.keys.agent_id(bearer(request.headers.get("Authorization")))
    waiting = asyncio.create_task(streams.waits.wait(agent_id, known, seconds))
    await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        return
    body = msgspec.json.encode({"generation": waiting.result(), "commands": []})
    await _send_whole(send, HTTPStatus.OK, {"Content-Type": "application/json"}, body)


def _wanted(request: ASGIRequest) -> tuple[int, float]:
    wrong = []
    generation = request.GET.get("generation", "")
    if not (
        generation.isascii() and generation.isdigit() and len(generation) <= _GENERATION_DIGITS
    ):
        wrong.append(("generation", "Name the generation that you know, a whole number."))
    wait = request.GET.get("wait", "50")
    if not (wait.isascii() and wait.isdigit() and len(wait) <= _GENERATION_DIGITS):
        wrong.append(("wait", "Give whole seconds, 0 to 55."))
    if wrong:
        raise Invalid(*wrong)
    return int(generation), min(float(wait), LONGEST_WAIT_SECONDS)


async def _events(request: ASGIRequest, gone: asyncio.Task[None], send: Send) -> None:
    org = await blocking.run(partial(_org_of, request))
    pages = _streams().pages
    page = pages.open(org)
    try:
        head = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
        await _send_head(send, HTTPStatus.OK, head)
        await _send_part(send, b"retry: 3000\n: open\n\n")
        showing = asyncio.create_task(_show(page, request, send))
        await asyncio.wait({showing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not showing.done():
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
            return
        showing.result()
    finally:
        pages.close(page)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _show(page: Page, request: ASGIRequest, send: Send) -> None:
    """Send what changes until the page is too slow or may not see its org any more."""
    clock = asyncio.get_running_loop().time
    judge_at = clock() + _JUDGED_AGAIN_SECONDS
    while not page.too_slow:
        changes = await page.changes(PING_SECONDS)
        lines = b"".join(_line(change) for change in changes) or b": ping\n\n"
        await _send_part(send, lines)
        if clock() >= judge_at:
            if not await _may_stay(page, request):
                return
            judge_at = clock() + _JUDGED_AGAIN_SECONDS


async def _may_stay(page: Page, request: ASGIRequest) -> bool:
    try:
        return await blocking.run(partial(_org_of, request)) == page.org
    except Problem:
        return False
    except DatabaseError:
        return True  # judged again in a minute; an outage of the database closes no page


def _line(change: Change) -> bytes:
    name = "id" if change.kind == "agent" else "slug"
    data = msgspec.json.encode({name: change.key})
    return b"event: %s\ndata: %s\n\n" % (change.kind.encode(), data)


def _org_of(request: ASGIRequest) -> str:
    """Return the org that a request may see; the same judges decide as on every other route."""
    if "HTTP_LEADLINE_ORG" not in request.META and request.GET.get("org"):
        request.META["HTTP_LEADLINE_ORG"] = request.GET["org"]
        request.__dict__.pop("headers", None)  # computed once from META, and now too old
    sessions = import_module(settings.SESSION_ENGINE)
    request.session = sessions.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    judges = [ApiKeyAuthentication(), SessionAuthentication()]
    with no_org():
        try:
            access = access_of(Request(request, authenticators=judges))
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                raise
            raise problem from error
    return str(access.org.pk)


_ROUTES: dict[str, Serve] = {
    "/api/v1/events": _events,
    "/api/agent/v1/commands": _commands,
}


async def _send_problem(send: Send, problem: Problem, request_id: str) -> None:
    headers = {"Content-Type": CONTENT_TYPE, "X-Request-Id": request_id, **problem.headers}
    await _send_whole(send, problem.status, headers, problem.body(request_id))


async def _send_whole(send: Send, status: int, headers: dict[str, str], body: bytes) -> None:
    await _send_head(send, status, {**headers, "Content-Length": str(len(body))})
    await _send_part(send, body, more=False)


async def _send_head(send: Send, status: int, headers: dict[str, str]) -> None:
    pairs = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **headers}
    raw = [(name.lower().encode(), value.encode()) for name, value in pairs.items()]
    await send({"type": "http.response.start", "status": int(status), "headers": raw})


async def _send_part(send: Send, body: bytes, *, more: bool = True) -> None:
    """Send a part; a client that takes none for 30 s is given up."""
    part = {"type": "http.response.body", "body": body, "more_body": more}
    await asyncio.wait_for(send(part), _SEND_SECONDS)
