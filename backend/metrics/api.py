"""The doors of the metrics room: read tokens, and the catalog of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from backend.accounts.access import OrgView
from backend.metrics import catalog, tokens

if TYPE_CHECKING:
    from rest_framework.request import Request


class ReadTokenView(OrgView):
    """Tokens with which a browser or a program queries the org's metrics under /prometheus/."""

    roles: ClassVar = {"POST": "viewer"}

    class OutputSerializer(serializers.Serializer[Any]):
        """A token and its life in seconds."""

        token = serializers.CharField()
        expires_in = serializers.IntegerField()

    @extend_schema(
        operation_id="read_token_create", request=None, responses={200: OutputSerializer}
    )
    def post(self, request: Request) -> Response:
        """Sign a read token for the org, good for five minutes."""
        del request
        signed = tokens.sign(org_id=self.access.org.pk, use=tokens.Use.READ)
        return Response({"token": signed.text, "expires_in": signed.expires_in})


class MetricListView(OrgView):
    """Every metric that Leadline knows."""

    roles: ClassVar = {"GET": "viewer"}
    pagination_class = None  # the whole catalog is one page

    class OutputSerializer(serializers.Serializer[Any]):
        """One metric, or a family whose name ends in *."""

        name = serializers.CharField()
        type = serializers.ChoiceField(choices=["gauge", "counter", "info", "untyped"])
        unit = serializers.CharField(allow_blank=True)
        help = serializers.CharField()

    @extend_schema(operation_id="metrics_list", responses={200: OutputSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """Return the catalog."""
        del request
        return Response([metric._asdict() for metric in catalog.METRICS])


urlpatterns = [
    path("tokens/read", ReadTokenView.as_view()),
    path("metrics", MetricListView.as_view()),
]
