"""How long `make run` takes until everything is ready: from nothing, and again."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.bench.result import Result
from deploy.running import ROOT, free_settings, product, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator

COLD_TARGET_SECONDS = 480
WARM_TARGET_SECONDS = 15
LIMIT_SECONDS = 1200


def cold() -> Iterator[Result]:
    """Clone into an empty folder with empty caches of every kind, and `make run`."""
    with tempfile.TemporaryDirectory(prefix="leadline-cold-") as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        for open_folder in (Path(folder), home):
            open_folder.chmod(0o755)  # the unprivileged user reads the cache in it
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S603, S607 - our own tree
        caches = {
            "HOME": str(home),
            "LEADLINE_CACHE_DIR": str(home / "leadline"),
            "GOPATH": str(home / "go"),
            "GOFLAGS": "-modcacherw",
            "GOCACHE": str(home / "go-build"),
            "npm_config_cache": str(home / "npm"),
            "UV_CACHE_DIR": str(home / "uv"),
            "PIP_CACHE_DIR": str(home / "pip"),
        }
        keep = {
            name: value
            for name, value in os.environ.items()
            if name in {"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"}
        }
        if "NPM_CONFIG_USERCONFIG" not in keep and (Path.home() / ".npmrc").exists():
            keep["NPM_CONFIG_USERCONFIG"] = str(Path.home() / ".npmrc")
        settings = free_settings(Path(folder) / "data") | caches | keep
        with product(["make", "run"], settings, LIMIT_SECONDS, clone) as running:
            yield Result("run_cold_s", running.seconds, "s", 1, COLD_TARGET_SECONDS)


def warm() -> Iterator[Result]:
    """Start the built product on data it has; the slowest of three starts counts."""
    with tempfile.TemporaryDirectory(prefix="leadline-warm-") as folder:
        settings = free_settings(Path(folder) / "data")
        with product(run_command(), settings, LIMIT_SECONDS):
            pass
        seconds = []
        for _ in range(3):
            with product(["make", "run"], settings, LIMIT_SECONDS) as running:
                seconds.append(running.seconds)
        yield Result("run_warm_s", max(seconds), "s", len(seconds), WARM_TARGET_SECONDS)
