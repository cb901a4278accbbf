"""`recurrence`: a step that is run for each row of some tensors, with a state that goes from step to step.

`scan` stacks the state of each step; here the step gives outputs of their own to stack. `tf.nn.dynamic_rnn` is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ValueRuleError
from ..graph.model.nodes import Graph, Tensor
from ..graph.shapes.shape import TensorShape
from ..ops.control.while_op import while_op
from ..ops.create.constant_and_placeholder import constant
from .row_inputs import row_shape
from .structures import differs, flat, packed, refuse_arrays, seen_from_outside
from .tracing import TracedFunction, sizes_outside, traced
from .unneeded_effects import warn_of_unneeded_effects
from .while_loop import settled


def recurrence(
    graph: Graph,
    call: str,
    step: Callable[[Any, Any], tuple[Any, Any]],
    rows: Any,
    state: Any,
    reverse: bool = False,
    name: str = "while",
) -> tuple[Any, Any]:
    """The outputs of all steps, stacked, and the last state.

    Args:
        graph: the graph of the loop.
        call: the name of the call in errors.
        step: a function of a row and the state before it that gives an output and the next state. It is called once,
            and again where a size of the state does not stay.
        rows: a structure of tensors of the graph with equally many rows.
        state: a structure of tensors, before the first step.
        reverse: whether the rows are taken, and the outputs put, from the last to the first.
        name: the name of the node.

    Raises:
        TypeError: the step changes a dtype of the state.
        ValueError: it changes the structure of the state, or a size that is known.
    """
    starts, tensors = flat(state), flat(rows)
    count = len(starts)
    row_shapes = [row_shape(tensor) for tensor in tensors]

    def arguments(values: Sequence[Tensor]) -> list[Any]:
        return [packed(rows, values[count:]), packed(state, values[:count])]

    def results(returned: Any) -> list[Any]:
        output, new = returned
        different = differs(state, new)
        if different:
            raise ValueRuleError(f"{call}: the new state must be like the state before: {different} (before, after)")
        refuse_arrays(call, output)
        return [new, output]

    def once(shapes: Sequence[TensorShape]) -> TracedFunction:
        every = [*shapes, *row_shapes]
        return traced(f"{call}: cell", step, [*starts, *tensors], "step", every, arguments, results, [rows, state])

    with graph.name_scope(name) as scope:
        body = settled(graph, call, once, starts, [tensor.shape for tensor in starts])
        warn_of_unneeded_effects(call, [("cell", body)])
        shapes = [tensor.shape for tensor in body.graph.inputs[:count]]
        every = [*shapes, *row_shapes]
        always = traced(call, lambda *values: constant(True), [*starts, *tensors], "cond", every)
        tensors_after = while_op(
            None, [*starts, *tensors], always.graph, body.graph, count, len(tensors), reverse, name=scope
        )
    new, output = body.structure
    last = packed(seen_from_outside(state, [new], sizes_outside(body.graph)), tensors_after[:count])
    return packed(output, tensors_after[count:-1]), last
