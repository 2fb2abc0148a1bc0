"""docker-compose.yml and the Dockerfiles hold what they promise, without a Docker engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest
import yaml
from cryptography.fernet import Fernet

from deploy.account import Account, account_for
from deploy.docker import check_settings, prepare
from deploy.docker.runtime_lock import runtime
from deploy.docker.tests.dockerfile import Dockerfile, DockerfileError, parse
from deploy.settings import ROOT, SettingError
from deploy.stack import free_port
from deploy.unpack import Binary, binary, ensure

# The version is pinned by its hash as Go's own tool reckons it.
COMPOSE_GO = "github.com/compose-spec/compose-go/v2@v2.16.2"
COMPOSE_GO_SUM = "h1:pTp1DqQwJzFd85GzlWsSszKA1ABrV/ySqsClujIcWA8="
DOCKERFILES = sorted((ROOT / "deploy/docker").glob("*.Dockerfile"))
PATIENCE_SECONDS = 60


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return found


# --- the compose file ---


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Fetch the schema that Docker's own compose reads files by."""
    done = subprocess.run(
        ["go", "mod", "download", "-json", COMPOSE_GO],  # noqa: S607 - the Go that builds the agent
        cwd=tmp_path_factory.mktemp("no-module"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    module = json.loads(done.stdout)
    assert module["Sum"] == COMPOSE_GO_SUM
    found: dict[str, Any] = json.loads(Path(module["Dir"], "schema/compose-spec.json").read_text())
    return found


def test_the_compose_file_is_valid(schema: dict[str, Any]) -> None:
    jsonschema.validate(document(), schema)


@pytest.mark.parametrize(
    ("key", "value"), [("memlimit", "1m"), ("cap_drop", "ALL"), ("healthcheck", {"tests": []})]
)
def test_a_wrong_key_would_be_seen(schema: dict[str, Any], key: str, value: object) -> None:
    services = {**document()["services"]}
    services["redis"] = {**services["redis"], key: value}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document(), "services": services}, schema)


def test_every_container_is_hardened() -> None:
    for name, one in document()["services"].items():
        assert one["read_only"] is True, name
        assert one["cap_drop"] == ["ALL"], name
        assert one["security_opt"] == ["no-new-privileges:true"], name
        assert one["mem_limit"], name
        assert "privileged" not in one
        # `prepare` gives volumes away, which only root may; it has that one capability.
        assert (one["user"] in {"0:0", "root"}) == (name == "prepare"), name
        assert one.get("cap_add", []) == (["CHOWN"] if name == "prepare" else []), name


def test_only_vmauth_publishes_a_port_and_it_is_on_loopback_by_default() -> None:
    ports = {name: one["ports"] for name, one in document()["services"].items() if "ports" in one}
    assert ports == {"vmauth": ["${LISTEN:-127.0.0.1:8427}:8427"]}
    outer = {
        name for name, one in document()["services"].items() if "outer" in one.get("networks", [])
    }
    assert outer == {"vmauth"}
    assert document()["networks"]["inner"] == {"internal": True}


def test_containers_speak_to_containers_and_not_to_loopback() -> None:
    services = document()["services"]
    for one in services.values():
        for name, value in one.get("environment", {}).items():
            if name not in {"LISTEN", "PUBLIC_URL"}:
                assert "127.0.0.1" not in value, name
    backend = services["django"]["environment"]
    for name, port in re.findall(r"http://(\w+):(\d+)", " ".join(backend.values())):
        assert any(f":{port}" in word or word == port for word in services[name]["command"]), name
    for prefix in ("DATABASE", "REDIS"):
        other = services[backend[f"{prefix}_HOST"]]
        assert backend[f"{prefix}_PORT"] in other["command"]


def test_volumes_and_secrets_are_declared_and_used() -> None:
    services = document()["services"].values()
    volumes = {v.partition(":")[0] for one in services for v in one.get("volumes", [])}
    assert {v for v in volumes if not v.startswith("./")} == set(document()["volumes"])
    assert all((ROOT / v).is_file() for v in volumes if v.startswith("./"))
    assert {s for one in services for s in one.get("secrets", [])} == set(document()["secrets"])
    vmauth = document()["services"]["vmauth"]["volumes"]
    assert vmauth == ["vmauth:/var/lib/leadline/vmauth:ro"]


def test_images_have_short_names_and_exact_versions() -> None:
    for name, one in document()["services"].items():
        assert re.fullmatch(r"[a-z-]+(/[a-z-]+)?:v?\d+\.\d+(\.\d+)?(-[a-z]+)?", one["image"]), name


