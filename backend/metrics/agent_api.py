"""The doors for agents that hand out a token or tell of the metric store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.urls import path

from backend.inventory import agent_actions, lease, wire
from backend.inventory.agent_door import (
    STATUS_BODY,
    agent_route,
    agent_version,
    answer,
    body_of,
)
from backend.inventory.reads import generation_of
from backend.metrics import tokens
from backend.metrics.reads import store_boot_id

if TYPE_CHECKING:
    from backend.inventory.models import Agent


@agent_route("POST")
def token(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Hand out an ingest token to the one instance that holds the agent's lease."""
    given = body_of(request, wire.TokenRequest)
    asker = lease.Asker(instance=given.instance, previous=given.previous, place=given.place)
    holder = agent_actions.agent_lease_take(
        agent=agent, asker=asker, version=agent_version(request)
    )
    signed = tokens.sign(org_id=holder.org_id, use=tokens.Use.INGEST)
    return answer(
        {
            "token": signed.text,
            "expires_in": signed.expires_in,
            "store_boot_id": store_boot_id(),
            "generation": holder.generation,
            # Last, so that it is as fresh as can be: agents correct their clocks by it.
            "server_time": time.time(),
        }
    )


@agent_route("POST")
def status(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Keep what an agent says; tell it what may have changed meanwhile."""
    given = body_of(request, wire.StatusRequest, STATUS_BODY)
    version = agent_version(request)
    agent_actions.agent_status_report(agent=agent, report=given, version=version)
    return answer({"generation": generation_of(agent.pk), "store_boot_id": store_boot_id()})


urlpatterns = [path("token", token), path("status", status)]
