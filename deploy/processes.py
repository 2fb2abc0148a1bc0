"""Reads deploy/processes.yaml, the one table of processes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

TABLE_FILE = Path(__file__).with_name("processes.yaml")


@dataclass(frozen=True)
class Setting:
    """A setting that people may give in the environment, with its default and what it means."""

    name: str
    default: str
    help: str


@dataclass(frozen=True)
class Process:
    """One row of the table. The head of processes.yaml explains the fields."""

    name: str
    description: str
    program: str
    command: tuple[str, ...]
    when: dict[str, tuple[str, ...]] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    prepare: str = ""
    port: str = ""
    further_ports: tuple[str, ...] = ()
    ready: dict[str, Any] = field(default_factory=dict)
    ready_seconds: float = 60
    memory: int = 0
    depends: tuple[str, ...] = ()
    one_shot: bool = False
    optional: bool = False
    restart: bool = True
    stop_signal: str = "SIGTERM"
    stop_seconds: float = 15
    only_if: str = ""

    def words(self, values: dict[str, str]) -> list[str]:
        """Give the command with the arguments of the settings that are on, not yet filled."""
        on = [words for name, words in self.when.items() if values.get(name, "") not in {"", "0"}]
        return [*self.command, *(word for words in on for word in words)]

    def ports(self, values: dict[str, str]) -> list[str]:
        """Give the settings of the ports that it listens on with these settings."""
        command = " ".join(self.words(values))
        further = [name for name in self.further_ports if f"{{{name}}}" in command]
        return [*([self.port] if self.port else []), *further]


@dataclass(frozen=True)
class Table:
    """The whole table: settings, shared environments, and the processes in start order."""

    settings: dict[str, Setting]
    environments: dict[str, dict[str, str]]
    processes: dict[str, Process]

    def with_dependencies(self, names: list[str]) -> list[Process]:
        """Give these processes and all they depend on, in start order; KeyError names no row."""
        wanted: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in wanted:
                wanted.add(name)
                waiting += self.processes[name].depends
        return [process for process in self.processes.values() if process.name in wanted]


def _process(row: dict[str, Any]) -> Process:
    fields = dict(row)
    for name in ("command", "depends", "further_ports"):
        fields[name] = tuple(row.get(name, ()))
    fields["when"] = {
        setting: tuple(arguments) for setting, arguments in row.get("when", {}).items()
    }
    return Process(**fields)


def read_table(path: Path = TABLE_FILE) -> Table:
    """Read the table from its file."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows = [_process(row) for row in document["processes"]]
    return Table(
        settings={
            name: Setting(name, entry["default"], entry["help"])
            for name, entry in document["settings"].items()
        },
        environments=document["environments"],
        processes={row.name: row for row in rows},
    )


def fill(text: str, values: dict[str, str]) -> str:
    """Put values in the place of {NAME}; raises KeyError for a name without a value."""
    return re.sub(r"\{([A-Za-z_.]+)\}", lambda match: values[match[1]], text)
