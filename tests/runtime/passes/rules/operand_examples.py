"""Examples of the rule on operands that are not read."""

from collections.abc import Iterator

import numpy as np

import penstock.compat.v1 as tf
from penstock.graph.model.nodes import Tensor
from penstock.ops.pooling.max_pool_ops import max_pool_grad_op, max_pool_op
from penstock.runtime.passes.rules.unread_operands import UnreadOperand

from .rule_examples import Example, example, example_of, near_misses_of

MOVES = (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
X = np.random.default_rng(0).integers(-2, 3, (2, 4, 6, 3)).astype("f4")
G = np.random.default_rng(1).standard_normal((2, 2, 3, 3)).astype("f4")


def gradient(x: Tensor, g: Tensor) -> Tensor:
    """The gradient of the maxima of x."""
    return max_pool_grad_op(x, max_pool_op(x, *MOVES), g, *MOVES)


@example_of(UnreadOperand)
def _() -> Example:
    x, g = tf.placeholder("float32", ["n", 4, 6, 3]), tf.placeholder("float32", ["n", 2, 3, 3])
    return example(gradient(x, g), {x: X, g: G})


@near_misses_of(UnreadOperand)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32", [None, 4, 6, 3])
    for sizes in ([None, 2, 3, 3], None):
        g = tf.placeholder("float32", sizes)
        yield example(gradient(x, g), {x: X, g: G}, "no other operand is known to have the shape of orig_output")
    y = tf.placeholder("float32", None)
    g = tf.placeholder("float32", [2, 2, 3, 3])
    fed = max_pool_grad_op(x, y, g, *MOVES)
    yield example(fed, {x: X, y: G, g: G}, "no other operand is known to have the shape of orig_output")
