"""The API and the user interface, as granian serves them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.settings")

from django.conf import settings  # noqa: E402 -- after the module's name is set
from django.core.wsgi import get_wsgi_application  # noqa: E402

_django = get_wsgi_application()
_scheme = "https" if settings.PUBLIC_IS_HTTPS else "http"


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request. vmauth ends TLS, so PUBLIC_URL and not the connection says what the client used."""
    environ["wsgi.url_scheme"] = _scheme
    return _django(environ, start_response)
