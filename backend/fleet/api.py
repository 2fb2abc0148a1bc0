"""The door of the fleet list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from backend.accounts.access import OrgView
from backend.fleet import reads
from backend.inventory.liveness import ServiceState
from backend.inventory.shapes import ServiceRowSerializer

if TYPE_CHECKING:
    from rest_framework.request import Request

    from backend.inventory.models import Service

_STATES = [state.value for state in ServiceState]
_TEXT_MAX = 200


class FleetView(OrgView):
    """The services of the org as one list."""

    roles: ClassVar = {"GET": "viewer"}
    ordering = "slug"

    class QuerySerializer(serializers.Serializer[Any]):
        """How the list is narrowed; an empty value narrows nothing."""

        q = serializers.CharField(
            required=False,
            allow_blank=True,
            max_length=_TEXT_MAX,
            help_text="Words, each a part of slug, name, node, address, cluster or a tag.",
        )
        engine = serializers.CharField(required=False, allow_blank=True, max_length=_TEXT_MAX)
        environment = serializers.CharField(required=False, allow_blank=True, max_length=_TEXT_MAX)
        cluster = serializers.CharField(required=False, allow_blank=True, max_length=_TEXT_MAX)
        state = serializers.ChoiceField(choices=_STATES, required=False, allow_blank=True)
        cursor = serializers.CharField(required=False, allow_blank=True)
        limit = serializers.IntegerField(required=False, min_value=1, max_value=500)

    class OutputSerializer(serializers.Serializer[Any]):
        """A page of the list."""

        class CountsSerializer(serializers.Serializer[Any]):
            """How many services are in each state, the filter on the state left aside."""

            up = serializers.IntegerField()
            down = serializers.IntegerField()
            silent = serializers.IntegerField()
            waiting = serializers.IntegerField()

        next = serializers.URLField(allow_null=True)
        previous = serializers.URLField(allow_null=True)
        results = ServiceRowSerializer(many=True)
        counts = CountsSerializer()
        empty_reason = serializers.ChoiceField(
            choices=list(reads.EMPTY_REASONS),
            allow_null=True,
            help_text="Why there is no row; null where there is one.",
        )

    serializer_class = OutputSerializer

    @extend_schema(
        operation_id="fleet_list", parameters=[QuerySerializer], responses=OutputSerializer
    )
    def get(self, request: Request) -> Response:
        """List the services by slug, with counts and, where the list is empty, the reason."""
        given = self.QuerySerializer(data=request.query_params)
        given.is_valid(raise_exception=True)
        now = timezone.now()
        services, counts = reads.fleet(given.validated_data, now)
        page: list[Service] = self.paginate_queryset(services) or []
        rows = [reads.service_row(service, now) for service in page]
        results = ServiceRowSerializer(rows, many=True).data
        answer = self.get_paginated_response(results)
        answer.data |= {
            "counts": counts,
            "empty_reason": None if rows else reads.empty_reason(now),
        }
        return answer


urlpatterns = [path("fleet", FleetView.as_view())]
