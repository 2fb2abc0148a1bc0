"""Signs the tokens that vmauth checks. A token is its org: none can be built without one.

vmauth lets a token without the vm_access claims read and write every org's data, so each of them is
made here in one place, with exactly one label and one filter.
"""

from __future__ import annotations

import datetime as dt
import enum
import time
from typing import TYPE_CHECKING, NamedTuple

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.db import transaction
from django.utils import timezone

from backend.metrics.models import SigningKey

if TYPE_CHECKING:
    from uuid import UUID

ALGORITHM = "ES256"
_LIVE_KEYS = 2
# vmauth reads its config every 2 s: a new key signs only once every vmauth knows it.
_SPREADS_IN = dt.timedelta(seconds=10)
_KEY_KEPT_SECONDS = 5.0


class Use(enum.StrEnum):
    """What a token is good for; vmauth refuses it for anything else."""

    INGEST = "ingest"
    READ = "read"


LIFE_SECONDS = {Use.INGEST: 600, Use.READ: 300}


class Token(NamedTuple):
    """A signed token and its life in seconds."""

    text: str
    expires_in: int


class _Signer(NamedTuple):
    key_id: str
    private_key: ec.EllipticCurvePrivateKey
    good_until: float


_signers: dict[str, _Signer] = {}


def sign(*, org_id: UUID, use: Use) -> Token:
    """Sign a token with which samples of one org are written (INGEST) or read (READ)."""
    org = _name_of(org_id)
    now = int(time.time())
    life = LIFE_SECONDS[use]
    claims = {
        "iat": now,
        "exp": now + life,
        "use": use.value,
        "vm_access": {
            "metrics_extra_labels": [f"org={org}"],
            "metrics_extra_filters": [f'{{org="{org}"}}'],
            "metrics_account_id": account_id(org_id),
            "metrics_project_id": 0,
        },
    }
    signer = _signer()
    text = jwt.encode(claims, signer.private_key, ALGORITHM, headers={"kid": signer.key_id})
    return Token(text, life)


def _name_of(org_id: UUID) -> str:
    # A falsy org would sign a label 'org=' that matches every series without an org.
    name = str(org_id)
    if len(name) != 36 or not name.replace("-", "").isalnum():  # noqa: PLR2004 -- a UUID's length
        raise ValueError("A token needs the id of an org.")
    return name


def account_id(org_id: UUID) -> int:
    """Return an org's tenant in a cluster of VictoriaMetrics: the first 32 bits of its id.

    The filter and the label hold the whole id, so even two orgs that met here could not see each
    other.
    """
    return org_id.int >> 96


def _signer() -> _Signer:
    signer = _signers.get(ALGORITHM)
    if signer is None or signer.good_until <= time.monotonic():
        key = _signing_key()
        private = serialization.load_pem_private_key((key.private_key or "").encode(), None)
        if not isinstance(private, ec.EllipticCurvePrivateKey):
            raise TypeError("The signing key is not an elliptic curve key.")
        signer = _Signer(str(key.pk), private, time.monotonic() + _KEY_KEPT_SECONDS)
        _signers[ALGORITHM] = signer
    return signer


def _signing_key() -> SigningKey:
    keys = list(SigningKey.objects.all())
    if not keys:
        raise RuntimeError("There is no signing key: run `python -m backend setup`.")
    now = timezone.now()
    return next((key for key in keys if key.signs_from <= now), keys[-1])


def public_keys() -> list[str]:
    """Return the public keys that vmauth is to accept, oldest first, as PEM."""
    return [key.public_key for key in reversed(SigningKey.objects.all()[:_LIVE_KEYS])]


@transaction.atomic
def ensure() -> None:
    """Make the first signing key where there is none."""
    if not SigningKey.objects.exists():
        _create(signs_from=timezone.now())


@transaction.atomic
def rotate() -> SigningKey:
    """Make a new signing key and drop all but it and the one before.

    Write vmauth's config right after: the new key signs 10 s from now, when every vmauth has read
    it. Tokens of the dropped keys end at once; their holders fetch new ones.
    """
    had_any = SigningKey.objects.exists()
    key = _create(signs_from=timezone.now() + (_SPREADS_IN if had_any else dt.timedelta()))
    live = SigningKey.objects.all()[:_LIVE_KEYS]
    SigningKey.objects.exclude(pk__in=[kept.pk for kept in live]).delete()
    _signers.clear()
    return key


def _create(signs_from: dt.datetime) -> SigningKey:
    private = ec.generate_private_key(ec.SECP256R1())
    pem = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return SigningKey.objects.create(
        private_key=pem.decode(), public_key=public.decode(), signs_from=signs_from
    )
