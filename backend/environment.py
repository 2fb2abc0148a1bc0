"""The environment, read once: every value has a type, and a wrong one names its variable."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.fernet import Fernet

_HIGHEST_PORT = 65535

PLACEHOLDERS = {
    "SECRET_KEY": "placeholder-that-signs-nothing-000000000000000000",
    "ENCRYPTION_KEYS": "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=",
    "DATABASE_HOST": "127.0.0.1",
    "DATABASE_PORT": "1",
    "DATABASE_NAME": "none",
    "DATABASE_USER": "none",
    "DATABASE_PASSWORD": "none",
    "REDIS_HOST": "127.0.0.1",
    "REDIS_PORT": "1",
    "REDIS_PASSWORD": "none",
    "VICTORIAMETRICS_URL": "http://127.0.0.1:1",
    "VMAUTH_URL": "http://127.0.0.1:1",
    "VMAUTH_CONFIG": "/nonexistent/vmauth.yml",
    "DJANGO_URL": "http://127.0.0.1:1",
    "ASGI_URL": "http://127.0.0.1:1",
    "PUBLIC_URL": "http://127.0.0.1:8427",
}
"""Stand-ins with which types, new migrations and the OpenAPI file are made where nothing runs."""


class WrongSetting(Exception):
    """A setting is missing or wrong; the message is one sentence that names it."""


class Environment:
    """Typed environment variables; a secret NAME may also stand in a file that NAME_FILE names."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; an empty one counts as missing."""
        value = self._variables.get(name, "").strip() or default
        if value is None:
            raise WrongSetting(f"{name} is not set.")
        return value

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """Return one of some words, in lower case."""
        value = self.text(name, default).lower()
        if value not in choices:
            raise WrongSetting(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
        return value

    def port(self, name: str) -> int:
        """Return a TCP port."""
        value = self.text(name)
        if not (value.isascii() and value.isdigit() and 1 <= int(value) <= _HIGHEST_PORT):
            raise WrongSetting(f"{name} must be a port from 1 to {_HIGHEST_PORT}, not {value!r}.")
        return int(value)

    def url(self, name: str) -> str:
        """Return a server's address: scheme, host and port, no path and no slash at its end."""
        value = self.text(name).rstrip("/")
        if not _is_server(value):
            raise WrongSetting(
                f"{name} must be an address such as "
                "https://leadline.example.org or http://127.0.0.1:8427."
            )
        return value

    def path(self, name: str, default: str | None = None) -> Path:
        """Return a path in the file system; a relative one begins at the working directory."""
        return Path(self.text(name, default)).absolute()

    def secret(self, name: str, shortest: int = 1) -> str:
        """Return a secret of NAME or of the file that NAME_FILE names; no error repeats it."""
        file = self._variables.get(f"{name}_FILE", "").strip()
        value = self._variables.get(name, "").strip()
        if file and value:
            raise WrongSetting(f"{name} and {name}_FILE are both set; set one of them.")
        if file:
            try:
                value = Path(file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or "it is not text"
                raise WrongSetting(
                    f"{name}_FILE names {file}, which cannot be read: {reason}."
                ) from None
        if not value:
            where = (
                f"{name}_FILE names {file}, which is empty."
                if file
                else f"{name} (or {name}_FILE) is not set."
            )
            raise WrongSetting(where)
        if len(value) < shortest:
            raise WrongSetting(f"{name} must have at least {shortest} characters.")
        return value

    def fernet_keys(self, name: str) -> tuple[str, ...]:
        """Return the encryption keys, newest first."""
        keys = tuple(self.secret(name).split())
        for number, key in enumerate(keys, start=1):
            try:
                Fernet(key)
            except ValueError:
                raise WrongSetting(
                    f"{name}: key {number} is not a Fernet key (32 bytes in URL-safe base64)."
                ) from None
        return keys


def _is_server(value: str) -> bool:
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        return False
    more = parts.path or parts.query or parts.fragment or parts.username
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and port != 0 and not more
