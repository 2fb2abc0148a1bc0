"""Who may do what through the API: credentials, the org of a request, roles, pages of lists."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from rest_framework import authentication, generics, pagination, permissions
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView
from typing_extensions import override

from backend.accounts import keys
from backend.accounts.models import ApiKey, Membership, Org, User
from backend.accounts.roles import KeyScope, Role
from backend.accounts.scope import enter_org
from backend.errors import Forbidden, Invalid, NotAuthenticated

ORG_HEADER = "Leadline-Org"
_LAST_USED_STEP = timedelta(minutes=1)  # a key's last use is written at most this often


@dataclass(frozen=True, slots=True)
class Access:
    """What an authenticated request may do: in which org, with which role, and under which name."""

    org: Org
    role: Role
    actor: str
    user: User | None = None
    key: ApiKey | None = None


class Program:
    """The `request.user` of a request that came with an API key: authenticated, but nobody."""

    is_authenticated = True
    is_anonymous = False
    pk = None


def access_of(request: Request) -> Access:
    """Return the access of an authenticated request."""
    if not isinstance(request.auth, Access):
        raise NotAuthenticated
    return request.auth


def wanted_org(request: Request) -> uuid.UUID | None:
    """Return the org that the header Leadline-Org asks for, None without one."""
    value = request.headers.get(ORG_HEADER)
    if value is None:
        return None
    try:
        return uuid.UUID(value)
    except ValueError:
        raise Invalid((ORG_HEADER, "This is not the id of an org.")) from None


def memberships_of(user: User) -> list[Membership]:
    """Return a person's memberships, oldest first; the first is the default org."""
    # unscoped: which orgs a person belongs to is asked before there is a current org.
    rows = Membership.unscoped.filter(user=user).select_related("org")
    return list(rows.order_by("created_at", "id"))


def choose_membership(memberships: list[Membership], wanted: uuid.UUID | None) -> Membership:
    """Return the wanted membership or the first; foreign and missing orgs look the same."""
    for membership in memberships:
        if wanted in (None, membership.org_id):
            return membership
    if wanted is None:
        raise Forbidden("You are not a member of any org; ask an owner to add you.", code="no_org")
    raise Forbidden(
        f"You are not a member of the org that the header {ORG_HEADER} names.", code="org_forbidden"
    )


class ApiKeyAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer llk_…`; the key is bound to its org."""

    @override
    def authenticate(self, request: Request) -> tuple[Any, Access] | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, full = header.partition(" ")
        key = self._find(full.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise NotAuthenticated(
                "The API key is unknown, expired or revoked.", code="api_key_unknown"
            )
        wanted = wanted_org(request)
        if wanted not in (None, key.org_id):
            raise Forbidden(
                f"The API key does not belong to the org that the header {ORG_HEADER} names.",
                code="org_forbidden",
            )
        role = max((KeyScope(scope).role for scope in key.scopes), key=lambda role: role.rank)
        access = Access(org=key.org, role=role, actor=f"key {key.prefix}", key=key)
        enter_org(key.org_id, access.actor)
        return Program(), access

    @override
    def authenticate_header(self, request: Request) -> str:
        return "Bearer"

    @staticmethod
    def _find(full: str) -> ApiKey | None:
        prefix = keys.split(full, keys.API_KEY)
        if prefix is None:
            return None
        # unscoped: the key itself tells which org the request is for.
        key = ApiKey.unscoped.select_related("org").filter(prefix=prefix).first()
        if key is None or not keys.verify(full, key.sha256):
            return None
        now = timezone.now()
        if key.expires_at is not None and key.expires_at <= now:
            return None
        if key.last_used_at is None or now - key.last_used_at > _LAST_USED_STEP:
            ApiKey.unscoped.filter(pk=key.pk).update(last_used_at=now)
        return key


def _unanswered(request: HttpRequest) -> HttpResponseBase:
    """Stand in for the view where only the CSRF check is wanted."""
    raise NotImplementedError(request.path)


class SessionAuthentication(authentication.SessionAuthentication):
    """The browser's session cookie, with the CSRF header on everything that writes."""

    @override
    def authenticate(self, request: Request) -> tuple[Any, Access] | None:
        found = super().authenticate(request)
        if found is None:
            return None
        user: User = found[0]
        membership = choose_membership(memberships_of(user), wanted_org(request))
        access = Access(membership.org, Role(membership.role), user.email, user=user)
        enter_org(membership.org_id, access.actor)
        return user, access

    @override
    def enforce_csrf(self, request: Request) -> None:
        failed = authentication.CSRFCheck(_unanswered)
        failed.process_request(request._request)
        if failed.process_view(request._request, _unanswered, (), {}):
            raise Forbidden(
                "Send the csrftoken cookie's value in the header X-CSRFToken.", code="csrf_failed"
            )


class RolePermission(permissions.BasePermission):
    """The view's `roles` say which role a method needs; a method not named there is refused."""

    @override
    def has_permission(self, request: Request, view: APIView) -> bool:
        access = access_of(request)
        method = "GET" if request.method in {"HEAD", "OPTIONS"} else str(request.method)
        if not hasattr(view, method.lower()):
            return True  # DRF answers 405 itself
        needed = getattr(view, "roles", {}).get(method)
        if needed is None:
            return False
        if not access.role.includes(Role(needed)):
            raise Forbidden(f"This needs the role {needed}; yours here is {access.role}.")
        return True


class CursorPagination(pagination.CursorPagination):
    """`?cursor=&limit=`: a page of a list; the view's `ordering` must end in something unique."""

    page_size = 100
    max_page_size = 500
    page_size_query_param = "limit"
    cursor_query_param = "cursor"
    page_size_query_description = "How many rows a page has, 1 to 500."

    @override
    def get_page_size(self, request: Request) -> int:
        raw = request.query_params.get("limit")
        if raw is None:
            return self.page_size
        digits = len(str(self.max_page_size))
        good = raw.isascii() and raw.isdigit() and len(raw) <= digits
        if not good or not 1 <= int(raw) <= self.max_page_size:
            message = f"The limit is a whole number from 1 to {self.max_page_size}."
            raise Invalid(("limit", message))
        return int(raw)

    @override
    def get_ordering(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> tuple[str, ...]:
        if not isinstance(view, OrgView):
            raise TypeError("Only an OrgView has pages.")
        return (view.ordering,) if isinstance(view.ordering, str) else view.ordering

    @override
    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValidationError, ValueError, TypeError, DataError) as error:
            # A cursor of ours never fails: this one is made up, or comes from another list.
            if "cursor" not in request.query_params:
                raise
            raise Invalid(
                ("cursor", "Take the cursor from `next` or `previous` of an earlier answer.")
            ) from error

    @override
    def get_next_link(self) -> str | None:
        return _public(super().get_next_link())

    @override
    def get_previous_link(self) -> str | None:
        return _public(super().get_previous_link())

    @override
    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": link, "previous": link, "results": schema},
        }


def _public(link: str | None) -> str | None:
    """Put PUBLIC_URL before a link's path: vmauth speaks plain HTTP to Django."""
    if link is None:
        return None
    path = link.split("://", 1)[-1].partition("/")[2]
    return f"{settings.PUBLIC_URL}/{path}"


class OrgView(generics.GenericAPIView[Any]):
    """A view inside one org, with a role for each method (`roles = {"GET": "viewer"}`)."""

    roles: ClassVar[dict[str, str]] = {}
    ordering: str | tuple[str, ...] = "id"
    authentication_classes = (ApiKeyAuthentication, SessionAuthentication)
    permission_classes = (RolePermission,)
    pagination_class: type[CursorPagination] | None = CursorPagination

    @property
    def access(self) -> Access:
        """Return what the caller may do."""
        return access_of(self.request)
