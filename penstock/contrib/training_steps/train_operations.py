"""`tf.contrib.slim.learning` and `tf.contrib.training`: the operation of a training step, and the loop that runs it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ... import IndexedSlices, check_numerics, clip_by_norm, control_dependencies, global_norm, identity, summary, train
from ...errors import UseError, ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...variables.graph_keys import GraphKeys

Pairs = list[tuple[Any, Any]]
_OWN_STEP = 0
"""`global_step` by default: that of the graph; None means none."""


@hides_frames
def create_train_op(
    total_loss: Tensor,
    optimizer: Any,
    global_step: Any = _OWN_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Iterable[Any] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = 1,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    check_numerics: bool = True,
) -> Tensor:
    """The loss of a training step: who fetches it also runs the updates of `update_ops` and of the optimizer.

    Args:
        total_loss: a scalar.
        optimizer: a `tf.train.Optimizer`.
        global_step: the variable that counts steps; by default that of the graph, None for none.
        update_ops: operations that run before the gradients; by default the collection UPDATE_OPS.
        variables_to_train: by default the trainable variables.
        clip_gradient_norm: the largest norm of each gradient; 0 leaves them.
        summarize_gradients: whether each gradient has a histogram and a norm.
        gate_gradients, aggregation_method, colocate_gradients_with_ops: as in `Optimizer.compute_gradients`.
        gradient_multipliers: factors by variables or their names.
        check_numerics: whether a loss that is not finite is an error.

    Returns:
        A scalar: the loss.

    Raises:
        ValueError: no variable has a gradient.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(2.0)
    ...     step = tf.contrib.slim.learning.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(step), session.run(w), session.run(tf.train.get_global_step()))
    4.0 1.0 1

    Source: TensorFlow 1.x, `tf.contrib.slim.learning.create_train_op`.
    """
    change = gradient_multipliers, clip_gradient_norm, summarize_gradients

    def changed(pairs: Pairs) -> Pairs:
        multipliers, norm, is_shown = change
        pairs = multiply_gradients(pairs, multipliers) if multipliers else pairs
        pairs = clip_gradient_norms(pairs, norm) if norm > 0 else pairs
        if is_shown:
            add_gradients_summaries(pairs)
        return pairs

    return _train_op(total_loss, optimizer, global_step, update_ops, variables_to_train, changed, gate_gradients,
                     aggregation_method, colocate_gradients_with_ops, check_numerics)  # fmt: skip


def create_train_op_of_training(
    total_loss: Tensor,
    optimizer: Any,
    global_step: Any = _OWN_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Iterable[Any] | None = None,
    transform_grads_fn: Callable[[Pairs], Pairs] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = 1,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """`tf.contrib.slim.learning.create_train_op` with a function of the gradients in the place of norms and factors.

    Args:
        transform_grads_fn: a function from pairs of gradients and variables to such pairs.
        total_loss, optimizer, global_step: as there.
        update_ops, variables_to_train: as there.
        summarize_gradients, check_numerics: as there.
        gate_gradients, aggregation_method, colocate_gradients_with_ops: as there.

    Returns:
        A scalar: the loss.

    Raises:
        ValueError: no variable has a gradient.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(2.0)
    ...     optimizer, smaller = tf.train.GradientDescentOptimizer(1.0), lambda pairs: [(g / 8.0, v) for g, v in pairs]
    ...     step = tf.contrib.training.create_train_op(w * w, optimizer, transform_grads_fn=smaller)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(step), session.run(w))
    4.0 1.5

    Source: TensorFlow 1.x, `tf.contrib.training.create_train_op`.
    """

    def changed(pairs: Pairs) -> Pairs:
        pairs = pairs if transform_grads_fn is None else list(transform_grads_fn(pairs))
        if summarize_gradients:
            add_gradients_summaries(pairs)
        return pairs

    return _train_op(total_loss, optimizer, global_step, update_ops, variables_to_train, changed, gate_gradients,
                     aggregation_method, colocate_gradients_with_ops, check_numerics)  # fmt: skip


def _train_op(
    loss: Tensor, optimizer: Any, step: Any, update_ops: Any, variables: Any, changed: Callable[[Pairs], Pairs],
    gate: int, aggregation: Any, colocate: bool, is_checked: bool,
) -> Tensor:  # fmt: skip
    if not hasattr(optimizer, "compute_gradients"):
        raise UseError(f"create_train_op: optimizer is {optimizer!r:.60}; it must be an optimizer, such as "
                       "tf.train.GradientDescentOptimizer(0.1)")  # fmt: skip
    graph = get_default_graph()
    if isinstance(step, int) and step == _OWN_STEP:
        step = train.get_or_create_global_step()
    updates = list(graph.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
    if updates:
        with control_dependencies(updates):
            loss = identity(loss)
    pairs = optimizer.compute_gradients(
        loss, None if variables is None else list(variables), gate_gradients=gate, aggregation_method=aggregation,
        colocate_gradients_with_ops=colocate,
    )  # fmt: skip
    apply = optimizer.apply_gradients(changed(pairs), global_step=step)
    told = check_numerics(loss, "LossTensor is inf or nan") if is_checked else loss
    # The loss was computed for the gradients; it is given once the variables are written.
    with control_dependencies([apply]):
        result = identity(told)
    if not any(result is each for each in graph.get_collection(GraphKeys.TRAIN_OP)):
        graph.add_to_collection(GraphKeys.TRAIN_OP, result)
    return result


def clip_gradient_norms(gradients_to_variables: Iterable[tuple[Any, Any]], max_norm: float) -> Pairs:
    """Pairs of gradients and variables whose gradients have at most the norm `max_norm`.

    Args:
        gradients_to_variables: pairs of gradients and variables; a gradient may be None.
        max_norm: a number above 0.

    Returns:
        A list of pairs.

    Raises:
        TypeError: a gradient is no float.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     (gradient, _), = tf.contrib.training.clip_gradient_norms([(tf.constant([6.0, 8.0]), "w")], 5.0)
    ...     print(session.run(gradient))
    [3. 4.]

    Source: TensorFlow 1.x, `tf.contrib.slim.learning.clip_gradient_norms`.
    """

    def clipped(gradient: Any) -> Any:
        return None if gradient is None else _of_values(gradient, lambda values: clip_by_norm(values, max_norm))

    return [(clipped(gradient), variable) for gradient, variable in gradients_to_variables]


def multiply_gradients(grads_and_vars: Iterable[tuple[Any, Any]], gradient_multipliers: Mapping[Any, Any]) -> Pairs:
    """Pairs of gradients and variables, the gradients times the factors of the variables or of their names.

    Args:
        grads_and_vars: pairs of gradients and variables.
        gradient_multipliers: numbers by variables, or by the names of their operations.

    Returns:
        A list of pairs.

    Raises:
        ValueError: `gradient_multipliers` is empty, or a gradient that has a factor is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(1.0)
    ...     (gradient, _), = tf.contrib.training.multiply_gradients([(tf.constant(3.0), w)], {w: 2.0})
    ...     print(session.run(gradient))
    6.0

    Source: TensorFlow 1.x, `tf.contrib.slim.learning.multiply_gradients`.
    """
    if not gradient_multipliers:
        raise ValueRuleError("gradient_multipliers is empty; give a factor for at least one variable")
    found = []
    for gradient, variable in grads_and_vars:
        factor = gradient_multipliers.get(variable, gradient_multipliers.get(variable.op.name))
        if factor is not None and gradient is None:
            raise ValueRuleError(f"Requested multiple of `None` gradient: {variable.op.name} has none")
        found.append((gradient if factor is None else _times(gradient, factor), variable))
    return found


def _times(gradient: Any, factor: Any) -> Any:
    return _of_values(gradient, lambda values: values * factor)


def _of_values(gradient: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient, or the rows of a sparse one, changed by a function."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return change(gradient)


def add_gradients_summaries(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[Tensor]:
    """A histogram and a norm of each gradient.

    Args:
        grads_and_vars: pairs of gradients and variables; a gradient may be None.

    Returns:
        A list of summaries.

    Raises:
        TypeError: a gradient is no number.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable([1.0], name="w")
    ...     [each.op.name for each in tf.contrib.training.add_gradients_summaries([(tf.constant([1.0]), w)])]
    ['w/gradient', 'w/gradient_norm']

    Source: TensorFlow 1.x, `tf.contrib.slim.learning.add_gradients_summaries`.
    """
    found = []
    for gradient, variable in grads_and_vars:
        if gradient is not None:
            values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
            found.append(summary.histogram(f"{variable.op.name}/gradient", values))
            found.append(summary.scalar(f"{variable.op.name}/gradient_norm", global_norm([values])))
    return found


def train_loop(
    train_op: Any,
    logdir: str | os.PathLike[str] | None,
    train_step_fn: Callable[..., Any] | None = None,
    train_step_kwargs: Mapping[str, Any] | None = None,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: Any = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = None,
    init_feed_dict: Mapping[Any, Any] | None = None,
    local_init_op: Any = None,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = None,
    summary_op: Any = None,
    save_summaries_secs: float | None = 600,
    summary_writer: Any = None,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float | None = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Any = None,
    trace_every_n_steps: int | None = None,
) -> Any:
    """Runs `train_op` again and again, with checkpoints and summaries in a folder, and gives the last loss.

    Args:
        train_op: what `create_train_op` gives.
        logdir: the folder of checkpoints and summaries; the last checkpoint is restored. None writes nothing.
        number_of_steps: the number of the last step; None goes on until data end or a signal comes.
        log_every_n_steps: how often the speed is told.
        graph: the graph; by default that of `train_op`.
        master, is_chief, session_config: as in `tf.train.MonitoredTrainingSession`.
        global_step: the variable that counts steps; by default that of the graph.
        init_op, init_feed_dict, local_init_op, ready_op, summary_op, saver: as in `tf.train.Scaffold`.
        init_fn: a function of the session, called when variables are new.
        save_summaries_secs, save_interval_secs: how often summaries and checkpoints are written.
        summary_writer, startup_delay_steps, trace_every_n_steps: taken for programs that give them.
        train_step_fn, train_step_kwargs, sync_optimizer, session_wrapper: not supported.

    Returns:
        The loss of the last step; None if there was none.

    Raises:
        ValueError: `train_op` is None, there is no global step, or an argument that is not supported is given.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(2.0)
    ...     step = tf.contrib.slim.learning.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
    ...     print(tf.contrib.slim.learning.train(step, None, number_of_steps=3))
    0.25

    Source: TensorFlow 1.x, `tf.contrib.slim.learning.train`.
    """
    for name, value in (("train_step_fn", train_step_fn), ("train_step_kwargs", train_step_kwargs),
                        ("sync_optimizer", sync_optimizer), ("session_wrapper", session_wrapper)):  # fmt: skip
        if value is not None:
            raise ValueRuleError(f"train({name}=...) is not supported; write the loop with "
                                 "tf.train.MonitoredTrainingSession")  # fmt: skip
    if train_op is None:
        raise ValueRuleError("train_op cannot be None; write tf.contrib.slim.learning.create_train_op(loss, optimizer)")
    with (graph or train_op.graph).as_default():
        step = train.get_global_step() if global_step is None else global_step
        if step is None:
            raise ValueRuleError("train: the graph has no global step; write tf.train.get_or_create_global_step()")
        scaffold = train.Scaffold(
            init_op=init_op, init_feed_dict=init_feed_dict, local_init_op=local_init_op, ready_op=ready_op,
            init_fn=None if init_fn is None else lambda scaffold, session: init_fn(session), saver=saver,
            summary_op=summary_op,
        )  # fmt: skip
        hooks = [] if number_of_steps is None else [train.StopAtStepHook(last_step=number_of_steps)]
        loss = None
        with train.MonitoredTrainingSession(
            master, is_chief, logdir, scaffold, hooks, save_checkpoint_secs=save_interval_secs or None,
            save_summaries_secs=save_summaries_secs or None, save_summaries_steps=None, config=session_config,
            log_step_count_steps=log_every_n_steps or None,
        ) as session:  # fmt: skip
            while not session.should_stop():
                loss = session.run(train_op)
        return loss


__all__ = [
    "add_gradients_summaries", "clip_gradient_norms", "create_train_op", "multiply_gradients", "train_loop",
]  # fmt: skip
