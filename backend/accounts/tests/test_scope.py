"""The wall between orgs holds below HTTP too: without a current org nothing is read or written."""

from __future__ import annotations

import pytest
from django.apps import apps

from backend.accounts.models import ApiKey, Membership
from backend.accounts.scope import (
    NoOrg,
    OrgManager,
    OrgModel,
    WrongOrg,
    current_actor,
    current_org_id,
    enter_org,
    no_org,
    org_scope,
)
from backend.conftest import Team


def new_key(number: int = 0) -> ApiKey:
    return ApiKey(
        name="n", prefix=f"llk_{number:08}", sha256="0" * 64, scopes=["read"], created_by="test"
    )


def test_without_an_org_nothing_is_read(home: Team) -> None:
    with pytest.raises(NoOrg):
        Membership.objects.all()
    with pytest.raises(NoOrg):
        home.people["viewer"].memberships.all()
    with pytest.raises(NoOrg):
        current_org_id()


def test_without_an_org_nothing_is_written(home: Team) -> None:
    one = Membership.unscoped.filter(org=home.org).first()
    assert one is not None
    for write in (one.save, one.delete, new_key().save):
        with pytest.raises(NoOrg):
            write()


def test_an_org_sees_its_own_rows_only(home: Team, away: Team) -> None:
    with org_scope(home.org.id):
        assert {row.org_id for row in Membership.objects.all()} == {home.org.id}
        assert not Membership.objects.filter(org=away.org).exists()
        assert home.people["viewer"].memberships.count() == 1
        assert away.people["viewer"].memberships.count() == 0


def test_new_rows_get_the_current_org(home: Team) -> None:
    with org_scope(home.org.id):
        key = ApiKey.objects.create(
            name="n", prefix="llk_1", sha256="0", scopes=["read"], created_by="t"
        )
        (many,) = ApiKey.objects.bulk_create([new_key()])
    assert key.org_id == many.org_id == home.org.id


def test_a_row_of_another_org_is_not_written(home: Team, away: Team) -> None:
    foreign = Membership.unscoped.filter(org=away.org).first()
    assert foreign is not None
    with org_scope(home.org.id):
        for write in (foreign.save, foreign.delete):
            with pytest.raises(WrongOrg):
                write()
        planted = new_key()
        planted.org = away.org
        with pytest.raises(WrongOrg):
            planted.save()
        with pytest.raises(WrongOrg):
            ApiKey.objects.bulk_create([planted])
        with pytest.raises(WrongOrg):
            Membership.objects.bulk_update([foreign], ["role"])
    assert not ApiKey.unscoped.exists()


def test_a_row_does_not_move(home: Team, away: Team) -> None:
    with org_scope(home.org.id), pytest.raises(WrongOrg):
        Membership.objects.update(org=away.org)
    with org_scope(home.org.id), pytest.raises(WrongOrg):
        Membership.objects.filter(role="viewer").update(org_id=away.org.id)


def test_scopes_nest_and_end(home: Team, away: Team) -> None:
    with org_scope(home.org.id, "outer"):
        with org_scope(away.org.id, "inner"):
            assert (current_org_id(), current_actor()) == (away.org.id, "inner")
        assert (current_org_id(), current_actor()) == (home.org.id, "outer")
        with no_org(), pytest.raises(NoOrg):
            current_org_id()
    assert current_actor() == "system"


def test_an_entered_org_ends_with_its_request(home: Team) -> None:
    with no_org():
        enter_org(home.org.id, "someone")
        assert current_org_id() == home.org.id
    with pytest.raises(NoOrg):
        current_org_id()


def test_every_model_with_an_org_is_behind_the_wall() -> None:
    for model in apps.get_models():
        if not model.__module__.startswith("backend."):
            continue
        if any(field.name == "org" for field in model._meta.get_fields()):
            assert issubclass(model, OrgModel), f"{model.__name__} has an org but is no OrgModel"
        if issubclass(model, OrgModel):
            assert isinstance(model._default_manager, OrgManager), (
                f"{model.__name__}'s first manager is not scoped"
            )
