"""Logs: one JSON object a line on standard error, each with the request's id where there is one."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(level: str) -> None:
    """Send structlog's and the standard library's records through one chain to standard error."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                # Without the local variables, which may hold secrets.
                structlog.processors.ExceptionRenderer(
                    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
                ),
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    for old in [
        one
        for one in root.handlers
        if isinstance(one.formatter, structlog.stdlib.ProcessorFormatter)
    ]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    # Their INFO lines repeat what ours say, or say nothing about us.
    for name in ("httpx", "httpcore", "psycopg.pool"):
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    # Every scanner sends foreign hosts; backend.errors writes one line of it.
    logging.getLogger("django.security.DisallowedHost").setLevel(logging.CRITICAL)
    logging.getLogger("django.request").addFilter(_only_exceptions)


def _only_exceptions(record: logging.LogRecord) -> bool:
    """Drop what Django says of every 4xx and 5xx: our own line of the request has it."""
    return record.exc_info is not None
