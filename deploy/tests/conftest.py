"""A folder for servers that any user can enter, unlike pytest's own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that the unprivileged user can enter; it is gone after the test."""
    folder = Path(tempfile.mkdtemp(prefix="leadline-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
