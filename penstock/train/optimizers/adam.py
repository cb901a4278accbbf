"""Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.model.default_graph import get_default_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...ops.state import update_formulas
from ...variables.variable import Variable
from .formula_optimizer import FormulaOptimizer
from .optimizer import Number
from .update_target import UpdatedRows


class AdamOptimizer(FormulaOptimizer):
    """Adam: steps along the mean of gradients, divided by the root of the mean of their squares (Kingma and Ba 2014).

    In step t: `m = beta1 * m + (1 - beta1) * g`, `v = beta2 * v + (1 - beta2) * g**2`, then
    `w - r * m / (sqrt(v) + epsilon)`, where `r = learning_rate * sqrt(1 - beta2**t) / (1 - beta1**t)`. A sparse
    gradient counts as zero in other rows: means decay and variables change everywhere.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        beta1: the part of m that is kept in a step; a number, tensor or function too.
        beta2: the same of v.
        epsilon: see the formula.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, 1.0])
    ...     step = tf.train.AdamOptimizer(0.25).minimize(tf.reduce_sum(w * [1.0, 100.0]))
    ...     session.run(tf.global_variables_initializer())
    ...     for _ in range(2):
    ...         session.run(step)
    ...     print(session.run(w).round(4))
    [0.5 0.5]

    Source: TensorFlow 1.x, `tf.train.AdamOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number = 0.001,
        beta1: Number = 0.9,
        beta2: Number = 0.999,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        arguments = {"learning_rate": learning_rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(arguments, use_locking, name)
        self._beta1, self._beta2 = beta1, beta2

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("m", 0, None), ("v", 0, None)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        first = min(var_list, key=lambda variable: variable.name)  # the powers are beside it, as in TensorFlow
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        super()._create_slots(var_list)

    def _prepare(self) -> None:
        super()._prepare()
        for label in ("beta1_power", "beta2_power"):
            self._tensors[label] = self._latest.of(self._get_non_slot_variable(label))

    def _rate(self, g: Tensor) -> Tensor:
        """The learning rate, corrected for means that began at zero."""
        key = self._key("rate", g)
        if key not in self._as_dtype:
            numbers = [self._scalar(label, g) for label in ("learning_rate", "beta1_power", "beta2_power")]
            self._as_dtype[key] = update_formulas.corrected_rate(ops, *numbers)
        return self._as_dtype[key]

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        mean, squares = slots
        update_formulas.adam(ops, g, w, mean, squares, lambda: self._rate(g), *self._numbers(g)[1:])

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        g = grad.values
        beta1, beta2 = self._scalar("beta1", g), self._scalar("beta2", g)
        m = self._decay_and_add("m", var, beta1, IndexedSlices(g * (1 - beta1), grad.indices))
        v = self._decay_and_add("v", var, beta2, IndexedSlices(g * g * (1 - beta2), grad.indices))
        w = var.assign_sub(self._rate(g) * m / (ops.sqrt(v) + self._scalar("epsilon", g)))
        return ops.group(w, m, v)

    def _decay_and_add(self, slot_name: str, var: Variable, beta: Tensor, rows: IndexedSlices) -> Tensor:
        """Scale a slot, then add to some of its rows; the new value."""
        slot = self._slots[slot_name][var.op]
        decayed: Tensor = slot.assign(self._latest.of(slot) * beta)
        self._latest.note(decayed.op)
        with get_default_graph().control_dependencies([decayed]):
            added: Tensor = slot.scatter_add(rows)
        return added

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        powers, graph = [], get_default_graph()
        for label in ("beta1", "beta2"):
            power = self._get_non_slot_variable(f"{label}_power")
            with graph.colocate_with(power):
                after = self._tensors[f"{label}_power"] * ops.cast(self._tensors[label], power.dtype)
                with graph.control_dependencies(update_ops):  # which read the powers before this write
                    powers.append(power.assign(after))
        return ops.group(*update_ops, *powers, name=name_scope)
