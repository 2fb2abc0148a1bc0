"""Long-lived keys: shown once, kept as a prefix to find them by and a SHA-256 to judge them by.

A key is 256 random bits, so a plain hash is as good as a slow one, and costs the agents nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
from typing import NamedTuple

API_KEY = "llk_"
AGENT_KEY = "lla_"
ENROLMENT_TOKEN = "lle_"  # noqa: S105 - a kind of token, not one

_ALPHABET = string.ascii_letters + string.digits
_SHOWN = 8
_HIDDEN = 43  # letters and digits carry 5.95 bits each: 43 of them are 256 bits


class Secret(NamedTuple):
    """A new key: `full` is for its owner alone, the other two are kept."""

    full: str
    prefix: str
    sha256: str


def new_secret(kind: str) -> Secret:
    """Make a key of a kind (API_KEY, AGENT_KEY or ENROLMENT_TOKEN)."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_SHOWN + _HIDDEN))
    full = kind + body
    return Secret(full, full[: len(kind) + _SHOWN], digest(full))


def digest(full: str) -> str:
    """Return the hexadecimal SHA-256 that is kept of a key."""
    return hashlib.sha256(full.encode()).hexdigest()


def split(full: str, kind: str) -> str | None:
    """Return the prefix to look a key up by; None where it cannot be a key of that kind."""
    if not full.startswith(kind) or len(full) != len(kind) + _SHOWN + _HIDDEN:
        return None
    if not (full.isascii() and full[len(kind) :].isalnum()):
        return None
    return full[: len(kind) + _SHOWN]


def verify(full: str, sha256: str) -> bool:
    """Tell in constant time whether a key is the one whose hash was kept."""
    return hmac.compare_digest(digest(full), sha256)
