"""bias_add, and products with a bias: xw_plus_b, relu_layer."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.axis_labels import elementwise
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import NUMBERS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import all_or_nothing, composite, name_of_scope, reported_as_call
from ..declare.shape_checks import listed, require_rank, same_size
from ..elementwise.arithmetic import add
from ..index.row_indexing import dims_at_least
from ..linalg.matmul import matmul
from ..move.concat_stack import pack
from ..move.reshaping import reshape
from .activations import relu

PUBLIC_NAMES = {"start_nn": "bias_add relu_layer xw_plus_b"}

_Number = Annotated[TensorLike, Operand("T", NUMBERS)]
_RULE = "bias has one entry for each channel, the last dimension of value."


@reported_as_call("BiasAdd", one_op=True)
def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """value + bias, with `bias` a vector that has one entry for each channel.

    Args:
        value: numbers, of rank 2 or higher.
        bias: a vector of the dtype of `value`, as long as the dimension of the channels.
        data_format: "NHWC" or another text N...C: the channels are the last dimension; "NCHW" or another text NC...:
            they are dimension 1, and `value` has rank 3 or higher. None (the default) means N...C.

    Returns:
        A tensor with the shape and dtype of `value`.

    Raises:
        TypeError: the dtypes differ, or are not numbers.
        ValueError: ranks or sizes do not fit, or `data_format` is another text.
        InvalidArgumentError (when run): ranks or sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.bias_add([[1, 2], [3, 4]], [10, 20])))
    [[11 22]
     [13 24]]

    Source: TensorFlow 1.x, `tf.nn.bias_add`.
    """
    is_last = data_format is None or (data_format.startswith("N") and data_format.endswith("C") and data_format != "NC")
    if not is_last and not str(data_format).startswith("NC"):
        raise ValueRuleError(f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format}")
    add_up = with_bias if is_last else _with_bias_of_channels
    return all_or_nothing([value, bias], lambda: add_up(convert_to_tensor(value), bias, name))


def with_bias(value: Tensor, bias: TensorLike, name: str | None = None) -> Tensor:
    """The node of `bias_add`: a plain addition, which fuses, where the shapes are known to fit."""
    offsets = convert_to_tensor(bias, value.dtype)
    known, sizes = value.shape.raw, offsets.shape.raw
    if known and sizes and len(known) > 1 and len(sizes) == 1 and known[-1] == sizes[0] and value.dtype.bit & NUMBERS:
        return add(value, offsets, name or "BiasAdd")
    return add_bias(value, offsets, name)


def _with_bias_of_channels(value: Tensor, bias: TensorLike, name: str | None) -> Tensor:
    """`bias` added along dimension 1, the channels of the layout NC..."""
    offsets = convert_to_tensor(bias, value.dtype)
    require_rank(offsets, 1, 1)
    dims = dims_at_least(value, 3, 0)
    if dims is None:
        raise ShapeError("the rank of value must be known where the channels are not last; give it with t.set_shape")
    sizes = offsets.shape.raw
    count = dims[1] if sizes is None else same_size(dims[1], sizes[0], 1, 0, "bias has one entry for each channel.")
    shape = [count if isinstance(count, int) else shape_op(value)[1], *[1] * (len(dims) - 2)]
    # The size of the channels, not -1: a bias of another length does not fit, where it could be repeated.
    return add(value, reshape(offsets, shape if isinstance(count, int) else pack(shape)), name or "BiasAdd")


@op("BiasAdd", called="bias_add", graphdef="T=value", ranks={"bias": 1}, distributes=elementwise)
def add_bias(value: _Number, bias: _Number, name: str | None = None) -> Tensor:
    """The op behind `bias_add` where only the run knows whether the sizes fit: the channels are last."""


@add_bias.shape
def add_bias_shape(value: Tensor, bias: Tensor) -> TensorShape:
    dims = dims_at_least(value, 2, 0)
    if dims is None:
        return unknown_rank("the rank of value is not known", value)
    if bias.shape.raw is None:
        return value.shape
    return shape_of((*dims[:-1], same_size(dims[-1], bias.shape.raw[0], 1, 0, _RULE)))


@add_bias.kernel
def add_bias_kernel(xp: Any, value: Any, bias: Any) -> Any:
    if value.ndim < 2:
        raise InvalidArgumentError(message=f"Input tensor must be at least 2D: {listed(value.shape)}")
    if bias.ndim != 1:
        raise InvalidArgumentError(message=f"Biases must be 1D: {listed(bias.shape)}")
    if len(bias) != value.shape[-1]:
        raise InvalidArgumentError(message="Must provide as many biases as the last dimension of the input tensor: "
                                           f"{listed(bias.shape)} vs. {listed(value.shape)}")  # fmt: skip
    return xp.add(value, bias)


@add_bias.fails
def add_bias_fails(value: Tensor, bias: Tensor) -> str | None:
    known, sizes = value.shape.raw, bias.shape.raw
    if known and sizes and known[-1] == sizes[0]:
        return None
    return "that bias is as long as the last dimension of value is not known before the run"


@add_bias.gradient("value: g; bias: reduce_sum(g) over all dimensions but the last")
def add_bias_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    rank = op.inputs[0].shape.ndims

    def of_bias() -> Tensor:
        return ops.reduce_sum(g, ops.range(0, ops.rank(g) - 1) if rank is None else list(range(rank - 1)))

    return [g, of_bias]


@add_bias.samples
def add_bias_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), rng.random(3).astype("f4"))
    yield sample(rng.random((2, 2, 3)), rng.random(3))
    yield sample(np.arange(6, dtype="i4").reshape(3, 2), np.array([1, -1], "i4"))
    yield sample(np.ones((2, 1), "c8"), np.ones(1, "c8"))
    yield sample(np.zeros((0, 2), "f2"), np.ones(2, "f2"))


@composite("xw_plus_b")
def xw_plus_b(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """matmul(x, weights) + biases.

    Args:
        x: a matrix of numbers.
        weights: a matrix of the same dtype, with a row for each column of `x`.
        biases: a vector of the same dtype, with an entry for each column of `weights`.

    Returns:
        A matrix of shape [rows of x, columns of weights] with their dtype.

    Raises:
        TypeError: the dtypes differ, or are not numbers.
        ValueError: the shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.xw_plus_b([[1.0, 2.0]], [[1.0, 0.0], [0.0, 10.0]], [0.5, 0.25])))
    [[ 1.5  20.25]]

    Source: TensorFlow 1.x, `tf.nn.xw_plus_b`.
    """
    return with_bias(matmul(x, weights), biases, name_of_scope())


@composite("relu_layer")
@documented_like(xw_plus_b)
def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases).

    Args:
        x: a matrix of numbers that are not complex.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.relu_layer([[1.0, 2.0]], [[1.0, 0.0], [0.0, 10.0]], [0.5, -30.0])))
    [[1.5 0. ]]
    """
    return relu(with_bias(matmul(x, weights), biases), name_of_scope())
