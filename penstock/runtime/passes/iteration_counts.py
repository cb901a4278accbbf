"""What is known of a loop's iterations: which tensors of its body count them, and how many there are.

A *position* is where iteration k finds its rows and writes those of its stacks: k, or in reverse the last one minus k.
Tensors that have it as their value:

    a loop variable that starts at 0 and to which each iteration adds 1, in a loop that is not reversed
    a row of 0, 1, 2 ...: of tf.range(n), or of a stack of positions of another loop
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ...graph.building.constant_evaluation import known_scalar, known_value
from ...graph.building.may_fail import must_run
from ...graph.common.quick_dataclass import dataclass
from ...graph.model.nodes import Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim
from ...ops.control.while_op import always_goes_on
from ...ops.create.range_linspace import range as range_op
from ...ops.elementwise.arithmetic import add
from ...ops.elementwise.comparison import greater, less
from ...ops.elementwise.logical import logical_and


@dataclass(frozen=True, slots=True)
class Iterations:
    """What is known of the iterations of one loop.

    Attributes:
        bounds: sizes that the number of iterations never exceeds.
        count: the size that it always is; None if that is not known.
        limit: a scalar outside that has that number as its value, where the loop's condition compares with it.
    """

    bounds: tuple[Dim, ...]
    count: Dim | None
    limit: Tensor | None


def counting_rows(tensor: Tensor) -> bool:
    """Whether the rows of a tensor are 0, 1, 2 and so on, as scalars."""
    op = tensor.op
    if op.opdef is range_op:
        start, _, delta = op.inputs
        return _is_number(start, 0) and _is_number(delta, 1)
    value = known_value(tensor)
    return value is not None and value.ndim == 1 and bool(np.array_equal(value, np.arange(len(value))))


def _is_number(tensor: Tensor, number: int) -> bool:
    value = known_value(tensor)
    return value is not None and value.ndim == 0 and value.dtype.kind in "iu" and int(value) == number


def positions(
    operands: Sequence[Tensor], body: SubGraph, variables: int, rows: int, reverse: bool, counted: Collection[Tensor]
) -> set[Tensor]:
    """The tensors of a body that are positions.

    counted: tensors outside whose rows are known to be 0, 1, 2 and so on.
    """
    found = {body.inputs[i] for i in range(variables, variables + rows)
             if operands[i] in counted or counting_rows(operands[i])}  # fmt: skip
    if not reverse:
        for inner, after, start in zip(body.inputs[:variables], body.outputs, operands, strict=False):
            if inner.dtype.is_integer and _adds_one(inner, after) and _is_number(start, 0):
                found.add(inner)
    return found


def _adds_one(before: Tensor, after: Tensor) -> bool:
    if after.op.opdef is not add or after.shape.ndims != 0:
        return False
    a, b = after.op.inputs
    return (a is before and _is_number(b, 1)) or (b is before and _is_number(a, 1))


def count_iterations(
    limit: Tensor | None, operands: Sequence[Tensor], cond: SubGraph, body: SubGraph, variables: int, rows: int,
    body_positions: Collection[Tensor]
) -> Iterations:  # fmt: skip
    """How many iterations a loop has.

    body_positions: the positions in its body.
    """
    bounds: list[Dim] = [t.shape.raw[0] for t in operands[variables : variables + rows] if t.shape.raw]
    exact = always_goes_on(cond)
    ends: Tensor | None = None
    if not exact:
        parts = list(_conjuncts(cond.outputs[0]))
        for part in parts:
            end = _end_of(part, operands, cond, body, variables, rows, body_positions)
            size = None if end is None else known_scalar(end)
            if size is not None and not (isinstance(size, int) and size < 0):
                bounds.append(size)
                exact, ends = len(parts) == 1, end
        exact = exact and not cond.targets and not any(must_run(op) for op in cond.operations)
    given = None if limit is None else known_scalar(limit)
    if given is not None and not (isinstance(given, int) and given < 0):
        bounds.append(given)
    elif limit is not None:
        exact = False
    is_one = exact and bounds and all(is_one_size(size, bounds[0]) for size in bounds)
    return Iterations(tuple(bounds), bounds[0] if is_one else None, ends)


def _conjuncts(condition: Tensor) -> Iterator[Tensor]:
    """The conditions that all have to hold."""
    waiting = [condition]
    while waiting:
        tensor = waiting.pop()
        if tensor.op.opdef is logical_and:
            waiting += tensor.op.inputs
        else:
            yield tensor


def _end_of(
    part: Tensor, operands: Sequence[Tensor], cond: SubGraph, body: SubGraph, variables: int, rows: int,
    body_positions: Collection[Tensor]
) -> Tensor | None:  # fmt: skip
    """The scalar that stays the same with which a condition compares a counter: n of `i < n`; a tensor outside."""
    if part.op.opdef not in (less, greater):
        return None
    counter, end = part.op.inputs if part.op.opdef is less else reversed(part.op.inputs)
    places = {t: i for i, t in enumerate(cond.inputs)}
    place = places.get(counter)
    if place is None or body.inputs[place] not in body_positions or place >= variables or end.shape.ndims != 0:
        return None
    at = places.get(end)
    if at is None:
        return end if end.op.opdef.facts.is_constant else None
    stays = at >= variables + rows or (at < variables and body.outputs[at] is body.inputs[at])
    return operands[at] if stays else None


def is_one_size(a: Dim, b: Dim) -> bool:
    """Whether two sizes are the same in each run: equal ints or equal symbols."""
    return isinstance(a, int) == isinstance(b, int) and bool(a == b)
