"""Writes the rules that vmauth works by. They are the wall between orgs on the data plane.

Learned the hard way, on 1.145: VictoriaMetrics ORs `extra_filters` with `extra_filters[]`, so both
are set or a client adds its own; `default_url` loses the path; `keep_original_host` must stand in
each entry; `/.*` does not match `/`.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import structlog
from django.conf import settings

from backend.metrics import tokens

log = structlog.get_logger(__name__)

_MODE = 0o640
_WALL = "extra_filters={{.MetricsExtraFilters}}&extra_filters[]={{.MetricsExtraFilters}}"

_TEMPLATE = """\
# Written by `python -m backend write-vmauth-config`; vmauth reads it anew every 2 s.
users:
- jwt:
    public_keys:
{keys}
    match_claims:
      use: '^ingest$'
      vm_access.metrics_extra_labels: '^org=[0-9a-z-]+$'
  max_concurrent_requests: 2000
  url_map:
  - src_paths: ["/ingest/api/v1/write"]
    drop_src_path_prefix_parts: 1
    url_prefix: "{store}/?extra_label={{{{.MetricsExtraLabels}}}}"
- jwt:
    public_keys:
{keys}
    match_claims:
      use: '^read$'
      vm_access.metrics_extra_filters: '^[{{]org="[0-9a-z-]+"[}}]$'
  max_concurrent_requests: 64
  url_map:
  - src_paths: ["/prometheus/api/v1/(query|query_range|series|labels|label/[^/]+/values)"]
    url_prefix: "{store}/?{wall}"
unauthorized_user:
  max_concurrent_requests: 5000
  url_map:
  - src_paths: ["/api/v1/events", "/api/agent/v1/commands"]
    keep_original_host: true
    url_prefix: "{asgi}/"
  - src_paths: [".*"]
    keep_original_host: true
    url_prefix: "{django}/"
"""


def render(public_keys: list[str]) -> str:
    """Return the config with these public keys (PEM); raises ValueError where there is none."""
    if not public_keys:
        raise ValueError("There is no signing key, and without one vmauth would let nobody in.")
    return _TEMPLATE.format(
        keys="\n".join(_block(pem) for pem in public_keys),
        wall=_WALL,
        store=settings.VICTORIAMETRICS_URL,
        asgi=settings.ASGI_URL,
        django=settings.DJANGO_URL,
    )


def _block(pem: str) -> str:
    lines = "\n".join(f"      {line}" for line in pem.strip().splitlines())
    return f"    - |\n{lines}"


def write_config() -> bool:
    """Write VMAUTH_CONFIG whole or not at all; tells whether it had to change."""
    path = Path(settings.VMAUTH_CONFIG)
    text = render(tokens.public_keys())
    if path.is_file() and path.read_text() == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(_MODE)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    log.info("vmauth_config_written", path=str(path))
    return True
