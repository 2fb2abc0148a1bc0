from __future__ import annotations

import os
from pathlib import Path

import pytest

from deploy.account import Account, AccountError, account_for
from deploy.place import Place, PlaceError

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")


@as_root
def test_an_open_folder_needs_no_rights(open_folder: Path) -> None:
    said: list[str] = []
    account = account_for([open_folder], said.append)
    assert account.uid != 0
    assert not any("caps" in word for word in account.prefix)
    assert not any("CAP_DAC_READ_SEARCH" in line for line in said)


@as_root
def test_in_a_closed_folder_the_user_gets_one_right_and_a_line_says_so(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "note").write_text("read me\n")
    said: list[str] = []
    account = account_for([closed / "note"], said.append)
    (line,) = [line for line in said if "cannot enter" in line]
    assert "CAP_DAC_READ_SEARCH" in line
    assert "/opt" in line
    place = Place(closed, account)
    assert place.step(["cat", str(closed / "note")], cwd=Path("/")) == "read me\n"
    with pytest.raises(PlaceError, match="Permission denied"):
        place.step(["touch", str(closed / "note")], cwd=Path("/"))


@as_root
def test_a_closed_cache_is_refused(
    open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("LEADLINE_CACHE_DIR", str(tmp_path))
    with pytest.raises(AccountError, match="LEADLINE_CACHE_DIR"):
        account_for([open_folder], print)


def ourselves() -> Account:
    return Account("us", os.geteuid(), os.getegid())


def test_a_file_is_never_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("kept")
    (tmp_path / "x").symlink_to(target)
    (tmp_path / f".x.{os.getpid()}").symlink_to(target)
    Place(tmp_path, ourselves()).write(tmp_path / "x", "new")
    assert target.read_text() == "kept"
    assert (tmp_path / "x").read_text() == "new"
    assert not (tmp_path / "x").is_symlink()
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


def test_secrets_are_made_once(tmp_path: Path) -> None:
    place = Place(tmp_path / "data", ourselves())
    place.lay_out()
    first = place.read_secret("secret_key")
    place.lay_out()
    assert place.read_secret("secret_key") == first
    assert first != place.read_secret("redis_password")


def test_a_step_that_fails_says_what_it_said_last(tmp_path: Path) -> None:
    place = Place(tmp_path, ourselves())
    with pytest.raises(PlaceError, match="sh failed with code 3: the reason"):
        place.step(["sh", "-c", "echo first >&2; echo the reason >&2; exit 3"])


def test_proxies_are_not_for_loopback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "intranet.example")
    monkeypatch.setenv("SOME_SECRET", "x")
    env = Place(tmp_path, ourselves()).environment({"A": "b"})
    assert env["NO_PROXY"] == "intranet.example,127.0.0.1,localhost"
    assert env["HTTPS_PROXY"] == "http://proxy.example:3128"
    assert env["A"] == "b"
    assert "SOME_SECRET" not in env
