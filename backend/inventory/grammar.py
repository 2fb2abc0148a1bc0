"""What a slug, an address, a label and the other fields of a node or service may look like.

Pure: a value goes in, one sentence comes out, or None where the value is fine. The agent's routes
and the API for people judge by the same functions.
"""

import ipaddress
import re
from collections.abc import Mapping

ENGINES = ("mysql", "mariadb")
TLS_MODES = ("off", "preferred", "required", "skip-verify")
LABELS = ("cluster", "replication_set", "environment")
LABEL_MAX = 128
NAME_MAX = 200
PASSWORD_MAX = 1024
TAG_MAX = 64
TAGS_MAX = 20

_SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_HOST = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?"
)
_PORT_MAX = 65535
_SOCKET_PATH_MAX = 107  # what fits into sun_path of a Unix socket address
_PORT_DIGITS = 5


def slug_problem(value: str) -> str | None:
    """Judge a slug: 1 to 63 of a-z, 0-9 and '-', with a letter or digit at both ends."""
    if _SLUG.fullmatch(value):
        return None
    return (
        "Use 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends."
    )


def address_problem(value: str) -> str | None:
    """Judge an address: host:port, [IPv6 address]:port or unix:/path."""
    if value.startswith("unix:"):
        path = value.removeprefix("unix:")
        if path.startswith("/") and path.isprintable() and len(path.encode()) <= _SOCKET_PATH_MAX:
            return None
        return (
            f"Give the socket as unix:/path, an absolute path of at most {_SOCKET_PATH_MAX} bytes."
        )
    host, colon, port = value.rpartition(":")
    if not (colon and _port_fits(port) and _host_fits(host)):
        return "Use host:port, [IPv6 address]:port or unix:/path."
    return None


def _port_fits(port: str) -> bool:
    return (
        port.isascii()
        and port.isdigit()
        and len(port) <= _PORT_DIGITS
        and 1 <= int(port) <= _PORT_MAX
    )


def _host_fits(host: str) -> bool:
    if not host.startswith("["):
        return bool(_HOST.fullmatch(host))
    if not host.endswith("]"):
        return False
    try:
        ipaddress.IPv6Address(host[1:-1])
    except ValueError:
        return False
    return True


def is_local(address: str) -> bool:
    """Tell whether an address is a socket or a loopback address: one of the agent's own host."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".").lower() in {"localhost", "localhost.localdomain"}


def engine_problem(value: str) -> str | None:
    """Judge an engine: one that an agent of this release can watch."""
    return None if value in ENGINES else f"Use one of {', '.join(ENGINES)}."


def tls_problem(value: str) -> str | None:
    """Judge how the agent is to speak to the database server."""
    return None if value in TLS_MODES else f"Use one of {', '.join(TLS_MODES)}."


def text_problem(value: str, longest: int = LABEL_MAX) -> str | None:
    """Judge a text: printable and not too long; empty is fine."""
    if len(value) > longest:
        return f"Use at most {longest} characters."
    return None if value.isprintable() else "Use printable characters only."


def password_problem(value: str) -> str | None:
    """Judge a password: any character but NUL, which no server accepts."""
    if len(value) > PASSWORD_MAX:
        return f"Use at most {PASSWORD_MAX} characters."
    return "A password cannot hold a NUL character." if "\0" in value else None


def user_problem(value: str) -> str | None:
    """Judge the name of a database user."""
    return text_problem(value) if value else "Name the database user that the agent signs in as."


def tags_problem(values: list[str]) -> str | None:
    """Judge tags: at most 20, each of 1 to 64 printable characters, none twice."""
    if len(values) > TAGS_MAX:
        return f"Use at most {TAGS_MAX} tags."
    if len(set(values)) < len(values):
        return "Name each tag once."
    if any(not tag or text_problem(tag, TAG_MAX) for tag in values):
        return f"A tag is 1 to {TAG_MAX} printable characters."
    return None


def label_problems(labels: Mapping[str, str]) -> dict[str, str]:
    """Judge labels by name; one that is not ours is left for a newer version to know."""
    found = {name: text_problem(labels[name]) for name in LABELS if name in labels}
    return {name: sentence for name, sentence in found.items() if sentence}


def one_line(value: str, longest: int = 500) -> str:
    """Return text that an agent reports as one printable line, cut to fit and never refused."""
    words = " ".join("".join(c if c.isprintable() else " " for c in value).split())
    return words if len(words) <= longest else words[: longest - 1] + "…"
