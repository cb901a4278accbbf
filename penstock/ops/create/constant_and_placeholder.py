"""Sources of values: constants, placeholders, and the conversion of values to tensors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import BuildError, DTypeError, InvalidArgumentError, ResourceExhaustedError, UseError, ValueRuleError
from ...graph.building.convert import constant_node, convert, first_tensor
from ...graph.building.registered_conversions import conversions
from ...graph.common.hooks import hooks
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.effects import Effects
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, DTypeLike, T
from ...graph.model.default_graph import get_default_graph, target_graph
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, as_dtype
from ...graph.shapes.literal import Array, literal
from ...graph.shapes.shape import ShapeLike, TensorShape, as_shape, merge_shapes, shape_of, unknown_rank
from ..declare.composite import reported_as_call
from ..declare.shape_checks import possible

PUBLIC_NAMES = {"start": "constant convert_to_tensor placeholder placeholder_with_default"}

_ArrayAttr = Annotated[Any, Attr(literal)]


def _as_static_shape(value: Any) -> TensorShape:
    if isinstance(value, Tensor):
        raise DTypeError(f"Error converting shape to a TensorShape: the tensor {value.name!r} has no value yet; "
                         "give sizes, names and Nones")  # fmt: skip
    try:
        return as_shape(value)
    except ValueRuleError as error:
        cure = "None is a size that is not known, a string a size with a name."
        raise ValueRuleError(f"Error converting shape to a TensorShape: {error.message}", cure=cure) from None
    except TypeError as error:
        raise DTypeError(
            f"Error converting shape to a TensorShape: {error}. Dimension value must be integer or None or have an "
            "__index__ method, or be a name"
        ) from None


def _dtype_before_shape(value: Any) -> DType:
    if isinstance(value, (list, tuple, TensorShape)):
        raise DTypeError(f"{value!r} is a shape, not a dtype", cure="The order is placeholder(dtype, shape).")
    return as_dtype(value)


_DTypeAttr = Annotated[DType | str | type | np.dtype[Any], Attr(_dtype_before_shape)]
_ShapeAttr = Annotated[ShapeLike, Attr(_as_static_shape)]


@op("Const", out=lambda value: as_dtype(value.dtype), operator="constant", is_constant=True)
def const(value: _ArrayAttr, name: str | None = None) -> Tensor:
    """A node that holds an array. Users call `constant`, which handles dtypes and shapes."""


@const.shape
def const_shape(value: Array) -> TensorShape:
    return shape_of(value.shape)


@const.kernel
def const_kernel(xp: Any, value: Array) -> Any:
    return xp.asarray(value)


@const.samples
def const_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array(7))


@reported_as_call()
def constant(value: Any, dtype: DTypeLike | None = None, shape: Any = None, name: str | None = "Const") -> Tensor:
    """A tensor with a fixed value.

    Args:
        value: a number, string, array or nested list. Python ints become int32 (int64 or uint64 where they need it),
            floats float32; NumPy arrays keep their dtype.
        dtype: the dtype to convert to. A Python float is not converted to an int dtype.
        shape: the shape to lay the values out in; the last value is repeated to fill it.

    Returns:
        A tensor with the shape of `value`, or `shape` where it is given. Its dtype is `dtype`, or as said above.

    Raises:
        TypeError: the value cannot be converted to `dtype`, or `dtype` or `shape` is not one.
        ValueError: the value is None or a ragged list, or `shape` is not known or has room for fewer values.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.constant([1, 2, 3, 4, 5, 6], shape=[2, 3])))
    ...     print(session.run(tf.constant(-1.0, shape=[2, 3])))
    [[1 2 3]
     [4 5 6]]
    [[-1. -1. -1.]
     [-1. -1. -1.]]

    Source: TensorFlow 1.x, `tf.constant`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    try:
        array = literal(value, wanted)
    except UseError as error:
        if (tensor := first_tensor(value)) is None:
            raise
        raise UseError(f"constant: the value is, or has in it, the tensor {tensor.name!r}; a constant is made of "
                       "numbers. Use the tensor as it is; tf.convert_to_tensor takes tensors, lists of them and "
                       "numbers") from error.__cause__  # fmt: skip
    if shape is not None:
        array = _filled_to_shape(array, _as_static_shape(shape))
    graph = get_default_graph()
    name = "Const" if name is None else name
    graph.check_name(name)
    if graph.surroundings.device.__class__ is str:
        return constant_node(graph, array, name)
    return graph.journal.all_or_nothing(constant_node, graph, array, name)  # a device function may fail


