"""`python -m deploy.systemd.await_ready URL SECONDS`: returns once an address answers.

A unit that runs this after its start counts as started only when it serves, so that what is
ordered after it finds it ready. Any answer below 500 counts, as in deploy/processes.yaml.
"""

from __future__ import annotations

import http.client
import sys
import time
from urllib.parse import urlsplit

PAUSE_SECONDS = 0.2
ANSWER_SECONDS = 4
FAILED = 500


def answers(url: str) -> bool:
    """Tell whether the address answers, and not with a server's failure."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", parts.path or "/")
        return connection.getresponse().status < FAILED
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main(url: str, seconds: float) -> int:
    """Wait for the answer; exits 1 with a sentence where it does not come in time."""
    end = time.monotonic() + seconds
    while not answers(url):
        if time.monotonic() > end:
            sys.stderr.write(f"{url} gave no answer within {seconds:g} s.\n")
            return 1
        time.sleep(PAUSE_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