# --- the Dockerfiles ---


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: str(path.name))
def test_a_dockerfile_is_pinned_complete_and_without_root(path: Path) -> None:
    Dockerfile(path).check(ROOT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("USER 10001:10001\n", ""),
        ("USER 10001:10001\n", "USER 0:0\n"),
        ("USER 10001:10001\n", "USER root\n"),
        ("FROM golang:1.26.8-bookworm", "FROM golang"),
        ("FROM golang:1.26.8-bookworm", "FROM golang:latest"),
        ("FROM golang:1.26.8-bookworm", "FROM golang:1.26"),
        ("FROM golang:1.26.8-bookworm", "FROM registry.example/golang:1.26.8-bookworm"),
        ("COPY agents/cmd/", "COPY agents/command/"),
        ("COPY agents/cmd/", "COPY agents/testdata/"),
        ("--from=build --chown", "--from=built --chown"),
    ],
)
def test_a_broken_dockerfile_would_be_seen(tmp_path: Path, old: str, new: str) -> None:
    source = ROOT / "deploy/docker/agent.Dockerfile"
    broken = tmp_path / source.name
    assert old in source.read_text()
    broken.write_text(source.read_text().replace(old, new))
    shutil.copy(f"{source}.dockerignore", f"{broken}.dockerignore")
    with pytest.raises(DockerfileError):
        Dockerfile(broken).check(ROOT)


def test_the_builders_are_of_the_versions_that_the_project_is_built_with() -> None:
    text = "\n".join(path.read_text() for path in DOCKERFILES)
    version = dict(re.findall(r"^FROM (\w+):([\d.]+)", text, re.MULTILINE))
    module = re.search(r"^go (\d+\.\d+)", (ROOT / "agents/go.mod").read_text(), re.MULTILINE)
    assert module
    assert version["golang"].startswith(module[1])
    assert version["node"].startswith("20.")
    assert version["python"].startswith("3.11.")


@pytest.mark.slow
def test_what_the_server_image_holds_is_enough_to_run(tmp_path: Path) -> None:
    stage = parse((ROOT / "deploy/docker/server.Dockerfile").read_text())[-1]
    skip = shutil.ignore_patterns("tests", "__pycache__", "conftest.py")
    for copy in stage.copies:
        for source in [] if copy.stage else copy.sources:
            target = tmp_path / copy.target
            target.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, target, ignore=skip, dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / source, target)
    env = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    programs = [["-c", "import deploy.docker.prepare"], ["-m", "backend", "schema"]]
    for words in programs:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr


