"""`python -m deploy.manage COMMAND…`: one of the server's commands on the stack that `make run` started.

It runs as the same user and with the same settings as the server's own processes, so `.venv/bin/python -m deploy.manage
changepassword owner@localhost` works without any environment. DATA_DIR and the ports are read as `make run` reads them.
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
    try:
        stack = Stack(data if data.is_absolute() else ROOT / data, ["setup"], values)
        if not (stack.data_dir / "secrets/secret_key").exists():
            raise StackError(f"DATA_DIR={stack.data_dir} holds no Leadline: start it with `make run`")
        place = Place(stack.data_dir, account_for([prepare.PYTHON, ROOT / "deploy/processes.yaml", stack.data_dir.parent]))
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
