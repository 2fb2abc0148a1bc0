from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from deploy import archive, unpack
from deploy.archive import ArchiveError, Source, parse_deb822, parse_one_line, stanzas_for
from deploy.processes import fill, read_table
from deploy.unpack import Group, Package, UnpackError, binary, check_package, ensure, read_lock

if TYPE_CHECKING:
    from pathlib import Path

DEB822 = """\
Types: deb deb-src
# where it comes from
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
"""


def package(folder: Path, name: str, version: str) -> Path:
    """Build a package with one file."""
    tree = folder / f"{name}-{version}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/hello").write_text("#!/bin/sh\necho hello\n")
    (tree / "usr/share/doc/hello").mkdir(parents=True)
    (tree / "usr/share/doc/hello/README").write_text("no one reads it\n")
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: all\n"
        "Maintainer: none <none@example.com>\nDescription: for a test\n"
    )
    (tree / "DEBIAN").chmod(0o755)
    built = folder / f"{name}_{version}_all.deb"
    subprocess.run(
        ["/usr/bin/dpkg-deb", "--build", str(tree), str(built)], check=True, capture_output=True
    )
    return built


def hello(sha256: dict[str, str]) -> Group:
    return Group("hello", "bookworm", "none", (Package("hello", "1.0-1", sha256),))


def test_the_newer_format_of_apts_sources_is_read_without_what_is_switched_off() -> None:
    first, security = parse_deb822(DEB822)
    assert first.uri == "http://mirror.example/debian"
    assert first.suites == ("bookworm", "bookworm-updates")
    assert first.components == ("main", "contrib")
    assert "PUBLIC KEY BLOCK" in first.options["Signed-By"]
    assert security.suites == ("bookworm-security",)


def test_the_older_format_of_apts_sources_is_read_with_its_options() -> None:
    (found,) = parse_one_line(
        "# a comment\n"
        "deb-src http://mirror.example/debian bookworm main\n"
        "deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main # last\n"
    )
    assert found == Source(
        "http://mirror.example/debian", ("bookworm",), ("main",), {"Signed-By": "/k.gpg"}
    )


def test_a_view_of_another_suite_uses_the_machines_own_mirror_alone() -> None:
    text = stanzas_for("sid", parse_deb822(DEB822), "bookworm")
    assert "URIs: http://mirror.example/debian\n" in text
    assert "Suites: sid\n" in text
    assert "security" not in text


def test_a_view_of_the_machines_suite_has_its_updates_and_security_fixes() -> None:
    text = stanzas_for("bookworm", parse_deb822(DEB822), "bookworm")
    assert "Suites: bookworm\n" in text
    assert "Suites: bookworm-updates\n" in text
    assert "URIs: http://mirror.example/debian-security\nSuites: bookworm-security\n" in text


def test_another_vendors_source_is_not_taken_for_debians_mirror() -> None:
    other = parse_one_line("deb https://packages.example/cloud cloud-bookworm main\n")
    with pytest.raises(ArchiveError, match="name no Debian mirror"):
        stanzas_for("sid", other, "bookworm")


def test_a_package_with_the_locked_hash_is_accepted_in_silence(tmp_path: Path) -> None:
    built = package(tmp_path, "hello", "1.0-1")
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    said: list[str] = []
    check_package(built, hello({unpack.architecture(): digest}), said.append)
    assert said == []


def test_a_newer_package_is_accepted_with_one_warning(tmp_path: Path) -> None:
    said: list[str] = []
    built = package(tmp_path, "hello", "1.1-1")
    check_package(built, hello({unpack.architecture(): "0" * 64}), said.append)
    assert len(said) == 1
    assert "hello is 1.1-1 in the archive" in said[0]
    assert "1.0-1" in said[0]


def test_another_hash_for_the_same_version_is_refused(tmp_path: Path) -> None:
    built = package(tmp_path, "hello", "1.0-1")
    with pytest.raises(UnpackError, match=r"hello 1\.0-1 has another SHA-256"):
        check_package(built, hello({unpack.architecture(): "0" * 64}), print)


def test_a_tree_is_made_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shelf:
        """An archive that holds one package."""

        def closure(self, packages: list[str], *, beside_host: bool) -> list[str]:
            return packages

        def download(self, packages: list[str], folder: Path) -> None:
            folder.mkdir()
            package(folder, "hello", "1.0-1")

    monkeypatch.setenv("LEADLINE_CACHE_DIR", str(tmp_path))
    good = hello({})
    broken = dataclasses.replace(good, probe=("usr/bin/missing",))
    monkeypatch.setattr(unpack, "group_named", lambda _: broken)
    with pytest.raises((UnpackError, OSError)):
        unpack._make(broken, Shelf(), print)  # type: ignore[arg-type] # stands in for a View
    assert list((tmp_path / "trees").iterdir()) == []
    monkeypatch.setattr(unpack, "group_named", lambda _: good)
    old_umask = os.umask(0o077)
    try:
        unpack._make(good, Shelf(), print)  # type: ignore[arg-type] # stands in for a View
    finally:
        os.umask(old_umask)
    root = unpack.tree("hello")
    assert root.stat().st_mode & 0o055 == 0o055
    assert (root / "usr/bin/hello").stat().st_mode & 0o044 == 0o044
    assert not (root / "usr/share/doc").exists()


def test_every_group_names_a_version_and_a_hash_of_each_package() -> None:
    groups = read_lock()
    assert {"postgresql", "redis", "victoriametrics", "mariadb", "mysql9"} <= set(groups)
    for group in groups.values():
        assert group.closure in {"host", "none", "standalone"}
        for each in group.packages:
            assert each.version
            assert len(each.sha256["amd64"]) == 64


def test_a_program_that_is_not_unpacked_is_named_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_CACHE_DIR", str(tmp_path))
    with pytest.raises(UnpackError, match=r"python3 -m deploy\.unpack redis"):
        binary("redis", "redis-server")


def test_a_group_that_is_not_locked_is_refused() -> None:
    with pytest.raises(UnpackError, match=r"oracle is not in deploy/versions\.lock"):
        ensure(["oracle"])


def test_the_machines_own_apt_state_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "read_sources", lambda: parse_deb822(DEB822))
    view = archive.View("sid", tmp_path / "view")
    settings = (tmp_path / "view/apt.conf").read_text()
    assert f'Dir::State "{tmp_path}/view";' in settings
    assert f'Dir::Cache "{tmp_path}/view";' in settings
    assert "Post-Invoke" not in settings
    assert (tmp_path / "view/apt.conf").stat().st_mode & 0o077 == 0
    view.drop()
    assert not (tmp_path / "view").exists()


@pytest.mark.parametrize("name", ["victoriametrics", "vmauth"])
def test_every_flag_we_use_stands_in_help(name: str) -> None:
    row = read_table().processes[name]
    ensure([row.program])
    how = binary(row.program, row.command[0])
    shown = subprocess.run(
        [*how.argv, "-help"],
        env={**os.environ, **how.env},
        capture_output=True,
        text=True,
        check=False,
    )
    known = {
        line.split()[0] for line in (shown.stdout + shown.stderr).splitlines() if "  -" in line
    }
    words = [*row.command[1:], *(word for words in row.when.values() for word in words)]
    used = {word.split("=")[0] for word in words}
    assert used
    assert used - known == set()


def test_placeholders_without_a_value_are_an_error() -> None:
    assert fill("a {X.y} b", {"X.y": "1"}) == "a 1 b"
    with pytest.raises(KeyError):
        fill("{UNKNOWN}", {})
