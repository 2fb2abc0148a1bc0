"""A private view of Debian's archive: own package lists, the machine's apt state untouched.

The mirror's address comes from the machine's own apt sources, in either of their formats.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ETC_APT = Path("/etc/apt")
HOST_STATUS = Path("/var/lib/dpkg/status")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
COMMAND_LIMIT_SECONDS = 900


class ArchiveError(Exception):
    """Debian's archive cannot be used; the text is one sentence for the person who runs us."""


@dataclass(frozen=True)
class Source:
    """One entry of apt's sources: where it is, its suites and components, and its options."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)

    def stanza(self, suites: tuple[str, ...]) -> str:
        """Write this entry for other suites of the same mirror, in apt's deb822 format."""
        options = dict(self.options)
        if suites != self.suites and KEYRING.exists():
            # The machine may name the key of its own release only.
            options["Signed-By"] = str(KEYRING)
        lines = [
            "Types: deb",
            f"URIs: {self.uri}",
            f"Suites: {' '.join(suites)}",
            "Components: main",
        ]
        return "\n".join(lines + [f"{name}: {value}" for name, value in options.items()]) + "\n"


def parse_deb822(text: str) -> list[Source]:
    """Read the binary-package entries of a `.sources` file that are not switched off."""
    found = []
    for paragraph in re.split(r"\n[ \t]*\n", text):
        fields: dict[str, str] = {}
        name = ""
        for line in paragraph.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in " \t" and name:
                fields[name] += "\n" + line
            elif ":" in line:
                name, value = line.split(":", 1)
                name = name.strip().title()
                fields[name] = value.strip()
        switched_off = fields.get("Enabled", "yes").lower() in {"no", "false", "0"}
        if "deb" not in fields.get("Types", "").split() or switched_off:
            continue
        kept = ("Signed-By", "Trusted", "Check-Valid-Until")
        options: dict[str, str] = {key: fields[key] for key in kept if key in fields}
        suites = tuple(fields.get("Suites", "").split())
        components = tuple(fields.get("Components", "").split())
        addresses = fields.get("Uris", "").split()
        found += [Source(uri, suites, components, options) for uri in addresses]
    return found


