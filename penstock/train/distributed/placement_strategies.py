"""Strategies of `tf.train.replica_device_setter`: which task of the parameter servers a variable goes to."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Operation


@hides_frames
def byte_size_load_fn(op: Operation) -> int:
    """The load of a variable for `GreedyLoadBalancingStrategy`: its size in bytes.

    Args:
        op: an operation with one output, such as that of a variable.

    Returns:
        An int.

    Raises:
        ValueError: it has several outputs, or its shape is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.contrib.training.byte_size_load_fn(tf.Variable([1.0, 2.0]).op))
    8

    Source: TensorFlow 1.x, `tf.contrib.training.byte_size_load_fn`.
    """
    if len(op.outputs) != 1:
        raise ValueRuleError(f"byte_size_load_fn: Op {op.name!r} must have a single output; it has {len(op.outputs)}")
    count = op.outputs[0].shape.num_elements()
    if count is None:
        raise ValueRuleError(
            f"byte_size_load_fn: the shape of {op.outputs[0].name!r}, {op.outputs[0].shape}, is not fully known; give "
            "a load function of your own"
        )
    return count * op.outputs[0].dtype.size


class GreedyLoadBalancingStrategy:
    """A strategy of `tf.train.replica_device_setter`: each variable goes to the task with the least load so far.

    Args:
        num_tasks: how many tasks hold variables.
        load_fn: a function from an operation to its load, such as `tf.contrib.training.byte_size_load_fn`.

    >>> import penstock as tf
    >>> by_size = tf.contrib.training.GreedyLoadBalancingStrategy(2, tf.contrib.training.byte_size_load_fn)
    >>> with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(2, ps_strategy=by_size)):
    ...     print([tf.Variable(tf.zeros([n])).device for n in (100, 10, 20, 30)])
    ['/job:ps/task:0', '/job:ps/task:1', '/job:ps/task:1', '/job:ps/task:1']

    Source: TensorFlow 1.x, `tf.contrib.training.GreedyLoadBalancingStrategy`.
    """

    __slots__ = ("_load_fn", "_loads")

    def __init__(self, num_tasks: int, load_fn: Callable[[Operation], float]) -> None:
        self._loads = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op: Operation) -> int:
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


class RandomStrategy:
    """A strategy of `tf.train.replica_device_setter`: a task by chance, decided by the variable's name and a seed.

    Args:
        num_tasks: how many tasks hold variables.
        seed: an int; another one gives other tasks.

    >>> import penstock as tf
    >>> strategy = tf.contrib.training.RandomStrategy(4)
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(1.0, name="w")
    >>> strategy(w.op) == strategy(w.op)
    True

    Source: TensorFlow 1.x, `tf.contrib.training.RandomStrategy`.
    """

    __slots__ = ("_num_tasks", "_seed")

    def __init__(self, num_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_tasks
        self._seed = seed

    def __call__(self, op: Operation) -> int:
        return int(sha256(f"{op.name}_{self._seed}".encode()).hexdigest()[:8], 16) % self._num_tasks
