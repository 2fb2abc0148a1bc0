"""The small ASGI process: requests that wait (live pages, agents' long polls). Everything else is Django's."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.settings")

import django  # noqa: E402 -- after the module's name is set

django.setup()

from backend.fleet.stream import application  # noqa: E402 -- it uses models, so Django must be set up

__all__ = ["application"]
