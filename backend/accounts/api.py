"""The doors of the accounts room: session, members, API keys, audit trail."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.middleware.csrf import get_token
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from backend.accounts import actions, reads
from backend.accounts.access import OrgView, choose_membership, memberships_of, wanted_org
from backend.accounts.models import ApiKey, AuditEntry, Membership
from backend.accounts.roles import KeyScope, Role
from backend.errors import Forbidden

_KEY_FIELDS = (
    "id",
    "name",
    "prefix",
    "scopes",
    "created_at",
    "expires_at",
    "last_used_at",
    "created_by",
)


class SessionView(APIView):
    """Who is signed in, in which org; anyone may ask, and the answer sets the CSRF cookie."""

    authentication_classes = ()
    permission_classes = ()

    class OutputSerializer(serializers.Serializer[Any]):
        """Only `authenticated` is there when nobody is signed in."""

        class UserSerializer(serializers.Serializer[Any]):
            """The person."""

            email = serializers.EmailField()
            name = serializers.CharField()

        class OrgSerializer(serializers.Serializer[Any]):
            """The org that the answer is about."""

            id = serializers.UUIDField()
            name = serializers.CharField()

        class OrgRoleSerializer(serializers.Serializer[Any]):
            """An org that the person belongs to."""

            id = serializers.UUIDField()
            name = serializers.CharField()
            role = serializers.ChoiceField(choices=Role.choices)

        authenticated = serializers.BooleanField()
        user = UserSerializer(required=False)
        org = OrgSerializer(required=False, allow_null=True)
        role = serializers.ChoiceField(choices=Role.choices, required=False, allow_null=True)
        orgs = OrgRoleSerializer(many=True, required=False)
        public_url = serializers.CharField(required=False)
        reachable = serializers.BooleanField(
            required=False,
            help_text="False: PUBLIC_URL is loopback, so other hosts cannot reach the server.",
        )

    @extend_schema(operation_id="session_get", auth=[], responses=OutputSerializer)
    def get(self, request: Request) -> Response:
        """Return the session."""
        get_token(request._request)
        user = get_user(request._request)
        if not user.is_authenticated:
            return Response({"authenticated": False})
        memberships = memberships_of(user)
        try:
            chosen = choose_membership(memberships, wanted_org(request))
        except Forbidden:
            # The browser may remember an org that was left: say who is here, and let them choose.
            chosen = None
        return Response(
            {
                "authenticated": True,
                "user": {"email": user.email, "name": user.name},
                "org": {"id": chosen.org_id, "name": chosen.org.name} if chosen else None,
                "role": chosen.role if chosen else None,
                "orgs": [
                    {"id": one.org_id, "name": one.org.name, "role": one.role}
                    for one in memberships
                ],
                "public_url": settings.PUBLIC_URL,
                "reachable": not settings.PUBLIC_IS_LOOPBACK,
            }
        )


class MemberListView(OrgView):
    """The people of the org."""

    roles: ClassVar = {"GET": "viewer", "POST": "admin"}
    ordering = ("created_at", "id")

    class OutputSerializer(serializers.ModelSerializer[Membership]):
        """A member."""

        email = serializers.EmailField(source="user.email", read_only=True)
        name = serializers.CharField(source="user.name", read_only=True)

        class Meta:
            model = Membership
            fields = ("id", "email", "name", "role")

    class InputSerializer(serializers.Serializer[Any]):
        """A new member."""

        email = serializers.EmailField(max_length=254)
        name = serializers.CharField(max_length=200, allow_blank=True, default="")
        role = serializers.ChoiceField(choices=Role.choices)

    class CreatedSerializer(OutputSerializer):
        """A member just added."""

        password = serializers.CharField(
            read_only=True, help_text="Made for the new account and shown this once."
        )

        class Meta:
            model = Membership
            fields = ("id", "email", "name", "role", "password")

    serializer_class = OutputSerializer

    @extend_schema(operation_id="members_list")
    def get(self, request: Request) -> Response:
        """List the members."""
        page = self.paginate_queryset(reads.members())
        return self.get_paginated_response(self.OutputSerializer(page, many=True).data)

    @extend_schema(
        operation_id="members_create", request=InputSerializer, responses={201: CreatedSerializer}
    )
    def post(self, request: Request) -> Response:
        """Add a person with a new account; the answer shows its password once."""
        given = self.InputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        role = Role(given.validated_data.pop("role"))
        member, password = actions.member_add(
            **given.validated_data, role=role, by=self.access.role
        )
        answer = {**self.OutputSerializer(member).data, "password": password}
        return Response(answer, status=status.HTTP_201_CREATED)


class MemberView(OrgView):
    """One member of the org."""

    roles: ClassVar = {"PATCH": "admin", "DELETE": "admin"}
    serializer_class = MemberListView.OutputSerializer

    class ChangeSerializer(serializers.Serializer[Any]):
        """What can be changed of a member."""

        role = serializers.ChoiceField(choices=Role.choices)

    @extend_schema(operation_id="members_update", request=ChangeSerializer)
    def patch(self, request: Request, member_id: UUID) -> Response:
        """Give a member another role. An org keeps an owner, and only owners make owners."""
        given = self.ChangeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        role = Role(given.validated_data["role"])
        member = actions.member_change_role(member_id=member_id, role=role, by=self.access.role)
        return Response(MemberListView.OutputSerializer(member).data)

    @extend_schema(operation_id="members_delete", responses={204: None})
    def delete(self, request: Request, member_id: UUID) -> Response:
        """Take a member out of the org."""
        actions.member_remove(member_id=member_id, by=self.access.role)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ApiKeyListView(OrgView):
    """The API keys of the org."""

    roles: ClassVar = {"GET": "viewer", "POST": "admin"}
    ordering = ("-created_at", "id")

    class OutputSerializer(serializers.ModelSerializer[ApiKey]):
        """An API key without the key itself."""

        scopes = serializers.ListField(child=serializers.ChoiceField(choices=KeyScope.choices))

        class Meta:
            model = ApiKey
            fields = _KEY_FIELDS

    class InputSerializer(serializers.Serializer[Any]):
        """A new API key."""

        name = serializers.CharField(max_length=200)
        scopes = serializers.ListField(
            child=serializers.ChoiceField(choices=KeyScope.choices),
            allow_empty=False,
            max_length=len(KeyScope),
        )
        expires_at = serializers.DateTimeField(allow_null=True, default=None)

    class CreatedSerializer(OutputSerializer):
        """An API key just made."""

        key = serializers.CharField(read_only=True, help_text="The key itself; shown this once.")

        class Meta:
            model = ApiKey
            fields = ("key", *_KEY_FIELDS)

    serializer_class = OutputSerializer

    @extend_schema(operation_id="api_keys_list")
    def get(self, request: Request) -> Response:
        """List the API keys, newest first."""
        page = self.paginate_queryset(reads.api_keys())
        return self.get_paginated_response(self.OutputSerializer(page, many=True).data)

    @extend_schema(
        operation_id="api_keys_create", request=InputSerializer, responses={201: CreatedSerializer}
    )
    def post(self, request: Request) -> Response:
        """Make an API key, shown once; scopes read, write and admin go with three roles."""
        given = self.InputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        scopes = [KeyScope(scope) for scope in given.validated_data.pop("scopes")]
        key, full = actions.api_key_create(
            **given.validated_data, scopes=scopes, created_by=self.access.actor
        )
        return Response(
            {**self.OutputSerializer(key).data, "key": full}, status=status.HTTP_201_CREATED
        )


class ApiKeyView(OrgView):
    """One API key of the org."""

    roles: ClassVar = {"DELETE": "admin"}
    serializer_class = ApiKeyListView.OutputSerializer

    @extend_schema(operation_id="api_keys_delete", responses={204: None})
    def delete(self, request: Request, key_id: UUID) -> Response:
        """Revoke an API key at once."""
        actions.api_key_revoke(key_id=key_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class AuditListView(OrgView):
    """Who did what in the org."""

    roles: ClassVar = {"GET": "admin"}
    ordering = ("-at", "-id")

    class OutputSerializer(serializers.ModelSerializer[AuditEntry]):
        """One deed."""

        detail = serializers.DictField()

        class Meta:
            model = AuditEntry
            fields = ("id", "at", "actor", "action", "object", "detail")

    serializer_class = OutputSerializer

    @extend_schema(operation_id="audit_list")
    def get(self, request: Request) -> Response:
        """List the audit trail, newest first."""
        page = self.paginate_queryset(reads.audit_entries())
        return self.get_paginated_response(self.OutputSerializer(page, many=True).data)


urlpatterns = [
    path("session", SessionView.as_view()),
    path("members", MemberListView.as_view()),
    path("members/<uuid:member_id>", MemberView.as_view()),
    path("api-keys", ApiKeyListView.as_view()),
    path("api-keys/<uuid:key_id>", ApiKeyView.as_view()),
    path("audit", AuditListView.as_view()),
]
