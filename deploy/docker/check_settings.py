"""`python -m deploy.docker.check_settings`: refuses what `make run` would refuse.

Containers and units read their settings from a file that a person writes. This holds that file
against the same rules (deploy/settings.py) before anything listens.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.processes import read_table
from deploy.settings import SettingError, complete

if TYPE_CHECKING:
    from collections.abc import Mapping

GIVEN = ("LISTEN", "PUBLIC_URL", "TLS_CERT", "TLS_KEY", "LOG_LEVEL")


def check(environ: Mapping[str, str]) -> None:
    """Check the settings that a person gives; raises SettingError with one sentence."""
    values = {name: setting.default for name, setting in read_table().settings.items()}
    given = {name: environ.get(name, "").strip() for name in GIVEN}
    values.update({name: value for name, value in given.items() if value})
    if not values["PUBLIC_URL"]:
        raise SettingError("PUBLIC_URL must name the address that people and agents use.")
    complete(values, Path("/nonexistent"))
    if values["TLS_CERT"] and not values["PUBLIC_URL"].startswith("https://"):
        raise SettingError(
            f"PUBLIC_URL={values['PUBLIC_URL']} must begin with https:// where TLS_CERT is set."
        )


def main() -> int:
    """Check the environment; the one sentence goes to standard error."""
    try:
        check(os.environ)
    except SettingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
