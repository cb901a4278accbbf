"""Counts: count_nonzero, bincount, confusion_matrix; and reduce_euclidean_norm."""

from __future__ import annotations

from ...errors import ShapeError
from ...graph.declare.signature import DTypeLike, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import as_dtype, int32, int64
from ..checks.assert_elements import assert_less, assert_non_negative
from ..control.with_dependencies import with_dependencies
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import ones_like, zeros_like
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import maximum, minimum, sqrt
from ..elementwise.casting import cast
from ..elementwise.comparison import less, not_equal
from ..elementwise.complex_parts import conj, real
from ..index.gathering import boolean_mask
from ..index.scatter import scatter_nd
from ..move.concat_stack import pack, stack
from ..move.reshaping import reshape, squeeze
from .reductions import reduce_max, reduce_sum
from .unsorted_segments import unsorted_segment_sum

PUBLIC_NAMES = {"tf math": "bincount confusion_matrix count_nonzero", "math": "reduce_euclidean_norm"}


@composite("count_nonzero")
def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = int64,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The number of elements along some axes that are not 0, not False, not the empty string.

    Args:
        input_tensor: any dtype and shape.
        axis: the axes to count along; all by default.
        keepdims: whether these axes stay, with size 1.
        dtype: of the result.
        reduction_indices, keep_dims, input: older names of `axis`, `keepdims` and `input_tensor`.

    Returns:
        A tensor of dtype `dtype`, and the shape without the axes.

    Raises:
        TypeError: `axis` is not int.
        ValueError: an axis is out of range, or an argument is given under two names.
        InvalidArgumentError (when run): an axis is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.count_nonzero([[0, 1, 0], [1, 1, 0]], 1)))
    [1 2]

    Source: TensorFlow 1.x, `tf.count_nonzero`.
    """
    given = convert_to_tensor(either("input_tensor", input_tensor, "input", input))
    along = either("axis", axis, "reduction_indices", reduction_indices)
    keep = either("keepdims", keepdims, "keep_dims", keep_dims)
    present = cast(not_equal(given, zeros_like(given)), int64)
    return cast(reduce_sum(present, along, keep), as_dtype(dtype), name_of_scope())


@composite("bincount")
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """How often each number from 0 on occurs: out[i] = the number of elements that are i, or the sum of their weights.

    Args:
        arr: an int32 tensor without negative elements.
        weights: what each element counts, of the shape of `arr`; by default 1.
        minlength: the least length of the result, filled up with zeros.
        maxlength: the greatest length; larger elements are left out.
        dtype: of the counts; with `weights` the result has their dtype.

    Returns:
        A vector of dtype `dtype`, or that of `weights`; its length is the largest element and 1.

    Raises:
        TypeError: `arr` is not int.
        ValueError: known shapes of `arr` and `weights` differ.
        InvalidArgumentError (when run): the same, or an element is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.bincount([1, 1, 3])), session.run(tf.bincount([1, 1, 3], maxlength=2)))
    [0 2 0 1] [0 2]

    Source: TensorFlow 1.x, `tf.bincount`.
    """
    ints = cast(reshape(convert_to_tensor(arr), [-1]), int32)
    message = "Input arr must be non-negative"
    ints = with_dependencies([assert_non_negative(ints, message=message)], ints)
    # A zero in front stands for no elements at all.
    largest = reduce_max(pack([reduce_max(ints), -1])) + 1
    length = maximum(largest, 0)
    if minlength is not None:
        length = maximum(length, cast(convert_to_tensor(minlength), int32))
    if maxlength is not None:
        length = minimum(length, cast(convert_to_tensor(maxlength), int32))
    kept = less(ints, length)
    places = boolean_mask(ints, kept)
    if weights is None:
        return unsorted_segment_sum(ones_like(places, as_dtype(dtype)), places, length, name_of_scope())
    values = boolean_mask(reshape(convert_to_tensor(weights), [-1]), kept)
    return unsorted_segment_sum(values, places, length, name_of_scope())


@composite("confusion_matrix")
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> Tensor:
    """How often each class was predicted for each label: out[i, j] = the number of examples of class i predicted as j.

    Args:
        labels: ints from 0 on, a vector, or a column.
        predictions: the same for what was predicted.
        num_classes: the number of classes; by default the largest number and 1.
        dtype: of the result.
        weights: what each example counts, a vector; by default 1.

    Returns:
        A matrix of dtype `dtype` and the shape [num_classes, num_classes].

    Raises:
        TypeError: labels or predictions cannot be cast to int64.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): a number is negative, or `num_classes` or more.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.confusion_matrix([0, 1, 1], [0, 0, 1])).tolist())
    [[1, 0], [1, 1]]

    Source: TensorFlow 1.x, `tf.confusion_matrix`.
    """
    actual, predicted = remove_last_dimension(convert_to_tensor(labels), convert_to_tensor(predictions))
    actual, predicted = cast(actual, int64), cast(predicted, int64)
    actual = _checked(actual, "`labels` contains negative values")
    predicted = _checked(predicted, "`predictions` contains negative values")
    if num_classes is None:
        count = maximum(reduce_max(actual), reduce_max(predicted)) + 1
    else:
        count = cast(convert_to_tensor(num_classes), int64)
        actual = with_dependencies([assert_less(actual, count, message="`labels` out of bound")], actual)
        predicted = with_dependencies([assert_less(predicted, count, message="`predictions` out of bound")], predicted)
    wanted = as_dtype(dtype)
    counts = ones_like(predicted, wanted) if weights is None else cast(convert_to_tensor(weights), wanted)
    return scatter_nd(stack([actual, predicted], 1), counts, pack([count, count]), name_of_scope())


def _checked(values: Tensor, message: str) -> Tensor:
    return with_dependencies([assert_non_negative(values, message=message)], values)


def remove_last_dimension(labels: Tensor, predictions: Tensor, rank_difference: int = 0) -> tuple[Tensor, Tensor]:
    """Both, without a last dimension of size 1 in the one whose rank is one too high."""
    first, second = labels.shape.ndims, predictions.shape.ndims
    if first is None or second is None:
        return labels, predictions
    gap = second - first
    if gap == rank_difference + 1 and _ends_in_one(predictions):
        return labels, squeeze(predictions, [-1])
    if gap == rank_difference - 1 and _ends_in_one(labels):
        return squeeze(labels, [-1]), predictions
    if gap == 0 and rank_difference == 0 and first == 2:
        raise ShapeError(f"labels and predictions must be vectors, but have the shapes {labels.shape} and "
                         f"{predictions.shape}")  # fmt: skip
    return labels, predictions


def _ends_in_one(tensor: Tensor) -> bool:
    dims = tensor.shape.raw
    return bool(dims) and dims is not None and (dims[-1] == 1 or not isinstance(dims[-1], int))


@composite("EuclideanNorm")
def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of the squares along some axes.

    Args:
        input_tensor: floats or complex numbers.
        axis: the axes to sum along; all by default.
        keepdims: whether these axes stay, with size 1.

    Returns:
        A tensor with the dtype of `input_tensor` and its shape without the axes.

    Raises:
        TypeError: `input_tensor` has another dtype, or `axis` is not int.
        ValueError: an axis is out of range.
        InvalidArgumentError (when run): an axis is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.math.reduce_euclidean_norm([[3.0, 4.0], [0.0, 1.0]], 1)))
    [5. 1.]

    Source: TensorFlow 1.x, `tf.math.reduce_euclidean_norm`.
    """
    given = convert_to_tensor(input_tensor)
    squares = real(given * conj(given)) if given.dtype.is_complex else given * given
    total = reduce_sum(squares, axis, keepdims)
    return cast(sqrt(total), given.dtype, name_of_scope()) if given.dtype.is_complex else sqrt(total, name_of_scope())
