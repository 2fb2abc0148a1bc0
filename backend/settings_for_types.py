"""The settings as mypy's Django plugin reads them: the real ones, with stand-ins."""

from __future__ import annotations

import os

from backend.environment import PLACEHOLDERS

for _name, _value in PLACEHOLDERS.items():
    os.environ.setdefault(_name, _value)

from backend.settings import *  # noqa: E402, F403 - all of them, after the stand-ins
