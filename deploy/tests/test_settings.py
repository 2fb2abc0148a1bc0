from __future__ import annotations

from pathlib import Path

import pytest

from deploy.processes import fill, read_table
from deploy.settings import SettingError, complete, from_environment
from deploy.unpack import read_lock

TABLE = read_table()
DATA = Path("/srv/leadline")


def values(**given: str) -> dict[str, str]:
    return complete(from_environment(TABLE, given), DATA)


def test_the_defaults_listen_on_loopback_and_follow_from_each_other() -> None:
    found = values()
    assert found["LISTEN"] == "127.0.0.1:8427"
    assert found["PUBLIC_URL"] == found["VMAUTH_URL"] == "http://127.0.0.1:8427"
    assert found["secrets"] == "/srv/leadline/secrets"


def test_with_tls_our_own_processes_stay_on_loopback(tmp_path: Path) -> None:
    (tmp_path / "crt").write_text("x")
    (tmp_path / "key").write_text("x")
    tls = {"TLS_CERT": str(tmp_path / "crt"), "TLS_KEY": str(tmp_path / "key")}
    found = values(LISTEN="10.1.2.3:443", **tls)
    assert found["PUBLIC_URL"] == "https://10.1.2.3:443"
    assert found["VMAUTH_URL"] == "http://127.0.0.1:8437"
    with pytest.raises(SettingError, match="PUBLIC_URL must name"):
        values(LISTEN="0.0.0.0:443", **tls)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"LISTEN": "10.1.2.3:80"}, "needs TLS_CERT and TLS_KEY"),
        ({"LISTEN": "[::]:80"}, "needs TLS_CERT and TLS_KEY"),
        ({"LISTEN": "8427"}, "LISTEN must be an address and a port"),
        ({"LISTEN": "127.0.0.1:70000"}, "LISTEN must be an address and a port"),
        ({"LISTEN": "::1:8427"}, "in brackets"),
        ({"TLS_CERT": "/nowhere"}, "TLS_KEY is not"),
        ({"TLS_CERT": "/nowhere", "TLS_KEY": "/nowhere"}, "TLS_CERT names a file"),
        ({"REDIS_PORT": "many"}, "REDIS_PORT must be a port"),
        ({"REDIS_PORT": "8431"}, "REDIS_PORT and POSTGRES_PORT name the same port 8431"),
        ({"DJANGO_PORT": "8427"}, "DJANGO_PORT and LISTEN name the same port 8427"),
        ({"PUBLIC_URL": "http://db.example.com"}, "would carry every token in plain HTTP"),
        ({"PUBLIC_URL": "https://db.example.com/path"}, "without a path"),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL must be"),
        ({"DEMO": "yes"}, "DEMO must be 1 or 0"),
    ],
)
def test_a_wrong_setting_is_named(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        values(**given)


def test_every_row_of_the_table_can_be_filled_and_found() -> None:
    found, groups = values(), read_lock()
    seen: set[str] = set()
    for row in TABLE.processes.values():
        ready = [
            word
            for kind in row.ready.values()
            for word in ([kind] if isinstance(kind, str) else kind)
        ]
        for word in [*row.command, *row.environment.values(), *ready]:
            assert "{" not in fill(word, found)
        assert row.program in {"python", "agent", *groups}
        assert set(row.depends) <= seen, f"{row.name} stands before what it depends on"
        assert not row.port or row.port in TABLE.settings
        assert row.memory > 0
        assert row.description
        seen.add(row.name)


def test_no_secret_stands_on_a_command_line() -> None:
    for row in TABLE.processes.values():
        for word in row.command:
            assert "{secrets}" not in word or word.startswith(("{secrets}/", "-tls"))
        for name, value in row.environment.items():
            assert "{secrets}" not in value or name.endswith("_FILE")


def test_dependencies_come_before_what_needs_them() -> None:
    names = [row.name for row in TABLE.with_dependencies(["agent"])]
    assert names.index("postgresql") < names.index("setup") < names.index("vmauth")
    assert names[-1] == "agent"
    assert "demo-mariadb" not in names
