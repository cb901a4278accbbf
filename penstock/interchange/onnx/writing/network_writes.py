"""Operations of networks as nodes of ONNX: products, softmax, losses, normalisation over channels, random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import float32, int64
from .elementwise_writes import WriteRule, direct, of_real_numbers
from .index_writes import one_hot
from .move_writes import as_int64, known_axis
from .onnx_writer import NotWritten, OnnxWriter, number_of, rank_of, sizes_but_first


def _matmul(w: OnnxWriter, op: Operation) -> str:
    a, b, transpose_a, transpose_b, adjoint_a, adjoint_b = op.args[:6]
    if a.dtype.size < 4 and a.dtype.is_integer:
        raise NotWritten("ONNX multiplies matrices of int32, int64 and floats; cast its operands with tf.cast")
    names = [_turned(w, t) if turns else w.ref(t)
             for t, turns in ((a, transpose_a or adjoint_a), (b, transpose_b or adjoint_b))]  # fmt: skip
    return w.node("MatMul", names)


def _turned(w: OnnxWriter, tensor: Tensor) -> str:
    """The last two axes exchanged."""
    rank = rank_of(tensor)
    return w.node("Transpose", [w.ref(tensor)], perm=[*range(rank - 2), rank - 1, rank - 2])


def _einsum(w: OnnxWriter, op: Operation) -> str:
    inputs, equation = op.args
    text = equation.decode() if isinstance(equation, bytes) else str(equation)
    return w.node("Einsum", [w.ref(t) for t in inputs], equation=text)


def _softmax(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        axis = op.args[1]
        return w.node(name, [w.ref(op.inputs[0])], axis=-1 if axis is None else known_axis(axis))

    return write


def _dense_loss(w: OnnxWriter, op: Operation) -> list[str]:
    logits, labels = (w.ref(t) for t in op.inputs)
    logs = w.node("LogSoftmax", [logits], axis=-1)
    products = w.node("Mul", [labels, w.node("Neg", [logs])])
    loss = w.node("ReduceSum", [products, w.ints(-1)], keepdims=0)
    return [loss, w.node("Sub", [w.node("Softmax", [logits], axis=-1), labels])]


def _sparse_loss(w: OnnxWriter, op: Operation) -> list[str]:
    logits, labels = op.inputs
    if logits.shape.ndims != 2:
        raise NotWritten(f"its logits have the shape {logits.shape}; ONNX's form needs a matrix; give it with "
                         "set_shape")  # fmt: skip
    name = w.ref(logits)
    places = w.node("Unsqueeze", [as_int64(w, labels), w.ints(1)])
    chosen = w.node("GatherElements", [w.node("LogSoftmax", [name], axis=1), places], axis=1)
    loss = w.node("Neg", [w.node("Squeeze", [chosen, w.ints(1)])])
    depth = w.node("Squeeze", [w.node("Shape", [name], start=1, end=2), w.ints(0)])
    hot = one_hot(w, labels, depth, (w.like(logits, 1), w.like(logits, 0)), 1)
    return [loss, w.node("Sub", [w.node("Softmax", [name], axis=1), hot])]


def _in_top_k(w: OnnxWriter, op: Operation) -> str:
    """Fewer than k predictions are larger; False if a prediction is not finite or the target is no class."""
    predictions, targets, k = op.args
    name, places, zero = w.ref(predictions), as_int64(w, targets), w.constant(np.array(0))
    classes = w.node("Squeeze", [w.node("Shape", [name], start=1, end=2), w.ints(0)])
    is_class = w.node("And", [w.node("GreaterOrEqual", [places, zero]), w.node("Less", [places, classes])])
    safe = w.node("Unsqueeze", [w.node("Where", [is_class, places, zero]), w.ints(1)])
    own = w.node("GatherElements", [name, safe], axis=1)
    count = w.node("ReduceSum", [w.cast(w.node("Greater", [name, own]), int64), w.ints(1)], keepdims=0)
    limit = as_int64(w, k) if isinstance(k, Tensor) else w.constant(np.array(int(k)))
    broken = w.cast(w.node("Or", [w.node("IsNaN", [name]), w.node("IsInf", [name])]), int64)
    sound = w.node("Equal", [w.node("ReduceSum", [broken, w.ints(1)], keepdims=0), zero])
    return w.node("And", [w.node("Less", [count, limit]), w.node("And", [is_class, sound])])


# ---- local response normalisation --------------------------------------------------------------


def _lrn(w: OnnxWriter, op: Operation) -> str:
    x, radius, bias, alpha, beta = op.args
    size = 2 * int(radius) + 1
    turned = w.node("Transpose", [w.ref(x)], perm=[0, 3, 1, 2])
    made = w.node("LRN", [turned], size=size, bias=float(bias), alpha=float(alpha) * size, beta=float(beta))
    return w.node("Transpose", [made], perm=[0, 2, 3, 1])


def _lrn_grad(w: OnnxWriter, op: Operation) -> str:
    """dx = dy / n^beta - 2 alpha beta x S(dy y / n) with n = bias + alpha S(x^2); S sums over near channels."""
    dy, x, y, radius, bias, alpha, beta = op.args
    channels = sizes_but_first(x)[-1]
    near = np.abs(np.arange(channels)[:, None] - np.arange(channels)[None]) <= int(radius)
    band = w.constant(near.astype(x.dtype.np), x.dtype)
    names = [w.ref(t) for t in (dy, x, y)]
    sums = w.node("MatMul", [w.node("Mul", [names[1], names[1]]), band])
    n = w.node("Add", [w.node("Mul", [sums, w.like(x, alpha)]), w.like(x, bias)])
    direct = w.node("Mul", [names[0], w.node("Pow", [n, w.like(x, -beta)])])
    shared = w.node("MatMul", [w.node("Div", [w.node("Mul", [names[0], names[2]]), n]), band])
    indirect = w.node("Mul", [w.node("Mul", [names[1], w.like(x, 2 * alpha * beta)]), shared])
    return w.node("Sub", [direct, indirect])


# ---- random numbers ----------------------------------------------------------------------------


def _random(name: str) -> WriteRule:
    """Numbers of the same distribution; which ones, the program that runs the model decides."""

    def write(w: OnnxWriter, op: Operation) -> str:
        dtype = op.outputs[0].dtype
        like = w.node("Expand", [w.constant(np.zeros((), dtype.np), dtype), as_int64(w, op.inputs[0])])
        return w.node(f"Random{name}Like", [like], dtype=number_of(dtype))

    return write


def _random_int(w: OnnxWriter, op: Operation) -> str:
    shape, low, high = op.inputs
    like = w.node("Expand", [w.constant(np.zeros((), np.float32), float32), as_int64(w, shape)])
    drawn = w.node("RandomUniformLike", [like], dtype=number_of(float32))
    width = w.cast(w.node("Sub", [w.ref(high), w.ref(low)]), float32)
    return w.node("Add", [w.cast(w.node("Floor", [w.node("Mul", [drawn, width])]), low.dtype), w.ref(low)])


def _multinomial(w: OnnxWriter, op: Operation) -> str:
    logits, count = op.args[:2]
    value = known_value(count) if isinstance(count, Tensor) else np.asarray(count)
    if value is None:
        raise NotWritten("the number of samples is not known before a run; write it as a number")
    out: Any = op.outputs[0].dtype
    return w.node("Multinomial", [w.cast(w.ref(logits), float32)], sample_size=int(value), dtype=number_of(out))


NETWORK_WRITES: dict[str, WriteRule] = {
    **of_real_numbers({"BiasAdd": direct("Add"), "Einsum": _einsum, "MatMul": _matmul}),
    "InTopKV2": _in_top_k, "LRN": _lrn, "LRNGrad": _lrn_grad,
    "LogSoftmax": _softmax("LogSoftmax"), "Multinomial": _multinomial,
    "RandomStandardNormal": _random("Normal"), "RandomUniform": _random("Uniform"), "RandomUniformInt": _random_int,
    "Softmax": _softmax("Softmax"), "SoftmaxCrossEntropyWithLogits": _dense_loss,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_loss,
}  # fmt: skip
