"""`FormulaOptimizer`, an optimizer that is one formula, for whole variables and for rows alike, and those that are.

A class lists its arguments and its slots, and has one method, `_step`, which says how a gradient changes a variable and
its slots: a formula of `ops/state/update_formulas.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames_of_init
from ...graph.declare.shared_docs import documented_like
from ...graph.model.default_graph import get_default_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType
from ...ops.state import update_formulas
from ...variables.latest_values import LatestValues
from ...variables.variable import Variable
from .optimizer import Number, Optimizer, check_number
from .update_target import UpdatedRows


class FormulaOptimizer(Optimizer):
    """An optimizer whose update is one formula.

    Args:
        arguments: the numbers of the formula by name, as the user gave them.
        use_locking, name: as of `Optimizer`.
    """

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):
            hides_frames_of_init(cls)

    def __init__(self, arguments: Mapping[str, Any], use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        for label, given in arguments.items():
            check_number(type(self).__name__, "learning_rate" if label == "lr" else label, given)
        self._arguments = dict(arguments)
        self._tensors: dict[str, Tensor] = {}
        self._as_dtype: dict[tuple[str, DType, Any], Tensor] = {}
        self._latest: LatestValues

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        """The slots: name, number they begin with, and what they are called if not after the optimizer."""
        return ()

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        """Write the variable and its slots, in the order of `_starts`."""
        raise NotImplementedError

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            for slot_name, number, op_name in self._starts():
                self._filled_slot(variable, number, slot_name, op_name or self._name)

    def _prepare(self) -> None:
        self._latest = LatestValues(get_default_graph())
        self._as_dtype = {}
        self._tensors = {
            label: ops.convert_to_tensor(_number(self._call_if_callable(given)), name=label)
            for label, given in self._arguments.items()
        }

    def _apply_dense(self, grad: Tensor, var: Variable) -> Operation:
        return self._apply_to(var, grad, None)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        return self._apply_to(var, grad.values, grad.indices)

    def _apply_to(self, var: Variable, g: Tensor, indices: Tensor | None) -> Operation:
        writes: list[Tensor] = []
        slots = [self._rows(self._slots[name][var.op], indices, writes) for name, _, _ in self._starts()]
        self._step(g, self._rows(var, indices, writes), *slots)
        return writes[0].op if len(writes) == 1 else ops.group(*writes)

    def _rows(self, variable: Variable, indices: Tensor | None, writes: list[Tensor]) -> UpdatedRows:
        return UpdatedRows(variable, indices, writes, self._latest)

    def _numbers(self, like: Tensor) -> list[Tensor]:
        """The arguments in the dtype of a gradient."""
        return [self._scalar(label, like) for label in self._arguments]

    def _key(self, label: str, like: Tensor) -> tuple[str, DType, Any]:
        """Which node of a number an update uses: each device has its own, so that no device waits for another."""
        return label, like.dtype, get_default_graph().surroundings.device

    def _scalar(self, label: str, like: Tensor) -> Tensor:
        """An argument in the dtype of a gradient."""
        key = self._key(label, like)
        if key not in self._as_dtype:
            self._as_dtype[key] = ops.cast(self._tensors[label], like.dtype)
        return self._as_dtype[key]


def _number(given: Any) -> Any:
    """An argument; an int of Python counts as a float."""
    return float(given) if isinstance(given, int) else given


# ---- plain gradient descent, and descent with penalties that shrink the variable ----------------


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


# ---- gradient descent with momentum -------------------------------------------------------------


class MomentumOptimizer(FormulaOptimizer):
    """Steps along a decaying sum of gradients: `a = momentum * a + g`, then `w - learning_rate * a`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        momentum: the part of the sum that is kept in a step; a number, tensor or function too.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.
        use_nesterov: True steps by `learning_rate * (g + momentum * a)`, the gradient one step ahead (Sutskever et al.
            2013).

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.train.MomentumOptimizer(0.25, momentum=0.5).minimize(2.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     for _ in range(3):
    ...         session.run(step)
    ...         print(session.run(w))
    0.5
    -0.25
    -1.125

    Source: TensorFlow 1.x, `tf.train.MomentumOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        momentum: Number,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__({"learning_rate": learning_rate, "momentum": momentum}, use_locking, name)
        self._use_nesterov = use_nesterov

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("momentum", 0, None),)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.momentum(ops, g, w, *slots, *self._numbers(g), nesterov=self._use_nesterov)


# ---- the Adagrad family: steps divided by the root of the sum of all squared gradients (Duchi et al. 2011) ----


class AdagradOptimizer(FormulaOptimizer):
    """Adagrad: `a = a + g**2`, then `w - learning_rate * g / sqrt(a)`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        initial_accumulator_value: what a begins with, above 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.

    Raises:
        ValueError: `initial_accumulator_value` is not positive, or `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, 1.0])
    ...     descent = tf.train.AdagradOptimizer(0.5, initial_accumulator_value=1e-6)
    ...     step = descent.minimize(tf.reduce_sum(w * [1.0, 100.0]))
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w).round(3))
    [0.5 0.5]

    Source: TensorFlow 1.x, `tf.train.AdagradOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _check_positive("AdagradOptimizer", "initial_accumulator_value", initial_accumulator_value)
        super().__init__({"learning_rate": learning_rate}, use_locking, name)
        self._start = initial_accumulator_value

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("accumulator", self._start, None),)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.adagrad(ops, g, w, *slots, *self._numbers(g))


@documented_like(AdagradOptimizer)
class ProximalAdagradOptimizer(FormulaOptimizer):
    """Adagrad, then shrinking towards zero by an L1 and an L2 penalty.

    With `a = a + g**2`, `r = learning_rate / sqrt(a)` and `p = w - r * g` the new value is
    `sign(p) * max(|p| - r * l1, 0) / (1 + r * l2)`.

    Args:
        l1_regularization_strength: l1, at least 0.
        l2_regularization_strength: l2, at least 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, -0.25])
    ...     descent = tf.train.ProximalAdagradOptimizer(0.5, 3.0, l1_regularization_strength=1.0)
    ...     step = descent.minimize(tf.reduce_sum(w))
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    [ 0.5  -0.25]
    """

    def __init__(
        self,
        learning_rate: Number,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Number = 0.0,
        l2_regularization_strength: Number = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _check_positive("ProximalAdagradOptimizer", "initial_accumulator_value", initial_accumulator_value)
        arguments = {"learning_rate": learning_rate, "l1_regularization_strength": l1_regularization_strength,
                     "l2_regularization_strength": l2_regularization_strength}  # fmt: skip
        super().__init__(arguments, use_locking, name)
        self._start = initial_accumulator_value

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return (("accumulator", self._start, None),)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.proximal_adagrad(ops, g, w, *slots, *self._numbers(g))


class AdagradDAOptimizer(FormulaOptimizer):
    """Adagrad by dual averaging: each step finds `w` anew from the sums of all gradients and of their squares.

    With `s = s + g`, `a = a + g**2` and t steps, this one included, the new value is
    `-sign(s) * learning_rate * max(|s| - l1 * t, 0) / (l2 * t * learning_rate + sqrt(a))`.

    Args:
        learning_rate: a number or a tensor that each run computes.
        global_step: the variable that counts the steps; `minimize` should get it too.
        initial_gradient_squared_accumulator_value: what a begins with, above 0.
        l1_regularization_strength: l1, at least 0.
        l2_regularization_strength: l2, at least 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `initial_gradient_squared_accumulator_value` is not positive, or `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([5.0, 5.0])
    ...     steps = tf.train.get_or_create_global_step()
    ...     descent = tf.train.AdagradDAOptimizer(0.5, steps, 3.0, l1_regularization_strength=0.5)
    ...     step = descent.minimize(tf.reduce_sum(w * [1.0, 0.25]), global_step=steps)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w) + 0.0)
    [-0.125  0.   ]

    Source: TensorFlow 1.x, `tf.train.AdagradDAOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: Number = 0.0,
        l2_regularization_strength: Number = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        start = initial_gradient_squared_accumulator_value
        _check_positive("AdagradDAOptimizer", "initial_gradient_squared_accumulator_value", start)
        arguments = {"learning_rate": learning_rate, "l1_regularization_strength": l1_regularization_strength,
                     "l2_regularization_strength": l2_regularization_strength}  # fmt: skip
        super().__init__(arguments, use_locking, name)
        self._start = start
        self._global_step = global_step

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("gradient_accumulator", 0, None), ("gradient_squared_accumulator", self._start, None)

    def _prepare(self) -> None:
        super()._prepare()
        self._tensors["step"] = ops.add(self._global_step, 1, name="step")

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        sums, squares = slots
        rate, l1, l2 = self._numbers(g)
        update_formulas.dual_averaging(ops, g, w, sums, squares, rate, l1, l2, self._scalar("step", g))


def _check_positive(optimizer: str, label: str, value: float) -> None:
    if value <= 0.0:
        raise ValueRuleError(f"{optimizer}: {label} must be positive: {value}")


# ---- Adadelta -----------------------------------------------------------------------------------


class AdadeltaOptimizer(FormulaOptimizer):
    """Adadelta: steps scaled by decaying means of the squares of earlier steps and of gradients (Zeiler 2012).

    `a = rho * a + (1 - rho) * g**2`, `u = sqrt(d + epsilon) / sqrt(a + epsilon) * g`, then `w - learning_rate * u` and
    `d = rho * d + (1 - rho) * u**2`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them. The paper has 1.
        rho: the part of the means that is kept in a step.
        epsilon: see the formula.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.train.AdadeltaOptimizer(1.0, rho=0.75, epsilon=1.0).minimize(2.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(round(float(session.run(w)), 4))
    -0.4142

    Source: TensorFlow 1.x, `tf.train.AdadeltaOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number = 0.001,
        rho: Number = 0.95,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__({"lr": learning_rate, "rho": rho, "epsilon": epsilon}, use_locking, name)

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        return ("accum", 0, None), ("accum_update", 0, None)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        update_formulas.adadelta(ops, g, w, *slots, *self._numbers(g))


