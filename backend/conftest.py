"""What every backend test stands on: one stack a session, a database a worker, two orgs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deploy.stack import Stack

_PARTS = ["postgresql", "redis", "victoriametrics", "vmauth"]
_FAST_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"
_STACK = pytest.StashKey[Stack]()


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers before Django reads its settings; workers inherit the environment."""
    if not hasattr(config, "workerinput"):
        folder = Path(tempfile.mkdtemp(prefix="leadline-test-"))
        folder.chmod(0o755)  # the servers run as a user of their own
        stack = Stack(folder / "data", _PARTS, {"TESTING": "1"}, say=lambda line: None)
        stack.start()
        config.stash[_STACK] = stack
        os.environ.update(stack.env)
    os.environ["DJANGO_SETTINGS_MODULE"] = "backend.settings"
    from django.conf import settings

    # The real hasher takes 0.2 s a password; it stays readable, because commands run with it.
    settings.PASSWORD_HASHERS = [_FAST_HASHER, *settings.PASSWORD_HASHERS]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers."""
    stack = config.stash.get(_STACK, None)
    if stack is not None:
        stack.stop()
        shutil.rmtree(stack.data_dir.parent, ignore_errors=True)


@dataclass(frozen=True)
class Team:
    """An org with one person of each role."""

    org: Any
    people: dict[str, Any]

    def browser(self, role: str) -> Any:
        """Return a client that is signed in as the org's person of that role."""
        from rest_framework.test import APIClient

        client = APIClient()
        client.force_login(self.people[role])
        return client

    def program(self, *scopes: str) -> Any:
        """Return a client that sends an API key with these scopes."""
        from rest_framework.test import APIClient

        from backend.accounts import actions
        from backend.accounts.roles import KeyScope
        from backend.accounts.scope import org_scope

        with org_scope(self.org.id):
            _, full = actions.api_key_create(
                name="test",
                scopes=[KeyScope(scope) for scope in scopes],
                expires_at=None,
                created_by="test",
            )
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {full}")
        return client


def _team(name: str) -> Team:
    from backend.accounts.models import Membership, Org, User
    from backend.accounts.roles import Role
    from backend.accounts.scope import org_scope

    org = Org.objects.create(name=name)
    people = {}
    with org_scope(org.id):
        for role in Role.values:
            people[role] = User.objects.create_user(
                f"{role}@{name}.example", f"password of {role}", f"The {role}"
            )
            Membership.objects.create(user=people[role], role=role)
    return Team(org, people)


@pytest.fixture
def home(db: None) -> Team:
    """Return the org that the test is about."""
    return _team("home")


@pytest.fixture
def away(db: None) -> Team:
    """Return another org, of which nothing may be seen or touched."""
    return _team("away")


@pytest.fixture
def in_both(home: Team, away: Team) -> Any:
    """Return a user who is a viewer of home, the default, and an owner of away."""
    from backend.accounts import actions
    from backend.accounts.roles import Role

    _, new = actions.member_attach(org=home.org, email="both@example.org", role=Role.VIEWER)
    actions.member_attach(org=away.org, email="both@example.org", role=Role.OWNER)
    return new.user


@pytest.fixture
def live_signing_keys(db: None) -> Iterator[None]:
    """Put the signing keys that the stack's vmauth knows into the test's database.

    All workers share one vmauth, whose rules `setup` wrote from the stack's own database.
    """
    from django.conf import settings

    from backend.accounts import secrets
    from backend.metrics import tokens
    from backend.metrics.models import SigningKey

    database = settings.DATABASES["default"]
    with psycopg.connect(
        host=database["HOST"],
        port=database["PORT"],
        user=database["USER"],
        password=database["PASSWORD"],
        dbname=os.environ["DATABASE_NAME"],
    ) as source:
        rows = source.execute("SELECT private_key, public_key, signs_from FROM metrics_signingkey")
        for private_key, public_key, signs_from in rows:
            SigningKey.objects.create(
                private_key=secrets.decrypt(private_key),
                public_key=public_key,
                signs_from=signs_from,
            )
    tokens._signers.clear()  # it remembers the key of the test before for some seconds
    yield
    tokens._signers.clear()


@pytest.fixture(autouse=True)
def _own_vmauth_config(settings: Any, tmp_path: Path) -> None:
    """Keep a test that rotates keys from shutting the other workers out of the shared vmauth."""
    settings.VMAUTH_CONFIG = tmp_path / "vmauth.yml"


@pytest.fixture(autouse=True)
def _outside_every_org() -> Iterator[None]:
    from backend.accounts.scope import no_org

    with no_org():
        yield
