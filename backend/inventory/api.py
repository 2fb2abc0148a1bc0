"""The doors for people and programs: services, nodes, agents and enrolment tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.response import Response

from backend.accounts.access import OrgView
from backend.errors import Invalid
from backend.inventory import actions, grammar, reads
from backend.inventory.liveness import AgentState
from backend.inventory.models import EnrolmentToken
from backend.inventory.shapes import ServiceRowSerializer

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from rest_framework.request import Request

    from backend.inventory.models import Agent, Node, Service

_NODE_STATES = [AgentState.UP.value, AgentState.SILENT.value, AgentState.WAITING.value]


def _judged(judge: Callable[[Any], str | None]) -> list[Callable[[Any], None]]:
    """Make a validator of a function of the grammar."""

    def validate(value: Any) -> None:
        sentence = judge(value)
        if sentence:
            raise serializers.ValidationError(sentence)

    return [validate]


def _name(value: str) -> str | None:
    return grammar.text_problem(value, grammar.NAME_MAX)


class _Changes(serializers.Serializer[Any]):
    """What may be changed; a field that may not is an error and not overlooked."""

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """Return the changes of a request; raises a problem that names every wrong field."""
        given = cls(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        others = [name for name in request.data if name not in given.fields]
        if others:
            raise Invalid(*((name, "This field cannot be changed.") for name in others))
        return dict(given.validated_data)


class ServiceListView(OrgView):
    """The services of the org."""

    roles: ClassVar = {"GET": "viewer"}
    ordering = "slug"

    class OutputSerializer(ServiceRowSerializer):
        """A service with what its agent is told."""

        user = serializers.CharField()
        tls = serializers.ChoiceField(choices=list(grammar.TLS_MODES))
        password_held_by = serializers.ChoiceField(choices=["agent", "server"])
        epoch = serializers.IntegerField(help_text="How often its lease has changed hands.")
        created_at = serializers.DateTimeField()

    serializer_class = OutputSerializer

    @extend_schema(operation_id="services_list")
    def get(self, request: Request) -> Response:
        """List the services in the order of their slugs."""
        del request
        page: list[Service] = self.paginate_queryset(reads.services()) or []
        now = timezone.now()
        rows = [reads.service_document(service, now) for service in page]
        return self.get_paginated_response(self.OutputSerializer(rows, many=True).data)


class ServiceView(OrgView):
    """One service of the org."""

    roles: ClassVar = {"GET": "viewer", "PATCH": "operator", "DELETE": "operator"}
    serializer_class = ServiceListView.OutputSerializer

    class InputSerializer(_Changes):
        """What can be changed of a service; its slug cannot, so that its history stays."""

        name = serializers.CharField(validators=_judged(_name))
        tags = serializers.ListField(
            child=serializers.CharField(), validators=_judged(grammar.tags_problem)
        )
        owner = serializers.CharField(allow_blank=True, validators=_judged(grammar.text_problem))
        environment = serializers.CharField(
            allow_blank=True, validators=_judged(grammar.text_problem)
        )
        cluster = serializers.CharField(allow_blank=True, validators=_judged(grammar.text_problem))
        replication_set = serializers.CharField(
            allow_blank=True, validators=_judged(grammar.text_problem)
        )
        address = serializers.CharField(validators=_judged(grammar.address_problem))
        user = serializers.CharField(validators=_judged(grammar.user_problem))
        password = serializers.CharField(
            write_only=True,
            allow_blank=True,
            trim_whitespace=False,
            validators=_judged(grammar.password_problem),
            help_text="Empty: back to the one that the agent holds.",
        )
        tls = serializers.ChoiceField(choices=list(grammar.TLS_MODES))
        agent = serializers.UUIDField(help_text="The live agent that takes the service over.")

    class ChangedSerializer(ServiceListView.OutputSerializer):
        """A service after a change."""

        notice = serializers.CharField(
            allow_null=True, help_text="What the change also does, where it does more."
        )

    @extend_schema(operation_id="services_get")
    def get(self, request: Request, slug: str) -> Response:
        """Return one service."""
        del request
        row = reads.service_document(reads.service(slug), timezone.now())
        return Response(ServiceListView.OutputSerializer(row).data)

    @extend_schema(
        operation_id="services_update", request=InputSerializer, responses=ChangedSerializer
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change a service; its history stays, and `notice` says where new series begin."""
        changes = self.InputSerializer.read(request)
        if "password" in changes:
            changes["password"] = changes["password"] or None
        changed = actions.service_change(slug=slug, changes=changes)
        row = reads.service_document(reads.service(slug), timezone.now())
        return Response(self.ChangedSerializer(row | {"notice": changed.notice}).data)

    @extend_schema(operation_id="services_delete", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Stop watching a service; what was measured stays."""
        del request
        actions.service_remove(slug=slug)
        return Response(status=status.HTTP_204_NO_CONTENT)


class NodeListView(OrgView):
    """The monitored hosts of the org."""

    roles: ClassVar = {"GET": "viewer"}
    ordering = "slug"

    class OutputSerializer(serializers.Serializer[Any]):
        """A host."""

        slug = serializers.CharField()
        name = serializers.CharField()
        hostname = serializers.CharField()
        environment = serializers.CharField(allow_blank=True)
        owner = serializers.CharField(allow_blank=True)
        tags = serializers.ListField(child=serializers.CharField())
        state = serializers.ChoiceField(choices=_NODE_STATES)
        last_seen = serializers.DateTimeField(allow_null=True)
        agent = serializers.UUIDField(allow_null=True)
        services = serializers.IntegerField(help_text="How many services are watched on it.")
        created_at = serializers.DateTimeField()

    serializer_class = OutputSerializer

    @extend_schema(operation_id="nodes_list")
    def get(self, request: Request) -> Response:
        """List the nodes in the order of their slugs."""
        del request
        page: list[Node] = self.paginate_queryset(reads.nodes()) or []
        now = timezone.now()
        rows = [reads.node_document(node, now) for node in page]
        return self.get_paginated_response(self.OutputSerializer(rows, many=True).data)


class NodeView(OrgView):
    """One monitored host of the org."""

    roles: ClassVar = {"GET": "viewer", "PATCH": "operator"}
    serializer_class = NodeListView.OutputSerializer

    class InputSerializer(_Changes):
        """What can be changed of a node."""

        name = serializers.CharField(validators=_judged(_name))
        tags = serializers.ListField(
            child=serializers.CharField(), validators=_judged(grammar.tags_problem)
        )
        owner = serializers.CharField(allow_blank=True, validators=_judged(grammar.text_problem))
        environment = serializers.CharField(
            allow_blank=True, validators=_judged(grammar.text_problem)
        )

    class ChangedSerializer(NodeListView.OutputSerializer):
        """A node after a change."""

        notice = serializers.CharField(
            allow_null=True, help_text="What the change also does, where it does more."
        )

    @extend_schema(operation_id="nodes_get")
    def get(self, request: Request, slug: str) -> Response:
        """Return one node."""
        del request
        row = reads.node_document(reads.node(slug), timezone.now())
        return Response(NodeListView.OutputSerializer(row).data)

    @extend_schema(
        operation_id="nodes_update", request=InputSerializer, responses=ChangedSerializer
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change a node's name, tags, owner or environment."""
        changed = actions.node_change(slug=slug, changes=self.InputSerializer.read(request))
        row = reads.node_document(reads.node(slug), timezone.now())
        return Response(self.ChangedSerializer(row | {"notice": changed.notice}).data)


class AgentListView(OrgView):
    """The agents of the org, those that were revoked or replaced too."""

    roles: ClassVar = {"GET": "viewer"}
    ordering = ("created_at", "id")

    class OutputSerializer(serializers.Serializer[Any]):
        """An agent and what it last said of itself."""

        class SpoolSerializer(serializers.Serializer[Any]):
            """What waits on the agent's disk."""

            bytes = serializers.IntegerField()
            segments = serializers.IntegerField()
            oldest_age_seconds = serializers.FloatField()
            dropped_samples = serializers.IntegerField()

        class ProblemSerializer(serializers.Serializer[Any]):
            """Why the agent cannot read one of its services."""

            service = serializers.CharField()
            code = serializers.CharField()
            error = serializers.CharField(allow_blank=True)

        id = serializers.UUIDField()
        node = serializers.CharField()
        version = serializers.CharField(allow_blank=True)
        protocol = serializers.IntegerField()
        state = serializers.ChoiceField(choices=[state.value for state in AgentState])
        last_seen = serializers.DateTimeField(allow_null=True)
        clock_offset_seconds = serializers.FloatField(allow_null=True)
        spool = SpoolSerializer()
        key_prefix = serializers.CharField()
        services = serializers.ListField(child=serializers.CharField())
        problems = ProblemSerializer(many=True)
        created_at = serializers.DateTimeField()

    serializer_class = OutputSerializer

    @extend_schema(operation_id="agents_list")
    def get(self, request: Request) -> Response:
        """List the agents, oldest first."""
        del request
        page: list[Agent] = self.paginate_queryset(reads.agents()) or []
        now = timezone.now()
        rows = [reads.agent_document(agent, now) for agent in page]
        return self.get_paginated_response(self.OutputSerializer(rows, many=True).data)


class AgentView(OrgView):
    """One agent of the org."""

    roles: ClassVar = {"DELETE": "operator"}
    serializer_class = AgentListView.OutputSerializer

    @extend_schema(operation_id="agents_delete", responses={204: None})
    def delete(self, request: Request, agent_id: UUID) -> Response:
        """Revoke an agent's key at once; its services stay, silent."""
        del request
        actions.agent_revoke(agent_id=agent_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class EnrolmentTokenListView(OrgView):
    """The tokens with which agents enrol."""

    roles: ClassVar = {"GET": "viewer", "POST": "operator"}
    ordering = ("-created_at", "id")

    class OutputSerializer(serializers.ModelSerializer[EnrolmentToken]):
        """An enrolment token without the token itself."""

        used_by = serializers.CharField(allow_blank=True, help_text="The node that used it.")

        class Meta:
            model = EnrolmentToken
            fields = ("id", "prefix", "created_at", "expires_at", "used_at", "used_by")

    class CreatedSerializer(serializers.ModelSerializer[EnrolmentToken]):
        """An enrolment token just made."""

        token = serializers.CharField(
            read_only=True, help_text="The token itself; shown this once."
        )
        command = serializers.CharField(
            read_only=True, help_text="Run this on the host; it asks for the token."
        )

        class Meta:
            model = EnrolmentToken
            fields = ("id", "token", "expires_at", "prefix", "command")

    serializer_class = OutputSerializer

    @extend_schema(operation_id="enrolment_tokens_list")
    def get(self, request: Request) -> Response:
        """List the enrolment tokens, newest first."""
        del request
        page = self.paginate_queryset(reads.enrolment_tokens())
        return self.get_paginated_response(self.OutputSerializer(page, many=True).data)

    @extend_schema(
        operation_id="enrolment_tokens_create", request=None, responses={201: CreatedSerializer}
    )
    def post(self, request: Request) -> Response:
        """Make a token for one agent, good for an hour; the answer shows it once."""
        del request
        token, full = actions.enrolment_token_create()
        answer = {
            "id": token.pk,
            "token": full,
            "expires_at": self.OutputSerializer(token).data["expires_at"],
            "prefix": token.prefix,
            "command": f"bin/leadline-agent enroll --server {settings.PUBLIC_URL}",
        }
        return Response(answer, status=status.HTTP_201_CREATED)


class EnrolmentTokenView(OrgView):
    """One enrolment token."""

    roles: ClassVar = {"DELETE": "operator"}
    serializer_class = EnrolmentTokenListView.OutputSerializer

    @extend_schema(operation_id="enrolment_tokens_delete", responses={204: None})
    def delete(self, request: Request, token_id: UUID) -> Response:
        """Delete a token, so that nobody enrols with it any more."""
        del request
        actions.enrolment_token_revoke(token_id=token_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


urlpatterns = [
    path("services", ServiceListView.as_view()),
    path("services/<slug:slug>", ServiceView.as_view()),
    path("nodes", NodeListView.as_view()),
    path("nodes/<slug:slug>", NodeView.as_view()),
    path("agents", AgentListView.as_view()),
    path("agents/<uuid:agent_id>", AgentView.as_view()),
    path("enrolment-tokens", EnrolmentTokenListView.as_view()),
    path("enrolment-tokens/<uuid:token_id>", EnrolmentTokenView.as_view()),
]
