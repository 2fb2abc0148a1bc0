"""Every periodic job on one page. Times are UTC; a job that is missed is done by the next run."""

from __future__ import annotations

from celery.schedules import crontab

from backend.accounts import tasks as accounts
from backend.celery import app
from backend.fleet import tasks as fleet
from backend.inventory import tasks as inventory

app.conf.beat_schedule = {
    "leadline_service_info": {
        "task": fleet.push_service_info.name,
        "schedule": crontab(),  # every minute
    },
    "expired enrolment tokens": {
        "task": inventory.prune_enrolment_tokens.name,
        "schedule": crontab(minute="17"),
    },
    "expired sessions": {
        "task": accounts.prune_sessions.name,
        "schedule": crontab(minute="23", hour="3"),
    },
    "audit entries past their 400 days": {
        "task": accounts.prune_audit.name,
        "schedule": crontab(minute="41", hour="3"),
    },
}
