"""Transformations: functions of datasets, for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..errors import UseError, ValueRuleError
from ..graph.declare.signature import TensorLike
from ..ops.datasets import dataset_ops, function_ops
from ..ops.datasets.reduce_op import single_element
from .calls import dataset_call
from .dataset import AUTOTUNE as AUTOTUNE
from .dataset import Dataset
from .functions import predicate_function
from .reducing import check_state, state_function
from .structure import components, packed, parts_of

Transformation: TypeAlias = Callable[[Dataset], Dataset]


def Counter(start: int = 0, step: int = 1, dtype: Any = "int64") -> Dataset:
    """A dataset that counts without end.

    Args:
        start: the first number.
        step: what is added each time.
        dtype: the dtype of the elements.

    Returns:
        A `Dataset` of scalars.

    Raises:
        TypeError: `dtype` is no dtype of numbers.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.data.experimental.Counter(5, 2).batch(3).make_one_shot_iterator().get_next()))
    [5 7 9]

    Source: TensorFlow 1.15, `tf.data.experimental.Counter`.
    """
    end = np.iinfo(np.int64).max if step > 0 else np.iinfo(np.int64).min
    return Dataset.range(start, end, step, output_type=dtype)


def enumerate_dataset(start: TensorLike = 0) -> Transformation:
    """`Dataset.enumerate` for `apply`.

    Args:
        start: the first number, an int64 scalar.

    Returns:
        A function of a dataset.

    Raises:
        TypeError: `start` is no int, when it is applied.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     pairs = tf.data.Dataset.from_tensors("a").apply(tf.data.experimental.enumerate_dataset(3))
    ...     print(*session.run(pairs.make_one_shot_iterator().get_next()))
    3 b'a'

    Source: TensorFlow 1.15, `tf.data.experimental.enumerate_dataset`.
    """
    return lambda dataset: dataset.enumerate(start)


def unbatch() -> Transformation:
    """`Dataset.unbatch` for `apply`.

    Returns:
        A function of a dataset.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = tf.data.Dataset.from_tensors([7, 8]).apply(tf.data.experimental.unbatch())
    ...     print(session.run(rows.make_one_shot_iterator().get_next()))
    7

    Source: TensorFlow 1.15, `tf.data.experimental.unbatch`.
    """
    return lambda dataset: dataset.unbatch()


def ignore_errors() -> Transformation:
    """Leaves out the elements whose computation ends in an error.

    Returns:
        A function of a dataset.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     halves = tf.data.Dataset.from_tensor_slices([2, 0, 4]).map(lambda n: 8 // n)
    ...     some = halves.apply(tf.data.experimental.ignore_errors())
    ...     print(session.run(some.batch(9).make_one_shot_iterator().get_next()))
    [4 2]

    Source: TensorFlow 1.15, `tf.data.experimental.ignore_errors`.
    """

    @dataset_call
    def apply(dataset: Dataset) -> Dataset:
        return Dataset(dataset_ops.ignore_errors_dataset(dataset.variant_tensor), dataset.element_structure)

    return apply


def shuffle_and_repeat(buffer_size: TensorLike, count: TensorLike | None = None, seed: Any = None) -> Transformation:
    """`shuffle` and `repeat`: each pass has another order.

    Args:
        buffer_size: that of `Dataset.shuffle`.
        count: that of `Dataset.repeat`.
        seed: an int.

    Returns:
        A function of a dataset.

    Raises:
        TypeError: a count is no int, when it is applied.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     twice = tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=1))
    ...     print(sorted(session.run(twice.batch(9).make_one_shot_iterator().get_next()).tolist()))
    [0, 0, 1, 1, 2, 2]

    Source: TensorFlow 1.15, `tf.data.experimental.shuffle_and_repeat`.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any], batch_size: TensorLike, num_parallel_batches: Any = None,
    drop_remainder: TensorLike = False, num_parallel_calls: TensorLike | None = None,
) -> Transformation:  # fmt: skip
    """`map` and `batch`.

    Args:
        map_func: that of `Dataset.map`.
        batch_size: that of `Dataset.batch`.
        num_parallel_batches: how many batches are worked on at the same time.
        drop_remainder: that of `Dataset.batch`.
        num_parallel_calls: how many elements are worked on at the same time.

    Returns:
        A function of a dataset.

    Raises:
        ValueError: both `num_parallel_batches` and `num_parallel_calls` are given.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     squares = tf.data.Dataset.range(4).apply(tf.data.experimental.map_and_batch(lambda n: n * n, 3))
    ...     print(session.run(squares.make_one_shot_iterator().get_next()))
    [0 1 4]

    Source: TensorFlow 1.15, `tf.data.experimental.map_and_batch`.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueRuleError("map_and_batch: give num_parallel_batches or num_parallel_calls, not both")
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: TensorLike, block_length: TensorLike = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """`interleave` whose datasets are read at the same time, by threads, once their elements are slow.

    Args:
        map_func: that of `Dataset.interleave`.
        cycle_length: how many datasets take turns.
        block_length: how many elements one gives in its turn.
        sloppy: whether a dataset that has no element ready lets others go first: the order then differs from run to
            run. False keeps the order of `interleave`.
        buffer_output_elements: accepted for TensorFlow's sake.
        prefetch_input_elements: accepted for TensorFlow's sake.

    Returns:
        A function of a dataset.

    Raises:
        TypeError: the function gives no dataset, when it is applied.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     turns = tf.data.experimental.parallel_interleave(lambda n: tf.data.Dataset.range(n, n + 2), 2)
    ...     dataset = tf.data.Dataset.from_tensor_slices(tf.constant([0, 10], tf.int64)).apply(turns)
    ...     print(session.run(dataset.batch(9).make_one_shot_iterator().get_next()))
    [ 0 10  1 11]

    Source: TensorFlow 1.15, `tf.data.experimental.parallel_interleave`.
    """
    return lambda dataset: dataset._interleaved(map_func, cycle_length, block_length, -1, sloppy)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first for which a function gives false.

    Args:
        predicate: that of `Dataset.filter`.

    Returns:
        A function of a dataset.

    Raises:
        TypeError: it gives no bool scalar.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     small = tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda n: n < 3))
    ...     print(session.run(small.batch(9).make_one_shot_iterator().get_next()))
    [0 1 2]

    Source: TensorFlow 1.15, `tf.data.experimental.take_while`.
    """

    @dataset_call
    def apply(dataset: Dataset) -> Dataset:
        made = predicate_function("take_while: predicate", predicate, dataset)
        node = function_ops.take_while_dataset(dataset.variant_tensor, made.operands, made.graph, [len(made.operands)])
        return Dataset(node, dataset.element_structure)

    return apply


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """The results of a function of a state and an element, which also gives the next state.

    Args:
        initial_state: a tensor, or a structure of tensors.
        scan_func: takes a state and an element; returns the next state and the new element.

    Returns:
        A function of a dataset.

    Raises:
        TypeError: the function gives no pair, or a state of other dtypes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sums = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda state, n: (state + n, state + n))
    ...     print(session.run(tf.data.Dataset.range(5).apply(sums).batch(9).make_one_shot_iterator().get_next()))
    [ 0  1  3  6 10]

    Source: TensorFlow 1.15, `tf.data.experimental.scan`.
    """

    def pair(value: Any) -> Any:
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise UseError("The scan function must return a pair comprising the new state and the output value.")
        return tuple(value)

    @dataset_call
    def apply(dataset: Dataset) -> Dataset:
        made, structure, first = state_function("scan: scan_func", scan_func, dataset, initial_state, pair)
        after, results = parts_of(made.structure) or ((), ())
        check_state("scan: scan_func", structure, after)
        count = [len(components(structure)[0]), len(made.operands) - len(first)]
        return Dataset(function_ops.scan_dataset(dataset.variant_tensor, made.operands, made.graph, count), results)

    return apply


def get_single_element(dataset: Dataset) -> Any:
    """The element of a dataset of one, as tensors of the graph.

    Args:
        dataset: a `Dataset`.

    Returns:
        Tensors in the structure of the element.

    Raises:
        TypeError: it is no dataset.
        OutOfRangeError (when run): the dataset is empty.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.data.experimental.get_single_element(tf.data.Dataset.range(5).batch(5))))
    [0 1 2 3 4]

    Source: TensorFlow 1.15, `tf.data.experimental.get_single_element`.
    """
    if not isinstance(dataset, Dataset):
        raise UseError(f"get_single_element: {dataset!r:.80} is no Dataset")
    return _single_element(dataset)


@dataset_call
def _single_element(dataset: Dataset) -> Any:
    structure = dataset.element_structure
    return packed(structure, single_element(dataset.variant_tensor, *components(structure)).outputs)
