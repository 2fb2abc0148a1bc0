"""The doors for agents: enrolment, desired state, services.

Tokens and status are in metrics/agent_api.py.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.urls import path

from backend.inventory import actions, agent_actions, enrolment, reads, wire
from backend.inventory.agent_door import agent_route, agent_version, answer, body_of, open_route

if TYPE_CHECKING:
    from backend.inventory.models import Agent


@open_route("POST")
def enrol(request: HttpRequest) -> HttpResponse:
    """Enrol an agent with a token; the answer carries its key, this once."""
    given = body_of(request, wire.EnrolRequest)
    enrolled = enrolment.agent_enrol(request=given, version=agent_version(request))
    document = {
        "agent_id": enrolled.agent.pk,
        "key": enrolled.key,
        "org": enrolled.agent.org_id,
        "node": enrolled.agent.node.slug,
    }
    return answer(document, HTTPStatus.CREATED)


@agent_route("GET")
def desired(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Tell an agent all that it is to do."""
    del request
    return answer(reads.desired_state(agent.pk))


@agent_route("POST")
def services(request: HttpRequest, agent: Agent) -> HttpResponse:
    """Add a service to the agent, or update one that it watches."""
    given = body_of(request, wire.ServiceRequest)
    service, added = agent_actions.service_register(agent=agent, request=given)
    return answer(reads.desired_service(service), HTTPStatus.CREATED if added else HTTPStatus.OK)


@agent_route("DELETE")
def service(request: HttpRequest, agent: Agent, slug: str) -> HttpResponse:
    """Stop watching a service of the agent."""
    del request
    actions.service_remove(slug=slug, agent=agent)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


urlpatterns = [
    path("enrol", enrol),
    path("desired", desired),
    path("services", services),
    path("services/<slug:slug>", service),
]
