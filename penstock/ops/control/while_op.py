"""`While`: a graph that runs again on its own results, as long as another graph says so.

The operands are, in this order:

    loop variables   the body gives their next values; the op's first results are the last ones
    rows             iteration i gets row i of each; the loop ends when there are no more
    captures         the same in every iteration

What the body gives after the loop variables is *stacked*: iteration i writes row i of a result. `tf.while_loop` has
neither rows nor stacks; `map_fn`, `scan` and derivatives of loops consist of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any

from ...errors import DTypeError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import known_value
from ...graph.common.hooks import hooks
from ...graph.declare.op_declaration import op
from ...graph.declare.signature import Flag, Inner, Int, Operand, TensorLike, bits_of
from ...graph.declare.state_slots import StatePlaces
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim, Symbol, unknown
from ...graph.shapes.dtypes import bool_, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.creation import holds_zeros
from ..declare.held_graphs import Anything, Extends, means_the_same, outer_symbols, seen_outside
from ..elementwise.arithmetic import is_sum
from ..sharding.bodies_in_shards import through_loop
from .graph_walks import loop_walk
from .loop_run import LoopRun

_Inner = Annotated[SubGraph, Inner(operands="operands")]
_Limit = Annotated[TensorLike | None, Operand(None, bits_of(int64), host=True, prefer=int64, optional=True)]


def _dtypes(
    limit: Any, operands: Any, cond: Any, body: SubGraph, variables: int, rows: int, reverse: bool, *rest: Any
) -> tuple[Any, ...]:
    return (*[t.dtype for t in body.outputs], int64)


@op("While", extends=True, repeats=True, closing=1, out=_dtypes)
def while_op(
    limit: _Limit,
    operands: Anything,
    cond: _Inner,
    body: _Inner,
    variables: Int,
    rows: Int = 0,
    reverse: Flag = False,
    back_prop: Flag = True,
    extends: Extends = (),
    name: str | None = "while",
) -> list[Tensor]:
    """The values that loop variables have when a loop ends.

    Args:
        limit: at most so many iterations, a scalar int64; None for no limit.
        operands: loop variables, tensors that are given by rows, captures.
        cond: gives one bool: whether there is a next iteration.
        body: gives the next values of the loop variables, then values to stack.
        variables: the number of loop variables.
        rows: the number of operands that are given by rows.
        reverse: whether rows are taken, and stacks filled, from the end. The loop then does not end early.
        back_prop: whether the loop has a gradient.
        extends: the operations of which this is an extended copy, by their names.

    Returns:
        A list of tensors: the last values of the loop variables, the stacks, and the number of iterations (int64).

    Raises:
        ValueError: a loop variable changes its shape, or the numbers of operands and results do not fit.
        TypeError: a loop variable changes its dtype, or the condition is no bool.
    """


while_op.result_names = ("Exit{}", "TensorArrayStack{}/TensorArrayGatherV3")


@while_op.shape
def while_op_shape(
    limit: Tensor | None, operands: Sequence[Tensor], cond: SubGraph, body: SubGraph, variables: int, rows: int, *_: Any
) -> list[TensorShape]:
    _check(limit, operands, cond, body, variables, rows)
    known = outer_symbols(operands, body.inputs)
    last = [seen_outside(inner.shape, known, "it may change from one iteration to the next", inner)
            for inner in body.inputs[:variables]]  # fmt: skip
    if len(body.outputs) == variables:
        return [*last, shape_of([])]
    count = iterations(limit, operands[variables : variables + rows], cond)
    return [*last, *[_stacked(made, count, known) for made in body.outputs[variables:]], shape_of([])]


def _stacked(made: Tensor, count: Dim, known: Collection[Symbol]) -> TensorShape:
    row = seen_outside(made.shape, known, "it may differ from one iteration to the next", made)
    return row if row.raw is None else shape_of([count, *row.raw])


def _check(
    limit: Tensor | None, operands: Sequence[Tensor], cond: SubGraph, body: SubGraph, variables: int, rows: int
) -> None:
    if limit is not None and limit.shape.ndims not in (0, None):
        raise ShapeError(f"limit must be a scalar, not of shape {limit.shape}", operand=0)
    if len(operands) < variables + rows or len(body.outputs) < variables:
        raise ValueRuleError(f"{variables} loop variables and {rows} operands given by rows do not fit "
                             f"{len(operands)} operands and {len(body.outputs)} results of the body")  # fmt: skip
    if len(cond.outputs) != 1 or cond.outputs[0].dtype is not bool_:
        raise DTypeError(f"the condition must give one bool, not {', '.join(t.dtype.name for t in cond.outputs)}")
    if cond.outputs[0].shape.ndims not in (0, None):
        raise ShapeError(f"the condition must be a scalar, not of shape {cond.outputs[0].shape}")
    known = outer_symbols(operands, body.inputs)
    for i in range(variables):
        before, after = body.inputs[i], body.outputs[i]
        if before.dtype is not after.dtype:
            raise DTypeError(f"loop variable {i} is {before.dtype}, and {after.dtype} after one iteration; a loop "
                             "variable keeps its dtype")  # fmt: skip
        if not keeps_shape(before.shape, after.shape, known):
            raise ShapeError(f"loop variable {i} has shape {before.shape}, and {after.shape} after one iteration; a "
                             "loop variable keeps its static shape")  # fmt: skip


def keeps_shape(before: TensorShape, after: TensorShape, known: Any) -> bool:
    """Whether each shape that `after` allows is one that `before` allows.

    known: the symbols of sizes that are the same in all iterations; other symbols of `before` are open sizes.
    """
    if before.raw is None:
        return True
    if after.raw is None or len(after.raw) != len(before.raw):
        return False
    return all(a == b or not means_the_same(b, known) for b, a in zip(before.raw, after.raw, strict=True))


def always_goes_on(cond: SubGraph) -> bool:
    """Whether a condition is the constant True, so that rows or the limit alone end the loop."""
    made = cond.outputs[0].op
    return made.opdef.facts.is_constant and made.args[0].ndim == 0 and bool(made.args[0])


def iterations(limit: Tensor | None, rows: Sequence[Tensor], cond: SubGraph) -> Dim:
    """The number of iterations as a static size."""
    sizes: list[Dim] = [t.shape.raw[0] for t in rows if t.shape.raw]
    if limit is not None:
        value = known_value(limit)
        sizes.append(unknown("the number of iterations is limited by a value of the run", limit) if value is None
                     else max(0, int(value)))  # fmt: skip
    if not sizes or not always_goes_on(cond):
        return unknown("the number of iterations is found by the run")
    numbers = [size for size in sizes if isinstance(size, int)]
    if limit is None:
        return numbers[0] if numbers else sizes[0]
    return min(numbers) if len(numbers) == len(sizes) else sizes[0] if len(sizes) == 1 else unknown(
        "the number of iterations is the smaller of two sizes")  # fmt: skip


@while_op.fails
def while_op_fails(
    limit: Any, operands: Sequence[Tensor], cond: SubGraph, body: SubGraph, variables: int, rows: int, *_: Any
) -> str | None:
    return _why_it_may_fail(operands, cond, body, variables, rows)


def _why_it_may_fail(
    operands: Sequence[Tensor], cond: SubGraph, body: SubGraph, variables: int, rows: int
) -> str | None:
    sizes = [t.shape.raw[0] if t.shape.raw else None for t in operands[variables : variables + rows]]
    if sizes and (None in sizes or any(size != sizes[0] for size in sizes)):
        return "whether all rows are equally many is not known before the run"
    if cond.outputs[0].shape.ndims != 0:
        return "whether the condition is a scalar is not known before the run"
    known = outer_symbols(operands, body.inputs)
    for made in body.outputs[variables:]:
        if made.shape.raw is None or not all(means_the_same(size, known) for size in made.shape.raw):
            return "whether the rows of a stack have one shape is not known before the run"
    return None


@while_op.carries
def while_op_carries(
    limit: Any, operands: Any, cond: SubGraph, body: SubGraph, variables: int, rows: int, *rest: Any
) -> StatePlaces:
    return StatePlaces(variables, variables + rows, variables, ("body",), "variables")


@while_op.kernel
def while_op_kernel(xp: Any, *args: Any) -> list[Any]:
    run = LoopRun(*args[:7])  # limit, operands, cond, body, variables, rows, reverse
    run.advance()
    return run.results()


while_op.walk(loop_walk)
while_op.distributes(lambda operation, states, name: through_loop(operation, states, name, is_sum, holds_zeros))


@while_op.gradient("a loop backwards over the iterations", takes_wanted=True)
def while_op_gradient(ops: Any, op: Operation, *gs: Any, wanted: Collection[Tensor]) -> list[Any]:
    return hooks.gradient_of_loop(op, gs, wanted)


while_op.samples(lambda rng: iter(()))  # its graphs are not data: see tests/ops/test_while_op.py
