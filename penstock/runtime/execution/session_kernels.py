"""Kernels that get something of the session, and the name of their node.

    queues, iterators, readers    the objects of the session; a dataset knows the node that made it
    random ops                    each call reserves its share of the op's stream, and computes from there
    tf.Print(first_n=...)         how often the session has printed the node: after `first_n` times it stops

They are bound once for each program (`Kernel.in_context`).
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from ...errors import InternalError
from ...graph.common.weak_table import WeakTable
from ...graph.declare.object_place import ObjectPlace
from ...graph.declare.op_declaration import OpDef
from ...ops.datasets.streams import source_of
from ..base.random_counters import RandomCounters
from ..base.session_objects import SessionObjects
from ..ir.kernel_protocol import Call, Kernel, RunContext
from ..planning.plan import Step
from .kernel_wrappers import with_arguments

_PRINTED: WeakTable[Any, Counter[str]] = WeakTable()
"""Session -> how often it has printed each node that has a limit."""


def object_kernel(step: Step, kernel: Call, xp: Any) -> Kernel:
    """The kernel of an op with the fact `of_session`.

    Args:
        step: its step.
        kernel: takes the array module, an `ObjectPlace` and the arguments.
        xp: the array module.
    """

    def in_context(context: RunContext) -> Call:
        session = context.session
        place = ObjectPlace(SessionObjects() if session is None else session.objects, context.node)

        return with_arguments(partial(kernel, xp), place, step.args)

    return Kernel(_without_context, in_context=in_context)


def dataset_kernel(kernel: Call) -> Kernel:
    """The kernel of an op with the fact `makes_dataset`: the dataset knows the node that made it."""

    def in_context(context: RunContext) -> Call:
        def call(*arrays: Any) -> Any:
            dataset = kernel(*arrays)
            source_of(dataset).node = context.node
            return dataset

        return call

    return Kernel(kernel, in_context=in_context)


def drawing_kernel(step: Step, opdef: OpDef[Any, Any], kernel: Call, xp: Any) -> Kernel:
    """The kernel of a random op.

    Args:
        step: its step.
        opdef: its op, which has a `draws` rule.
        kernel: takes the array module, a `Position` and the arguments.
        xp: the array module.
    """
    draws = opdef.draws_rule
    remembers = opdef.remembers_rule
    assert draws is not None  # or it would not be a random op
    seed, seed2 = [int(step.args[opdef.parameters.index(name)]) for name in ("seed", "seed2")]

    def in_context(context: RunContext) -> Call:
        counters = RandomCounters() if context.session is None else context.session.random_counters
        stream = counters.stream(context.node, seed, seed2)
        reserve, reserve_and_remember = stream.reserve, stream.reserve_and_remember

        def draw(xp: Any, *args: Any) -> Any:
            return kernel(xp, reserve(draws(*args)), *args)

        if remembers is None:
            return with_arguments(draw, xp, step.args)

        def draw_and_remember(xp: Any, *args: Any) -> Any:
            at = reserve_and_remember(draws(*args), lambda before: remembers(before, *args))
            return kernel(xp, at, *args)

        return with_arguments(draw_and_remember, xp, step.args)

    return Kernel(_without_context, in_context=in_context)


def limited(call: Call, first_n: int) -> Kernel:
    """The kernel of a `Print` step, of which `call` prints; it passes its first operand on in any case."""
    if first_n < 0:
        return Kernel(call)

    def in_context(context: RunContext) -> Call:
        session = context.session
        printed = Counter[str]() if session is None else _PRINTED.setdefault(session, Counter())
        node = context.node

        def print_first(*arrays: Any) -> Any:
            if printed[node] >= first_n:
                return arrays[0]
            printed[node] += 1
            return call(*arrays)

        return print_first

    return Kernel(call, in_context=in_context)


def _without_context(*arrays: Any) -> Any:
    raise InternalError(message="a kernel that needs a session was called outside of a session's program")