def test_the_image_gets_the_locked_packages_and_no_tools_of_developers() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    kept = runtime(lock)
    names = set(re.findall(r"^([a-z0-9-]+)(?:\[.*\])?==", kept, re.MULTILINE))
    assert {"django", "granian", "celery", "psycopg-binary", "pyyaml", "anyio"} <= names
    assert not names & {"pytest", "mypy", "ruff", "deptry", "django-stubs"}
    for block in re.split(r"^(?=[a-z0-9])", kept, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block
        assert block in lock
    with pytest.raises(ValueError, match="no package"):
        runtime("amqp==5 \\\n    # via kombu\n")


# --- what runs in the containers before the servers ---


def make_secrets(folder: Path) -> None:
    script = ROOT / "deploy/docker/make-secrets.sh"
    subprocess.run(["/bin/sh", str(script), str(folder)], check=True, capture_output=True)


def test_make_secrets_makes_every_secret_once(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    make_secrets(folder)
    first = {path.name: path.read_text() for path in folder.iterdir()}
    Fernet(first["encryption_keys"].strip())
    assert len({first[name] for name in first if name.endswith(("password", "_key"))}) == 4
    assert all(len(first[name].strip()) == 43 for name in first if name.endswith("password"))
    assert first["redis_auth"] == f"requirepass {first['redis_password']}"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in folder.iterdir())
    make_secrets(folder)
    assert {path.name: path.read_text() for path in folder.iterdir()} == first
    wanted = {Path(one["file"]).name for one in document()["secrets"].values()}
    assert {name.strip("}") for name in wanted} <= set(first)


def test_make_secrets_lets_redis_follow_a_new_password(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    (tmp_path / "redis_password").write_text("another\n")
    make_secrets(tmp_path)
    assert (tmp_path / "redis_auth").read_text() == "requirepass another\n"


def test_prepare_gives_volumes_away_and_refuses_closed_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[tuple[str, int, int]] = []
    monkeypatch.setattr(os, "chown", lambda *words: given.append(words))
    monkeypatch.setenv("PUBLIC_URL", "http://127.0.0.1:8427")
    make_secrets(tmp_path)
    assert prepare.main(["/data/one", "/data/two"], tmp_path) == 0
    assert given == [("/data/one", 10001, 10001), ("/data/two", 10001, 10001)]
    (tmp_path / "secret_key").chmod(0o600)
    assert prepare.main(["/data/one"], tmp_path) == 1
    assert "cannot read secret_key: run `chmod 644`" in capsys.readouterr().err
    (tmp_path / "secret_key").chmod(0o644)
    monkeypatch.setenv("LISTEN", "0.0.0.0:8427")
    assert prepare.main(["/data/one"], tmp_path) == 1
    assert "needs TLS_CERT and TLS_KEY" in capsys.readouterr().err
    assert len(given) == 2


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "PUBLIC_URL must name"),
        ({"PUBLIC_URL": "http://db.example:8427"}, "plain HTTP"),
        ({"PUBLIC_URL": "http://127.0.0.1:8427", "LISTEN": "0.0.0.0:8427"}, "needs TLS_CERT"),
        ({"PUBLIC_URL": "http://127.0.0.1:8427", "TLS_CERT": "/etc/hosts"}, "TLS needs both"),
        (
            {
                "PUBLIC_URL": "http://127.0.0.1:8427",
                "TLS_CERT": "/etc/hosts",
                "TLS_KEY": "/etc/hosts",
            },
            "must begin with https://",
        ),
        ({"PUBLIC_URL": "http://127.0.0.1:8427", "LOG_LEVEL": "loud"}, "LOG_LEVEL must be"),
    ],
)
def test_settings_that_make_run_refuses_are_refused(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        check_settings.check(given)


def test_settings_that_make_run_takes_are_taken() -> None:
    check_settings.check({"PUBLIC_URL": "http://127.0.0.1:8427", "TLS_CERT": "", "TLS_KEY": ""})
    check_settings.check({"PUBLIC_URL": "https://leadline.example.org"})


# --- PostgreSQL's first start ---


def owned(account: Account, how: Binary, *words: str, env: dict[str, str]) -> None:
    argv = [*account.prefix, *how.argv, *words]
    done = subprocess.run(
        argv, env={**env, **how.env}, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_image_of_postgresql_makes_a_role_without_rights(open_folder: Path) -> None:
    ensure(["postgresql"])
    account = account_for([ROOT / "deploy/processes.yaml", open_folder], lambda _line: None)
    account.give(open_folder)
    secrets = open_folder / "secrets"
    make_secrets(secrets)
    secrets.chmod(0o755)
    # The password of somebody who chose one by hand.
    (secrets / "database_password").write_text('it\'s \\ "hard"\n')
    script = (ROOT / "deploy/docker/postgresql-init.sql").read_text()
    (open_folder / "init.sql").write_text(script.replace("/run/secrets", str(secrets)))
    (open_folder / "init.sql").chmod(0o644)
    service = document()["services"]["postgresql"]
    options = service["environment"]["POSTGRES_INITDB_ARGS"].split()
    cluster, port = open_folder / "data", str(free_port())
    env = {"PATH": "/usr/bin:/bin", "HOME": str(open_folder)}
    passwords = f"--pwfile={secrets / 'postgres_password'}"
    words = ["-D", str(cluster), "-U", "postgres", "--no-sync", passwords, *options]
    owned(account, binary("postgresql", "initdb"), *words, env=env)
    server = " ".join(
        [f"-k {open_folder}", *service["command"][1:]]
    ).replace(service["command"][2], port)  # fmt: skip
    server = server.replace("listen_addresses=*", "listen_addresses=127.0.0.1")
    control = binary("postgresql", "pg_ctl")
    log = str(open_folder / "log")
    owned(account, control, "start", "-w", "-D", str(cluster), "-l", log, "-o", server, env=env)
    try:
        where = ["-h", str(open_folder), "-p", port, "-U", "postgres", "-d", "postgres"]
        flags = ["-v", "ON_ERROR_STOP=1", "--no-password", "--no-psqlrc"]
        file = str(open_folder / "init.sql")
        owned(account, binary("postgresql", "psql"), *flags, *where, "-f", file, env=env)
        with psycopg.connect(
            host="127.0.0.1",
            port=int(port),
            dbname="leadline",
            user="leadline",
            password='it\'s \\ "hard"',
        ) as connection:
            row = connection.execute(
                "SELECT rolsuper OR rolcreaterole OR rolcreatedb, pg_get_userbyid(datdba)"
                " FROM pg_roles, pg_database"
                " WHERE rolname = current_user AND datname = current_database()"
            ).fetchone()
        assert row == (False, "leadline")
    finally:
        owned(account, control, "stop", "-w", "-m", "immediate", "-D", str(cluster), env=env)
