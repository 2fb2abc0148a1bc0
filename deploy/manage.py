"""`python -m deploy.manage COMMAND…`: a command of the server on what `make run` started.

It runs as the same user and with the same settings as the server's own processes, so
`.venv/bin/python -m deploy.manage changepassword owner@localhost` works without any environment.
DATA_DIR and the ports are read as `make run` reads them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from deploy import prepare
from deploy.account import AccountError, account_for
from deploy.place import Place
from deploy.processes import read_table
from deploy.settings import ROOT, from_environment
from deploy.stack import Stack, StackError


def main(words: list[str]) -> int:
    """Run the command and give its exit code."""
    values = from_environment(read_table(), os.environ)
    data = Path(values["DATA_DIR"])
    data = data if data.is_absolute() else ROOT / data
    if not (data / "secrets/secret_key").exists():
        sys.stderr.write(f"DATA_DIR={data} holds no Leadline: start it with `make run`\n")
        return 1
    try:
        stack = Stack(data, ["setup"], values)
        needs = [prepare.PYTHON, ROOT / "deploy/processes.yaml", data.parent]
        place = Place(stack.data_dir, account_for(needs))
    except (StackError, AccountError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return subprocess.run(  # noqa: S603 - our own interpreter and package
        [*place.account.prefix, str(prepare.PYTHON), "-m", "backend", *words],
        cwd=ROOT,
        env=place.environment({**stack.env, "TERM": os.environ.get("TERM", "dumb")}),
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
