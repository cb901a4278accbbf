"""Functions whose parameters differ in TensorFlow 1.x, or that exist only so that its programs run unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import Tensor, int32
from ..derivatives import rule_namespace as ops
from ..errors import DTypeError, ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.shapes.dtypes import as_dtype
from ..ops.declare.composite import reported_as_call
from .checks import one_of

Ints = int | Sequence[int]


@reported_as_call("Squeeze", squeeze_dims="axis")
def squeeze(
    input: TensorLike, axis: Ints | None = None, name: str | None = None, squeeze_dims: Ints | None = None
) -> Tensor:
    """`input` without its dimensions of size 1: without all of them, or without those listed in `axis`.

    Args:
        input: any dtype and shape.
        axis: an int or a list of ints in [-rank, rank). None (the default) or [] means all dimensions of size 1.
        squeeze_dims: older name of `axis`.

    Returns:
        A tensor with the dtype of `input` and its shape without those sizes of 1.

    Raises:
        TypeError: `axis` is neither an int nor a list of ints.
        ValueError: both names of the argument are given, or a listed dimension is known not to be 1.
        InvalidArgumentError (when run): a listed dimension is not 1.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.squeeze(tf.zeros([1, 2, 1]), axis=[0]).shape
    TensorShape((2, 1))

    Source: TensorFlow 1.x, `tf.squeeze`.
    """
    return ops.squeeze(input, one_of("squeeze_dims", squeeze_dims, "axis", axis), name=name)


@reported_as_call("DecodeCSV", one_op=True)
def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str | bytes = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str | bytes = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """The columns of lines of comma-separated values (RFC 4180).

    Args:
        records: strings of any shape, each of them one line, without the end of the line.
        record_defaults: for each column a scalar or a vector of at most one value, which empty fields become; an empty
            vector means that the field must not be empty. It is float32, float64, int32, int64 or string.
        field_delim: the character between fields.
        use_quote_delim: False takes quotes as any other characters.
        na_value: a further string that means an empty field.
        select_cols: the columns to return, in increasing order; None (the default) means all.

    Returns:
        A list with a tensor for each column, with the shape of `records` and the dtype of its default.

    Raises:
        TypeError: an argument has another type or dtype.
        ValueError: `record_defaults`, `field_delim` or `select_cols` cannot be right.
        InvalidArgumentError (when run): a line has another number of fields, or a field is malformed or missing.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.decode_csv(["1,a", "2,b"], [[0], [""]])))
    [array([1, 2], dtype=int32), array([b'a', b'b'], dtype=object)]

    Source: TensorFlow 1.x, `tf.decode_csv`.
    """
    return ops.decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name)


@reported_as_call("DecodeRaw", one_op=True)
def decode_raw(
    input_bytes: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: TensorLike | None = None,
) -> Tensor:
    """The bytes of strings as numbers: each string becomes a vector.

    Args:
        input_bytes: strings of any shape, all of one length.
        out_type: the dtype of the numbers, such as `tf.uint8`.
        little_endian: whether the first byte of a number is its lowest.
        bytes: older name of `input_bytes`.

    Returns:
        A tensor of dtype `out_type` with the shape of `input_bytes` and one more dimension.

    Raises:
        TypeError: `input_bytes` is not string, or numbers of that dtype are not read.
        ValueError: both names of the argument are given, or neither; or `out_type` is missing.
        InvalidArgumentError (when run): the strings have several lengths, or one that is no multiple of a number's.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.decode_raw(bytes=b"ab", out_type=tf.uint8)))
    [97 98]

    Source: TensorFlow 1.x, `tf.decode_raw`.
    """
    if out_type is None:
        raise ValueRuleError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return ops.decode_raw(one_of("bytes", bytes, "input_bytes", input_bytes), out_type, little_endian, name=name)


@reported_as_call("ExpandDims", dim="axis")
def expand_dims(
    input: TensorLike, axis: TensorLike | None = None, name: str | None = None, dim: TensorLike | None = None
) -> Tensor:
    """`input` with a dimension of size 1 inserted at `axis`.

    Args:
        input: any dtype and shape.
        axis: an int tensor of one element in [-1 - rank, rank]. A negative one counts from the end; -1 appends.
        dim: older name of `axis`.

    Returns:
        A tensor with the dtype of `input` and its shape with a 1 inserted at `axis`.

    Raises:
        TypeError: `axis` is not int.
        ValueError: both names of the argument are given, or neither; `axis` is known to be out of range.
        InvalidArgumentError (when run): `axis` is out of range.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.expand_dims([1, 2], axis=-1).shape
    TensorShape((2, 1))

    Source: TensorFlow 1.x, `tf.expand_dims`.
    """
    return ops.expand_dims(input, one_of("dim", dim, "axis", axis), name=name)


@reported_as_call("Shape")
def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The shape of `input`.

    Args:
        input: any dtype and shape.
        out_type: the dtype of the result: int32 or int64.

    Returns:
        A vector of dtype `out_type` with one size for each dimension of `input`.

    Raises:
        TypeError: `out_type` is another dtype.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.shape([[1, 2]], out_type=tf.int64).dtype
    tf.int64

    Source: TensorFlow 1.x, `tf.shape`.
    """
    return _of_dtype(ops.shape, input, out_type, name)


