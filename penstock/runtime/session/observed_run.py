"""Observed runs: recorded, watched, with a report of progress, or traced value by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import OpError
from ...graph.model.nodes import Graph, Tensor
from ..arguments.fetches import Fetches
from ..base.launch_count import LAUNCHES
from ..base.session_config import RunOptions, SessionConfig
from ..observe.recorder import begin_recording
from ..observe.run_metadata import RunMetadata
from ..observe.value_trace import Trace, TraceListener, trace_of
from ..passes.pipeline import first_stage
from .listeners import listeners_of
from .plan_cache import AS_DEVICE, AS_WRITTEN, AS_WRITTEN_AS_DEVICE, PLAIN, PlanCache
from .run_start import take_start
from .timed_run import Timeout, names_of


def observed_run(
    graph: Graph,
    config: SessionConfig,
    plans: PlanCache,
    fetches: Any,
    tensors: tuple[Tensor, ...],
    values: Sequence[Any],
    options: RunOptions | None,
    metadata: RunMetadata | None,
    as_device: bool,
) -> Any:
    """`Session.run` with options or metadata."""
    watch = None if options is None else options.watching
    fetch_structure = Fetches(graph, fetches)
    if watch is None:
        call, _, values = plans.find(fetches, tensors, values, AS_DEVICE if as_device else PLAIN)
    else:
        call, _, _ = plans.find(fetches, tensors, kind=AS_WRITTEN_AS_DEVICE if as_device else AS_WRITTEN)
    arrays = call.arrays(call.in_order(values))
    call = call.for_arrays(arrays)
    program = call.program
    recorder = None
    if metadata is not None:
        asked = tuple([t.name for t in fetch_structure.tensors] + [op.name for op in fetch_structure.operations])
        shapes = tuple([a.shape for a in arrays])
        recorder = begin_recording(program, shapes, asked, graph, config, options, metadata)
    progress = None if options is None else options.progress
    if watch is not None and progress is None:
        progress = config.progress  # the session's own programs report progress themselves, a run as written does not
    listener = listeners_of(program.plan, graph.find_anywhere, watch, progress, recorder)
    before = LAUNCHES.total
    timeout = None
    if options is not None and options.timeout_in_ms:
        option = f"RunOptions(timeout_in_ms={options.timeout_in_ms})"
        timeout = Timeout(options.timeout_in_ms, option, names_of(fetch_structure.tensors, fetch_structure.operations))
    results = call.run_program(arrays, listener, timeout)
    if metadata is not None:
        metadata.launches = LAUNCHES.total - before
    return (call.owned_device_results if as_device else call.owned_results)(results, fetch_structure.repack)


def traced_run(
    graph: Graph,
    config: SessionConfig,
    plans: PlanCache,
    fetches: Any,
    tensors: tuple[Tensor, ...],
    values: Sequence[Any],
) -> Trace:
    """See `Session.trace`."""
    fetch_structure = Fetches(graph, fetches)
    call, _, _ = plans.find(fetches, tensors, kind=AS_WRITTEN)
    stage = first_stage(fetch_structure.tensors, fetch_structure.operations, tensors)
    operations = stage.operations
    plan = call.program.plan
    keeper = TraceListener(plan, graph.find_anywhere, left=stage.places)
    arrays = call.arrays(call.in_order(values))
    listener = listeners_of(plan, graph.find_anywhere, config.watching, config.progress, keeper, config.check)
    try:
        results = call.run_program(arrays, listener)
    except OpError as error:
        take_start(error)
        error.trace = trace_of(keeper, tensors, operations)
        raise
    return trace_of(keeper, tensors, operations, call.owned_results(results, fetch_structure.repack))
