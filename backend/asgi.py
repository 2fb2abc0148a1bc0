"""The small ASGI process: requests that wait (live pages, agents' long polls)."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.settings")

import django

django.setup()

from backend.fleet.stream import application  # noqa: E402 - it uses models

__all__ = ["application"]
