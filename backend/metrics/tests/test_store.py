from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from backend import health
from backend.conftest import Team
from backend.inventory.tests.agents import enrol
from backend.metrics import reads, store, tokens
from backend.metrics.canary import SYSTEM_ORG, Canary
from backend.metrics.models import Heartbeat
from backend.metrics.remote_write import Sample
from backend.metrics.tests.running import Vmauth, until

ONE, TWO = uuid.uuid4(), uuid.uuid4()


def now_ms() -> int:
    return int(time.time()) * 1000 - 5000


def test_what_is_written_is_read_back_by_its_org_alone(vmauth: Vmauth) -> None:
    name = f"leadline_test_{uuid.uuid4().hex}"
    labels = {"service": 'a"b\\c\n', "tags": "ü,é", "empty": ""}
    stamp = now_ms()
    values = {ONE: 1.5, TWO: -2.25}
    for org, value in values.items():
        samples = [
            Sample(name=name, value=value, stamp_ms=stamp, labels=labels),
            Sample(name=name, value=value, stamp_ms=stamp, labels={"n": "x" * 300}),
        ]
        store.write(org_id=org, samples=samples)
        store.write(org_id=org, samples=samples)
    vmauth.flush()

    for org, value in values.items():
        rows = until(
            "both series are seen",
            lambda org=org: (
                rows if len(rows := store.query(org_id=org, promql=name)) == 2 else None
            ),
        )
        assert {row.labels["org"] for row in rows} == {str(org)}
        assert {row.points[0][1] for row in rows} == {value}
        assert {"__name__": name, "org": str(org), "service": 'a"b\\c\n', "tags": "ü,é"} in [
            dict(row.labels) for row in rows
        ]
        (counted,) = store.query(org_id=org, promql=f"count_over_time({name}{{tags!=''}}[5m])")
        assert counted.points[0][1] == 1
        (ranged, _) = store.query(org_id=org, promql=f"{name}[5m]")
        assert {point[1] for point in ranged.points} == {value}


def test_a_wrong_expression_is_one_sentence(vmauth: Vmauth) -> None:
    with pytest.raises(store.StoreError, match="refused a query"):
        store.query(org_id=ONE, promql="sum(")


def test_a_store_that_is_away_is_one_sentence(keys: None, settings: Any) -> None:
    settings.VICTORIAMETRICS_URL = settings.VMAUTH_URL = "http://127.0.0.1:1"
    sample = Sample(name="leadline_test", value=1, stamp_ms=now_ms())

    with pytest.raises(store.StoreError, match="does not answer"):
        store.query(org_id=ONE, promql="up")
    with pytest.raises(store.StoreError, match="vmauth does not answer"):
        store.write(org_id=ONE, samples=[sample])
    with pytest.raises(store.StoreError, match="does not answer"):
        store.boot_id()


def test_the_boot_id_stays_while_the_store_runs(db: None) -> None:
    assert store.boot_id() == store.boot_id()


def test_the_canary_comes_back_and_is_written_down(vmauth: Vmauth) -> None:
    canary = Canary()

    def back() -> bool:
        assert canary.beat()
        vmauth.flush()
        return canary.canary_at is not None

    until("the canary sample comes back", back)
    beat = Heartbeat.objects.get()
    assert beat.store_ok
    assert beat.store_boot_id == reads.store_boot_id() == store.boot_id()
    assert beat.canary_at is not None
    assert (timezone.now() - beat.canary_at).total_seconds() < 30
    assert reads.ingest_ready().startswith("A canary sample came back")
    assert store.query(org_id=ONE, promql="leadline_canary") == []
    assert store.query(org_id=SYSTEM_ORG, promql="leadline_canary")


def test_the_canary_outlives_an_outage_and_keeps_the_boot_id(keys: None, settings: Any) -> None:
    canary = Canary()
    canary.boot_id = "before"
    settings.VICTORIAMETRICS_URL = settings.VMAUTH_URL = "http://127.0.0.1:1"

    assert not canary.beat()

    beat = Heartbeat.objects.get()
    assert (beat.store_ok, beat.store_boot_id, beat.canary_at) == (False, "before", None)


@pytest.mark.parametrize(
    ("beat_ago", "canary_ago", "sentence"),
    [
        (None, None, "The canary has not run yet."),
        (30, 1, "The canary process has not been heard of for 30 s."),
        (1, None, "No canary sample has come back yet."),
        (1, 40, "The newest canary sample that came back is 40 s old."),
    ],
)
def test_an_ingest_outage_is_named(
    db: None, beat_ago: int | None, canary_ago: int | None, sentence: str
) -> None:
    now = timezone.now()
    if beat_ago is not None:
        at = None if canary_ago is None else now - timedelta(seconds=canary_ago)
        Heartbeat.objects.create(at=now - timedelta(seconds=beat_ago), canary_at=at)

    with pytest.raises(health.NotReady) as raised:
        reads.ingest_ready()

    assert str(raised.value) == sentence


def test_readiness_names_what_is_not_ready(db: None, settings: Any) -> None:
    settings.VICTORIAMETRICS_URL = "http://127.0.0.1:1"

    with pytest.raises(health.NotReady, match="VictoriaMetrics does not answer"):
        reads.victoriametrics_ready()


def test_readiness_of_the_real_parts(db: None) -> None:
    assert reads.victoriametrics_ready() == "VictoriaMetrics answers."
    assert reads.disk_ready().endswith("GB are free where the data lie.")


@pytest.mark.parametrize(
    ("seen_ago", "store_ok", "told"), [(0, True, "boot-7"), (6, True, ""), (0, False, "")]
)
def test_agents_hear_a_boot_id_only_while_it_is_fresh(
    home: Team, keys: None, seen_ago: int, store_ok: bool, told: str
) -> None:
    agent = enrol(home)
    at = timezone.now() - timedelta(seconds=seen_ago)
    Heartbeat.objects.create(at=at, store_ok=store_ok, store_boot_id="boot-7")

    assert agent.token()[1]["store_boot_id"] == told
    assert agent.status()[1]["store_boot_id"] == told


def test_the_canary_process_beats_and_ends_cleanly(transactional_db: None, settings: Any) -> None:
    tokens.ensure()
    name = settings.DATABASES["default"]["NAME"]
    process = subprocess.Popen(
        [sys.executable, "-m", "backend", "canary"],
        env={**os.environ, "DATABASE_NAME": name},
        stderr=subprocess.DEVNULL,
    )
    try:
        first = until("the canary writes its row", Heartbeat.objects.first)
        assert first.store_ok
        assert first.store_boot_id == store.boot_id()
        until("it beats again", lambda: Heartbeat.objects.filter(at__gt=first.at).exists())
        process.send_signal(signal.SIGTERM)
        assert process.wait(8) == 0
    finally:
        process.kill()
        process.wait(8)
