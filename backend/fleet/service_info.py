"""leadline_service_info: what people call a service, as labels to join its series with."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING

import structlog

from backend.inventory.models import Service
from backend.metrics import store
from backend.metrics.remote_write import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

log = structlog.get_logger(__name__)

METRIC = "leadline_service_info"
EVERY_SECONDS = 60


def push_all() -> int:
    """Push one sample for every service of every org; returns how many orgs could not be served."""
    # unscoped: it serves all orgs, one after another; each org's samples go under that org's own
    # token.
    rows = Service.unscoped.filter(removed_at=None).select_related("node").order_by("org_id")
    stamp = int(time.time() // EVERY_SECONDS * EVERY_SECONDS)
    failed = 0
    for org_id, services in groupby(rows.iterator(), key=lambda service: service.org_id):
        failed += not _push(org_id, [_sample(service, stamp) for service in services])
    return failed


def _push(org_id: UUID, samples: Iterable[Sample]) -> bool:
    try:
        store.write(org_id=org_id, samples=samples)
    except store.StoreError as error:
        # The next run is a minute away and says the same: nothing is lost by going on to the next
        # org.
        log.warning("service_info_not_pushed", org=str(org_id), reason=str(error))
        return False
    return True


def _sample(service: Service, stamp: int) -> Sample:
    return Sample(
        name=METRIC,
        value=1.0,
        stamp_ms=stamp * 1000,
        labels={
            "job": "leadline",
            "instance": service.slug,
            "service": service.slug,
            "node": service.node.slug,
            "engine": service.engine,
            "cluster": service.cluster,
            "replication_set": service.replication_set,
            "environment": service.environment,
            "name": service.name,
            "owner": service.owner,
            "tags": ",".join(service.tags),
        },
    )
