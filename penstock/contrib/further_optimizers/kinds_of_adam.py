"""Kinds of Adam: one that updates only rows with a gradient, one that looks a step ahead, one with a maximum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.declare.shared_docs import documented_like
from ...graph.model.default_graph import get_default_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...ops.state import update_formulas
from ...train.optimizers.adam import AdamOptimizer
from ...train.optimizers.formula_optimizer import FormulaOptimizer
from ...train.optimizers.optimizer import Number
from ...train.optimizers.update_target import UpdatedRows
from ...variables.variable import Variable


@documented_like(AdamOptimizer)
class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves rows without a gradient as they are: their means do not decay, and their weights stay.

    That is faster for large tables of embeddings of which a step uses few rows. Its numbers are not those of Adam.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     table = tf.Variable([[1.0], [1.0]])
    ...     row = tf.placeholder(tf.int32, [1])
    ...     step = tf.contrib.opt.LazyAdamOptimizer(0.25).minimize(tf.reduce_sum(tf.gather(table, row)))
    ...     session.run(tf.global_variables_initializer())
    ...     for place in (0, 1):
    ...         session.run(step, {row: [place]})
    ...     print(session.run(table).ravel().round(2))
    [0.75 0.81]

    Source: TensorFlow 1.15, `tf.contrib.opt.LazyAdamOptimizer`.
    """

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        return FormulaOptimizer._apply_sparse(self, grad, var)


@documented_like(AdamOptimizer)
class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum: the step is along the mean as the next step will have it (Dozat, 2016).

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.contrib.opt.NadamOptimizer(0.25).minimize(w * 2.0)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w).round(3))
    0.525

    Source: TensorFlow 1.15, `tf.contrib.opt.NadamOptimizer`.
    """

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        mean, squares = slots
        numbers = self._numbers(g)[1:]
        update_formulas.adam(ops, g, w, mean, squares, lambda: self._rate(g), *numbers, nesterov=True)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        g, rows = grad.values, grad.indices
        beta1, beta2 = self._scalar("beta1", g), self._scalar("beta2", g)
        scaled = g * (1 - beta1)
        m = self._decay_and_add("m", var, beta1, IndexedSlices(scaled, rows))
        v = self._decay_and_add("v", var, beta2, IndexedSlices(g * g * (1 - beta2), rows))
        ahead = scaled + beta1 * ops.gather(m, rows)
        delta = self._rate(g) * ahead / (ops.sqrt(ops.gather(v, rows)) + self._scalar("epsilon", g))
        return ops.group(var.scatter_sub(IndexedSlices(delta, rows)), m, v)


class AdaMaxOptimizer(FormulaOptimizer):
    """Adam whose steps are divided by the largest gradient of late (Kingma and Ba 2014, section 7.1).

    In step t: `m = beta1 * m + (1 - beta1) * g`, `v = max(beta2 * v, |g|)`, then
    `w - learning_rate / (1 - beta1**t) * m / (v + epsilon)`. Rows without a gradient stay as they are.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        beta1: the part of m that is kept in a step.
        beta2: the same of v.
        epsilon: see the formula.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.contrib.opt.AdaMaxOptimizer(0.25).minimize(w * 2.0)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    0.75

    Source: TensorFlow 1.15, `tf.contrib.opt.AdaMaxOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number = 0.001,
        beta1: Number = 0.9,
        beta2: Number = 0.999,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        arguments = {"learning_rate": learning_rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(arguments, use_locking, name)
        self._beta1 = beta1

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("m", 0, None), ("v", 0, None)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        super()._create_slots(var_list)

    def _prepare(self) -> None:
        super()._prepare()
        self._tensors["beta1_power"] = self._latest.of(self._get_non_slot_variable("beta1_power"))

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        mean, largest = slots
        m = mean.set(mean.value + (g - mean.value) * (1 - self._scalar("beta1", g)))
        v = largest.set(ops.maximum(self._scalar("beta2", g) * largest.value, ops.abs(g)))
        rate = self._scalar("learning_rate", g) / (1 - self._scalar("beta1_power", g))
        w.subtract(rate * (m / (v + self._scalar("epsilon", g))))

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        power, graph = self._get_non_slot_variable("beta1_power"), get_default_graph()
        with graph.colocate_with(power):
            after = self._tensors["beta1_power"] * ops.cast(self._tensors["beta1"], power.dtype)
            with graph.control_dependencies(update_ops):
                written = power.assign(after)
        return ops.group(*update_ops, written, name=name_scope)
