"""Unpack servers from Debian packages into a cache folder, without installing anything.

`python3 -m deploy.unpack GROUP…` fetches groups of deploy/versions.lock; `binary` then says how to
run a program of one. The trees are shared by all clones of this repository on the machine. Needs no
more than Python's standard library.
"""

from __future__ import annotations

import contextlib
import fcntl
import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deploy.archive import ArchiveError, View, command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOCK_FILE = Path(__file__).with_name("versions.lock")
NOT_NEEDED = (
    "./usr/share/doc",
    "./usr/share/man",
    "./usr/share/locale",
    "./usr/share/icu",
    "*/bitcode",
)
PROBE_LIMIT_SECONDS = 30
# Raise this when trees made by older code must be made again.
LAYOUT = 1


class UnpackError(Exception):
    """A server cannot be unpacked or run; the text is one sentence."""


@dataclass(frozen=True)
class Package:
    """A named package: the version this repository was tried with, its hashes by architecture."""

    name: str
    version: str
    sha256: dict[str, str]


@dataclass(frozen=True)
class Group:
    """A server (or a few of one release) in one tree. versions.lock explains the fields."""

    name: str
    suite: str
    closure: str
    packages: tuple[Package, ...]
    leave_out: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    probe: tuple[str, ...] = ()


@dataclass(frozen=True)
class Binary:
    """How to run an unpacked program: `argv` before its arguments, `env` in its environment."""

    argv: list[str]
    env: dict[str, str] = field(default_factory=dict)


def read_lock(path: Path = LOCK_FILE) -> dict[str, Group]:
    """Read versions.lock."""
    document: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: Group(
            name=name,
            suite=entry["suite"],
            closure=entry["closure"],
            packages=tuple(
                Package(key, p["version"], p.get("sha256", {}))
                for key, p in entry["packages"].items()
            ),
            **{key: tuple(entry.get(key, ())) for key in ("leave_out", "only", "probe")},
        )
        for name, entry in document.items()
    }


def cache_dir() -> Path:
    """Give the folder that all clones share; LEADLINE_CACHE_DIR names another one."""
    named = os.environ.get("LEADLINE_CACHE_DIR")
    if named:
        return Path(named).resolve()
    return Path("/var/cache/leadline") if os.geteuid() == 0 else Path.home() / ".cache/leadline"


@cache
def architecture() -> str:
    """Give Debian's name for this machine's processor, such as `amd64`."""
    return command(["dpkg", "--print-architecture"]).strip()


@cache
def group_named(name: str) -> Group:
    """Find a group of versions.lock; raises UnpackError for a name it does not have."""
    groups = read_lock()
    if name not in groups:
        raise UnpackError(f"{name} is not in deploy/versions.lock, which has {', '.join(groups)}")
    return groups[name]


def tree(name: str) -> Path:
    """Give the folder of a group's tree, whether it exists already or not."""
    recipe = json.dumps([LAYOUT, architecture(), repr(group_named(name))])
    return cache_dir() / "trees" / f"{name}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


@cache
def _library_folders(root: Path) -> str:
    folders = {
        path.parent
        for path in root.rglob("*.so*")
        if path.is_file() and path.name.startswith("lib")
    }
    others = ("plugin", "gconv", "extension", "auto-load", "sasl2")
    return ":".join(
        sorted(
            str(folder) for folder in folders if not any(name in folder.parts for name in others)
        )
    )


def _run_prefix(group: Group, root: Path, program: Path) -> Binary:
    libraries = _library_folders(root)
    if group.closure != "standalone":
        return Binary([str(program)], {"LD_LIBRARY_PATH": libraries} if libraries else {})
    loader = next(root.rglob("ld-linux-*.so.*"))
    # argv0 must be absolute: MySQL looks a bare name up on PATH and takes itself for what it finds
    # there.
    return Binary([str(loader), "--argv0", str(program), "--library-path", libraries, str(program)])


def binary(name: str, program: str) -> Binary:
    """Say how to run `program` of an unpacked group; raises UnpackError when it is not there."""
    root = tree(name)
    found = [
        path
        for pattern in ("usr/bin", "usr/sbin", "usr/lib/postgresql/*/bin")
        for path in root.glob(f"{pattern}/{program}")
    ]
    if not found:
        raise UnpackError(f"{program} is not unpacked: run `python3 -m deploy.unpack {name}`")
    return _run_prefix(group_named(name), root, found[0])


def runs(group: Group, root: Path) -> bool:
    """Tell whether the tree is there and its probe runs on this machine as it is now."""
    if not root.is_dir():
        return False
    if not group.probe:
        return True
    how = _run_prefix(group, root, root / group.probe[0])
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(  # noqa: S603 - a program that we unpacked
            [*how.argv, *group.probe[1:]],
            env={**os.environ, **how.env},
            capture_output=True,
            timeout=PROBE_LIMIT_SECONDS,
            check=False,
        )
        return done.returncode == 0
    return False


