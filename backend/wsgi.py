"""The API and the user interface, as granian serves them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.settings")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

_django = get_wsgi_application()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request; vmauth ends TLS, so PUBLIC_URL tells what the client used."""
    environ["wsgi.url_scheme"] = "https" if settings.PUBLIC_IS_HTTPS else "http"
    return _django(environ, start_response)
