"""Changes of shape: chains of reshape, squeeze and expand_dims that combine or cancel.

These ops keep every element and the row-major order, so the last shape alone determines the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....graph.constant_evaluation import Entry, known_vector
from ....graph.dimension import Dimension
from ....graph.may_fail import why_it_may_fail
from ....graph.nodes import Operation, Tensor
from ....ops.constant_and_placeholder import placeholder
from ....ops.reshaping import expand_dims, reshape, squeeze
from ....ops.shape_checks import least, total
from .rule import Emitter, Example, Rule, example, node

_RESHAPING = (reshape, squeeze, expand_dims)


def _depends_on_operand(entries: Sequence[Entry] | None, x: Tensor) -> bool:
    """True if -1 may be inferred from the operand's shape rather than its size, as it is for an empty operand."""
    if entries is None:
        return True
    if -1 not in entries and None not in entries:
        return False
    count = total(x.shape.raw or ())
    if count is not None and least(count) > 0:
        return False
    others = [e for e in entries if e != -1]
    return any(e is None or isinstance(e, Dimension) or e == 0 for e in others)


class ReshapeReshape(Rule):
    """reshape(f(x), s) -> reshape(x, s), where f is reshape, squeeze or expand_dims. Exact.

    It ends because each use removes one change of shape on the way to x."""

    pattern = node(reshape, node(_RESHAPING, bind="first"), "s")

    def check(self, first: Operation, s: Tensor) -> str | None:
        refused = why_it_may_fail(first)
        if refused is not None:
            return refused
        if _depends_on_operand(known_vector(s), first.args[0]):
            return "if there are no elements, -1 in the second shape is inferred from the first shape"
        return None

    def rewrite(self, make: Emitter, first: Operation, s: Tensor) -> Tensor:
        return make.result(reshape, first.args[0], s)

    def example(self) -> Example:
        x = placeholder("float32", ["n", 6])
        return example(reshape(reshape(x, [-1, 3]), [-1, 2]), {x: np.arange(12).reshape(2, 6)})

    def near_misses(self) -> Iterator[Example]:
        x = placeholder("float32", ["n", 2])
        feeds = {x: np.arange(6).reshape(3, 2)}
        twice = reshape(reshape(x, [2, 3]), [-1])
        yield example(twice, feeds, "whether the first shape fits is not known before the run")


class SameShape(Rule):
    """f(x) -> x, where f is reshape, squeeze or expand_dims and the result has the shape of x. Exact.

    It ends because each use removes one node."""

    pattern = node(_RESHAPING, bind="op")

    def check(self, op: Operation) -> str | None:
        same = op.outputs[0].shape.raw is not None and op.outputs[0].shape.raw == op.args[0].shape.raw
        return why_it_may_fail(op) if same else ""

    def rewrite(self, make: Emitter, op: Operation) -> Tensor:
        found: Tensor = op.args[0]
        return found

    def example(self) -> Example:
        x = placeholder("float32", ["n", 3])
        two = placeholder("float32", [2, 4])
        return example([reshape(x, [-1, 3]), squeeze(two)], {x: np.ones((2, 3)), two: np.ones((2, 4))})


class ReshapeRoundTrip(Rule):
    """f(g(x)) -> x, where f and g are reshape, squeeze or expand_dims and the result has the shape of x. Exact.

    It ends because each use removes one node."""

    pattern = node(_RESHAPING, node(_RESHAPING, bind="first"), "how", bind="second")

    def check(self, first: Operation, second: Operation, how: Any) -> str | None:
        x, result = first.args[0], second.outputs[0]
        if result.shape.raw is None or result.shape.raw != x.shape.raw:
            return ""
        return why_it_may_fail(first) or why_it_may_fail(second)

    def rewrite(self, make: Emitter, first: Operation, second: Operation, how: Any) -> Tensor:
        found: Tensor = first.args[0]
        return found

    def example(self) -> Example:
        x = placeholder("float32", ["n", 3])
        row = placeholder("float32", [1, "n"])
        pairs: list[Any] = [squeeze(expand_dims(x, 1), [1]), expand_dims(squeeze(row, [0]), 0)]
        return example(pairs, {x: np.ones((2, 3)), row: np.ones((1, 2))})

    def near_misses(self) -> Iterator[Example]:
        x, at = placeholder("float32", [3]), placeholder("int32", [])
        back = reshape(expand_dims(x, at), [3])
        yield example(back, {x: [1.0, 2.0, 3.0], at: 0}, "a value or a shape is not known before the run")
