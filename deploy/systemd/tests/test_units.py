"""The units are what systemd can read, and their commands work on the real servers."""

from __future__ import annotations

import contextlib
import http.server
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from typing_extensions import override

from deploy.account import Account, account_for
from deploy.settings import ROOT
from deploy.stack import free_port
from deploy.systemd import await_ready
from deploy.systemd.tests.unit_file import UnitError, exec_words, parse_unit, read_unit
from deploy.unpack import Binary, binary, ensure

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = ROOT / "deploy/systemd"
UNITS = sorted([*FOLDER.glob("*.service"), *FOLDER.glob("*.target")])
EXEC = ("ExecStartPre", "ExecStart", "ExecStartPost")
FROM_SYSTEMD = {"network-online.target", "multi-user.target"}
PATIENCE_SECONDS = 30


@pytest.mark.parametrize("path", UNITS, ids=lambda path: str(path.name))
def test_a_unit_has_known_sections_keys_and_values(path: Path) -> None:
    unit = read_unit(path)
    assert unit.get("Unit", "Description")
    if path.suffix == ".service":
        assert unit.get("Service", "ExecStart")
        assert unit.get("Service", "User")[0] in {"leadline", "leadline-agent"}
        assert unit.get("Service", "NoNewPrivileges") == ["yes"]
        assert unit.get("Service", "ProtectSystem") == ["strict"]


@pytest.mark.parametrize(
    "text",
    [
        "[Service]\nNoNewPrivilege=yes\n",
        "[Servce]\nType=exec\n",
        "[Service]\nPrivateTmp=maybe\n",
        "[Service]\nType=exec\nType=notify\n",
        "[Unit]\nExecStart=/bin/true\n",
        "[Service]\nType\n",
    ],
)
def test_a_wrong_line_would_be_seen(text: str) -> None:
    with pytest.raises(UnitError):
        parse_unit(text)


