"""The settings of one run: read, checked, and completed with what follows from them."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deploy.processes import Table

ROOT = Path(__file__).resolve().parent.parent
HIGHEST_PORT = 65535


class SettingError(Exception):
    """A setting is wrong; the text is one sentence that names it."""


def from_environment(table: Table, environ: Mapping[str, str]) -> dict[str, str]:
    """Give every setting of the table its value from the environment, else its default."""
    return {
        name: environ.get(name, "").strip() or setting.default
        for name, setting in table.settings.items()
    }


def split_address(value: str) -> tuple[str, int]:
    """Split `host:port` or `[v6]:port`; raises SettingError when it is neither."""
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) <= HIGHEST_PORT:
        raise SettingError(
            f"LISTEN must be an address and a port such as 127.0.0.1:8427, not {value!r}."
        )
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise SettingError(
            f"LISTEN must hold an IPv6 address in brackets, such as [::1]:8427, not {value!r}."
        )
    return host.strip("[]"), int(port)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach the host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_tls(values: dict[str, str], host: str) -> None:
    given = [name for name in ("TLS_CERT", "TLS_KEY") if values.get(name)]
    if len(given) == 1:
        other = "TLS_KEY" if given == ["TLS_CERT"] else "TLS_CERT"
        raise SettingError(f"{given[0]} is set and {other} is not: TLS needs both.")
    for name in given:
        try:
            Path(values[name]).read_bytes()
        except OSError as error:
            raise SettingError(
                f"{name} names a file that cannot be read: {values[name]}: {error.strerror}."
            ) from error
    if not given and not is_loopback(host):
        raise SettingError(
            f"LISTEN={values['LISTEN']} can be reached from other hosts and needs TLS_CERT and "
            "TLS_KEY: plain HTTP would show every token."
        )


def _check_ports(values: dict[str, str], port: int) -> None:
    owners = {port: "LISTEN"}
    for name in (name for name in values if name.endswith("_PORT")):
        value = values[name]
        if not value.isascii() or not value.isdigit() or not 0 < int(value) <= HIGHEST_PORT:
            raise SettingError(f"{name} must be a port from 1 to {HIGHEST_PORT}, not {value!r}.")
        if int(value) in owners:
            raise SettingError(f"{name} and {owners[int(value)]} name the same port {value}.")
        owners[int(value)] = name


def _public_url(values: dict[str, str], host: str, scheme: str) -> str:
    given = values.get("PUBLIC_URL", "").rstrip("/")
    if not given:
        if host in {"0.0.0.0", "::"}:  # noqa: S104 - a comparison, nothing is bound
            raise SettingError(
                f"LISTEN={values['LISTEN']} is every address of this machine: PUBLIC_URL must "
                "name the one that people and agents use."
            )
        return f"{scheme}://{values['LISTEN']}"
    parts = urlsplit(given)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path or parts.query:
        raise SettingError(
            f"PUBLIC_URL must be like https://leadline.example.com, without a path, not {given!r}."
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise SettingError(f"PUBLIC_URL={given} would carry every token in plain HTTP: use https.")
    return given


def complete(given: Mapping[str, str], data: Path) -> dict[str, str]:
    """Check the settings and give the values that processes.yaml's placeholders stand for.

    Raises SettingError with one sentence that names the setting.
    """
    values = dict(given)
    if values.get("LOG_LEVEL", "info") not in {"debug", "info", "warning", "error"}:
        raise SettingError(
            f"LOG_LEVEL must be debug, info, warning or error, not {values['LOG_LEVEL']!r}."
        )
    for name in ("DEMO", "TESTING"):
        if values.get(name, "") not in {"", "0", "1"}:
            raise SettingError(f"{name} must be 1 or 0, not {values[name]!r}.")
    host, port = split_address(values["LISTEN"])
    _check_tls(values, host)
    _check_ports(values, port)
    tls = bool(values.get("TLS_CERT"))
    values["PUBLIC_URL"] = _public_url(values, host, "https" if tls else "http")
    # The server's own processes reach vmauth over loopback, where no certificate fits.
    values["VMAUTH_URL"] = (
        f"http://127.0.0.1:{values['VMAUTH_LOCAL_PORT']}" if tls else f"http://{values['LISTEN']}"
    )
    return {
        **values,
        "LISTEN.port": str(port),
        "data": str(data),
        "secrets": str(data / "secrets"),
        "root": str(ROOT),
    }
