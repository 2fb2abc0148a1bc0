"""The one line that a bench prints."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Peer:
    """What another product took for the same, measured in the same run by this command."""

    name: str
    command: str
    value: float


@dataclass(frozen=True)
class Result:
    """One measured value; `target` is an upper bound in its unit, `n` counts the measurements."""

    name: str
    value: float
    unit: str
    n: int
    target: float | None = None
    peer: Peer | None = None

    def line(self) -> str:
        """Write the result as one JSON line; ratio is ours over the peer's."""
        ratio = self.value / self.peer.value if self.peer and self.peer.value else None
        document: dict[str, Any] = {
            "name": self.name,
            "value": round(self.value, 3),
            "unit": self.unit,
            "n": self.n,
            "peer": asdict(self.peer) if self.peer else None,
            "ratio": round(ratio, 3) if ratio is not None else None,
            "target": self.target,
            "ok": None if self.target is None else self.value <= self.target,
        }
        return json.dumps(document)