def test_units_name_only_units_that_exist() -> None:
    known = {path.name for path in UNITS} | FROM_SYSTEMD
    for path in UNITS:
        unit = read_unit(path)
        keys = (("Unit", "Requires"), ("Unit", "After"), ("Unit", "Wants"), ("Unit", "PartOf"))
        for section, key in (*keys, ("Install", "WantedBy")):
            for line in unit.get(section, key):
                assert set(line.split()) <= known, f"{path.name}: {key}"
    wanted = read_unit(FOLDER / "leadline.target").get("Unit", "Wants")[0].split()
    assert set(wanted) == known - FROM_SYSTEMD - {"leadline-agent.service", "leadline.target"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.service")), ids=lambda path: str(path.name))
def test_commands_name_files_modules_and_variables_that_exist(path: Path) -> None:
    unit = read_unit(path)
    settings = (FOLDER / "leadline.env").read_text()
    for key in EXEC:
        if not unit.get("Service", key):
            continue
        words = exec_words(unit, key)
        assert words[0].startswith("/")
        for word in words:
            # What is built, unpacked or made at a start is not in the repository.
            made = ("/opt/leadline/.venv/", "/opt/leadline/bin/", "/opt/leadline/frontend/dist")
            if word.startswith("/opt/leadline/") and not word.startswith(made):
                assert (ROOT / word.removeprefix("/opt/leadline/")).exists(), word
            for name in re.findall(r"\$\{(\w+)", word):
                assert name == "CREDENTIALS_DIRECTORY" or f"\n{name}=" in settings, word
        if "-m" in words:
            assert find_spec(words[words.index("-m") + 1])
    for line in unit.get("Service", "LoadCredential"):
        name, _, source = line.partition(":")
        assert source == f"/etc/leadline/secrets/{name}"


def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd-analyze is not installed; the units are checked by reading them alone")
    for path in UNITS:
        # The programs of an installation are not here: a program that is stands for them.
        text = re.sub(r"^(Exec\w+=)\S+", r"\1/bin/true", path.read_text(), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text)
    done = subprocess.run(
        [tool, "verify", "--man=no", *(str(tmp_path / path.name) for path in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- the commands, on real servers ---


@pytest.fixture
def credentials(open_folder: Path) -> Path:
    """Make secrets as docs/install.md has them made, readable for the account of the test."""
    folder = open_folder / "credentials"
    script = ROOT / "deploy/docker/make-secrets.sh"
    subprocess.run(["/bin/sh", str(script), str(folder)], check=True, capture_output=True)
    folder.chmod(0o755)
    return folder


@pytest.fixture
def account(open_folder: Path) -> Account:
    found = account_for([ROOT / "deploy/processes.yaml", open_folder], lambda _line: None)
    found.give(open_folder)
    return found


@contextlib.contextmanager
def running(
    account: Account, how: Binary, words: list[str], env: dict[str, str], folder: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command as a unit would, until it says that it is ready or fails."""
    path = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
        inbox.bind(str(path))
        path.chmod(0o777)
        inbox.settimeout(PATIENCE_SECONDS)
        process = subprocess.Popen(
            [*account.prefix, *how.argv, *words],
            env={"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": str(path), **how.env, **env},
            cwd=folder,
        )
        try:
            while b"READY=1" not in inbox.recv(4096):
                assert process.poll() is None
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)
            path.unlink()


@pytest.mark.slow
def test_postgresql_is_made_once_and_its_unit_tells_when_it_is_ready(
    open_folder: Path, credentials: Path, account: Account
) -> None:
    ensure(["postgresql"])
    unit = read_unit(FOLDER / "leadline-postgresql.service")
    assert unit.get("Service", "Type") == ["notify"]
    how = binary("postgresql", "postgres")
    cluster, port = open_folder / "data", free_port()
    (_, script, *_) = exec_words(unit, "ExecStartPre")
    init = [
        *account.prefix,
        "/bin/sh",
        str(ROOT / script.removeprefix("/opt/leadline/")),
        str(Path(how.argv[0]).parent),
        str(cluster),
    ]
    env = {"PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": str(credentials), **how.env}
    (open_folder / "data.new").mkdir()  # what a crash half-way has left
    subprocess.run(init, env=env, check=True, timeout=PATIENCE_SECONDS)
    made = (cluster / "PG_VERSION").stat().st_mtime_ns
    subprocess.run(init, env=env, check=True, timeout=PATIENCE_SECONDS)
    assert (cluster / "PG_VERSION").stat().st_mtime_ns == made
    words = [
        word.replace("8431", str(port)).replace("/var/lib/leadline/postgresql/data", str(cluster))
        for word in exec_words(unit, "ExecStart")[1:]
    ]
    password = (credentials / "database_password").read_text().strip()
    where = {"host": "127.0.0.1", "port": port, "dbname": "leadline", "user": "leadline"}
    with running(account, how, words, {}, open_folder) as process:
        assert password not in Path(f"/proc/{process.pid}/cmdline").read_text()
        with psycopg.connect(**where, password=password) as connection:  # type: ignore[arg-type]
            row = connection.execute(
                "SELECT rolsuper, pg_get_userbyid(datdba) FROM pg_roles, pg_database"
                " WHERE rolname = current_user AND datname = current_database()"
            ).fetchone()
        assert row == (False, "leadline")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(**where, password="wrong")  # type: ignore[arg-type]


def ask_redis(port: int, *commands: str) -> str:
    """Say these lines to Redis and give the last line of what it answers to the last."""
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        answer = ""
        for command in commands:
            connection.sendall(f"{command}\r\n".encode())
            answer = connection.recv(1000).decode()
    return answer.removesuffix("\r\n").split("\r\n")[-1]


def test_redis_takes_its_password_from_the_credential_and_tells_when_it_is_ready(
    open_folder: Path, credentials: Path, account: Account
) -> None:
    ensure(["redis"])
    unit = read_unit(FOLDER / "leadline-redis.service")
    assert unit.get("Service", "Type") == ["notify"]
    port = free_port()
    words = [
        word.replace("8432", str(port)).replace("${CREDENTIALS_DIRECTORY}", str(credentials))
        for word in exec_words(unit, "ExecStart")[1:]
    ]
    password = (credentials / "redis_password").read_text().strip()
    with running(account, binary("redis", "redis-server"), words, {}, open_folder):
        assert ask_redis(port, "PING") == "-NOAUTH Authentication required."
        assert ask_redis(port, f"AUTH {password}", "PING") == "+PONG"
        for name, value in (
            ("save", ""),
            ("appendonly", "no"),
            ("maxmemory", str(128 * 2**20)),
            ("maxmemory-policy", "noeviction"),
        ):
            assert ask_redis(port, f"AUTH {password}", f"CONFIG GET {name}") == value


@pytest.mark.parametrize("tls", [False, True])
def test_vmauth_speaks_tls_when_a_certificate_is_set(open_folder: Path, tls: bool) -> None:
    ensure(["victoriametrics"])
    rules = open_folder / "vmauth.yml"
    rules.write_text("unauthorized_user: {url_prefix: 'http://127.0.0.1:1/'}\n")
    cert, key = open_folder / "tls.crt", open_folder / "tls.key"
    request = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    request += ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*request, "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    public, internal, local = free_port(), free_port(), free_port()
    env = {
        "LISTEN": f"127.0.0.1:{public}",
        "TLS_CERT": str(cert) if tls else "",
        "TLS_KEY": str(key) if tls else "",
    }
    unit = read_unit(FOLDER / "leadline-vmauth.service")
    changes = {
        **{f"${{{name}}}": value for name, value in env.items()},
        "/opt/leadline/bin/vmauth": binary("victoriametrics", "vmauth").argv[0],
        "/var/lib/leadline/vmauth/vmauth.yml": str(rules),
        "127.0.0.1:8435": f"127.0.0.1:{internal}",
        "127.0.0.1:8437": f"127.0.0.1:{local}",
    }
    words = exec_words(unit, "ExecStart")
    for old, new in changes.items():
        words = [word.replace(old, new) for word in words]
    process = subprocess.Popen(words, env={"PATH": "/usr/bin:/bin", **env})
    try:
        url = f"http://127.0.0.1:{internal}/health"
        assert await_ready.main(url, PATIENCE_SECONDS) == 0
        assert Path(f"/proc/{process.pid}/comm").read_text().strip() == "vmauth"
        context = ssl.create_default_context(cafile=str(cert))
        for port, secured in ((public, tls), (local, False)):
            with socket.create_connection(("127.0.0.1", port), 5) as plain:
                if secured:
                    with context.wrap_socket(plain, server_hostname="127.0.0.1") as safe:
                        assert safe.version() == "TLSv1.3"
                else:
                    plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
                    assert plain.recv(100).startswith(b"HTTP/1.0 502")
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def test_leadline_backend_gives_a_command_the_settings_and_secrets_of_the_units(
    tmp_path: Path,
) -> None:
    # A stand-in for systemd-run: it does with the options what systemd would.
    (tmp_path / "systemd-run").write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "words, env, seen = sys.argv[1:], {'CREDENTIALS_DIRECTORY': '/run/credentials/x'}, []\n"
        "while words[0].startswith('--'):\n"
        "    word = words.pop(0)\n"
        "    if word.startswith('--setenv='):\n"
        "        name, _, value = word[9:].partition('=')\n"
        "        env[name] = value\n"
        "    seen.append(word)\n"
        "program = words.index('leadline-backend')\n"
        "words[program - 1] = words[program - 1].replace(\n"
        "    '/opt/leadline/.venv/bin/python -m backend', '/usr/bin/env; printf \"%s|\"')\n"
        "words[program - 1] = words[program - 1].replace('exec ', '')\n"
        "print('\\n'.join(seen), flush=True)\n"
        "os.execve(words[0], words, env)\n"
    )
    (tmp_path / "systemd-run").chmod(0o755)
    done = subprocess.run(
        [str(FOLDER / "leadline-backend"), "setup", "--org", "Two words $HOME"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert "--pipe" in lines
    assert "--property=User=leadline" in lines
    assert lines[-1] == "setup|--org|Two words $HOME|"
    seen = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))
    unit = read_unit(FOLDER / "leadline-setup.service")
    for line in unit.get("Service", "Environment")[1:]:
        name, _, value = line.partition("=")
        assert seen[name] == value.replace("%d", "/run/credentials/x")
    for line in unit.get("Service", "LoadCredential"):
        assert f"--property=LoadCredential={line}" in lines


class Answer(http.server.BaseHTTPRequestHandler):
    """Answers as many times with 503 as its server says, then with what it says."""

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Answering)
        server.asked += 1
        self.send_response(503 if server.asked <= server.failures else server.then)
        self.end_headers()

    @override
    def log_message(self, format: str, *args: object) -> None:
        pass


class Answering(http.server.HTTPServer):
    """A server that is not ready at first."""

    asked = 0

    def __init__(self, failures: int, then: int) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.failures, self.then = failures, then


@contextlib.contextmanager
def answering(failures: int, then: int = 200) -> Iterator[Answering]:
    with Answering(failures, then) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("then", [200, 404])
def test_await_ready_waits_for_an_answer_below_500(then: int) -> None:
    with answering(2, then) as server:
        assert await_ready.main(f"http://127.0.0.1:{server.server_port}/health", 10) == 0
        assert server.asked == 3


def test_await_ready_says_what_did_not_answer(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"http://127.0.0.1:{free_port()}/health"
    began = time.monotonic()
    assert await_ready.main(url, 0.3) == 1
    assert time.monotonic() - began < 5
    assert capsys.readouterr().err == f"{url} gave no answer within 0.3 s.\n"
    with answering(10**6) as server:
        assert await_ready.main(f"http://127.0.0.1:{server.server_port}/", 0.3) == 1
