"""Groups of elements with one key: `group_by_window`, `bucket_by_sequence_length`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..control_flow.tracing import traced
from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ValueRuleError
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int32, int64, variant
from ..graph.shapes.shape import as_shape, shape_of
from ..ops.datasets.dataset_decl import dataset_element
from ..ops.datasets.function_ops import group_by_window_dataset
from .calls import dataset_call
from .dataset import Dataset
from .functions import check_scalar, key_function
from .structure import DatasetSpec, mapped, packed, tensors_of, value_structure
from .transformations import Transformation


@dataset_call
def _grouped(dataset: Dataset, key_func: Any, reduce_func: Any, window_size_func: Any) -> Dataset:
    key = key_function("group_by_window: key_func", key_func, dataset)
    windows = mapped(DatasetSpec, dataset.element_structure)
    count = len(key.operands)
    node = dataset_element(dataset.variant_tensor, [int64, *[variant] * count], [shape_of(())] * (count + 1),
                           name="group")  # fmt: skip
    structures: list[Any] = []

    def results(value: Any) -> Any:
        structure, values = value_structure(value, "group_by_window: reduce_func")
        structures.append(structure)
        return tuple(tensors_of(values))

    def arguments(inputs: Sequence[Tensor]) -> Sequence[Any]:
        element = packed(windows, inputs[1:])
        # One dataset of whole elements, as `reduce_func` takes it.
        return inputs[0], element if isinstance(windows, DatasetSpec) else Dataset.zip(element)

    what = "group_by_window: reduce_func"
    reduce = traced(what, reduce_func, node.outputs, "reduce", None, arguments, results)
    if not isinstance(structures[-1], DatasetSpec):
        raise DTypeError(f"{what} must return a `Dataset` object, such as window.batch(n)")
    size = traced("group_by_window: window_size_func", window_size_func, node.outputs[:1], "size", None,
                  lambda inputs: inputs, lambda value: _size(value, structures))  # fmt: skip
    check_scalar("group_by_window: window_size_func", structures[-1], int64)
    groups = group_by_window_dataset(
        dataset.variant_tensor, key.operands, node.outputs, node.outputs[:1], key.graph, reduce.graph, size.graph,
        [len(key.operands), count + 1, 1],
    )  # fmt: skip
    return Dataset(groups, structures[-2].structure)


def _size(value: Any, found: list[Any]) -> Any:
    tensor = ops.convert_to_tensor(value, None if isinstance(value, Tensor) else int64)
    structure, _ = value_structure(tensor, "group_by_window: window_size_func")
    found.append(structure)
    return (tensor,)


def group_by_window(
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """Groups elements by key; a function makes a dataset of each group that is full.

    Args:
        key_func: takes an element; returns its key, an int64 scalar.
        reduce_func: takes a key and a dataset of up to `window_size` elements with it; returns a dataset.
        window_size: how many elements a group has, an int64 scalar.
        window_size_func: takes a key; returns the size of its groups. Give it or `window_size`.

    Returns:
        A function of a dataset.

    Raises:
        TypeError: a function gives something else.
        ValueError: neither or both of `window_size` and `window_size_func` are given.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     by_rest = tf.data.experimental.group_by_window(lambda n: n % 2, lambda key, group: group.batch(9), 9)
    ...     element = tf.data.Dataset.range(5).apply(by_rest).make_one_shot_iterator().get_next()
    ...     print(session.run(element), session.run(element))
    [0 2 4] [1 3]

    Source: TensorFlow 1.15, `tf.data.experimental.group_by_window`.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueRuleError("Must pass either window_size or window_size_func.")
    size = window_size_func
    if size is None:
        def size(_: Any) -> Any:
            return ops.convert_to_tensor(window_size, int64, name="window_size")

    return lambda dataset: _grouped(dataset, key_func, reduce_func, size)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int], bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
    no_padding: bool = False, drop_remainder: bool = False,
) -> Transformation:  # fmt: skip
    """Batches of elements of about the same length, each padded to the longest of its batch.

    Args:
        element_length_func: takes an element; returns its length, an int32 scalar.
        bucket_boundaries: lengths at which a further bucket begins.
        bucket_batch_sizes: the batch size of each bucket: one more than boundaries.
        padded_shapes: that of `Dataset.padded_batch`; by default the static shapes.
        padding_values: that of `Dataset.padded_batch`.
        pad_to_bucket_boundary: whether sequences are padded to the boundary of their bucket minus one.
        no_padding: whether batches are not padded, as of sparse tensors.
        drop_remainder: whether last, smaller batches are left out.

    Returns:
        A function of a dataset.

    Raises:
        ValueError: the numbers of boundaries and sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     ragged = tf.data.Dataset.from_tensor_slices([1, 5, 2]).map(lambda n: tf.fill([n], n))
    ...     batches = tf.data.experimental.bucket_by_sequence_length(lambda x: tf.size(x), [3], [2, 2])
    ...     print(session.run(ragged.apply(batches).make_one_shot_iterator().get_next()).tolist())
    [[1, 0], [2, 2]]

    Source: TensorFlow 1.15, `tf.data.experimental.bucket_by_sequence_length`.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueRuleError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")
    lowest, highest = [-(1 << 31), *bucket_boundaries], [*bucket_boundaries, (1 << 31) - 1]

    def bucket(*element: Any) -> Tensor:
        length = ops.convert_to_tensor(element_length_func(*element), int32)
        is_above = ops.less_equal(ops.constant(lowest, int32), length)
        fits = ops.logical_and(is_above, ops.less(length, ops.constant(highest, int32)))
        return ops.argmax(ops.cast(fits, int32), 0)

    def size(number: Tensor) -> Tensor:
        return ops.gather(ops.constant(list(bucket_batch_sizes), int64), number)

    def longest(number: Tensor) -> Tensor:
        words = "pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
        check = ops.Assert(ops.less(number, len(bucket_boundaries)), [words])
        with get_default_graph().control_dependencies([check]):
            bound = ops.gather(ops.constant([*bucket_boundaries, 0], int64), number)
            return ops.subtract(bound, ops.constant(1, int64))

    def batch(number: Tensor, window: Any) -> Any:
        if no_padding:
            return window.batch(size(number), drop_remainder)
        shapes = padded_shapes
        if pad_to_bucket_boundary:
            length = longest(number)
            wanted = window.output_shapes if shapes is None else shapes
            shapes = mapped(lambda _, shape: _to_length(shape, length), window.element_structure, wanted)
        return window.padded_batch(size(number), shapes, padding_values, drop_remainder)

    return lambda dataset: dataset.apply(group_by_window(bucket, batch, window_size_func=size))


def _to_length(shape: Any, length: Tensor) -> Any:
    """A padded shape in which sizes that are not known are a number that the run finds."""
    sizes = [length if each is None else ops.constant(each, int64) for each in as_shape(shape).as_list()]
    return ops.stack(sizes) if sizes else ops.constant([], int64, shape=[0])