def parse_one_line(text: str) -> list[Source]:
    """Read the binary-package entries of a `.list` file."""
    found = []
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)((?:\s+[^#\s]\S*)*)", line)
        if not match:
            continue
        given = dict(item.split("=", 1) for item in (match[1] or "").split() if "=" in item)
        options: dict[str, str] = {
            key.title(): given[key]
            for key in ("signed-by", "trusted", "check-valid-until")
            if key in given
        }
        found.append(Source(match[2], (match[3],), tuple(match[4].split()), options))
    return found


def read_sources(etc_apt: Path = ETC_APT) -> list[Source]:
    """Read all of the machine's apt sources."""
    found: list[Source] = []
    for path in [etc_apt / "sources.list", *sorted((etc_apt / "sources.list.d").glob("*"))]:
        if path.is_file() and path.suffix in {".list", ".sources"}:
            parse = parse_deb822 if path.suffix == ".sources" else parse_one_line
            found += parse(path.read_text(encoding="utf-8", errors="replace"))
    return found


def host_codename(os_release: Path = Path("/etc/os-release")) -> str:
    """Give the code name of the release this machine runs, such as `bookworm`."""
    match = re.search(
        r'^VERSION_CODENAME="?([^"\n]+)', os_release.read_text(encoding="utf-8"), re.MULTILINE
    )
    return match[1] if match else ""


def stanzas_for(suite: str, sources: list[Source], codename: str) -> str:
    """Write the sources of a view of `suite`: the machine's mirror, updates and security."""
    debian = [s for s in sources if "main" in s.components and "debian" in s.uri]
    plain = [
        s
        for s in debian
        if "security" not in s.uri and not any("security" in name for name in s.suites)
    ]
    mirrors = [s for s in plain if codename in s.suites] or plain
    if not mirrors:
        raise ArchiveError(
            "apt's sources name no Debian mirror with the component main: add one to "
            "/etc/apt/sources.list.d"
        )
    mirror = mirrors[0]
    if suite != codename:
        return mirror.stanza((suite,))
    extra = [
        (s, name)
        for s in debian
        for name in s.suites
        if name in {f"{suite}-updates", f"{suite}-security"}
    ]
    return "\n".join([mirror.stanza((suite,)), *[source.stanza((name,)) for source, name in extra]])


def command(argv: list[str], env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a packaging tool and give its output; raises ArchiveError with its first error line."""
    done = subprocess.run(  # noqa: S603 - argv is built here, never from a shell string
        argv,
        env={**os.environ, "LC_ALL": "C", **(env or {})},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=COMMAND_LIMIT_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        lines = [
            line for line in done.stderr.splitlines() if line.startswith("E:")
        ] or done.stderr.splitlines()
        reason = lines[0] if lines else f"exit code {done.returncode}"
        raise ArchiveError(f"`{shlex.join(argv[:3])} …` failed: {reason}")
    return done.stdout


class View:
    """One suite of the archive as apt sees it from a folder of our own."""

    def __init__(self, suite: str, folder: Path) -> None:
        """Prepare the view's configuration in `folder`; `update` then fetches its lists."""
        self.suite = suite
        self.folder = folder
        for name in ("lists/partial", "archives/partial", "empty"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "view.sources").write_text(
            stanzas_for(suite, read_sources(), host_codename()), encoding="utf-8"
        )
        conf = folder / "apt.conf"
        conf.touch(mode=0o600)  # a proxy's password may stand in the machine's settings
        conf.write_text(self._settings(), encoding="utf-8")

    def _settings(self) -> str:
        # Proxies, certificates and time-outs of the machine count here too; its hooks must not run.
        host = [
            line
            for line in command(["apt-config", "dump"]).splitlines()
            if line.startswith("Acquire::")
            and not line.startswith(("Acquire::IndexTargets", "Acquire::Languages"))
        ]
        folder = self.folder
        own = {
            "Dir::Etc::main": "/dev/null",
            "Dir::Etc::parts": folder / "empty",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": folder / "empty",
            "Dir::Etc::sourcelist": folder / "view.sources",
            "Dir::Etc::sourceparts": folder / "empty",
            "Dir::State": folder,
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder,
            "Dir::Cache::archives": folder / "archives",
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            "Acquire::IndexTargets::deb::CNF::DefaultEnabled": "false",
            "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled": "false",
            "Debug::NoLocking": "true",
        }
        return "\n".join([*host, *[f'{name} "{value}";' for name, value in own.items()]]) + "\n"

    def _apt(self, *arguments: str, cwd: Path | None = None) -> str:
        return command(["apt-get", *arguments], {"APT_CONFIG": str(self.folder / "apt.conf")}, cwd)

    def update(self) -> None:
        """Fetch the suite's package lists; an unreachable mirror is an error, not a warning."""
        self._apt("-q", "-o", "APT::Update::Error-Mode=any", "update")

    def closure(self, packages: list[str], *, beside_host: bool) -> list[str]:
        """List what installing `packages` brings: beside what the machine has, or from nothing."""
        status = HOST_STATUS if beside_host else self.folder / "status"
        plan = self._apt("-s", "-o", f"Dir::State::status={status}", "install", *packages)
        return [line.split()[1] for line in plan.splitlines() if line.startswith("Inst ")]

    def download(self, packages: list[str], folder: Path) -> None:
        """Fetch the packages' files into `folder`; apt checks each against the signed list."""
        folder.mkdir(parents=True, exist_ok=True)
        self._apt("-q", "download", *packages, cwd=folder)

    def drop(self) -> None:
        """Remove the lists, which are larger than what they are needed for."""
        shutil.rmtree(self.folder, ignore_errors=True)
