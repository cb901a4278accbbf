"""Optimizers around another one: averages of what it trains, a bound on norms of weights, several tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...ops.nn.clipping import clip_by_norm
from ...train.checkpoints.saver import Saver
from ...train.optimizers.moving_averages import ExponentialMovingAverage
from ...train.optimizers.optimizer import Optimizer, Pairs
from ...variables.variable import Variable


class _Wrapper(Optimizer):
    """An optimizer whose gradients and slots are those of another one."""

    def __init__(self, opt: Optimizer, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        if not isinstance(opt, Optimizer):
            raise TypeError(f"{type(self).__name__}(opt={opt!r:.80}): opt is an optimizer, as those of tf.train")
        self._optimizer = opt

    @hides_frames
    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Variable]]:
        """`compute_gradients` of the optimizer inside."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """A slot of the optimizer inside."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the slots of the optimizer inside."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Variable]:
        """The variables of the optimizer inside."""
        return self._optimizer.variables()


class MovingAverageOptimizer(_Wrapper):
    """An optimizer around another one that keeps moving averages of what it trains.

    `swapping_saver()` saves the averages under the names of the variables, so that a program that evaluates loads them
    without knowing of averages.

    Args:
        opt: the optimizer that changes the variables.
        average_decay: the part of an average that is kept in a step.
        num_updates: the number of steps that were made; with it first averages follow faster.
        sequential_update: whether averages take the values after the step; else those before.

    Raises:
        TypeError: `opt` is no optimizer.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(4.0, name="w")
    ...     descent = tf.train.GradientDescentOptimizer(1.0)
    ...     step = tf.contrib.opt.MovingAverageOptimizer(descent, average_decay=0.5).minimize(2.0 * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(tf.global_variables()))
    [np.float32(2.0), np.float32(3.0)]

    Source: TensorFlow 1.15, `tf.contrib.opt.MovingAverageOptimizer`.
    """

    def __init__(
        self, opt: Optimizer, average_decay: Any = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        super().__init__(opt, False, "MovingAverage")
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._sequential = sequential_update
        self._averaged: list[Variable] = []

    @hides_frames
    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Variable | Tensor | None = None, name: str | None = None
    ) -> Operation:
        """`apply_gradients` of the optimizer inside, and the averages of the variables that have a gradient."""
        pairs = list(grads_and_vars)
        step = self._optimizer.apply_gradients(pairs, global_step, name)
        self._averaged = [variable for gradient, variable in pairs if gradient is not None]
        with get_default_graph().control_dependencies([step] if self._sequential else []):
            averages = self._ema.apply(self._averaged)
        return ops.group(step, averages, name="train_with_avg")

    @hides_frames
    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """A `tf.train.Saver` that saves each average under the name of its variable, and the reverse.

        Args:
            var_list: the variables to save, a list or a dict from names; None means all of the graph.
            name: the name of the saver's operations.
            kwargs: further arguments of `tf.train.Saver`.

        Returns:
            The saver.

        Raises:
            RuntimeError: `apply_gradients` or `minimize` was not called before.
            ValueError: an average or its variable is not in `var_list`.
        """
        if not self._averaged:
            raise RuntimeError("swapping_saver: call minimize or apply_gradients before, which make the averages")
        given = get_default_graph().get_collection("variables") if var_list is None else var_list
        names: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {each.op.name: each for each in given}
        places = {each.op: label for label, each in names.items()}
        for variable in self._averaged:
            average = self._ema.average(variable)
            if average is None or average.op not in places:
                raise ValueRuleError(f"swapping_saver: Variable to swap {variable.name} has no average in var_list")
            if variable.op not in places:
                raise ValueRuleError(f"swapping_saver: Variable to swap {variable.name} is not in var_list")
            own, shadow = places[variable.op], places[average.op]
            names[own], names[shadow] = average, variable
        return Saver(names, name=name, **kwargs)


class VariableClippingOptimizer(_Wrapper):
    """An optimizer around another one that keeps the norms of weights below a bound, along some dimensions.

    Args:
        opt: the optimizer that changes the variables.
        vars_to_clip_dims: variable -> the dimensions along which the norm is taken: [1] for each row of a matrix.
        max_norm: the largest norm, a number or a scalar tensor.
        use_locking: accepted for TensorFlow's sake.
        colocate_clip_ops_with_vars: whether the clipping asks for the device of the variable.
        name: the name of the optimizer.

    Raises:
        TypeError: `opt` is no optimizer.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([[3.0, 4.0], [0.1, 0.2]])
    ...     descent = tf.train.GradientDescentOptimizer(0.0)
    ...     step = tf.contrib.opt.VariableClippingOptimizer(descent, {w: [1]}, 1.0).minimize(tf.reduce_sum(w))
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w).round(2))
    [[0.6 0.8]
     [0.1 0.2]]

    Source: TensorFlow 1.15, `tf.contrib.opt.VariableClippingOptimizer`.
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: Mapping[Any, Sequence[int]],
        max_norm: Any,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(opt, use_locking, name)
        self._dims = {variable.op: list(dims) for variable, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocates = colocate_clip_ops_with_vars

    @hides_frames
    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Variable | Tensor | None = None, name: str | None = None
    ) -> Operation:
        """`apply_gradients` of the optimizer inside, then the clipping of what it wrote."""
        graph = get_default_graph()
        with graph.name_scope(name or self._name) as scope:
            pairs = list(grads_and_vars)
            step = self._optimizer.apply_gradients(pairs, global_step)
            clips: list[Operation] = []
            with graph.control_dependencies([step]):
                for gradient, variable in pairs:
                    if gradient is None or variable.op not in self._dims:
                        continue
                    if self._colocates:
                        with graph.colocate_with(variable):
                            clips.append(self._clipped(gradient, variable))
                    else:
                        clips.append(self._clipped(gradient, variable))
            return ops.group(step, *clips, name=scope)

    def _clipped(self, gradient: Any, variable: Variable) -> Operation:
        """The write that makes norms smaller: of all rows, or of those that the step may have changed."""
        dims = self._dims[variable.op]
        value = variable.read_value()
        if not isinstance(gradient, IndexedSlices):
            written: Tensor = variable.assign(clip_by_norm(value, self._max_norm, dims))
            return written.op
        if 0 in dims:
            raise ValueRuleError(f"VariableClippingOptimizer: Clipping along dimension 0 ({dims}) is not possible for "
                                 f"{variable.name}, of which the gradient has rows only")  # fmt: skip
        places, _ = ops.unique(gradient.indices)
        rows = clip_by_norm(ops.gather(value, places), self._max_norm, dims)
        changed: Tensor = variable.scatter_update(IndexedSlices(rows, places))
        return changed.op
