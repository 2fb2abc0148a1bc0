"""The sandbox of the units, and where a unit needs less of it, with the reason."""

from __future__ import annotations

SANDBOX = """\
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateDevices=yes
PrivateTmp=yes
PrivateUsers=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077""".splitlines()
# Everything but vmauth speaks to this machine alone.
LOOPBACK_ONLY = ["IPAddressDeny=any", "IPAddressAllow=localhost"]

VMAUTH_RELAXED = {
    "CapabilityBoundingSet=": [
        "# LISTEN may name a port below 1024.",
        "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
        "AmbientCapabilities=CAP_NET_BIND_SERVICE",
    ],
    "PrivateUsers=yes": [
        "# A capability counts only in the machine's own user namespace.",
        "PrivateUsers=no",
    ],
}
VICTORIAMETRICS_RELAXED = {
    "SystemCallFilter=@system-service": [
        "# mincore tells it which parts of its files are in memory.",
        "SystemCallFilter=@system-service mincore",
    ],
}
AGENT_RELAXED = {
    "ProtectHome=yes": [
        "# The free space of /home is asked for with statfs, so it must be there.",
        "ProtectHome=read-only",
    ],
    "ProtectProc=invisible": [
        "# /proc/1/mountinfo is the list of the host's filesystems. There is no ProcSubset=pid",
        "# either: /proc/stat, meminfo, diskstats and net are what the agent is there to read.",
        "ProtectProc=default",
    ],
    "PrivateTmp=yes": [
        "# A database's Unix socket may be in /tmp.",
        "PrivateTmp=no",
    ],
    "PrivateUsers=yes": [
        "# A database may ask the kernel who is at the other end of a Unix socket.",
        "PrivateUsers=no",
    ],
}

RELAXED = {"vmauth": VMAUTH_RELAXED, "victoriametrics": VICTORIAMETRICS_RELAXED}
"""Rules that a row of the server cannot bear, with what takes their place."""


def sandbox(relaxed: dict[str, list[str]]) -> list[str]:
    """Give the sandbox of a unit, with the lines that take the place of a rule."""
    return [line for rule in SANDBOX for line in relaxed.get(rule, [rule])]
