"""A real vmauth, with the rules that the test's own database gives."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deploy.stack import free_port
from deploy.unpack import binary

if TYPE_CHECKING:
    from backend.metrics.tests.running import Vmauth


@pytest.fixture
def keys(db: None) -> None:
    """Make the first signing key."""
    from backend.metrics import tokens

    tokens._signers.clear()
    tokens.ensure()


@pytest.fixture
def vmauth(keys: None, settings: Any, tmp_path: Path) -> Iterator[Vmauth]:
    """Run vmauth with the rules that the server writes; only the data plane goes anywhere."""
    from backend.metrics import vmauth as rules
    from backend.metrics.tests.running import Vmauth, until

    port = free_port()
    settings.VMAUTH_CONFIG = tmp_path / "vmauth.yml"
    settings.VMAUTH_URL = f"http://127.0.0.1:{port}"
    assert rules.write_config()
    program = binary("victoriametrics", "vmauth")
    log = (tmp_path / "vmauth.log").open("wb")
    process = subprocess.Popen(
        [*program.argv, f"-httpListenAddr=127.0.0.1:{port}", f"-auth.config={tmp_path}/vmauth.yml"],
        env={**os.environ, **program.env},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    running = Vmauth(
        settings.VMAUTH_URL, settings.VICTORIAMETRICS_URL, settings.VMAUTH_CONFIG, process
    )
    try:
        until("vmauth answers", running.answers)
        yield running
    finally:
        process.terminate()
        process.wait(10)
        log.close()
