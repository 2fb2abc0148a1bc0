"""Whom the processes run as: ourselves, or, for root, a user without rights who is created once."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from deploy.unpack import cache_dir

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "leadline"
# PostgreSQL and MariaDB refuse to run as root, and so should everything that speaks to a network.
_DROP = ("setpriv", f"--reuid={NAME}", f"--regid={NAME}", "--clear-groups", "--no-new-privs")
_READ_ANYWHERE = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")


class AccountError(Exception):
    """The unprivileged user cannot be had or cannot work here; the text is one sentence."""


@dataclass(frozen=True)
class Account:
    """A user that processes run as; `prefix` goes before their command."""

    name: str
    uid: int
    gid: int
    prefix: tuple[str, ...] = field(default=())

    @property
    def changes_user(self) -> bool:
        """Tell whether files must be given to the user because we are another one."""
        return bool(self.prefix)

    def give(self, path: Path) -> None:
        """Make the user the owner of one file or folder."""
        if self.changes_user:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def _create(say: Callable[[str], None]) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(NAME)
    except KeyError:
        pass
    tool = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if tool is None:
        raise AccountError(
            f"the user {NAME} is missing and useradd is not installed: apt-get install passwd"
        )
    made = subprocess.run(  # noqa: S603 - a fixed command
        [
            tool,
            "--system",
            "--user-group",
            "--no-create-home",
            "--home-dir",
            "/nonexistent",
            "--shell",
            "/usr/sbin/nologin",
            NAME,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError as error:
        raise AccountError(f"the user {NAME} cannot be created: {made.stderr.strip()}") from error
    if made.returncode == 0:
        say(f"created the system user {NAME}: everything runs as that user, nothing as root")
    return entry


def _works(prefix: tuple[str, ...], paths: list[Path]) -> bool:
    """Tell whether a command behind this prefix can read each path, and run it where it is one."""
    script = (
        'for p do [ -r "$p" ] || exit 1;'
        ' case "$p" in */bin/*) [ -d "$p" ] || [ -x "$p" ] || exit 1;; esac; done'
    )
    asked = subprocess.run(  # noqa: S603 - a fixed command
        [*prefix, "/bin/sh", "-c", script, "sh", *map(str, paths)], capture_output=True, check=False
    )
    return asked.returncode == 0


def account_for(paths: list[Path], say: Callable[[str], None] = print) -> Account:
    """Give the account that processes run as; `paths` are what it must be able to read.

    For root this is the user `leadline`. Where that user cannot enter the folders, it gets the one
    right to read everything, and one line says so.
    """
    if os.geteuid() != 0:
        entry = pwd.getpwuid(os.geteuid())
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    entry = _create(say)
    plain = Account(NAME, entry.pw_uid, entry.pw_gid, _DROP)
    # PostgreSQL asks with access(2), which takes no account of that right.
    if not _works(plain.prefix, [cache_dir()]):
        raise AccountError(
            f"the user {NAME} cannot enter {cache_dir()}: let LEADLINE_CACHE_DIR name a folder "
            "that every user can enter, or leave it unset"
        )
    if _works(plain.prefix, paths):
        return plain
    reading = replace(plain, prefix=_DROP + _READ_ANYWHERE)
    if not _works(reading.prefix, paths):
        closed = next(
            (str(path) for path in paths if not _works(reading.prefix, [path])), "a folder"
        )
        raise AccountError(
            f"the user {NAME} cannot use {closed}: move the repository and DATA_DIR to a folder "
            "that every user can enter, such as /opt"
        )
    closed = next((str(path) for path in paths if not _works(plain.prefix, [path])), "a folder")
    say(
        f"the user {NAME} cannot enter {closed}, so its processes get the right to read every "
        "file (CAP_DAC_READ_SEARCH);"
        " avoid it by keeping the repository and DATA_DIR where every user can enter, such as /opt"
    )
    return reading
