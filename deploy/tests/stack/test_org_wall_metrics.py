"""The wall between orgs on every metric route, against the real vmauth and VictoriaMetrics."""

from __future__ import annotations

import itertools
import threading
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from backend.metrics.remote_write import Sample, encode
from deploy.tests.stack.tenants import claims, sign, signing_key

if TYPE_CHECKING:
    from deploy.stack import Stack
    from deploy.tests.stack.tenants import Tenant

pytestmark = pytest.mark.stack

WRITE = "/ingest/api/v1/write"
READS = [
    ("query", {"query": '{__name__=~"wall_.*"}', "nocache": "1"}),
    (
        "query_range",
        {"query": '{__name__=~"wall_.*"}', "start": "-1h", "step": "5s", "nocache": "1"},
    ),
    ("series", {"match[]": '{__name__=~"wall_.*"}', "start": "-1h"}),
    ("labels", {"match[]": '{__name__=~"wall_.*"}', "start": "-1h"}),
    ("label/secret/values", {"start": "-1h"}),
    ("label/org/values", {"start": "-1h"}),
]


def write(
    url: str, token: str, name: str, labels: dict[str, str], query: dict[str, str] | None = None
) -> httpx.Response:
    """Push one sample with a token; it is old enough to lie on every range query's grid."""
    body = encode(
        [Sample(name=name, value=1, stamp_ms=int(time.time() * 1000) - 30_000, labels=labels)]
    )
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Encoding": "snappy",
        "Content-Type": "application/x-protobuf",
    }
    return httpx.post(url + WRITE, content=body, headers=headers, params=query, timeout=20)


def everything(stack: Stack, match: str) -> list[dict[str, str]]:
    """List all orgs' series that match, asked of VictoriaMetrics behind vmauth's back."""
    store = f"http://127.0.0.1:{stack.port('victoriametrics')}"
    httpx.get(f"{store}/internal/force_flush", timeout=20)
    answer = httpx.get(
        f"{store}/api/v1/series",
        params={"match[]": match, "start": "-1h", "nocache": "1"},
        timeout=20,
    )
    found: list[dict[str, str]] = answer.json()["data"]
    return found


@pytest.fixture(scope="module")
def planted(stack: Stack, tenants: tuple[Tenant, Tenant]) -> tuple[Tenant, Tenant]:
    """Each org holds one series that carries its own marker as a label's value."""
    pause = threading.Event()
    for tenant in tenants:
        answer = write(tenant.url, tenant.ingest_token(), "wall_probe", {"secret": tenant.marker})
        assert answer.status_code == httpx.codes.NO_CONTENT, answer.text
    everything(stack, "wall_probe")
    deadline = time.monotonic() + 20
    for tenant in tenants:
        headers = {"Authorization": f"Bearer {tenant.read_token()}"}
        address = f"{tenant.url}/prometheus/api/v1/query"
        while (
            tenant.marker
            not in httpx.get(
                address, params={"query": "wall_probe", "nocache": "1"}, headers=headers, timeout=20
            ).text
        ):
            assert time.monotonic() < deadline, "the planted series did not appear"
            pause.wait(0.2)
    return tenants


def injections(org: str) -> list[dict[str, str]]:
    """Give every way to widen a query that VictoriaMetrics knows."""
    wide = '{__name__!=""}'
    theirs = f'{{org="{org}"}}'
    values = {"extra_filters": theirs, "extra_filters[]": theirs, "extra_label": f"org={org}"}
    pairs = [dict(pair) for pair in itertools.combinations(values.items(), 2)]
    return [
        {},
        *({name: value} for name, value in values.items()),
        *pairs,
        {"extra_filters": wide},
        {"extra_filters[]": wide},
    ]


@pytest.mark.parametrize(("route", "parameters"), READS)
def test_reads_stay_in_the_org(
    planted: tuple[Tenant, Tenant], route: str, parameters: dict[str, str]
) -> None:
    victim, intruder = planted
    headers = {"Authorization": f"Bearer {intruder.read_token()}"}
    address = f"{intruder.url}/prometheus/api/v1/{route}"
    seen_own = False
    for extra in injections(victim.org):
        for method in ("GET", "POST", "both"):
            url = extra if method != "POST" else {}
            form = {} if method == "GET" else parameters | extra
            query = parameters | url if method == "GET" else url
            answer = httpx.request(
                "GET" if method == "GET" else "POST",
                address,
                params=query,
                data=form or None,
                headers=headers,
                timeout=20,
            )
            assert victim.marker not in answer.text, (route, method, extra)
            assert victim.org not in answer.text, (route, method, extra)
            seen_own = (
                seen_own
                or intruder.marker in answer.text
                or intruder.org in answer.text
                or route == "labels"
            )
    assert seen_own, "the route answered nothing at all, so this test proved nothing"


@pytest.mark.parametrize(
    "selector",
    [
        'wall_probe{{org="{org}"}}',
        'wall_probe{{org=~".*"}}',
        '{{org="{org}"}} or {{org!=""}}',
        'label_set(wall_probe, "org", "x") or wall_probe',
    ],
)
def test_selectors_that_name_the_other_org_find_nothing(
    planted: tuple[Tenant, Tenant], selector: str
) -> None:
    victim, intruder = planted
    query = selector.format(org=victim.org)
    answer = httpx.get(
        f"{intruder.url}/prometheus/api/v1/query",
        params={"query": query},
        headers={"Authorization": f"Bearer {intruder.read_token()}"},
        timeout=20,
    )
    assert victim.marker not in answer.text
    assert answer.status_code == httpx.codes.OK


