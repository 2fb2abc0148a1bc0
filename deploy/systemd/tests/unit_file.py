"""Reads a unit file as strictly as systemd would warn."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

# Keys of systemd.unit, systemd.service, systemd.exec, systemd.kill and systemd.resource-control
# as of systemd 252 (Debian 12), as far as a unit of ours could want them.
_UNIT = """
Description Documentation Requires Wants After Before PartOf BindsTo Conflicts
StartLimitIntervalSec StartLimitBurst ConditionPathExists AssertPathExists
"""
_SERVICE = """
Type RemainAfterExit ExecStart ExecStartPre ExecStartPost ExecReload Restart RestartSec
TimeoutStartSec TimeoutStopSec NotifyAccess User Group WorkingDirectory Environment
EnvironmentFile LoadCredential StateDirectory StateDirectoryMode RuntimeDirectory
StandardOutput StandardError KillSignal KillMode MemoryMax LimitNOFILE UMask
NoNewPrivileges CapabilityBoundingSet AmbientCapabilities ProtectSystem ProtectHome
ProtectProc ProcSubset ProtectClock ProtectControlGroups ProtectHostname
ProtectKernelLogs ProtectKernelModules ProtectKernelTunables PrivateDevices PrivateTmp
PrivateUsers LockPersonality MemoryDenyWriteExecute RestrictAddressFamilies
RestrictNamespaces RestrictRealtime RestrictSUIDSGID SystemCallArchitectures
SystemCallFilter SystemCallErrorNumber IPAddressDeny IPAddressAllow
"""
KNOWN = {
    "Unit": set(_UNIT.split()),
    "Service": set(_SERVICE.split()),
    "Install": {"WantedBy", "RequiredBy", "Alias"},
}
MAY_REPEAT = {
    "Environment",
    "EnvironmentFile",
    "LoadCredential",
    "ExecStartPre",
    "ExecStartPost",
    "After",
    "Wants",
    "Requires",
}
BOOLEAN = re.compile(
    "RemainAfterExit|NoNewPrivileges|Lock.*|MemoryDeny.*|Restrict(Namespaces|Realtime|SUIDSGID)"
    "|Private.*|Protect(Clock|ControlGroups|Hostname|Kernel.*)"
)


class UnitError(Exception):
    """A unit file has a line that systemd would ignore or refuse."""


@dataclass
class Unit:
    """Sections with their lines, in order."""

    lines: list[tuple[str, str, str]] = field(default_factory=list)

    def get(self, section: str, key: str) -> list[str]:
        """List the values of a key."""
        return [value for s, k, value in self.lines if (s, k) == (section, key)]


def parse_unit(text: str) -> Unit:
    """Read a unit; raises UnitError with the line that is wrong."""
    unit = Unit()
    section = ""
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if match := re.fullmatch(r"\[(\w+)\]", line):
            section = match[1]
            if section not in KNOWN:
                raise UnitError(line)
            continue
        key, equals, value = line.partition("=")
        if not equals or key not in KNOWN.get(section, set()):
            raise UnitError(line)
        if key not in MAY_REPEAT and unit.get(section, key):
            raise UnitError(f"{key} stands twice")
        if BOOLEAN.fullmatch(key) and value not in {"yes", "no"}:
            raise UnitError(line)
        unit.lines.append((section, key, value.strip()))
    return unit


def read_unit(path: Path) -> Unit:
    """Read a unit from its file."""
    return parse_unit(path.read_text(encoding="utf-8"))


def exec_words(unit: Unit, key: str) -> list[str]:
    """Split the command of a unit into its words; `$$` is one dollar, variables stay."""
    (line,) = unit.get("Service", key)
    return [word.replace("$$", "$") for word in shlex.split(line)]
