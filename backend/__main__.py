"""`python -m backend COMMAND`: the server's own commands; any other word is one of Django's."""

from __future__ import annotations

import argparse
import json
import os
import sys
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from backend.environment import PLACEHOLDERS, WrongSetting

if TYPE_CHECKING:
    from backend.accounts.models import Org

_FIRST_OWNER = "owner@localhost"
_FIRST_ORG = "Leadline"
_SETUP_LOCK = 0x4C454144  # "LEAD": two setups at the same time take turns

Arguments = argparse.Namespace


def setup(arguments: Arguments) -> int:
    """Bring the tables, the signing keys and vmauth's rules up to date; make the first org."""
    from django.core.management import call_command
    from django.db import connection

    from backend.accounts import actions
    from backend.accounts.models import Membership, Org
    from backend.accounts.roles import Role
    from backend.metrics import tokens, vmauth

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_SETUP_LOCK])
        try:
            call_command("migrate", verbosity=0, interactive=False)
            call_command("createcachetable", verbosity=0)
            tokens.ensure()
            vmauth.write_config()
            org = Org.objects.order_by("created_at").first()
            password = None
            if org is None:
                org, owner = actions.org_create(name=arguments.org, email=arguments.email)
                password = owner.password
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_SETUP_LOCK])
    # unscoped: the command line stands outside every org.
    owners = Membership.unscoped.filter(org=org, role=Role.OWNER).select_related("user")
    email = owners.order_by("created_at").values_list("user__email", flat=True).first()
    print(json.dumps({"org": str(org.id), "email": email, "password": password}))
    return 0


def create_org(arguments: Arguments) -> int:
    """Make another org with its owner; a known address keeps its password."""
    from backend.accounts import actions

    org, owner = actions.org_create(name=arguments.name, email=arguments.email)
    _print_account(str(org.id), owner.user.email, owner.password)
    return 0


def add_member(arguments: Arguments) -> int:
    """Put a person, known or new, into an org."""
    from backend.accounts import actions
    from backend.accounts.roles import Role

    org = _org(arguments.org)
    _, new = actions.member_attach(org=org, email=arguments.email, role=Role(arguments.role))
    _print_account(str(org.id), new.user.email, new.password)
    return 0


def create_enrolment_token(arguments: Arguments) -> int:
    """Print a token with which one agent can enrol within the next hour."""
    from backend.accounts.scope import org_scope
    from backend.inventory import actions

    with org_scope(_org(arguments.org).id):
        _, token = actions.enrolment_token_create()
    print(token)
    return 0


def write_vmauth_config(arguments: Arguments) -> int:
    """Write the rules that vmauth works by, from the signing keys."""
    from backend.metrics import vmauth

    vmauth.write_config()
    return 0


def rotate_signing_key(arguments: Arguments) -> int:
    """Sign with a new key from now on; tokens of the key before it stay good until they expire."""
    from backend.metrics import tokens, vmauth

    tokens.rotate()
    vmauth.write_config()
    print("A new signing key is in use; the one before it stays good until the next rotation.")
    return 0


def rotate_encryption_key(arguments: Arguments) -> int:
    """Encrypt every stored secret with the first of ENCRYPTION_KEYS; then drop the others."""
    from backend.accounts import secrets

    changed = secrets.rotate_all()
    print(f"Secrets encrypted anew: {changed}. All are under the first of ENCRYPTION_KEYS now.")
    return 0


def canary(arguments: Arguments) -> int:
    """Push a sample through vmauth every 5 seconds, until stopped."""
    from backend.metrics import canary as sample

    sample.run()
    return 0


def schema(arguments: Arguments) -> int:
    """Print the OpenAPI document; needs no server and no settings."""
    from backend import openapi

    sys.stdout.write(openapi.document().decode())
    return 0


def _org(wanted: str | None) -> Org:
    from backend.accounts.models import Org
    from backend.errors import NotFound

    if wanted is None:
        found = list(Org.objects.all()[:2])
        if len(found) == 1:
            return found[0]
        if found:
            raise NotFound("There are several orgs: name one with --org.")
        raise NotFound("There is no org yet: run setup first.")
    try:
        found = list(Org.objects.filter(pk=uuid.UUID(wanted)))
    except ValueError:
        found = []
    if not found:
        raise NotFound(f"There is no org with the id {wanted}.")
    return found[0]


def _print_account(org: str, email: str, password: str | None) -> None:
    print(json.dumps({"org": org, "email": email, "password": password}))


def _email(text: str) -> str:
    from django.core.exceptions import ValidationError
    from django.core.validators import validate_email

    try:
        validate_email(text)
    except ValidationError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an e-mail address") from None
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m backend",
        description="The Leadline server's commands.",
        epilog="Any other command is Django's own (migrate, shell, …).",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(run: Callable[[Arguments], int], name: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        one.set_defaults(run=run)
        return one

    one = command(setup, "setup")
    one.add_argument(
        "--email",
        type=_email,
        default=_FIRST_OWNER,
        help="address of the first owner (%(default)s)",
    )
    one.add_argument("--org", default=_FIRST_ORG, help="name of the first org (%(default)s)")
    one = command(create_org, "create-org")
    one.add_argument("name", help="name of the org")
    one.add_argument("--email", type=_email, required=True, help="address of its owner")
    one = command(add_member, "add-member")
    one.add_argument("email", type=_email, help="address of the person")
    one.add_argument("--org", help="id of the org; needed where there are several")
    one.add_argument(
        "--role",
        choices=("viewer", "operator", "admin", "owner"),
        default="viewer",
        help="%(default)s",
    )
    one = command(create_enrolment_token, "create-enrolment-token")
    one.add_argument("--org", help="id of the org; needed where there are several")
    command(write_vmauth_config, "write-vmauth-config")
    command(rotate_signing_key, "rotate-signing-key")
    command(rotate_encryption_key, "rotate-encryption-key")
    command(canary, "canary")
    command(schema, "schema")
    return parser


_OURS = {
    "setup",
    "create-org",
    "add-member",
    "create-enrolment-token",
    "write-vmauth-config",
    "rotate-signing-key",
    "rotate-encryption-key",
    "canary",
    "schema",
    "-h",
    "--help",
}


def main(words: list[str]) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong use or a wrong setting."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.settings")
    if words[:1] == ["schema"]:
        for name, value in PLACEHOLDERS.items():
            os.environ.setdefault(name, value)
    if not words:
        _parser().print_help(sys.stderr)
        return 2
    ours = words[0] in _OURS
    arguments = _parser().parse_args(words) if ours else None
    try:
        import django

        django.setup()
    except WrongSetting as error:
        return _fail(str(error), 2)
    from django.conf import settings
    from django.db import OperationalError

    from backend.errors import Problem

    # A command needs one connection, and its own error says more than the pool's.
    settings.DATABASES["default"]["OPTIONS"]["pool"] = False

    try:
        if arguments is not None:
            return int(arguments.run(arguments))
        from django.core.management import execute_from_command_line

        execute_from_command_line(["python -m backend", *words])
    except Problem as problem:
        return _fail(problem.detail or problem.title, 1)
    except OperationalError as error:
        return _fail(f"PostgreSQL does not take the connection: {str(error).splitlines()[0]}", 1)
    return 0


def _fail(sentence: str, code: int) -> int:
    print(f"leadline: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
