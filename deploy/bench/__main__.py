"""`make bench [ONLY=name]`: runs every bench, or those whose name begins with ONLY.

Prints a JSON line for each result. Long ones run with BENCH_LONG=1 or when ONLY names them. Exits 1
where a target was missed or a bench failed.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from deploy.bench import path, start
from deploy.running import NotRunningError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deploy.bench.result import Result

BENCHES: dict[str, Callable[[], Iterator[Result]]] = {
    "run_warm_s": start.warm,
    "first_data_s": path.first_data,
    "bytes_per_sample": path.bytes_per_sample,
}
LONG: dict[str, Callable[[], Iterator[Result]]] = {"run_cold_s": start.cold}


def main() -> int:
    """Run the chosen benches."""
    only = os.environ.get("ONLY", "")
    long = bool(only) or os.environ.get("BENCH_LONG") == "1"
    chosen = {
        name: bench
        for name, bench in (BENCHES | (LONG if long else {})).items()
        if name.startswith(only)
    }
    if not chosen:
        sys.stderr.write(f"ONLY={only} names no bench; there are {', '.join([*BENCHES, *LONG])}\n")
        return 2
    code = 0
    for name, bench in chosen.items():
        try:
            for result in bench():
                sys.stdout.write(result.line() + "\n")
                sys.stdout.flush()
                if result.target is not None and result.value > result.target:
                    code = 1
        except (NotRunningError, OSError, TimeoutError) as error:
            sys.stderr.write(f"{name} failed: {error}\n")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
