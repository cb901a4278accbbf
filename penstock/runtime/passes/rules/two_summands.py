"""The sum of two tensors as an addition, which joins groups."""

from __future__ import annotations

from ....graph.nodes import Tensor
from ....ops.arithmetic import add, add_n
from .proofs import same_shape
from .rule import Emitter, Rule, node


class SumOfTwo(Rule):
    """add_n(x, y) -> add(x, y), of tensors of one known shape.

    Exact. Where shapes are not known the gradient of a tensor that is used twice is an `add_n`; in a plan for the
    shapes that come it joins the groups beside it. It ends because each use removes an `add_n`."""

    pattern = node(add_n, "inputs")

    def check(self, inputs: tuple[Tensor, ...]) -> str | None:
        if len(inputs) > 2:
            return ""
        return None if same_shape(*inputs) else "the shapes may differ, which is an error"

    def rewrite(self, make: Emitter, inputs: tuple[Tensor, ...]) -> Tensor:
        x, y = inputs
        return make.result(add, x, y)