def _filled_to_shape(array: Array, shape: TensorShape) -> Array:
    count = shape.num_elements()
    if count is None or shape.raw is None:
        raise ValueRuleError(f"shape={shape} must be fully known")
    sizes = tuple(int(d) for d in shape.raw)
    if array.size > count > 0:  # an empty shape takes any value, and drops it
        raise ValueRuleError(f"Too many elements provided. Takes at most {count}, but got {array.size}.")
    try:
        filled = np.empty(possible(sizes, array.dtype.itemsize), array.dtype)
    except InvalidArgumentError as error:
        raise ValueRuleError(f"shape: {error.message}") from None
    except MemoryError as error:
        cure = "a constant is made while the graph is built; tf.fill makes one in the run"
        raise ResourceExhaustedError(message=f"constant(shape={shape}): {error}; {cure}") from None
    flat = filled.reshape(-1)
    flat[: array.size] = array.reshape(-1)[:count]
    flat[array.size :] = array.reshape(-1)[-1] if array.size else np.zeros((), array.dtype)
    filled.flags.writeable = False
    return filled


@op("Placeholder", graphdef="dtype shape", out="dtype", operator="placeholder", pure=False, must_feed=True)
def placeholder(dtype: _DTypeAttr, shape: _ShapeAttr = None, name: str | None = None) -> Tensor:
    """A tensor whose value is fed in each run.

    Args:
        dtype: the dtype of the values.
        shape: what is known of their shape; None for nothing. A size in a list is an int, None if it is not known, or a
            string that names it: it is then the same wherever the name occurs in the graph.

    Returns:
        A tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: there is no such dtype, or a size is not an int, a string or None.
        ValueError: a size is negative.
        InvalidArgumentError (when run): nothing is fed.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["batch", 2])
    ...     print(x.dtype, x.shape, session.run(x + 1.0, {x: [[1, 2]]}))
    <dtype: 'float32'> (batch, 2) [[2. 3.]]

    Source: TensorFlow 1.x, `tf.placeholder`.
    """


@placeholder.shape
def placeholder_shape(dtype: DType, shape: TensorShape) -> TensorShape:
    return _fresh(shape, "the placeholder leaves it open")


@placeholder.samples
def placeholder_samples(rng: np.random.Generator) -> Samples:
    yield sample("float32", [2, None])
    yield sample("string")


def _fresh(shape: TensorShape, reason: str) -> TensorShape:
    """`shape` with new symbols for its open dimensions: tensors declared with one shape object may differ in size."""
    if shape.raw is None:
        return unknown_rank(reason)
    return shape_of(d if isinstance(d, int) or d.is_named else unknown(reason) for d in shape.raw)


@op("PlaceholderWithDefault", graphdef="dtype=input shape", views="input", has_default=True,
    effects=Effects(evaluable=False), distributes=same_axes)  # fmt: skip
def placeholder_with_default(input: T, shape: _ShapeAttr, name: str | None = None) -> Tensor:
    """`input`, unless another value is fed for this tensor.

    Args:
        input: the value where nothing is fed; any dtype.
        shape: the shape that `input` and all fed values fit, as in `placeholder`.

    Returns:
        A tensor of shape `shape` with the dtype of `input`.

    Raises:
        TypeError: a size is not an int, a string or None.
        ValueError: the shape of `input` does not fit `shape`, or a size is negative.
        InvalidArgumentError (when run): the shape of `input` does not fit `shape`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder_with_default([1.0, 2.0], [None])
    ...     print(session.run(x), session.run(x, {x: [5.0]}))
    [1. 2.] [5.]

    Source: TensorFlow 1.x, `tf.placeholder_with_default`.
    """


