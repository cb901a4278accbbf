"""`If`: the results of one of two graphs, chosen by a bool when the graph runs. `tf.cond` and its kin build it.

Both branches see the same operands, which are what one of them captures. Only the chosen one runs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any

from ...errors import DTypeError, ShapeError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.declare.op_declaration import op
from ...graph.declare.signature import BOOL, Inner, Operand, TensorLike
from ...graph.declare.state_slots import StatePlaces
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.shape import TensorShape
from ..declare.held_graphs import (
    Anything,
    Extends,
    Function,
    depends_on_branch,
    outer_symbols,
    result_dtypes,
)
from ..elementwise.arithmetic import is_sum
from ..sharding.bodies_in_shards import through_branches
from .graph_walks import branch_walk
from .loop_run import pred_of

Branch = Annotated[SubGraph, Inner(operands="operands")]


@op("If", extends=True, out=lambda pred, operands, then_branch, else_branch, extends: result_dtypes(then_branch))
def if_op(
    pred: Annotated[TensorLike, Operand(None, BOOL, host=True)],
    operands: Anything,
    then_branch: Branch,
    else_branch: Branch,
    extends: Extends = (),
    name: str | None = "cond",
) -> list[Tensor]:
    """The results of one of two graphs.

    Args:
        pred: a scalar bool.
        operands: what the branches' inputs stand for.
        then_branch: what runs where `pred` is true.
        else_branch: what runs where it is false; it has results of the same number and dtypes.
        extends: the operations of which this is an extended copy, by their names.

    Returns:
        A list of tensors, one for each result of a branch.

    Raises:
        ValueError: `pred` is no scalar, or the branches have different numbers of results.
        TypeError: they have different dtypes.
    """


if_op.result_names = ("Merge{}",)


@if_op.shape
def if_op_shape(
    pred: Tensor, operands: Sequence[Tensor], then_branch: SubGraph, else_branch: SubGraph, extends: Sequence[str]
) -> list[TensorShape]:
    if pred.shape.ndims not in (0, None):
        raise ShapeError(f"pred must be a scalar, not of shape {pred.shape}", operand=0, cure="Reduce it to one bool, "
                         "with tf.reduce_all or tf.reduce_any; tf.where chooses element by element.")  # fmt: skip
    if len(then_branch.outputs) != len(else_branch.outputs):
        raise ValueRuleError(f"one branch has {len(then_branch.outputs)} results, the other "
                             f"{len(else_branch.outputs)}; they must have equally many")  # fmt: skip
    known = outer_symbols(operands, then_branch.inputs) & outer_symbols(operands, else_branch.inputs)
    shapes = []
    for i, (a, b) in enumerate(zip(then_branch.outputs, else_branch.outputs, strict=True)):
        if a.dtype is not b.dtype:
            raise DTypeError(f"result {i} is {a.dtype} in one branch and {b.dtype} in the other; the branches must "
                             f"give the same dtypes. Write tf.cast(..., tf.{a.dtype}) in one")  # fmt: skip
        shapes.append(depends_on_branch(a, b, known))
    return shapes


@if_op.fails
def if_op_fails(pred: Tensor, *rest: Any) -> str | None:
    return None if pred.shape.ndims == 0 else "whether pred is a scalar is not known before the run"


@if_op.carries
def if_op_carries(
    pred: Tensor, operands: Sequence[Tensor], then_branch: SubGraph, else_branch: SubGraph, extends: str
) -> StatePlaces:
    return StatePlaces(len(operands), 0, len(then_branch.outputs), ("then_branch", "else_branch"))


@if_op.kernel
def if_op_kernel(
    xp: Any, pred: Any, operands: Sequence[Any], then_branch: Function, else_branch: Function, extends: Sequence[str]
) -> list[Any]:
    return (then_branch if pred_of(pred) else else_branch)(*operands)


if_op.walk(branch_walk)
if_op.distributes(lambda operation, states, name: through_branches(operation, states, name, is_sum))


@if_op.gradient("the gradient of the branch that ran", takes_wanted=True)
def if_op_gradient(ops: Any, op: Operation, *gs: Any, wanted: Collection[Tensor]) -> list[Any]:
    return hooks.gradient_of_branches(op, gs, wanted)


if_op.samples(lambda rng: iter(()))  # its graphs are not data: see tests/ops/test_if_op.py
