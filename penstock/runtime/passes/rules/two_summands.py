"""The sum of a tensor with itself as an addition, which joins groups."""

from __future__ import annotations

from ....graph.model.nodes import Tensor
from ....ops.elementwise.arithmetic import add, add_n
from .rule import Emitter, Rule, node


class SumOfTwo(Rule):
    """add_n(x, x) -> add(x, x).

    Exact. Where shapes are not known it is the gradient of x * x. Sums of two tensors stay: parts of a gradient that
    are added one by one would keep each other alive in a group. It ends because each use removes an `add_n`."""

    pattern = node(add_n, "inputs")

    def check(self, inputs: tuple[Tensor, ...]) -> str | None:
        if len(inputs) != 2:
            return ""
        return None if inputs[0] is inputs[1] else "the summands are two tensors"

    def rewrite(self, make: Emitter, inputs: tuple[Tensor, ...]) -> Tensor:
        x, y = inputs
        return make.result(add, x, y)
