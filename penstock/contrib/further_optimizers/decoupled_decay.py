"""Weight decay that is no part of the loss: AdamW, MomentumW, and a mixin (Loshchilov and Hutter, 2017).

A step first takes `weight_decay * w` off a variable, then does what the optimizer does with the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import DTypeError
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.shared_docs import documented_like
from ...graph.model.default_graph import get_default_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...train.optimizers.adam import AdamOptimizer
from ...train.optimizers.formula_optimizer import MomentumOptimizer
from ...train.optimizers.optimizer import Number, Optimizer, Pairs
from ...variables.latest_values import LatestValues
from ...variables.variable import Variable


class DecoupledWeightDecayExtension:
    """A mixin that takes a part off variables before an optimizer changes them.

    Write it before the optimizer among the bases: `class AdamW(DecoupledWeightDecayExtension, AdamOptimizer)`.

    Args:
        weight_decay: the part that is taken off in a step: a number, a tensor or a function of either.
        kwargs: the arguments of the optimizer.

    >>> import penstock as tf
    >>> class DescentW(tf.contrib.opt.DecoupledWeightDecayExtension, tf.train.GradientDescentOptimizer):
    ...     def __init__(self, weight_decay, rate):
    ...         super().__init__(weight_decay, learning_rate=rate)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(2.0)
    ...     step = DescentW(0.25, 0.5).minimize(w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    1.0

    Source: TensorFlow 1.15, `tf.contrib.opt.DecoupledWeightDecayExtension`.
    """

    def __init__(self, weight_decay: Number, **kwargs: Any) -> None:
        self._decay_var_list: set[Operation] | None = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor: Any = None
        super().__init__(**kwargs)

    @hides_frames
    def minimize(
        self,
        loss: Any,
        global_step: Variable | Tensor | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
        decay_var_list: Sequence[Variable] | None = None,
    ) -> Operation:
        """As `tf.train.Optimizer.minimize`; only the variables of `decay_var_list` decay, None means all."""
        self._keep(decay_var_list)
        optimizer: Any = super()
        made: Operation = optimizer.minimize(loss, global_step, var_list, gate_gradients, aggregation_method,
                                             colocate_gradients_with_ops, name, grad_loss)  # fmt: skip
        return made

    @hides_frames
    def apply_gradients(
        self,
        grads_and_vars: Pairs,
        global_step: Variable | Tensor | None = None,
        name: str | None = None,
        decay_var_list: Sequence[Variable] | None = None,
    ) -> Operation:
        """As `tf.train.Optimizer.apply_gradients`; only the variables of `decay_var_list` decay, None means all."""
        if decay_var_list is not None:
            self._keep(decay_var_list)
        optimizer: Any = super()
        made: Operation = optimizer.apply_gradients(grads_and_vars, global_step, name)
        return made

    def _keep(self, variables: Sequence[Variable] | None) -> None:
        self._decay_var_list = None if variables is None else {each.op for each in variables}

    def _prepare(self) -> None:
        given = self._weight_decay() if callable(self._weight_decay) else self._weight_decay
        self._weight_decay_tensor = ops.convert_to_tensor(
            float(given) if isinstance(given, int) else given, name="weight_decay"
        )
        optimizer: Any = super()
        optimizer._prepare()

    def _decayed(self, var: Variable) -> list[Operation]:
        """The write that takes a part off a variable."""
        if self._decay_var_list is not None and var.op not in self._decay_var_list:
            return []
        latest: LatestValues = getattr(self, "_latest", None) or LatestValues(get_default_graph())
        part = ops.cast(self._weight_decay_tensor, var.dtype)
        written: Tensor = var.assign_sub(part * latest.of(var))
        latest.note(written.op)
        return [written.op]

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        with get_default_graph().control_dependencies(self._decayed(var)):
            optimizer: Any = super()
            return optimizer._apply_dense(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        with get_default_graph().control_dependencies(self._decayed(var)):
            optimizer: Any = super()
            return optimizer._apply_sparse(grad, var)


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Any]:
    """A class of optimizers that is another one with weight decay.

    Args:
        base_optimizer: a class of optimizers, such as `tf.train.AdamOptimizer`.

    Returns:
        A class whose first argument is `weight_decay`; the others are those of the base.

    Raises:
        TypeError: it is no class of optimizers.

    >>> import penstock as tf
    >>> adam_w = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdamOptimizer)
    >>> with tf.Graph().as_default():
    ...     print(adam_w(0.01, learning_rate=0.1).minimize(tf.square(tf.Variable(1.0))).name)
    Adam

    Source: TensorFlow 1.15, `tf.contrib.opt.extend_with_decoupled_weight_decay`.
    """
    if not isinstance(base_optimizer, type) or not issubclass(base_optimizer, Optimizer):
        raise DTypeError(f"extend_with_decoupled_weight_decay(base_optimizer={base_optimizer!r:.80}): give a class of "
                         "optimizers, such as tf.train.AdamOptimizer")  # fmt: skip

    def begin(self: Any, weight_decay: Number, *args: Any, **kwargs: Any) -> None:
        self._decay_var_list = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor = None
        base_optimizer.__init__(self, *args, **kwargs)

    name = "OptimizerWithDecoupledWeightDecay"
    text = f"{base_optimizer.__name__} with weight decay."
    return type(name, (DecoupledWeightDecayExtension, base_optimizer), {"__init__": begin, "__doc__": text})


@documented_like(AdamOptimizer)
class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weight decay: `w - weight_decay * w`, then a step of Adam.

    Args:
        weight_decay: the part of the weights that is taken off in a step, whatever the learning rate.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(2.0)
    ...     step = tf.contrib.opt.AdamWOptimizer(weight_decay=0.25, learning_rate=0.5).minimize(w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w).round(4))
    1.0

    Source: TensorFlow 1.15, `tf.contrib.opt.AdamWOptimizer`.
    """

    def __init__(
        self,
        weight_decay: Number,
        learning_rate: Number = 0.001,
        beta1: Number = 0.9,
        beta2: Number = 0.999,
        epsilon: Number = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon,
                         use_locking=use_locking, name=name)  # fmt: skip


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weight decay: `w - weight_decay * w`, then a step of Momentum.

    Args:
        weight_decay: the part of the weights that is taken off in a step, whatever the learning rate.
        learning_rate: a number, a tensor that each run computes, or a function that gives one of them.
        momentum: the part of the sum of gradients that is kept in a step.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the operation and of the slot.
        use_nesterov: as of `tf.train.MomentumOptimizer`.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(2.0)
    ...     step = tf.contrib.opt.MomentumWOptimizer(0.25, learning_rate=0.5, momentum=0.5).minimize(w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    1.0

    Source: TensorFlow 1.15, `tf.contrib.opt.MomentumWOptimizer`.
    """

    def __init__(
        self,
        weight_decay: Number,
        learning_rate: Number,
        momentum: Number,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking,
                         name=name, use_nesterov=use_nesterov)  # fmt: skip
