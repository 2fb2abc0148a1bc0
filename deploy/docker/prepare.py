"""`python -m deploy.docker.prepare FOLDER…`: what must be right before the first container listens.

Runs as root with the one capability to give files away: a new volume belongs to root, and the
processes that write into it do not run as root.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from deploy.docker.check_settings import check
from deploy.settings import SettingError

# The user of deploy/docker/server.Dockerfile; its number stands for itself in every image.
UID = GID = 10001
SECRETS = Path("/run/secrets")


def check_secrets(folder: Path) -> None:
    """Refuse secrets that a process without root's rights could not read; raises SettingError."""
    closed = sorted(
        path.name
        for path in folder.iterdir()
        if path.is_file() and not path.stat().st_mode & stat.S_IROTH
    )
    if closed:
        raise SettingError(
            f"The containers cannot read {', '.join(closed)}: run `chmod 644` on the file in"
            " .secrets, whose folder keeps other users of the host out."
        )


def main(folders: list[str], secrets: Path = SECRETS) -> int:
    """Check settings and secrets, then give the folders to the processes' user."""
    try:
        check_secrets(secrets)
        check(os.environ)
        for folder in folders:
            os.chown(folder, UID, GID)
    except SettingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
