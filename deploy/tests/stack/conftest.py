"""One running server for all stack tests: what `make run` starts, without an agent and the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deploy.stack import Stack
from deploy.tests.stack.tenants import Tenant, make_tenants

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Start the whole server on free ports; stop it by process id at the end."""
    running = Stack(
        tmp_path_factory.mktemp("server"), ["vmauth", "django", "asgi", "worker", "canary"]
    )
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def url(stack: Stack) -> str:
    """Give the one address that agents and browsers use."""
    return stack.env["PUBLIC_URL"]


@pytest.fixture(scope="session")
def tenants(stack: Stack, url: str) -> tuple[Tenant, Tenant]:
    """Give two orgs that own the same kinds of things."""
    return make_tenants(stack, url)