@reported_as_call("Size")
@documented_like(shape)
def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The number of elements of `input`: the product of its sizes.

    Returns:
        A scalar of dtype `out_type`.
    """
    return _of_dtype(ops.size, input, out_type, name)


def _of_dtype(op: Any, input: TensorLike, out_type: Any, name: str | None) -> Tensor:
    wanted = as_dtype(out_type)
    if wanted not in (int32, ops.int64):
        raise DTypeError(f"Value passed to parameter 'out_type' has DataType {wanted} not in list of allowed values: "
                         "int32, int64")  # fmt: skip
    if wanted is int32:
        counted: Tensor = op(input, name=name)
        return counted
    return ops.cast(op(input), wanted, name=name)


def _without_effect(name: str, what: str) -> Callable[[], None]:
    def call() -> None:
        pass

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Does nothing: {what}. Programs call it in their first lines.

    >>> import penstock.compat.v1 as tf
    >>> tf.{name}()

    Source: TensorFlow 1.x, `tf.{name}`.
    """
    return call


_ALWAYS_A_GRAPH = "calls always build a graph"
_ONE_KIND_OF_VARIABLE = "there is one kind of variable, read when its value is needed"
_ONE_KIND_OF_LOOP = "branches and loops are graphs of functions, and run as both versions do"
disable_eager_execution = _without_effect("disable_eager_execution", _ALWAYS_A_GRAPH)
disable_v2_behavior = _without_effect("disable_v2_behavior", _ALWAYS_A_GRAPH)
enable_resource_variables = _without_effect("enable_resource_variables", _ONE_KIND_OF_VARIABLE)
disable_resource_variables = _without_effect("disable_resource_variables", _ONE_KIND_OF_VARIABLE)
enable_control_flow_v2 = _without_effect("enable_control_flow_v2", _ONE_KIND_OF_LOOP)
disable_control_flow_v2 = _without_effect("disable_control_flow_v2", _ONE_KIND_OF_LOOP)
disable_tensor_equality = _without_effect("disable_tensor_equality", "`==` asks whether two tensors are the same")
disable_v2_tensorshape = _without_effect("disable_v2_tensorshape", "the sizes of a shape are Dimensions")


def executing_eagerly() -> bool:
    """Whether calls compute values at once, which they never do: they build a graph.

    Returns:
        False.

    >>> import penstock.compat.v1 as tf
    >>> tf.executing_eagerly()
    False

    Source: TensorFlow 1.x, `tf.executing_eagerly`.
    """
    return False