def check_package(path: Path, group: Group, say: Callable[[str], None]) -> None:
    """Hold a package against versions.lock; raises UnpackError for another hash of a version."""
    name, version = command(["dpkg-deb", "-f", str(path), "Package", "Version"]).splitlines()
    name, version = name.removeprefix("Package: "), version.removeprefix("Version: ")
    locked = next((package for package in group.packages if package.name == name), None)
    if locked is None:
        return
    if version != locked.version:
        say(
            f"warning: {name} is {version} in the archive; deploy/versions.lock was tried with "
            f"{locked.version}"
        )
        return
    expected = locked.sha256.get(architecture())
    if expected is None:
        say(f"warning: deploy/versions.lock has no hash of {name} for {architecture()}")
    elif hashlib.sha256(path.read_bytes()).hexdigest() != expected:
        raise UnpackError(
            f"{name} {version} has another SHA-256 than deploy/versions.lock says: it is not used"
        )


def _extract(package: Path, root: Path, only: tuple[str, ...]) -> None:
    selection = [f"./{path}" for path in only] or [f"--exclude={pattern}" for pattern in NOT_NEEDED]
    archive = subprocess.Popen(  # noqa: S603 - a package that apt has verified
        ["dpkg-deb", "--fsys-tarfile", str(package)],  # noqa: S607
        stdout=subprocess.PIPE,
    )
    unpacked = subprocess.run(  # noqa: S603 - fixed tools, and a package that apt has verified
        ["tar", "-x", "--no-same-owner", "-C", str(root), *selection],  # noqa: S607
        stdin=archive.stdout,
        capture_output=True,
        text=True,
        check=False,
    )
    if archive.stdout is not None:
        archive.stdout.close()
    if archive.wait() != 0 or unpacked.returncode != 0:
        raise UnpackError(
            f"{package.name} cannot be unpacked: {unpacked.stderr.strip() or 'dpkg-deb failed'}"
        )


def _make(group: Group, view: View, say: Callable[[str], None]) -> None:
    root = tree(group.name)
    root.parent.mkdir(parents=True, exist_ok=True)
    named = [package.name for package in group.packages]
    closure = (
        [] if group.closure == "none" else view.closure(named, beside_host=group.closure == "host")
    )
    wanted = [
        name for name in closure if not any(fnmatch.fnmatch(name, left) for left in group.leave_out)
    ]
    with tempfile.TemporaryDirectory(prefix=f".{group.name}-", dir=root.parent) as work:
        debs, fresh = Path(work) / "debs", Path(work) / "tree"
        fresh.mkdir()
        view.download(list(dict.fromkeys(named + wanted)), debs)
        for package in sorted(debs.glob("*.deb")):
            check_package(package, group, say)
            _extract(package, fresh, group.only)
        # A careful umask of root's must not keep the unprivileged user out.
        command(["chmod", "-R", "a+rX,u+w", str(fresh)])
        if not runs(group, fresh):
            raise UnpackError(
                f"{group.name} is unpacked but does not run here: {shown(group, fresh)}"
            )
        if root.exists():
            root.rename(Path(work) / "worn")
        fresh.rename(root)


def shown(group: Group, root: Path) -> str:
    """Give the first line that the failing probe printed."""
    how = _run_prefix(group, root, root / group.probe[0])
    done = subprocess.run(  # noqa: S603 - a program that we unpacked
        [*how.argv, *group.probe[1:]],
        env={**os.environ, **how.env},
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stderr or done.stdout or "it printed nothing").strip().splitlines()[0]


@contextlib.contextmanager
def _locked(name: str) -> Iterator[Path]:
    """Hold the lock of one suite's view across processes, and give the view's folder."""
    home = cache_dir()
    home.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        for folder in (home, home / "trees"):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
    with (home / f"{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield home / "views" / name


def _ensure_suite(suite: str, groups: list[Group], say: Callable[[str], None]) -> None:
    with _locked(suite) as folder:
        # Another clone may have made them while we waited for the lock.
        missing = [group for group in groups if not runs(group, tree(group.name))]
        if not missing:
            return
        view = View(suite, folder)
        try:
            view.update()
            for group in missing:
                say(f"unpacking {group.name} from Debian {suite}")
                _make(group, view, say)
        finally:
            view.drop()


def ensure(names: list[str], say: Callable[[str], None] = print) -> None:
    """Make the trees of these groups where they are missing; raises UnpackError, ArchiveError."""
    missing: dict[str, list[Group]] = defaultdict(list)
    for group in (group_named(name) for name in dict.fromkeys(names)):
        if not runs(group, tree(group.name)):
            missing[group.suite].append(group)
    with ThreadPoolExecutor(max_workers=4) as pool:
        waiting = [
            pool.submit(_ensure_suite, suite, groups, say) for suite, groups in missing.items()
        ]
        for job in waiting:
            job.result()


def main() -> int:
    """Fetch the groups named on the command line (all but the test servers when none is named)."""
    try:
        ensure(sys.argv[1:] or ["postgresql", "redis", "victoriametrics", "mariadb"])
    except (UnpackError, ArchiveError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except (OSError, shutil.Error, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"unpacking failed: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
