"""Periodic jobs: what each does, and that Celery is set up to do it."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from backend.accounts import audit, tasks
from backend.accounts.models import AuditEntry
from backend.accounts.scope import org_scope
from backend.celery import app
from backend.conftest import Team


def test_every_scheduled_task_is_known_to_the_worker() -> None:
    app.loader.import_default_modules()

    for name, entry in app.conf.beat_schedule.items():
        assert entry["task"] in app.tasks, name


def test_celery_carries_no_truth() -> None:
    conf = app.conf
    assert conf.task_ignore_result
    assert conf.task_acks_late
    assert (conf.accept_content, conf.task_serializer) == (["json"], "json")
    assert app.backend.as_uri() == "disabled://"
    assert conf.broker_transport_options["visibility_timeout"] > conf.task_time_limit


def test_a_task_reaches_the_broker_with_its_password() -> None:
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=0, timeout=2)
        assert broker.connected


def test_old_audit_entries_of_every_org_are_pruned(home: Team, away: Team) -> None:
    AuditEntry.unscoped.all().delete()
    for team in (home, away):
        with org_scope(team.org.id):
            audit.record("old", "thing")
            audit.record("young", "thing")
    AuditEntry.unscoped.filter(action="old").update(at=timezone.now() - timedelta(days=401))
    AuditEntry.unscoped.filter(action="young").update(at=timezone.now() - timedelta(days=399))

    tasks.prune_audit()

    assert list(AuditEntry.unscoped.values_list("action", flat=True)) == ["young", "young"]


def test_sessions_that_ran_out_are_pruned(home: Team) -> None:
    home.browser("viewer")
    home.browser("admin")
    ended = Session.objects.earliest("expire_date")
    ended.expire_date = timezone.now() - timedelta(seconds=1)
    ended.save()

    tasks.prune_sessions()

    assert Session.objects.count() == 1
