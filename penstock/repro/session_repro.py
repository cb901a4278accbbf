"""`Session.repro`: the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import GraphFormatError, UseError
from ..runtime.session.session import Session
from .repro_folder import write_folder
from .saved_run import last_failure, saved_call, saved_failure


def session_repro(
    session: Session, folder: str | os.PathLike[str], fetches: Any, feed_dict: Mapping[Any, Any] | None, whole: bool
) -> Path:
    """See `Session.repro`."""
    if not isinstance(folder, (str, os.PathLike)) or not str(folder):
        raise UseError(f"Session.repro(folder={folder!r}): a folder is a path, such as 'failed'")
    if fetches is None and feed_dict is not None:
        raise UseError("Session.repro: feed_dict belongs to fetches; give both, or neither for the last failed run")
    target = Path(folder)
    try:
        if fetches is None:
            saved = saved_failure(session, last_failure(session), whole)
        else:
            saved = saved_call(session, fetches, feed_dict, whole)
        return write_folder(saved, target)
    except GraphFormatError as error:
        raise GraphFormatError(f"Session.repro({str(target)!r}): {error}", code=error.code) from None
