"""Two orgs, filled through the product's own doors, and tokens forged against their wall."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import jwt
from cryptography.hazmat.primitives import serialization

if TYPE_CHECKING:
    from deploy.stack import Stack

ROOT = Path(__file__).resolve().parents[3]
MARKER = "planted-in-{org}"

_SEED = """
import json, sys
from backend.accounts.keys import API_KEY, new_secret
from backend.accounts.models import ApiKey, Membership, Org, User
from backend.accounts.scope import org_scope
out = {}
for name in ("wall-a", "wall-b"):
    marker, password = f"planted-in-{name}", f"the password of {name}"
    org = Org.objects.create(name=marker)
    secret = new_secret(API_KEY)
    with org_scope(org.id):
        user = User.objects.create_user(f"owner@{name}.example", password, name=marker)
        Membership.objects.create(user=user, role="owner")
        ApiKey.objects.create(name=marker, prefix=secret.prefix, sha256=secret.sha256,
                              scopes=["read", "write", "admin"], created_by="tests")
    who = {"email": user.email, "password": password}
    out[name] = {"org": str(org.id), "key": secret.full} | who
print(json.dumps(out))
"""

_SIGNING_KEY = """
import json
from backend.metrics.models import SigningKey
print(json.dumps(SigningKey.objects.get().private_key))
"""


def shell(stack: Stack, code: str) -> Any:
    """Run code in the backend's shell, for what no door offers; give its last line's JSON."""
    done = subprocess.run(
        [ROOT / ".venv/bin/python", "-m", "backend", "shell", "-v", "0", "-c", code],
        env={**os.environ, **stack.env},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


@dataclass
class Tenant:
    """One org with an API key, and what was made in it: one thing of each kind."""

    name: str
    org: str
    key: str
    email: str
    password: str
    url: str
    agent_key: str = ""
    instance: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def marker(self) -> str:
        """A text that stands in everything this org owns and nowhere else."""
        return MARKER.format(org=self.name)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Ask the server as this org's program."""
        headers = {"Authorization": f"Bearer {self.key}"} | options.pop("headers", {})
        return httpx.request(method, self.url + path, headers=headers, timeout=20, **options)

    def agent(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Ask the server as this org's agent."""
        headers = {
            "Authorization": f"Bearer {self.agent_key}",
            "Leadline-Protocol": "1",
            "Leadline-Agent": "0.1.0",
        } | options.pop("headers", {})
        return httpx.request(method, self.url + path, headers=headers, timeout=20, **options)

    def ingest_token(self) -> str:
        """Fetch the token that this org's agent writes with."""
        answer = self.agent(
            "POST",
            "/api/agent/v1/token",
            json={"instance": self.instance, "previous": None, "place": "aa"},
        )
        assert answer.status_code == httpx.codes.OK, answer.text
        return str(answer.json()["token"])

    def read_token(self) -> str:
        """Fetch the token that this org's browsers read with."""
        answer = self.request("POST", "/api/v1/tokens/read")
        assert answer.status_code == httpx.codes.OK, answer.text
        return str(answer.json()["token"])


def make_tenants(stack: Stack, url: str) -> tuple[Tenant, Tenant]:
    """Make two orgs and put one thing of each kind into both."""
    seeds = shell(stack, _SEED)
    first, second = (Tenant(name=name, url=url, **seed) for name, seed in seeds.items())
    for tenant in (first, second):
        _fill(tenant)
    return first, second


def _fill(tenant: Tenant) -> None:
    token = _created(tenant.request("POST", "/api/v1/enrolment-tokens", json={}))
    # An intruder may guess a slug and see it echoed; the marker stands in what only the org knows.
    node_slug, service_slug = f"node-of-{tenant.name}", f"service-of-{tenant.name}"
    node = {
        "slug": node_slug,
        "hostname": tenant.marker,
        "machine_id": tenant.marker,
        "os": "linux",
        "arch": "amd64",
    }
    tenant.instance = "6f1f3f0e-0000-4000-8000-000000000001"
    body = {"token": token["token"], "node": node, "instance": tenant.instance, "place": "aa"}
    enrolled = _created(
        httpx.post(
            tenant.url + "/api/agent/v1/enrol",
            json=body,
            headers={"Leadline-Protocol": "1", "Leadline-Agent": "0.1.0"},
        )
    )
    tenant.agent_key = enrolled["key"]
    tenant.ingest_token()
    service = {"slug": service_slug, "name": tenant.marker, "engine": "mysql",
               "address": "127.0.0.1:3306", "user": "leadline", "tls": "off",
               "labels": {"environment": tenant.marker, "cluster": tenant.marker}}  # fmt: skip
    _created(tenant.agent("POST", "/api/agent/v1/services", json=service))
    spare = _created(tenant.request("POST", "/api/v1/enrolment-tokens", json={}))
    key = _created(
        tenant.request(
            "POST",
            "/api/v1/api-keys",
            json={"name": tenant.marker, "scopes": ["read"], "expires_at": None},
        )
    )
    members = tenant.request("GET", "/api/v1/members").json()["results"]
    tenant.ids = {
        "services": service_slug,
        "nodes": node_slug,
        "agents": enrolled["agent_id"],
        "enrolment-tokens": spare["id"],
        "api-keys": key["id"],
        "members": members[0]["id"],
    }


def _created(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == httpx.codes.CREATED, answer.text
    body: dict[str, Any] = answer.json()
    return body


def signing_key(stack: Stack) -> bytes:
    """Give the server's own private key (PEM), so that each claim can be tried alone."""
    return str(shell(stack, _SIGNING_KEY)).encode()


def claims(org: str, purpose: str, **changes: Any) -> dict[str, Any]:
    """Give the claims of a good token of an org; a change to None leaves a claim out."""
    access = {
        "metrics_account_id": 0,
        "metrics_project_id": 0,
        "metrics_extra_labels": [f"org={org}"],
        "metrics_extra_filters": [f'{{org="{org}"}}'],
    }
    good = {
        "use": purpose,
        "exp": int(time.time()) + 300,
        "iat": int(time.time()),
        "vm_access": access,
    } | changes
    return {name: value for name, value in good.items() if value is not None}


def sign(payload: dict[str, Any], pem: bytes, algorithm: str = "ES256") -> str:
    """Sign claims as the server would, or with another key or algorithm."""
    key: Any = pem or None
    if algorithm == "ES256":
        key = serialization.load_pem_private_key(pem, password=None)
    return jwt.encode(payload, key, algorithm=algorithm)
