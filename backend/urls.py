"""Every address that Django answers, on one page."""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.headless.account import views as sign_in_views
from allauth.headless.constants import Client
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path, re_path
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend import health
from backend.accounts import api as accounts
from backend.accounts.access import OrgView
from backend.fleet import api as fleet
from backend.inventory import agent_api as agents
from backend.inventory import api as inventory
from backend.metrics import agent_api as agents_metrics
from backend.metrics import api as metrics
from backend.openapi import schema_view
from backend.web import user_interface


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process lives."""
    del request
    return JsonResponse({"ok": True})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Say which parts are ready; 503 while one is not."""
    del request
    report = _report()
    return JsonResponse(report, status=200 if report["ok"] else 503)


def _report() -> dict[str, Any]:
    parts = health.look()
    return {"ok": all(part.ok for part in parts), "parts": [part._asdict() for part in parts]}


class HealthView(OrgView):
    """What works and what does not on the server itself."""

    roles: ClassVar = {"GET": "viewer"}

    class OutputSerializer(serializers.Serializer[Any]):
        """All parts."""

        class PartSerializer(serializers.Serializer[Any]):
            """One part and what its check said."""

            name = serializers.CharField()
            ok = serializers.BooleanField()
            detail = serializers.CharField()

        ok = serializers.BooleanField()
        parts = PartSerializer(many=True)

    @extend_schema(operation_id="health_get", responses=OutputSerializer)
    def get(self, request: Request) -> Response:
        """Return the state of every part."""
        del request
        return Response(_report())


# Of allauth's doors only these are open: no sign-up, no password reset by mail.
_sign_in = [
    path("auth/login", sign_in_views.LoginView.as_api_view(client=Client.BROWSER)),
    path("auth/session", sign_in_views.SessionView.as_api_view(client=Client.BROWSER)),
    path(
        "account/password/change",
        sign_in_views.ChangePasswordView.as_api_view(client=Client.BROWSER),
    ),
]

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/schema", schema_view),
    path("api/auth/browser/v1/", include(_sign_in)),
    path("api/agent/v1/", include(agents.urlpatterns)),
    path("api/agent/v1/", include(agents_metrics.urlpatterns)),
    path("api/v1/", include(accounts.urlpatterns)),
    path("api/v1/", include(inventory.urlpatterns)),
    path("api/v1/", include(metrics.urlpatterns)),
    path("api/v1/", include(fleet.urlpatterns)),
    path("api/v1/health", HealthView.as_view()),
    re_path("", user_interface),
]

handler400 = "backend.errors.bad_request"
handler403 = "backend.errors.permission_denied"
handler404 = "backend.errors.page_not_found"
handler500 = "backend.errors.server_error"
