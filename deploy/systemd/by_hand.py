"""Writes what a person works with beside the units: the settings file and `leadline-backend`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from deploy.docker.rows import secrets_of
from deploy.systemd.units import ETC, FROM_A_PERSON, HEAD, PYTHON, ROOT, environment

if TYPE_CHECKING:
    from deploy.processes import Table


def settings(table: Table) -> str:
    """Write the file of settings that a person edits, as /etc/leadline/leadline.env."""
    default = {name: table.settings[name].default for name in FROM_A_PERSON}
    default["PUBLIC_URL"] = f"http://{default['LISTEN']}"
    lines = [HEAD + "# Copy it to /etc/leadline/leadline.env and edit it there; no secrets in it."]
    for name in FROM_A_PERSON:
        lines += [f"# {table.settings[name].help}", f"{name}={default[name]}"]
    return "\n".join(lines) + "\n"


def backend_command(table: Table) -> str:
    """Write the script that runs a command of the server with a unit's settings and secrets."""
    row = table.processes["setup"]
    secrets = secrets_of(row)
    own = environment(row, table)
    exported = " ".join(
        f'{name}="$CREDENTIALS_DIRECTORY/{text.removeprefix("%d/")}"'
        for name, text in own.items()
        if text.startswith("%d/")
    )
    plain = {name: text for name, text in own.items() if not text.startswith("%d/")}
    given = [
        "--property=User=leadline",
        "--property=Group=leadline",
        "--property=UMask=0077",
        f"--property=WorkingDirectory={ROOT}",
        f"--property=EnvironmentFile={ETC}/leadline.env",
        *(f"--property=LoadCredential={name}:{ETC}/secrets/{name}" for name in secrets),
        *(f"--setenv={name}={text}" for name, text in plain.items()),
    ]
    options = "".join(f"    {shlex.quote(word)} \\\n" for word in given)
    inner = f'export {exported}; exec {PYTHON} -m backend "$@"'
    return (
        "#!/bin/sh\n"
        + HEAD
        + "# For root: runs `python -m backend COMMAND` with the units' settings and secrets:\n"
        "#   /opt/leadline/deploy/systemd/leadline-backend setup --email owner@example.org\n"
        "set -eu\n"
        "terminal=--pipe\n"
        "if [ -t 0 ] && [ -t 1 ]; then terminal=--pty; fi\n"
        'exec systemd-run --quiet --wait --collect --service-type=exec "$terminal" \\\n'
        f"{options}"
        f'    /bin/sh -c {shlex.quote(inner)} leadline-backend "$@"\n'
    )


def render(table: Table) -> dict[str, str]:
    """Give the text of both files, by their names in deploy/systemd."""
    return {"leadline.env": settings(table), "leadline-backend": backend_command(table)}
