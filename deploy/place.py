"""DATA_DIR: the folders and secrets of one Leadline, owned by the user that it runs as."""

from __future__ import annotations

import base64
import contextlib
import os
import pwd
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.unpack import cache_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deploy.account import Account

# Ours: what runs as the other user reads its secrets there, and can change nothing.
OUR_FOLDERS = ("log", "run", "secrets")
FOLDERS = ("beat", "postgresql", "victoriametrics", "vmauth")
STEP_LIMIT_SECONDS = 300
PASSED_ON = (
    "PATH",
    "TZ",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
)


class PlaceError(Exception):
    """DATA_DIR cannot be used, or a step in it failed; the text is one sentence."""


def token() -> str:
    """Make a password that needs no quoting anywhere."""
    return secrets.token_urlsafe(32)


def fernet_key() -> str:
    """Make a Fernet key: 32 random bytes in URL-safe base64."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()


SECRETS: dict[str, Callable[[], str]] = {
    "secret_key": token,
    "encryption_keys": fernet_key,
    "database_password": token,
    "postgres_password": token,
    "redis_password": token,
    "demo_root_password": token,
    "demo_monitor_password": token,
    "demo_workload_password": token,
}


@dataclass(frozen=True)
class Place:
    """One DATA_DIR and the user that owns what is in it."""

    data: Path
    account: Account

    def lay_out(self) -> None:
        """Make what is missing; raises PlaceError where the folder is somebody else's."""
        if self.data.is_dir():
            self._check_ours()
        try:
            # The other user may go to what it knows by name, and list nothing.
            named = 0o711 if self.account.changes_user else 0o700
            for folder, mode in (
                (self.data, named),
                (self.data / "secrets", named),
                (self.data / "log", 0o700),
                (self.data / "run", 0o700),
            ):
                folder.mkdir(exist_ok=True, parents=True)
                folder.chmod(mode)
            for name in FOLDERS:
                self.folder(name)
            for name, make in SECRETS.items():
                path = self.secret(name)
                if not path.exists():
                    self.write(path, make() + "\n")
        except OSError as error:
            raise PlaceError(
                f"DATA_DIR={self.data} cannot be used: {error.filename}: {error.strerror}."
            ) from error

    def _check_ours(self) -> None:
        known = {*OUR_FOLDERS, *FOLDERS}
        if not self.secret("secret_key").exists() and any(
            path.is_dir() and path.name not in known for path in self.data.iterdir()
        ):
            raise PlaceError(
                f"DATA_DIR={self.data} holds other folders: name an empty or a new one."
            )
        owner = self.data.stat().st_uid
        if owner != os.geteuid():
            with contextlib.suppress(KeyError):
                raise PlaceError(
                    f"DATA_DIR={self.data} belongs to the user {pwd.getpwuid(owner).pw_name}: "
                    "run as that user, or name another folder."
                )

    def folder(self, name: str) -> Path:
        """Make a folder in DATA_DIR where it is missing, 0700 and the user's."""
        path = self.data / name
        path.mkdir(mode=0o700, exist_ok=True)
        self.account.give(path)
        return path

    def secret(self, name: str) -> Path:
        """Give the file of a secret."""
        return self.data / "secrets" / name

    def read_secret(self, name: str) -> str:
        """Read a secret."""
        return self.secret(name).read_text(encoding="utf-8").strip()

    def write(self, path: Path, text: str) -> None:
        """Write a file, 0600 and the user's: a crash leaves the old one or the new one."""
        # Never through a link: the folder may be the other user's, and we may be root.
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(fresh, flags, 0o600), "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        self.account.give(fresh)
        fresh.replace(path)

    def log(self, name: str) -> Path:
        """Give the log file of a process."""
        return self.data / "log" / f"{name}.log"

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        """Build a process's whole environment: what it needs of ours, and `extra`."""
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        # A proxy is for the outside; our processes find each other on loopback.
        for name in ("NO_PROXY", "no_proxy"):
            passed[name] = ",".join(filter(None, [passed.get(name), "127.0.0.1", "localhost"]))
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.data),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            # By this a later run knows what an earlier one left behind.
            "LEADLINE_DATA_DIR": str(self.data),
            "LEADLINE_CACHE_DIR": str(cache_dir()),
            **passed,
            **extra,
        }

    def step(
        self,
        argv: Sequence[str],
        extra: dict[str, str] | None = None,
        given: str = "",
        cwd: Path | None = None,
    ) -> str:
        """Run one command as the user with `given` on its standard input, and give what it printed.

        Raises PlaceError with the command's own last line. Nothing secret may be in `argv`.
        """
        try:
            done = subprocess.run(  # noqa: S603 - argv is built by deploy, not by a shell
                [*self.account.prefix, *argv],
                env=self.environment(extra or {}),
                cwd=cwd or self.data,
                input=given,
                capture_output=True,
                text=True,
                timeout=STEP_LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            name = Path(argv[0]).name
            raise PlaceError(f"{name} did not end within {STEP_LIMIT_SECONDS} s.") from error
        if done.returncode != 0:
            shown = done.stderr.strip() or done.stdout.strip() or "it printed nothing"
            raise PlaceError(
                f"{Path(argv[0]).name} failed with code {done.returncode}: {shown.splitlines()[-1]}"
            )
        return done.stdout

    def remove(self, path: Path) -> None:
        """Remove a half-made folder of ours."""
        shutil.rmtree(path, ignore_errors=True)