# ---- RMSProp ------------------------------------------------------------------------------------


class RMSPropOptimizer(FormulaOptimizer):
    """RMSProp: steps divided by the root of a decaying mean of squared gradients, with momentum (Hinton 2012).

    `a = decay * a + (1 - decay) * g**2`, `b = momentum * b + learning_rate * g / sqrt(a + epsilon)`, then `w - b`.

    Args:
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        decay: the part of a that is kept in a step; a number, tensor or function too.
        momentum: the part of b that is kept.
        epsilon: see the formula.
        use_locking: accepted for TensorFlow's sake.
        centered: True divides by the root of the variance of gradients, `a - mean**2 + epsilon` (Graves 2013).
        name: the name of the operation and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     step = tf.train.RMSPropOptimizer(0.5, decay=0.0, epsilon=0.0).minimize(3.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    0.5

    Source: TensorFlow 1.x, `tf.train.RMSPropOptimizer`.
    """

    def __init__(
        self,
        learning_rate: Number,
        decay: Number = 0.9,
        momentum: Number = 0.0,
        epsilon: Number = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        arguments = {"learning_rate": learning_rate, "decay": decay, "momentum": momentum, "epsilon": epsilon}
        super().__init__(arguments, use_locking, name)
        self._centered = centered

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        mean: list[tuple[str, Any, str | None]] = [("mg", 0, None)] if self._centered else []
        return ("rms", 1, None), *mean, ("momentum", 0, None)

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        squares, *means, velocity = slots
        update_formulas.rms_prop(ops, g, w, squares, means, velocity, *self._numbers(g))
