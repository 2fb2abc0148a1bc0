from __future__ import annotations

from deploy.tests.conftest import open_folder

__all__ = ["open_folder"]
