"""Waiting for the tasks of a run: the first that fails decides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any

from ...errors import CancelledError


async def first_error(tasks: Sequence[Awaitable[Any]]) -> None:
    """Wait for all; raise the first error that is no cancelling, as soon as it is there."""
    waiting = {asyncio.ensure_future(task) for task in tasks}
    ended: BaseException | None = None
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            error = asyncio.CancelledError() if task.cancelled() else task.exception()
            if isinstance(error, CancelledError | asyncio.CancelledError):
                ended = error
            elif error is not None:
                raise error
    if ended is not None:
        raise ended
