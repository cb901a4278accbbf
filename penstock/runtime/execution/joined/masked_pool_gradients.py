"""The gradient of a maximum of windows and that of the relu before it: two steps that become one call.

    y = max_pool(relu(z))        dz = relu_grad(max_pool_grad(relu(z), y, dy), relu(z))

The loop of the first one knows the largest number of a window, and so whether the relu lets its gradient pass. That
saves reading and writing an array of the size of the images. The two steps must follow each other, and nothing else may
read the gradient between them. Where the loop does not serve these operands, or windows overlap, both steps run. Bits
are the same.
"""

from __future__ import annotations

from typing import Any

from ...kernels.convolution.fast_pooling import max_pool_gradient_of_relu
from ...planning.plan import Plan, Step
from ..bind import BoundStep, joined_step
from .step_pairs import is_plain_step, pairs_of_steps


def masked_pool_gradients(plan: Plan) -> list[int]:
    """The positions of gradients of pooling whose next step is the gradient of the relu of what was pooled."""
    return pairs_of_steps(plan, "MaxPoolGrad", _is_masked)


def _is_masked(step: Step, then: Step) -> bool:
    is_plain = is_plain_step(step) and is_plain_step(then) and not then.over
    return is_plain and then.op == "ReluGrad" and tuple(then.inputs) == (step.outputs[0], step.inputs[0])


def joined_pool_gradient(plan: Plan, gradient: BoundStep, then: BoundStep, position: int) -> BoundStep:
    """The gradient of pooling at a position and that of the relu as one."""
    step = plan.steps[position]
    attrs = step.args[3:]
    first, second = gradient.call, then.call

    def call(x: Any, y: Any, dy: Any) -> Any:
        gradient = max_pool_gradient_of_relu(x, y, dy, *attrs)
        return second(first(x, y, dy), x) if gradient is None else gradient

    return joined_step(call, gradient.inputs, then.output, (gradient, then), step.outputs)
