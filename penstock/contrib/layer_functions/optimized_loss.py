"""`tf.contrib.layers.optimize_loss`: a training step from the name of an optimizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import (
    add,
    add_to_collection,
    clip_by_global_norm,
    control_dependencies,
    get_collection,
    global_norm,
    identity,
    random_normal,
    summary,
    train,
    trainable_variables,
    variable_scope,
)
from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Tensor
from ...variables.graph_keys import GraphKeys

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Any]] = {
    "Adagrad": train.AdagradOptimizer,
    "Adam": train.AdamOptimizer,
    "Ftrl": train.FtrlOptimizer,
    "Momentum": lambda learning_rate: train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": train.RMSPropOptimizer,
    "SGD": train.GradientDescentOptimizer,
}
"""The optimizers that `optimize_loss` knows by name."""
OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


@hides_frames
def optimize_loss(
    loss: Tensor,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[..., Any] | None = None,
    update_ops: Sequence[Any] | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """The loss, whose run makes one step of training.

    Args:
        loss: a scalar.
        global_step: the variable that counts the steps; None takes that of the graph, if there is one.
        learning_rate: a number or a scalar; None if the optimizer has its own.
        optimizer: "Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp" or "SGD"; a class of `tf.train`, one of its objects,
            or a function of the learning rate that gives one.
        gradient_noise_scale: the standard deviation of what is added to the gradients, or None.
        gradient_multipliers: a dictionary from variables, or their names, to factors of their gradients.
        clip_gradients: the greatest norm of all gradients together, or a function of pairs of gradients and variables.
        learning_rate_decay_fn: a function of the learning rate and the step, such as `tf.train.exponential_decay`.
        update_ops: operations that run before the loss; by default those in `tf.GraphKeys.UPDATE_OPS`.
        variables: what is trained; by default the trainable variables.
        name: the scope; by default "OptimizeLoss".
        summaries: which of "learning_rate", "loss", "gradients", "gradient_norm" and "global_gradient_norm" are
            recorded; by default the first two.
        colocate_gradients_with_ops: taken for programs that give it.
        increment_global_step: whether the step is counted.

    Returns:
        The loss before the step; a run that fetches it makes the step.

    Raises:
        ValueError: the optimizer is none, or an option is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.Variable(3.0, name="x")
    ...     step = tf.contrib.layers.optimize_loss(tf.square(x), None, 0.1, "SGD")
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(step), session.run(x).round(2))
    9.0 2.4

    Source: TensorFlow 1.x, `tf.contrib.layers.optimize_loss`.
    """
    shown = ["learning_rate", "loss"] if summaries is None else summaries
    for each in shown:
        if each not in OPTIMIZER_SUMMARIES:
            raise ValueRuleError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {each}.")
    counter = train.get_global_step() if global_step is None else global_step
    with variable_scope(name, "OptimizeLoss", [loss, counter]):
        updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        if updates:
            with control_dependencies(list(updates)):
                loss = identity(loss)
        rate = learning_rate
        if rate is not None and learning_rate_decay_fn is not None:
            if counter is None:
                raise ValueRuleError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, counter)
        chosen = _optimizer(optimizer, rate)
        pairs = chosen.compute_gradients(loss, list(trainable_variables() if variables is None else variables))
        pairs = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers, clip_gradients)
        _record(shown, rate, loss, pairs)
        step = chosen.apply_gradients(pairs, global_step=counter if increment_global_step else None, name="train")
        add_to_collection(GraphKeys.TRAIN_OP, step)
        with control_dependencies([step]):
            return identity(loss)


def _optimizer(optimizer: Any, rate: Any) -> Any:
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueRuleError(f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided "
                                 f"{optimizer}.")  # fmt: skip
        if rate is None:
            raise ValueRuleError(f"Learning rate is None, but should be specified if optimizer is string "
                                 f"({optimizer}).")  # fmt: skip
        return OPTIMIZER_CLS_NAMES[optimizer](rate)
    if isinstance(optimizer, type) or (callable(optimizer) and not isinstance(optimizer, train.Optimizer)):
        optimizer = optimizer() if rate is None else optimizer(rate)
    if not isinstance(optimizer, train.Optimizer):
        raise ValueRuleError(f"Unrecognized optimizer: {optimizer!r}: it should be a string, a subclass of "
                             "tf.train.Optimizer, one of its objects, or a function that gives one")  # fmt: skip
    return optimizer


def _changed(pairs: Any, noise: float | None, multipliers: Mapping[Any, Any] | None, clip: Any) -> Any:
    if noise is not None:
        pairs = [(add(g, random_normal(v.shape.as_list(), stddev=noise)), v) for g, v in pairs]
    if multipliers is not None:
        names = {key if isinstance(key, str) else key.name: factor for key, factor in multipliers.items()}
        pairs = [(g * names.get(v.name, names.get(v.op.name, 1.0)), v) for g, v in pairs]
    if clip is None:
        return pairs
    if callable(clip):
        return clip(pairs)
    if not isinstance(clip, int | float):
        raise ValueRuleError(f"Unknown type {type(clip)} for clip_gradients: it is a number, or a function")
    gradients, _ = clip_by_global_norm([g for g, _ in pairs], clip)
    return list(zip(gradients, [v for _, v in pairs], strict=True))


def _record(shown: Sequence[str], rate: Any, loss: Tensor, pairs: Any) -> None:
    if "learning_rate" in shown and rate is not None:
        summary.scalar("learning_rate", rate)
    if "loss" in shown:
        summary.scalar("loss", loss)
    for gradient, variable in pairs:
        if "gradients" in shown:
            summary.histogram(f"gradients/{variable.op.name}", gradient)
        if "gradient_norm" in shown:
            summary.scalar(f"gradient_norm/{variable.op.name}", global_norm([gradient]))
    if "global_gradient_norm" in shown:
        summary.scalar("global_norm/gradient_norm", global_norm([gradient for gradient, _ in pairs]))
