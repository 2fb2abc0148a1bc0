"""A wrong setting stops the process with one sentence that names it."""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from backend import logs
from backend.environment import PLACEHOLDERS, Environment, WrongSetting

KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="


def message(method: str, **variables: str) -> str:
    with pytest.raises(WrongSetting) as caught:
        getattr(Environment(variables), method)("NAME")
    return str(caught.value)


@pytest.mark.parametrize("value", ["", "0", "65536", "-1", "http", "8427x", "٣"])
def test_a_wrong_port_is_named(value: str) -> None:
    assert "NAME" in message("port", NAME=value)


@pytest.mark.parametrize(
    "value",
    [
        "leadline.example.org",
        "ftp://leadline.example.org",
        "https://",
        "http://host:port",
        "http://host:99999",
        "https://leadline.example.org/path",
        "https://user:password@leadline.example.org",
        "http://[::1",
    ],
)
def test_a_wrong_address_is_named_and_not_repeated(value: str) -> None:
    said = message("url", NAME=value)

    assert said.startswith("NAME must be an address such as ")
    assert "password" not in said


def test_an_address_loses_its_last_slash() -> None:
    assert (
        Environment({"NAME": "https://leadline.example.org/"}).url("NAME")
        == "https://leadline.example.org"
    )


def test_a_secret_stands_in_a_variable_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")

    assert Environment({"NAME": "from the variable"}).secret("NAME") == "from the variable"
    assert Environment({"NAME_FILE": str(file)}).secret("NAME") == "from the file"
    assert "both" in message("secret", NAME="a", NAME_FILE=str(file))
    assert message("secret") == "NAME (or NAME_FILE) is not set."
    assert "cannot be read" in message("secret", NAME_FILE=str(tmp_path / "nothing"))
    assert "cannot be read" in message("secret", NAME_FILE=str(tmp_path))
    file.write_text("\n")
    assert "empty" in message("secret", NAME_FILE=str(file))
    file.write_bytes(b"\xff\xfe")
    assert "not text" in message("secret", NAME_FILE=str(file))


def test_a_secret_never_stands_in_the_message() -> None:
    with pytest.raises(WrongSetting) as caught:
        Environment({"NAME": "hunter2"}).secret("NAME", shortest=32)
    assert str(caught.value) == "NAME must have at least 32 characters."
    assert message("fernet_keys", NAME=f"{KEY}\nhunter2") == (
        "NAME: key 2 is not a Fernet key (32 bytes in URL-safe base64)."
    )


def test_encryption_keys_stand_one_a_line() -> None:
    assert Environment({"NAME": f"{KEY}\n{KEY}\n"}).fernet_keys("NAME") == (KEY, KEY)


def test_a_choice_names_the_choices() -> None:
    with pytest.raises(WrongSetting, match="NAME must be one of info, error"):
        Environment({"NAME": "loud"}).choice("NAME", ("info", "error"), "info")


@pytest.fixture
def read_settings(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Return a function that reads the settings as a new process would."""
    monkeypatch.setattr(logs, "configure", lambda level: None)
    for name in list(os.environ):
        if name.removesuffix("_FILE") in PLACEHOLDERS:
            monkeypatch.delenv(name)

    def read(**variables: str) -> dict[str, Any]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(Path(logs.__file__).with_name("settings.py")))

    return read


@pytest.mark.parametrize("name", sorted(PLACEHOLDERS))
def test_each_missing_setting_is_named(
    read_settings: Callable[..., dict[str, Any]], name: str
) -> None:
    others = {key: value for key, value in PLACEHOLDERS.items() if key != name}

    with pytest.raises(WrongSetting, match=rf"^{name}\b.* is not set\.$"):
        read_settings(**others)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cookies_are_secure_where_the_public_address_is(
    read_settings: Callable[..., dict[str, Any]], scheme: str
) -> None:
    public = f"{scheme}://leadline.example.org:8427"
    read = read_settings(**{**PLACEHOLDERS, "PUBLIC_URL": public})

    secure = scheme == "https"
    assert read["SESSION_COOKIE_SECURE"] is read["CSRF_COOKIE_SECURE"] is secure
    assert (read["SECURE_HSTS_SECONDS"] > 0) is secure
    assert read["CSRF_TRUSTED_ORIGINS"] == [public]
    assert read["ALLOWED_HOSTS"] == ["127.0.0.1", "[::1]", "leadline.example.org", "localhost"]
    assert not read["PUBLIC_IS_LOOPBACK"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "[::1]"])
def test_a_loopback_address_is_known(
    read_settings: Callable[..., dict[str, Any]], host: str
) -> None:
    assert read_settings(**{**PLACEHOLDERS, "PUBLIC_URL": f"http://{host}:8427"})[
        "PUBLIC_IS_LOOPBACK"
    ]


def test_a_password_with_odd_letters_reaches_redis_whole(
    read_settings: Callable[..., dict[str, Any]],
) -> None:
    url = read_settings(**{**PLACEHOLDERS, "REDIS_PASSWORD": "a/b@c:d#e"})["REDIS_URL"]

    assert unquote(urlsplit(url).password or "") == "a/b@c:d#e"
    assert urlsplit(url).port == int(PLACEHOLDERS["REDIS_PORT"])
