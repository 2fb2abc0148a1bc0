"""Starts the product as `make run` does and runs a browser test against it.

python -m deploy.tests.end_to_end DATA_DIR -- COMMAND...
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from deploy.running import ROOT, NotRunningError, free_settings, product, run_command

START_LIMIT_SECONDS = 240


def main(arguments: list[str]) -> int:
    """Run the command with LEADLINE_E2E_* set."""
    data_dir, command = Path(arguments[0]), arguments[arguments.index("--") + 1 :]
    try:
        with product(run_command(), free_settings(data_dir), START_LIMIT_SECONDS) as running:
            document = running.document
            environment = {
                "LEADLINE_E2E_URL": running.url,
                "LEADLINE_E2E_EMAIL": document["email"],
                "LEADLINE_E2E_PASSWORD": document["password"],
                "LEADLINE_E2E_AGENT_BIN": str(ROOT / "bin/leadline-agent"),
                "LEADLINE_E2E_MARIADB": json.dumps(document["demo"]),
            }
            return subprocess.run(
                command, cwd=ROOT, env={**os.environ, **environment}, check=False
            ).returncode
    except NotRunningError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
