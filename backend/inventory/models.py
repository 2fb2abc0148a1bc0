"""Nodes, agents, services and enrolment tokens."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from typing_extensions import override

from backend.accounts.scope import OrgModel
from backend.accounts.secrets import EncryptedTextField
from backend.inventory.grammar import LABEL_MAX, NAME_MAX, TAG_MAX

SLUG_MAX = 63
# Enough for "[IPv6]:port", a host name of 253 characters with its port, and "unix:" with the
# longest socket path.
ADDRESS_MAX = 260


class Node(OrgModel):
    """A monitored host. Its slug is in the labels of its series and never changes."""

    slug = models.CharField(max_length=SLUG_MAX)
    name = models.CharField(max_length=NAME_MAX)
    hostname = models.CharField(max_length=253)
    machine_id = models.CharField(max_length=LABEL_MAX)
    os = models.CharField(max_length=32)
    arch = models.CharField(max_length=32)
    environment = models.CharField(max_length=LABEL_MAX, blank=True)
    owner = models.CharField(max_length=LABEL_MAX, blank=True)
    tags = ArrayField(models.CharField(max_length=TAG_MAX), default=list)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "slug"], name="node_slug_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["changed_at"])]

    @override
    def __str__(self) -> str:
        return f"node {self.slug}"


class Agent(OrgModel):
    """One enrolled agent: its key, the instance that holds its lease, and what it last said.

    `generation` rises with every change of the desired state; `seen_at` is when it last reported
    its status, `instance_seen_at` when the instance in the lease was last heard of at all.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="agents")
    key_prefix = models.CharField(max_length=16, unique=True)
    key_sha256 = models.CharField(max_length=64)
    instance = models.UUIDField(null=True)
    place = models.CharField(max_length=64, blank=True)
    instance_seen_at = models.DateTimeField(null=True)
    version = models.CharField(max_length=64, blank=True)
    protocol = models.PositiveSmallIntegerField(default=1)
    generation = models.PositiveBigIntegerField(default=1)
    reported_generation = models.PositiveBigIntegerField(default=0)
    seen_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    clock_offset_seconds = models.FloatField(null=True)
    spool_bytes = models.PositiveBigIntegerField(default=0)
    spool_segments = models.PositiveBigIntegerField(default=0)
    spool_oldest_age_seconds = models.FloatField(default=0)
    dropped_samples = models.PositiveBigIntegerField(default=0)
    revoked_at = models.DateTimeField(null=True)
    superseded_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["node"],
                condition=models.Q(revoked_at=None, superseded_at=None),
                name="agent_one_live_per_node",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["org", "created_at", "id"]),
            models.Index(fields=["changed_at"]),
            models.Index(fields=["seen_at"]),
        ]

    @property
    def is_live(self) -> bool:
        """Neither revoked nor replaced by another agent of its node."""
        return self.revoked_at is None and self.superseded_at is None

    @override
    def __str__(self) -> str:
        return f"agent {self.key_prefix}"


class Service(OrgModel):
    """One database server process. Its slug is in the labels of its series and never changes.

    `agent` and `epoch` are its lease: the one agent that watches it, and how often that has changed
    hands. `password` None means that the agent's own state directory holds it. A removed service
    keeps its row, so that its slug is not given to another server and two histories never mix.
    """

    slug = models.CharField(max_length=SLUG_MAX)
    name = models.CharField(max_length=NAME_MAX)
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="services")
    engine = models.CharField(max_length=16)
    address = models.CharField(max_length=ADDRESS_MAX)
    user = models.CharField(max_length=LABEL_MAX)
    password = EncryptedTextField(null=True)
    password_version = models.PositiveIntegerField(default=1)
    tls = models.CharField(max_length=16)
    cluster = models.CharField(max_length=LABEL_MAX, blank=True)
    replication_set = models.CharField(max_length=LABEL_MAX, blank=True)
    environment = models.CharField(max_length=LABEL_MAX, blank=True)
    owner = models.CharField(max_length=LABEL_MAX, blank=True)
    tags = ArrayField(models.CharField(max_length=TAG_MAX), default=list)
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, related_name="services")
    epoch = models.PositiveIntegerField(default=1)
    reported_state = models.CharField(max_length=8, blank=True)
    reported_code = models.CharField(max_length=32, blank=True)
    reported_error = models.CharField(max_length=500, blank=True)
    reported_version = models.CharField(max_length=128, blank=True)
    removed_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "slug"], name="service_slug_once"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["agent"], condition=models.Q(removed_at=None), name="service_of_agent"
            ),
            models.Index(fields=["changed_at"]),
        ]

    @override
    def __str__(self) -> str:
        return f"service {self.slug}"

    LEASE_FIELDS: ClassVar = (
        "agent",
        "node",
        "epoch",
        "reported_state",
        "reported_code",
        "reported_error",
        "changed_at",
    )

    def lease_to(self, agent: Agent) -> None:
        """Give the lease to an agent with the next epoch; what the one before said is forgotten.

        Sets LEASE_FIELDS and saves nothing.
        """
        self.agent, self.node = agent, agent.node
        self.epoch += 1
        self.reported_state = self.reported_code = self.reported_error = ""
        self.changed_at = timezone.now()


class EnrolmentToken(OrgModel):
    """Lets one agent enrol, once, within an hour; only its prefix and its SHA-256 are kept."""

    prefix = models.CharField(max_length=16, unique=True)
    sha256 = models.CharField(max_length=64)
    created_by = models.CharField(max_length=300)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.CharField(max_length=SLUG_MAX, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["org", "-created_at", "id"]),
            models.Index(fields=["expires_at"]),
        ]

    @override
    def __str__(self) -> str:
        return f"enrolment token {self.prefix}"
