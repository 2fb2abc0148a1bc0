"""How the OpenAPI document is made: component names, problems, the org header, credentials."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import Serializer
from typing_extensions import override

from backend.accounts.access import ORG_HEADER, OrgView
from backend.inventory.liveness import AgentState, ServiceState

_PROBLEM = {
    "type": "object",
    "description": "An error (RFC 9457).",
    "required": ["type", "title", "status", "detail", "code", "request_id", "errors"],
    "properties": {
        "type": {"type": "string", "description": "urn:leadline:problem:<code>"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence on this case."},
        "code": {"type": "string", "description": "A word for programs; it does not change."},
        "request_id": {"type": "string", "description": "Stands in the server's log."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}


def service_states() -> list[str]:
    """Return the choices that ENUM_NAME_OVERRIDES names ServiceStateEnum."""
    return [state.value for state in ServiceState]


def agent_states() -> list[str]:
    """Return the choices that ENUM_NAME_OVERRIDES names AgentStateEnum."""
    return [state.value for state in AgentState]


def node_states() -> list[str]:
    """Return the choices that ENUM_NAME_OVERRIDES names NodeStateEnum."""
    return [AgentState.UP.value, AgentState.SILENT.value, AgentState.WAITING.value]


class Schema(AutoSchema):
    """Names nested serializers after their view: `MemberListView.OutputSerializer` is `Member`."""

    @override
    def get_override_parameters(self) -> list[Any]:
        if not isinstance(self.view, OrgView):
            return []
        description = (
            "The org to work in; without it the first one you belong to. A key is bound to its org."
        )
        return [
            OpenApiParameter(
                ORG_HEADER,
                {"type": "string", "format": "uuid"},
                OpenApiParameter.HEADER,
                description=description,
            )
        ]

    @override
    def _is_list_view(self, serializer: Any = None) -> bool:
        if isinstance(self.view, OrgView) and type(self.view).__name__.endswith("ListView"):
            return self.method == "GET"
        return bool(super()._is_list_view(serializer))

    @override
    def _get_serializer_name(
        self, serializer: Serializer[Any], direction: Any, bypass_extensions: bool = False
    ) -> str:
        kind = type(serializer) if isinstance(serializer, Serializer) else None
        outer, _, inner = (kind.__qualname__ if kind else "").rpartition(".")
        if not outer:
            return super()._get_serializer_name(serializer, direction, bypass_extensions)
        words = [
            part.removesuffix("Serializer").removesuffix("View").removesuffix("List")
            for part in [*outer.split("."), inner]
        ]
        return "".join(word for word in words if word != "Output")


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """Tells of API keys."""

    target_class = "backend.accounts.access.ApiKeyAuthentication"
    name = "apiKey"

    @override
    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key: `Authorization: Bearer llk_…`",
        }


class SessionScheme(OpenApiAuthenticationExtension):
    """Tells of the browser's session."""

    target_class = "backend.accounts.access.SessionAuthentication"
    name = "session"

    @override
    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        description = "The cookie that signing in sets; writing also needs the header X-CSRFToken."
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": description,
        }


def only_public_routes(
    endpoints: list[tuple[str, str, str, Any]], **kwargs: Any
) -> list[tuple[str, str, str, Any]]:
    """Keep the routes for people and programs."""
    del kwargs
    return [endpoint for endpoint in endpoints if endpoint[0].startswith("/api/v1/")]


def add_problem(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Give every operation the problem as its default answer."""
    del kwargs
    result["components"]["schemas"]["Problem"] = _PROBLEM
    answer = {
        "description": "What went wrong.",
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = answer
    return result


@cache
def document(
    renderer: type[OpenApiYamlRenderer | OpenApiJsonRenderer] = OpenApiYamlRenderer,
) -> bytes:
    """Return the OpenAPI document; it does not change while the process lives."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    rendered = renderer().render(schema, renderer_context={})
    return rendered if isinstance(rendered, bytes) else rendered.encode()


def schema_view(request: HttpRequest) -> HttpResponse:
    """Answer /api/schema: YAML, or JSON where the client asks for it."""
    if "application/json" in request.headers.get("Accept", ""):
        return HttpResponse(document(OpenApiJsonRenderer), content_type="application/json")
    return HttpResponse(document(), content_type="application/yaml; charset=utf-8")