@placeholder_with_default.shape
def placeholder_with_default_shape(input: Tensor, shape: TensorShape) -> TensorShape:
    merge_shapes(input.shape, shape)
    return _fresh(shape, "the placeholder leaves it open")


@placeholder_with_default.kernel
def placeholder_with_default_kernel(xp: Any, input: Any, shape: TensorShape) -> Any:
    if not shape.is_compatible_with(input.shape):
        raise InvalidArgumentError(
            message=f"the default has shape {list(input.shape)}, but the placeholder is declared as {shape}"
        )
    return input


@placeholder_with_default.gradient("g", takes_slices=True)
def placeholder_with_default_gradient(ops: Any, op: Operation, g: Any) -> list[Any]:
    return [g]


@placeholder_with_default.samples
def placeholder_with_default_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [None, 3])
    yield sample(np.zeros((0, 2), "i4"), None)


def _fits(value: Any, dtype: DType) -> bool:
    """Whether a value can be converted to `dtype`."""
    try:
        literal(value, dtype)
    except BuildError:
        return False
    return True


@reported_as_call("Const")
def convert_to_tensor(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None, preferred_dtype: DTypeLike | None = None
) -> Tensor:
    """`value` as a tensor: itself if it is one, a `pack` if it is a list that holds tensors, otherwise a constant.

    Args:
        value: a tensor, number, string, array or nested list.
        dtype: the dtype of the result. Without it, the one that `constant` chooses.
        preferred_dtype: the dtype of the result where `dtype` is not given and `value` can be converted to it.

    Returns:
        A tensor with the shape of `value` and dtype `dtype`.

    Raises:
        TypeError: a Python value cannot be converted to `dtype`.
        ValueError: `value` is a tensor of another dtype, None, a ragged list, or a shape that is not fully known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     n = tf.placeholder(tf.int32, [])
    ...     tf.convert_to_tensor([n, 3]), tf.convert_to_tensor(n) is n
    (<Tensor 'packed:0' int32 (2,)>, True)

    Source: TensorFlow 1.x, `tf.convert_to_tensor`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted not in (None, value.dtype):
            raise ValueRuleError(f"Tensor conversion requested dtype {wanted} for Tensor with dtype {value.dtype}: "
                                 f"{value!r}; write tf.cast(t, tf.{wanted}) to change it")  # fmt: skip
        return value
    preferred = None if preferred_dtype is None else as_dtype(preferred_dtype)
    if isinstance(value, conversions.kinds):
        own = conversions.preferred(value, wanted, preferred, name)
        if own is not None:
            return own
    inner = first_tensor(value)
    graph = target_graph(inner)
    if preferred is not None and wanted is None and inner is None and _fits(value, preferred):
        wanted = preferred

    def made() -> Tensor:
        packed = value if inner is None or wanted in (None, inner.dtype) else _cast_inside(value, wanted)
        if name is not None:
            graph.check_name(name)
        if inner is None:
            return convert(graph, packed, wanted, preferred, name or "Const")
        # The list's own name is claimed first: its parts are called packed/0, packed/1 ...
        return convert(graph, packed, wanted, preferred, graph.claim_scope(name or "packed") + "/")

    return graph.journal.all_or_nothing(made)


def _cast_inside(value: Any, dtype: DType) -> Any:
    """Nested lists with their tensors cast to `dtype`, which the call names."""
    if isinstance(value, Tensor):
        return hooks.operators["cast"](value, dtype)
    return [_cast_inside(v, dtype) for v in value] if isinstance(value, (list, tuple)) else value


hooks.operators["convert"] = convert_to_tensor
