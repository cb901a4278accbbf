"""Hooks of runs: what a part of the package puts around every run of the process, or calls when one fails.

A run hook is called with the session, the fetches, the options and the metadata of a run, and returns a context
manager. Entering it gives the options and the metadata to run with. An error of the run passes through it.

Inside `runs_given_to(stand_in)` each run of the process is given to a function instead, which runs it or finds its
result in another way: the debugger of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

from ...errors import UseError
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.source_location import Origin, user_origin
from ...graph.model.nodes import Tensor
from ..base.session_config import RunOptions
from ..observe.run_metadata import RunMetadata

Observation = tuple[RunOptions | None, RunMetadata | None]
RunHook = Callable[[Any, Any, RunOptions | None, RunMetadata | None], AbstractContextManager[Observation]]

RUN_HOOKS: list[RunHook] = []
"""Empty unless the environment asks for a picture at exit (`penstock.show.at_exit`)."""

FAILURE_HOOKS: list[Callable[[Any, Any, BaseException], None]] = []
"""Called with the session, the `FailedRun` and the error of a run that failed. Empty unless the environment asks for
folders of failed runs (`penstock.repro.at_failure`). While there is one, the record has copies of all values."""


@dataclass(frozen=True, slots=True, eq=False)
class RequestedRun:
    """A run that a program asked for.

    Attributes:
        session: the session.
        fetches: what it fetches, in the caller's structure.
        feeds: the fed values.
        origin: the line of the program that asked for it.
        metadata: what it is to fill, if anything.
        as_device: whether results are to stay on their device.
        go: runs it, and returns what `Session.run` does.
    """

    session: Any
    fetches: Any
    feeds: Mapping[Tensor, Any]
    origin: Origin
    metadata: RunMetadata | None
    as_device: bool
    go: Callable[[], Any]


StandIn = Callable[[RequestedRun], Any]

STAND_INS: list[StandIn] = []
"""The functions that runs are given to, the innermost block's last."""


@contextmanager
def runs_given_to(stand_in: StandIn) -> Iterator[None]:
    """A block in which every run of the process is given to a function, whose result the program gets."""
    STAND_INS.append(stand_in)
    RUN_HOOKS.append(_unchanged)  # a run looks at this list alone, so that one without hooks pays for one look
    try:
        yield
    finally:
        STAND_INS.remove(stand_in)
        RUN_HOOKS.remove(_unchanged)


def hooked_run(
    session: Any,
    observed: Callable[[RunOptions | None, RunMetadata | None], Any],
    fetches: Any,
    feeds: Mapping[Tensor, Any],
    options: RunOptions | None,
    metadata: RunMetadata | None,
    as_device: bool,
) -> Any:
    """A run inside its hooks, or given to the innermost stand-in.

    Args:
        session: the session.
        observed: runs it with options and metadata.
        fetches: what it fetches.
        feeds: the fed values.
        options: the options that the caller gave.
        metadata: the metadata that the caller wants to be filled.
        as_device: whether results stay on their device.

    Raises:
        UseError: options or metadata of another type.
    """
    if options is not None and not isinstance(options, RunOptions):
        raise UseError(f"Session.run(options={options!r}): write options=tf.RunOptions(...)")
    if metadata is not None and not isinstance(metadata, RunMetadata):
        raise UseError(f"Session.run(run_metadata={metadata!r}): make one first, metadata = tf.RunMetadata(), and "
                       "read its record after the run")  # fmt: skip

    def go() -> Any:
        with ExitStack() as stack:
            found = options, metadata
            for hook in RUN_HOOKS:
                found = stack.enter_context(hook(session, fetches, *found))
            return observed(*found)

    if not STAND_INS:
        return go()
    return STAND_INS[-1](RequestedRun(session, fetches, feeds, user_origin(), metadata, as_device, go))


def _unchanged(
    session: Any, fetches: Any, options: RunOptions | None, metadata: RunMetadata | None
) -> AbstractContextManager[Observation]:
    return nullcontext((options, metadata))
