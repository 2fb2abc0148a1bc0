from __future__ import annotations

import time
import uuid
from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest
import time_machine
from django.utils import timezone

from backend.conftest import Team
from backend.inventory.tests.agents import enrol
from backend.metrics import tokens
from backend.metrics import vmauth as rules
from backend.metrics.models import SigningKey
from backend.metrics.remote_write import Sample
from backend.metrics.tests.running import Vmauth, until
from backend.metrics.tokens import Use

# A good token without a route for the path is refused by vmauth itself; one that is not good falls
# through to Django, which these tests leave out.
NO_ROUTE, NOT_VMAUTHS = 400, 502
ONE, TWO = uuid.uuid4(), uuid.uuid4()


def sample(name: str, of: uuid.UUID, **labels: str) -> Sample:
    stamp = int(time.time() * 1000) - 5000
    return Sample(name=name, value=1.0, stamp_ms=stamp, labels={"of": str(of)} | labels)


def claims(token: str) -> dict[str, Any]:
    read: dict[str, Any] = jwt.decode(token, tokens.public_keys()[-1], algorithms=["ES256"])
    return read


@pytest.mark.parametrize(("use", "life"), [(Use.INGEST, 600), (Use.READ, 300)])
def test_a_token_is_its_org_and_its_use(keys: None, use: Use, life: int) -> None:
    signed = tokens.sign(org_id=ONE, use=use)

    found = claims(signed.text)
    assert signed.expires_in == life
    assert found["exp"] - found["iat"] == life
    assert found["use"] == use
    assert found["vm_access"] == {
        "metrics_extra_labels": [f"org={ONE}"],
        "metrics_extra_filters": [f'{{org="{ONE}"}}'],
        "metrics_account_id": ONE.int >> 96,
        "metrics_project_id": 0,
    }
    header = jwt.get_unverified_header(signed.text)
    assert header == {"alg": "ES256", "typ": "JWT", "kid": str(SigningKey.objects.get().pk)}


@pytest.mark.parametrize("org", [None, "", "*", 'x"} or {org=~".+', "a" * 36 + "}"])
def test_without_an_org_there_is_no_token(keys: None, org: Any) -> None:
    with pytest.raises(ValueError, match="needs the id of an org"):
        tokens.sign(org_id=org, use=Use.READ)


def test_the_private_key_is_encrypted_at_rest(keys: None) -> None:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("SELECT private_key FROM metrics_signingkey")
        (stored,) = cursor.fetchone()

    assert "PRIVATE" not in stored
    assert "PRIVATE" in (SigningKey.objects.get().private_key or "")


def test_two_keys_are_live_and_the_new_one_signs_once_vmauth_knows_it(keys: None) -> None:
    first = SigningKey.objects.get()
    second = tokens.rotate()
    assert len(tokens.public_keys()) == 2
    now = timezone.now()

    assert tokens._signing_key().pk == first.pk
    with time_machine.travel(now + timedelta(seconds=11)):
        assert tokens._signing_key().pk == second.pk
        third = tokens.rotate()

    assert {key.pk for key in SigningKey.objects.all()} == {second.pk, third.pk}


def test_a_read_token_comes_from_the_api(home: Team, keys: None) -> None:
    answer = home.browser("viewer").post("/api/v1/tokens/read")

    assert answer.status_code == 200
    assert answer.json()["expires_in"] == 300
    assert claims(answer.json()["token"])["use"] == "read"
    assert claims(answer.json()["token"])["vm_access"]["metrics_extra_labels"] == [
        f"org={home.org.id}"
    ]


def test_an_agents_token_writes_and_does_not_read(home: Team, vmauth: Vmauth) -> None:
    token = enrol(home).token()[1]["token"]

    assert vmauth.push(token, sample("leadline_test_push", home.org.id)) == 204
    assert vmauth.ask(token, "leadline_test_push").status_code == NO_ROUTE


def test_what_one_org_writes_the_other_does_not_read(vmauth: Vmauth) -> None:
    name = f"leadline_test_{uuid.uuid4().hex}"
    for org in (ONE, TWO):
        token = tokens.sign(org_id=org, use=Use.INGEST).text
        forged = sample(name, org, org=str(TWO))
        assert vmauth.push(token, forged, f"?extra_label=org={TWO}") == 204
    vmauth.flush()
    reads = {org: tokens.sign(org_id=org, use=Use.READ).text for org in (ONE, TWO)}
    everything = {"extra_filters": '{org=~".*"}', "extra_filters[]": '{org=~".*"}'}

    def visible(org: uuid.UUID) -> list[str]:
        return [row["of"] for row in vmauth.rows(reads[org], f'{name}{{org!="x"}}', **everything)]

    until("both orgs see their own", lambda: visible(ONE) and visible(TWO))
    assert (visible(ONE), visible(TWO)) == ([str(ONE)], [str(TWO)])


def test_a_token_for_one_use_is_none_for_the_other(vmauth: Vmauth) -> None:
    read = tokens.sign(org_id=ONE, use=Use.READ).text
    ingest = tokens.sign(org_id=ONE, use=Use.INGEST).text

    assert vmauth.push(read, sample("leadline_test_wrong_use", ONE)) == NO_ROUTE
    assert vmauth.ask(ingest, "up").status_code == NO_ROUTE
    assert vmauth.ask(read, "up").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/prometheus/api/v1/admin/tsdb/delete_series", "/prometheus/federate", "/api/v1/query"],
)
def test_a_read_token_opens_nothing_else(vmauth: Vmauth, path: str) -> None:
    read = tokens.sign(org_id=ONE, use=Use.READ).text

    through = httpx.get(
        vmauth.url + path, params={"match[]": "up"}, headers={"Authorization": f"Bearer {read}"}
    )

    assert through.status_code == NO_ROUTE


def test_both_keys_are_good_during_a_rotation_and_a_dropped_one_is_not(vmauth: Vmauth) -> None:
    old = tokens.sign(org_id=ONE, use=Use.READ).text
    tokens.rotate()
    assert rules.write_config()
    vmauth.reload()
    with time_machine.travel(timezone.now() + timedelta(seconds=11), tick=True):
        new = tokens.sign(org_id=ONE, use=Use.READ).text
    assert jwt.get_unverified_header(new)["kid"] != jwt.get_unverified_header(old)["kid"]
    assert [vmauth.ask(token, "up").status_code for token in (old, new)] == [200, 200]

    tokens.rotate()
    assert rules.write_config()
    vmauth.reload()

    assert [vmauth.ask(token, "up").status_code for token in (old, new)] == [NOT_VMAUTHS, 200]


def test_the_rules_are_written_only_when_they_change(
    keys: None, settings: Any, tmp_path: Any
) -> None:
    settings.VMAUTH_CONFIG = tmp_path / "deep" / "vmauth.yml"

    assert rules.write_config()
    assert not rules.write_config()
    tokens.rotate()
    assert rules.write_config()
    assert [path.name for path in settings.VMAUTH_CONFIG.parent.iterdir()] == ["vmauth.yml"]
    assert settings.VMAUTH_CONFIG.read_text().count("BEGIN PUBLIC KEY") == 4


def test_without_a_key_no_rules_are_written(db: None, settings: Any, tmp_path: Any) -> None:
    settings.VMAUTH_CONFIG = tmp_path / "vmauth.yml"

    with pytest.raises(ValueError, match="no signing key"):
        rules.write_config()

    assert not settings.VMAUTH_CONFIG.exists()
