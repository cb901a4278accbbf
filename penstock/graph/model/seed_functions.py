"""Random seeds of the default graph: `tf.set_random_seed` and `tf.get_seed`."""

from __future__ import annotations

from ..common.tracebacks import hides_frames
from .default_graph import get_default_graph
from .graph_seed import as_seed


@hides_frames
def set_random_seed(seed: int | None) -> None:
    """Sets the random seed of the default graph, for the random ops that are made from now on.

    An op's numbers follow from two seeds, the graph's and its own (`seed=`). With an op seed they are those of
    TensorFlow, graph seed or not. With a graph seed alone each op gets an op seed in the order of the calls, and runs
    can be repeated. With neither, each session takes other numbers.

    Args:
        seed: an int, or None for no seed.

    Raises:
        TypeError: `seed` is something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     tf.set_random_seed(42)
    ...     x = tf.random_normal([2])
    >>> bool((tf.Session(graph=graph).run(x) == tf.Session(graph=graph).run(x)).all())
    True

    Source: TensorFlow 1.x, `tf.set_random_seed`.
    """
    number = as_seed(seed)
    graph = get_default_graph()
    graph.seed = number


@hides_frames
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds that a random op made now with that op seed would get.

    Args:
        op_seed: an int, or None.

    Returns:
        The graph's part and the op's part; (None, None) if neither the graph nor the op has a seed.

    Raises:
        TypeError: `op_seed` is something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.get_seed(7), tf.get_seed(None))
    (87654321, 7) (None, None)

    Source: TensorFlow 1.x, `tf.get_seed`.
    """
    graph = get_default_graph()
    if op_seed is None and graph.seed is None:
        return None, None
    return graph.seeds_of_op(op_seed)
