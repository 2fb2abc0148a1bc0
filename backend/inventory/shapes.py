"""Shapes of answers that the doors of more than one room give."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.inventory.liveness import ServiceState


class ServiceRowSerializer(serializers.Serializer[Any]):
    """A service as a row of the fleet shows it."""

    slug = serializers.CharField()
    name = serializers.CharField()
    engine = serializers.CharField()
    version = serializers.CharField(allow_blank=True)
    address = serializers.CharField()
    node = serializers.CharField()
    environment = serializers.CharField(allow_blank=True)
    cluster = serializers.CharField(allow_blank=True)
    replication_set = serializers.CharField(allow_blank=True)
    owner = serializers.CharField(allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=[state.value for state in ServiceState])
    reason = serializers.CharField(
        allow_blank=True, help_text="Why it is not up; empty when it is."
    )
    last_seen = serializers.DateTimeField(allow_null=True)
    agent = serializers.UUIDField(allow_null=True)
