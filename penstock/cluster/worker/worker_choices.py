"""The choices of a session that its workers need, as text."""

from __future__ import annotations

import json

from ...runtime.base.session_config import SessionConfig
from ...runtime.base.watch import Watch


def choices_of(config: SessionConfig) -> str:
    """What a worker is told of a session's config."""
    watch = config.watching
    choices = {
        "passes": config.passes,
        "verify": config.verify,
        "check": config.check,
        "arena": config.arena,
        "worker_timeout": config.worker_timeout,
        "allow_soft_placement": config.allow_soft_placement,
        "watch": None if watch is None else {"nan": watch.nan, "inf": watch.inf, "exclude": list(watch.exclude)},
    }
    return json.dumps(choices)


def config_from(choices: str) -> SessionConfig:
    """The config of a worker's own sessions."""
    found = json.loads(choices)
    if found["passes"] is not None:
        found["passes"] = tuple(found["passes"])
    if found["watch"] is not None:
        found["watch"] = Watch(**found["watch"])
    return SessionConfig(**found)