@pytest.mark.parametrize(
    "route",
    [
        "export",
        "export/csv",
        "export/native",
        "import",
        "import/prometheus",
        "admin/tsdb/delete_series",
        "status/tsdb",
        "status/active_queries",
        "status/top_queries",
        "metadata",
        "federate",
    ],
)
def test_other_routes_of_the_store_are_closed(planted: tuple[Tenant, Tenant], route: str) -> None:
    victim, intruder = planted
    for token in (intruder.read_token(), intruder.ingest_token()):
        for prefix in ("/prometheus/api/v1/", "/prometheus/", "/ingest/api/v1/", "/ingest/"):
            answer = httpx.get(
                f"{intruder.url}{prefix}{route}",
                params={"match[]": "wall_probe"},
                headers={"Authorization": f"Bearer {token}"},
                timeout=20,
            )
            assert answer.status_code in {400, 401, 404}, (prefix, answer.status_code)
            assert victim.marker not in answer.text


def test_writes_land_in_the_tokens_org(stack: Stack, planted: tuple[Tenant, Tenant]) -> None:
    victim, intruder = planted
    token = intruder.ingest_token()
    for number, query in enumerate(
        ({}, {"extra_label": f"org={victim.org}"}, {"extra_filters[]": f'{{org="{victim.org}"}}'})
    ):
        answer = write(intruder.url, token, f"wall_forged_{number}", {"org": victim.org}, query)
        assert answer.status_code == httpx.codes.NO_CONTENT, answer.text
    deadline = time.monotonic() + 20
    while len(found := everything(stack, '{__name__=~"wall_forged_.*"}')) < 3:
        assert time.monotonic() < deadline, found
    assert {series["org"] for series in found} == {intruder.org}


def bad_access(org: str) -> dict[str, Any]:
    """Give a token's vm_access in every damaged form."""
    good = claims(org, "read")["vm_access"]
    damaged: dict[str, Any] = {
        "no vm_access": None,
        "vm_access is text": "x",
        "vm_access is empty": {},
        "vm_access is a list": [],
    }
    for claim in ("metrics_extra_labels", "metrics_extra_filters"):
        damaged |= {
            f"no {claim}": {name: value for name, value in good.items() if name != claim},
            f"{claim} empty": good | {claim: []},
            f"{claim} holds nothing": good | {claim: [""]},
            f"{claim} is text": good | {claim: good[claim][0]},
            f"{claim} is a number": good | {claim: 7},
            f"{claim} of anyone": good
            | {claim: ["org="] if claim.endswith("labels") else ['{org=~".*"}']},
            f"{claim} widened": good | {claim: ["x=y"] if claim.endswith("labels") else ["{}"]},
        }
    return damaged


CLAIM_OF_USE = {"ingest": "metrics_extra_labels", "read": "metrics_extra_filters"}


def test_damaged_tokens_open_nothing(stack: Stack, planted: tuple[Tenant, Tenant]) -> None:
    victim, intruder = planted
    pem = signing_key(stack)
    strange = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = (
        serialization.load_pem_private_key(pem, None)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    now = int(time.time())
    for use in ("ingest", "read"):
        other = "read" if use == "ingest" else "ingest"
        good = claims(intruder.org, use)
        tokens = {
            "expired": sign(good | {"exp": now - 60}, pem),
            "another key": sign(good, strange),
            "no signature": sign(good, b"", "none"),
            "public key as a password": sign(
                good, bytes(b for b in public if b not in b"-"), "HS256"
            ),
            "cut off": sign(good, pem)[:-8],
            "other use": sign(claims(intruder.org, other), pem),
            "no use": sign(claims(intruder.org, use, use=None), pem),
            "use of anyone": sign(good | {"use": ".*"}, pem),
            "use in a list": sign(good | {"use": [other]}, pem),
            **{
                name: sign(claims(intruder.org, use, vm_access=access), pem)
                for name, access in bad_access(intruder.org).items()
                if access is None
                or not isinstance(access, dict)
                or CLAIM_OF_USE[use] in name
                or not access
            },
        }
        for name, token in tokens.items():
            if use == "ingest":
                answer = write(intruder.url, token, "wall_damaged", {"how": name})
            else:
                answer = httpx.get(
                    f"{intruder.url}/prometheus/api/v1/query",
                    params={"query": "wall_probe"},
                    headers={"Authorization": f"Bearer {token}"},
                    timeout=20,
                )
            assert answer.status_code in {400, 401, 403}, (
                use,
                name,
                answer.status_code,
                answer.text,
            )
            assert victim.marker not in answer.text
            assert intruder.marker not in answer.text, (use, name)
    assert everything(stack, "wall_damaged") == []


def test_a_good_token_made_the_same_way_works(stack: Stack, planted: tuple[Tenant, Tenant]) -> None:
    _, intruder = planted
    token = sign(claims(intruder.org, "read"), signing_key(stack))
    answer = httpx.get(
        f"{intruder.url}/prometheus/api/v1/query",
        params={"query": "wall_probe"},
        headers={"Authorization": f"Bearer {token}"},
        timeout=20,
    )
    assert intruder.marker in answer.text


def test_no_token_is_told_so_without_reading_the_body(planted: tuple[Tenant, Tenant]) -> None:
    victim, _ = planted
    for path in (WRITE, "/prometheus/api/v1/query"):
        answer = httpx.post(victim.url + path, content=b"x" * 100_000, timeout=20)
        assert answer.status_code == httpx.codes.UNAUTHORIZED
        assert answer.json()["code"] == "token_expired"
