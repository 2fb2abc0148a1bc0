"""How docker-compose.yml looks: named anchors, short lists on one line, a comment a service."""

from __future__ import annotations

import re
from typing import Any

import yaml
from typing_extensions import override

SHORT = 60
WIDTH = 120


class Merge(str):
    """The key `<<`, with which YAML takes in another mapping."""

    __slots__ = ()


class Dumper(yaml.SafeDumper):
    """YAML with named anchors, so that what all containers share is written once."""

    names: dict[int, str]

    @override
    def generate_anchor(self, node: yaml.Node) -> str:
        """Name an anchor after the `x-` key that holds it."""
        return self.names[id(node)]

    @override
    def represent(self, data: Any) -> None:
        """Build the nodes, and remember the names of those that others refer to."""
        root = self.represent_data(data)
        self.names = {
            id(value): key.value.removeprefix("x-")
            for key, value in root.value
            if key.value.startswith("x-")
        }
        self.serialize(root)

    @override
    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        """Write a list of words on one line."""
        node = super().represent_sequence(tag, sequence, flow_style)
        node.flow_style = all(isinstance(one, yaml.ScalarNode) for one in node.value)
        return node

    @override
    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        """Write a small mapping of words on one line."""
        node = super().represent_mapping(tag, mapping, flow_style)
        scalars = all(isinstance(value, yaml.ScalarNode) for _, value in node.value)
        node.flow_style = (
            scalars and sum(len(k.value) + len(v.value) for k, v in node.value) < SHORT
        )
        return node


Dumper.add_representer(
    Merge, lambda dumper, data: dumper.represent_scalar("tag:yaml.org,2002:merge", data)
)


def laid_out(text: str, comments: dict[str, str]) -> str:
    """Put an empty line before each block, and before each service what it is."""
    lines: list[str] = []
    section = ""
    for line in text.splitlines():
        if not line.startswith((" ", "-")):
            section = line
            lines.append("")
        elif section == "services:" and re.match(r"  \S", line):
            lines += ["", f"  # {comments[line.strip(' :')]}"]
        lines.append(line)
    return "\n".join(lines) + "\n"


def dump(document: dict[str, Any]) -> str:
    """Write YAML: anchors by name, short lists on one line, the same bytes every time."""
    text: str = yaml.dump(document, Dumper=Dumper, sort_keys=False, width=WIDTH, allow_unicode=True)
    return text
