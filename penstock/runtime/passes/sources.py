"""Sources: what a run takes out of queues, iterators and readers before it begins.

    batch = iterator.get_next()          run(train_op)    1. batch = the next element
    train_op = ...  batch  ...                            2. run(train_op, feed_dict={batch: ...})

An operation that takes its results out of an object of the session, and needs nothing that is computed at length or
read from a variable, may do so first. The run is then that of the same fetches with these results fed: it is planned
for the shapes that come, takes its variables only when the element is there, and costs no more than a run that is fed.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import FeedError, UseError
from ...graph.declare.effects import effects_of
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.dtypes import string, variant
from ..ir.stage import Stage
from .pipeline import prune

MOST = 16
"""The most operations that a source may need: they are computed again in the run if others need them too."""


def sources_of(stage: Stage) -> tuple[Operation, ...]:
    """The operations of a first stage with which its runs begin.

    There are none if the run also changes objects in other ways, such as by an `enqueue`: what it takes may be what it
    has put there itself.
    """
    users = [op for op in stage.operations if not op.opdef.is_pure and effects_of(op).uses_objects]
    if not users or not all(op.opdef.facts.is_source and not op.control_inputs and op.outputs for op in users):
        return ()
    sources = set(users)
    if any(each in sources for op in stage.operations for each in op.control_inputs):
        return ()
    fed = set(stage.feeds)
    needed = [op for op in prune((), users, fed) if op not in sources]
    if len(needed) > MOST * len(users) or not all(_may_run_first(op) for op in needed):
        return ()
    return () if any(t.op in sources and t not in fed for op in (*users, *needed) for t in op.inputs) else tuple(users)


def check_feeds_of_iterators(stage: Stage, graph: Graph) -> None:
    """Raise FeedError if what is fed is a part of the dataset of an iterator that begins by itself.

    Operations of `stage` that are not in `graph` are copies: only they may depend on something fed.
    """
    fed = set(stage.feeds)
    for op in stage.operations:
        if op.graph is graph or not op.opdef.facts.of_session or op.opdef.out is not string:
            continue  # only what gives a handle keeps the dataset from run to run
        if all(t.dtype is not variant for t in op.inputs) or not any(t in fed or _needs(t, fed) for t in op.inputs):
            continue  # an op with a graph inside is copied wherever a result is fed
        raise FeedError(
            f"Cannot feed what the dataset of {op.name!r} ({op.type}), {op.origin.made}, is made of: the iterator "
            "begins by itself, once, with what was built. Use make_initializable_iterator, and feed it where its "
            "initializer is run"
        )


def _may_run_first(op: Operation) -> bool:
    facts = op.opdef.facts
    if op.control_inputs or facts.state or facts.must_feed or facts.has_default:
        return False
    return op.opdef.is_pure or effects_of(op).only_makes_objects


def results_of(sources: tuple[Operation, ...]) -> tuple[Tensor, ...]:
    """The results of operations."""
    return tuple([t for op in sources for t in op.outputs])


def handles_of(sources: tuple[Operation, ...], fed: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The handles that sources read and that are the same in every run: nothing that is fed decides them."""
    cut = set(fed)
    found: dict[Tensor, None] = {}
    for tensor in [t for op in sources for t in op.inputs]:
        if tensor.op.opdef.facts.of_session and tensor not in cut and not _needs(tensor, cut):
            found[tensor] = None
    return tuple(found)


def _needs(tensor: Tensor, fed: set[Tensor]) -> bool:
    needed = prune((tensor,), (), fed)
    return any(t in fed for op in needed for t in op.inputs)


def with_sources_last(stage: Stage) -> Stage:
    """The stage with its sources behind what does not need them, where the run also puts elements in.

    So a run that puts an element into an empty queue and takes one out gets that one, in whatever order the operations
    were made.
    """
    users = [op for op in stage.operations if not op.opdef.is_pure and effects_of(op).uses_objects]
    late = {op for op in users if op.opdef.facts.is_source}
    if not late or len(late) == len(users):
        return stage
    first: list[Operation] = []
    rest: list[Operation] = []
    for op in stage.operations:
        if op in late or any(t.op in late for t in op.inputs) or any(each in late for each in op.control_inputs):
            late.add(op)
            rest.append(op)
        else:
            first.append(op)
    return replace(stage, operations=(*first, *rest))


def runs_at_hand(stage: Stage) -> bool:
    """Whether a run of a session on a cluster runs here, where its queues, iterators and readers are.

    Raises:
        UseError: it uses one of them and variables, which are on the workers.
    """
    users = [op for op in within(stage.operations) if op.opdef.facts.of_session]
    if not users:
        return False
    holder = next((op for op in within(stage.operations) if op.opdef.facts.state), None)
    if holder is not None:
        raise UseError(
            f"Session.run: {users[-1].name!r} ({users[-1].type}) uses a queue or an iterator, which a session on a "
            f"cluster has here, and {holder.name!r} uses a variable, which the workers have. Only elements that are "
            "taken before the run begins reach the workers. Fetch what is to be put in, and feed it in a run of its own"
        )
    return True
