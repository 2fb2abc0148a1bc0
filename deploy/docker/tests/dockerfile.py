"""Reads a Dockerfile as far as its promises go: versions, sources and the last user."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

PINNED = re.compile(r"[a-z]+:\d+\.\d+\.\d+(-[a-z-]+)?")


class DockerfileError(Exception):
    """A Dockerfile breaks a promise; the text names the line."""


@dataclass
class Copy:
    """One COPY: from the repository, or from another stage."""

    stage: str
    sources: list[str]
    target: str


@dataclass
class Stage:
    """One FROM with what follows it."""

    image: str
    name: str
    copies: list[Copy] = field(default_factory=list)
    user: str = ""


def parse(text: str) -> list[Stage]:
    """Read the stages; raises DockerfileError for an instruction that is not known here."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    stages: list[Stage] = []
    for line in filter(str.strip, joined.splitlines()):
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            image, *name = rest.split(" AS ")
            stages.append(Stage(image.strip(), name[0].strip() if name else ""))
        elif word == "USER":
            stages[-1].user = rest.strip()
        elif word == "COPY":
            words = shlex.split(rest)
            options = dict(w[2:].split("=", 1) for w in words if w.startswith("--"))
            *sources, target = [w for w in words if not w.startswith("--")]
            stages[-1].copies.append(Copy(options.get("from", ""), sources, target))
        elif word not in {"RUN", "WORKDIR", "ENV", "CMD", "ENTRYPOINT", "VOLUME"}:
            raise DockerfileError(line)
    return stages


class Dockerfile:
    """A Dockerfile with the .dockerignore beside it."""

    def __init__(self, path: Path) -> None:
        """Read both."""
        self.stages = parse(path.read_text(encoding="utf-8"))
        rules = Path(f"{path}.dockerignore").read_text(encoding="utf-8").splitlines()
        self.rules = [rule for rule in rules if rule and not rule.startswith("#")]

    def check(self, root: Path) -> None:
        """Hold every promise; raises DockerfileError for the first that is broken."""
        names: set[str] = set()
        for stage in self.stages:
            if stage.image != "scratch" and not PINNED.fullmatch(stage.image):
                raise DockerfileError(f"FROM {stage.image} is not an official image of one version")
            for copy in stage.copies:
                self._check_copy(copy, names, root)
            names.add(stage.name)
        if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", self.stages[-1].user):
            raise DockerfileError("the last stage runs as root")

    def _check_copy(self, copy: Copy, names: set[str], root: Path) -> None:
        if copy.stage:
            if copy.stage not in names:
                raise DockerfileError(f"there is no stage {copy.stage}")
            return
        for source in copy.sources:
            path = source.rstrip("/")
            if not (root / path).exists():
                raise DockerfileError(f"COPY {source}: it does not exist")
            # The first rule keeps everything out; a later one must let this in by its name or its
            # folder's.
            let_in = [f"!{path}", *(f"!{parent}" for parent in Path(path).parents)]
            if self.rules[0] != "*" or not set(let_in) & set(self.rules):
                raise DockerfileError(f"COPY {source}: .dockerignore keeps it out")
