"""A client for requests that wait, on asyncio's streams: 200 of them at once cost it nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


@asynccontextmanager
async def _sent(
    url: str, method: str, headers: dict[str, str], query: dict[str, Any]
) -> AsyncIterator[tuple[Answer, asyncio.StreamReader]]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    lines = {"Host": parts.netloc, "Connection": "close"} | headers
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"{method} {parts.path}?{urlencode(query)} HTTP/1.1\r\n{head}\r\n".encode())
    try:
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        pairs = (line.split(": ", 1) for line in rest)
        found = {name.lower(): value for name, value in pairs}
        yield Answer(int(first.split()[1]), found), reader
    finally:
        writer.close()


async def ask(
    url: str, headers: dict[str, str] | None = None, method: str = "GET", **query: Any
) -> Answer:
    """Make one request; gives its whole answer."""
    async with asyncio.timeout(60), _sent(url, method, headers or {}, query) as (answer, reader):
        answer.body = await reader.readexactly(int(answer.headers["content-length"]))
        return answer


def get(url: str, headers: dict[str, str] | None = None, **query: Any) -> Answer:
    """Make one request from a test that waits for nothing else."""
    return asyncio.run(ask(url, headers, **query))


@asynccontextmanager
async def opened(
    url: str, headers: dict[str, str], **query: Any
) -> AsyncIterator[AsyncIterator[str]]:
    """Open an event stream; gives its lines once the server has said that it is open."""
    async with _sent(url, "GET", headers, query) as (answer, reader):
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/event-stream"
        lines = _lines(reader)
        while await anext(lines) != ": open":
            pass
        yield lines


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """Take the lines out of a chunked body."""
    rest = ""
    while size := int(await reader.readline(), 16):
        rest += (await reader.readexactly(size)).decode()
        await reader.readline()
        *whole, rest = rest.split("\n")
        for line in whole:
            yield line
