"""Behind vmauth, which ends TLS."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from backend import wsgi


@pytest.mark.parametrize("https", [True, False])
def test_the_public_address_says_what_the_client_used(
    settings: Any, monkeypatch: pytest.MonkeyPatch, https: bool
) -> None:
    settings.PUBLIC_IS_HTTPS = https
    seen: list[str] = []
    monkeypatch.setattr(wsgi, "_django", lambda environ, _: seen.append(environ["wsgi.url_scheme"]))

    wsgi.application(RequestFactory().get("/").environ, lambda *_: None)

    assert seen == ["https" if https else "http"]
