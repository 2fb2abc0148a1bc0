"""The server's commands, run as a person runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.hashers import check_password
from django.db import connection

from backend.accounts.models import AuditEntry, Membership, Org, User
from backend.metrics.models import SigningKey

pytestmark = pytest.mark.slow  # each command is a process of its own

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def run(transactional_db: None, tmp_path: Path) -> Callable[..., Done]:
    """Return a function that runs a command on the test's own database."""

    def command(*words: str, **variables: str) -> Done:
        environment = {
            **os.environ,
            "DATABASE_NAME": connection.settings_dict["NAME"],
            "VMAUTH_CONFIG": str(tmp_path / "vmauth.yml"),
            **variables,
        }
        return subprocess.run(
            [sys.executable, "-m", "backend", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return command


def test_setup_makes_the_first_org_once(run: Callable[..., Done], tmp_path: Path) -> None:
    first = run("setup", "--email", "Owner@example.org", "--org", "Harbour")
    again = run("setup")

    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    made, found = (json.loads(done.stdout.splitlines()[-1]) for done in (first, again))
    user = User.objects.get()
    assert made == {
        "org": str(Org.objects.get(name="Harbour").id),
        "email": "owner@example.org",
        "password": made["password"],
    }
    assert found == {**made, "password": None}
    assert check_password(made["password"], user.password)
    assert Membership.unscoped.get().role == "owner"
    assert AuditEntry.unscoped.get().action == "org.created"
    assert (tmp_path / "vmauth.yml").exists()


def test_another_org_and_a_member_of_both(run: Callable[..., Done]) -> None:
    first = json.loads(run("create-org", "Harbour", "--email", "owner@example.org").stdout)
    second = json.loads(run("create-org", "Lighthouse", "--email", "owner@example.org").stdout)
    added = json.loads(
        run("add-member", "hand@example.org", "--org", second["org"], "--role", "operator").stdout
    )

    assert first["password"]
    assert second["password"] is None
    assert added["password"]
    assert Membership.unscoped.filter(user__email="owner@example.org", role="owner").count() == 2
    assert Membership.unscoped.get(user__email="hand@example.org").role == "operator"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["setup", "--email", "nobody"], 2, "'nobody' is not an e-mail address"),
        (["create-enrolment-token"], 1, "leadline: There is no org yet: run setup first.\n"),
        (["create-enrolment-token", "--org", "x"], 1, "leadline: There is no org with the id x.\n"),
        (
            ["add-member", "a@example.org", "--org", str(uuid.UUID(int=0))],
            1,
            "leadline: There is no org with the id",
        ),
        (["nothing"], 1, "Unknown command: 'nothing'"),
    ],
)
def test_a_wrong_use_is_one_sentence(
    run: Callable[..., Done], words: list[str], code: int, sentence: str
) -> None:
    done = run(*words)

    assert done.returncode == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_org_is_not_made_twice(run: Callable[..., Done]) -> None:
    run("create-org", "Harbour", "--email", "owner@example.org")
    done = run("create-org", "Harbour", "--email", "other@example.org")

    assert (done.returncode, done.stderr) == (
        1,
        "leadline: There is an org named Harbour already.\n",
    )
    assert User.objects.count() == 1


def test_several_orgs_must_be_told_apart(run: Callable[..., Done]) -> None:
    org = json.loads(run("create-org", "Harbour", "--email", "owner@example.org").stdout)["org"]
    assert run("create-enrolment-token").stdout.startswith("lle_")
    run("create-org", "Lighthouse", "--email", "owner@example.org")

    done = run("create-enrolment-token")
    named = run("create-enrolment-token", "--org", org)

    assert (done.returncode, done.stderr) == (
        1,
        "leadline: There are several orgs: name one with --org.\n",
    )
    assert (named.returncode, len(named.stdout.strip())) == (0, 55)


def test_a_wrong_setting_is_one_sentence(run: Callable[..., Done]) -> None:
    done = run("setup", REDIS_PORT="many")

    assert (done.returncode, done.stderr) == (
        2, "leadline: REDIS_PORT must be a port from 1 to 65535, not 'many'.\n"
    )  # fmt: skip


def test_postgresql_down_is_one_sentence(run: Callable[..., Done]) -> None:
    done = run("setup", DATABASE_PORT="1")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "leadline: PostgreSQL does not take the connection: "
    )
    assert "Traceback" not in done.stderr


def test_the_signing_key_rotates(run: Callable[..., Done], tmp_path: Path) -> None:
    run("setup")
    before = (tmp_path / "vmauth.yml").read_text()

    done = run("rotate-signing-key")

    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert done.stdout.startswith("A new signing key is in use")
    assert SigningKey.objects.count() == 2
    for key in SigningKey.objects.all():
        assert key.public_key.splitlines()[1] in (tmp_path / "vmauth.yml").read_text()
    assert before != (tmp_path / "vmauth.yml").read_text()


def test_the_encryption_key_rotates(
    run: Callable[..., Done], tmp_path: Path, settings: Any
) -> None:
    run("setup")
    old, new = settings.ENCRYPTION_KEYS[0], Fernet.generate_key().decode()
    plain = SigningKey.objects.get().private_key
    keys = tmp_path / "keys"
    keys.write_text(f"{new}\n{old}\n")

    done = run("rotate-encryption-key", ENCRYPTION_KEYS_FILE=str(keys))
    again = run("rotate-encryption-key", ENCRYPTION_KEYS_FILE=str(keys))

    assert done.stdout == (
        "Secrets encrypted anew: 1. All are under the first of ENCRYPTION_KEYS now.\n"
    )
    assert again.stdout.startswith("Secrets encrypted anew: 0.")
    settings.ENCRYPTION_KEYS = (new,)
    assert SigningKey.objects.get().private_key == plain


def test_every_change_of_a_model_has_its_migration(run: Callable[..., Done]) -> None:
    done = run("makemigrations", "--check", "--dry-run")

    assert (done.returncode, done.stdout) == (0, "No changes detected\n")


def test_help_names_every_command(run: Callable[..., Done]) -> None:
    for words in ([], ["--help"]):
        text = run(*words)
        for command in (
            "setup",
            "create-enrolment-token",
            "rotate-encryption-key",
            "canary",
            "schema",
        ):
            assert command in text.stdout + text.stderr
