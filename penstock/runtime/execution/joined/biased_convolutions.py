"""Convolutions with a bias, and their relu: two steps that become one call.

    y = conv2d(x, w) + bias        y = relu(conv2d(x, w) + bias)

The loop of convolutions adds the bias when it stores a tile, which saves writing and reading the sums. The two steps
must follow each other, and nothing else may read the convolution. Where the loop does not serve these operands, both
steps run. Bits are the same, because each number is rounded after the same operations.
"""

from __future__ import annotations

from typing import Any, Final

from ...compiled.llvm_primitives import extremes_are_ordered
from ...ir.fused_ir import Body, Value, fused
from ...kernels.convolution.fast_convolution import conv2d_plus
from ...planning.plan import Plan, Slot, Step
from ..bind import BoundStep, joined_step
from .step_pairs import is_plain_step, pairs_of_steps

_BODIES: Final = (["Add"], ["Add", "Relu"])


def biased_convolutions(plan: Plan) -> list[int]:
    """The positions of convolutions whose next step adds a bias to them."""
    return pairs_of_steps(plan, "Conv2D", lambda step, then: bias_of(plan, step, then))


def bias_of(plan: Plan, step: Step, then: Step) -> tuple[Slot, bool] | None:
    """The slot of the vector that the second step adds to the convolution, and whether it takes the relu of the sum;
    None if it does something else.
    """
    if not is_plain_step(step) or not is_plain_step(then) or then.over:
        return None
    if len(then.inputs) != 2 or len(then.outputs) != 1:
        return None
    relu = False
    if then.op == fused.type:
        body = then.args[1]
        ops = [each.op for each in body.instructions]
        if ops not in _BODIES or not _adds_both(body) or tuple(body.outputs) != (Value(len(ops) + 1),):
            return None
        relu = len(ops) > 1
    elif then.op not in ("Add", "BiasAdd"):
        return None
    if then.inputs.count(step.outputs[0]) != 1 or (relu and not extremes_are_ordered()):
        return None
    (bias,) = [slot for slot in then.inputs if slot != step.outputs[0]]
    shape, filters = plan.slots[bias].shape, plan.slots[step.inputs[1]].shape
    if shape is None or len(shape) != 1 or filters is None or len(filters) != 4 or "NHWC" not in step.args:
        return None
    return bias, relu


def _adds_both(body: Body) -> bool:
    """Whether the first instruction of a group adds its two operands, and the second one, if any, reads the sum."""
    first, *more = body.instructions
    return sorted(map(int, first.args)) == [0, 1] and all(tuple(each.args) == (Value(2),) for each in more)


def joined_convolution(plan: Plan, convolution: BoundStep, then: BoundStep, position: int) -> BoundStep:
    """The convolution at a position and the step after it as one."""
    step = plan.steps[position]
    biased = bias_of(plan, step, plan.steps[position + 1])
    assert biased is not None  # or it would not be one of `biased_convolutions`
    bias, relu = biased
    slot = step.outputs[0]
    is_first = then.inputs[0] == slot
    attrs = step.args[2:]
    convolve, add = convolution.call, then.call

    def call(x: Any, w: Any, vector: Any) -> Any:
        y = conv2d_plus(x, w, vector, relu, *attrs)
        if y is not None:
            return y
        y = convolve(x, w)
        return add(y, vector) if is_first else add(vector, y)

    return joined_step(call, (*convolution.inputs, bias), then.output, (convolution, then), (slot,))
