"""Plain gradient descent, and descent with penalties that shrink the variable."""

from __future__ import annotations

from ...derivatives import rule_namespace as ops
from ...graph.declare.shared_docs import documented_like
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...ops.state import update_formulas
from ...variables.variable import Variable
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class GradientDescentOptimizer(FormulaOptimizer):
    """Steps against the gradient: `w - learning_rate * g`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, -2.0])
    ...     step = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(tf.square(w)))
    ...     session.run(w.initializer)
    ...     for _ in range(3):
    ...         session.run(step)
    ...     print(session.run(w))
    [ 0.125 -0.25 ]

    Source: TensorFlow 1.x, `tf.train.GradientDescentOptimizer`.
    """

    def __init__(self, learning_rate: Number, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__({"learning_rate": learning_rate}, use_locking, name)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.descent(ops, g, w, *self._numbers(g))

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Operation:
        return self._apply_sparse(grad, var)  # subtracting twice is subtracting the sum


@documented_like(GradientDescentOptimizer)
class ProximalGradientDescentOptimizer(FormulaOptimizer):
    """Gradient descent, then shrinking towards zero by an L1 and an L2 penalty (Duchi and Singer 2009).

    With `p = w - learning_rate * g` the new value is
    `sign(p) * max(|p| - learning_rate * l1, 0) / (1 + learning_rate * l2)`.

    Args:
        l1_regularization_strength: l1, at least 0.
        l2_regularization_strength: l2, at least 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, 0.1])
    ...     descent = tf.train.ProximalGradientDescentOptimizer(0.5, l1_regularization_strength=0.5)
    ...     step = descent.minimize(tf.reduce_sum(w))
    ...     session.run(w.initializer)
    ...     session.run(step)
    ...     print(session.run(w))
    [ 0.25 -0.15]
    """

    def __init__(
        self,
        learning_rate: Number,
        l1_regularization_strength: Number = 0.0,
        l2_regularization_strength: Number = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        arguments = {"learning_rate": learning_rate, "l1_regularization_strength": l1_regularization_strength,
                     "l2_regularization_strength": l2_regularization_strength}  # fmt: skip
        super().__init__(arguments, use_locking, name)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.proximal_descent(ops, g, w, *self._numbers(g))
