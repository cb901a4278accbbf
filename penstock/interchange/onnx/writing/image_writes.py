"""Operations of images, diagonals, texts and spans of numbers as nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import bool_, float32
from .elementwise_writes import WriteRule, of_real_numbers
from .move_writes import as_int64
from .onnx_writer import NotWritten, OnnxWriter, as_utf8, number_of, rank_of, sizes_but_first

# ---- depth and space ---------------------------------------------------------------------------


def _depth_blocks(name: str) -> WriteRule:
    """ONNX numbers the parts of a block as TensorFlow does: rows, columns, channels."""

    def write(w: OnnxWriter, op: Operation) -> str:
        x, size, layout = op.args[:3]
        first = str(layout).startswith("NC")
        turned = w.ref(x) if first else w.node("Transpose", [w.ref(x)], perm=[0, 3, 1, 2])
        made = w.node(name, [turned], blocksize=int(size))
        return made if first else w.node("Transpose", [made], perm=[0, 2, 3, 1])

    return write


def _known(tensor: Any) -> list[Any]:
    value = known_value(tensor) if isinstance(tensor, Tensor) else np.asarray(tensor)
    if value is None:
        raise NotWritten("its block or borders are not known before a run; write them as numbers")
    found: list[Any] = value.tolist()
    return found


def _space_to_batch(w: OnnxWriter, op: Operation) -> str:
    x, block, borders = op.args[:3]
    block, borders = _known(block), _known(borders)
    batch, *sizes = sizes_but_first(x)
    count = len(block)
    rest = sizes[count:]
    pads = [0, *[b for b, _ in borders], *[0] * len(rest), 0, *[a for _, a in borders], *[0] * len(rest)]
    padded = w.node("Pad", [w.ref(x), w.ints(*pads), *([w.like(x, 0)] if x.dtype.is_string else [])])
    cut = [(size + before + after) // b
           for size, (before, after), b in zip(sizes, borders, block, strict=False)]  # fmt: skip
    parts = w.reshape(padded, [batch, *[each for pair in zip(cut, block, strict=True) for each in pair], *rest])
    places = [2 * i + 2 for i in range(count)] + [0] + [2 * i + 1 for i in range(count)]
    perm = [*places, *range(2 * count + 1, 2 * count + 1 + len(rest))]
    images = batch * int(np.prod(block)) if batch >= 0 else -1
    return w.reshape(w.node("Transpose", [parts], perm=perm), [images, *cut, *rest])


def _batch_to_space(w: OnnxWriter, op: Operation) -> str:
    x, block, crops = op.args[:3]
    block, crops = _known(block), _known(crops)
    batch, *sizes = sizes_but_first(x)
    count = len(block)
    rest, images = sizes[count:], batch // int(np.prod(block)) if batch >= 0 else -1
    parts = w.reshape(w.ref(x), [*block, images, *sizes])
    places = [count] + [each for i in range(count) for each in (count + 1 + i, i)]
    perm = [*places, *range(2 * count + 1, 2 * count + 1 + len(rest))]
    whole = [size * b for size, b in zip(sizes, block, strict=False)]
    made = w.reshape(w.node("Transpose", [parts], perm=perm), [images, *whole, *rest])
    if not any(before or after for before, after in crops):
        return made
    ends = [size - after for size, (_, after) in zip(whole, crops, strict=True)]
    return w.node("Slice", [made, w.ints(*[before for before, _ in crops]), w.ints(*ends),
                            w.ints(*range(1, count + 1))])  # fmt: skip


# ---- resizing ----------------------------------------------------------------------------------


def _resize(mode: str) -> WriteRule:
    """ONNX's Resize counts from the corners, or from the middles of pixels, as TensorFlow does."""

    def write(w: OnnxWriter, op: Operation) -> str:
        images, size, corners, middles = op.args[:4]
        way = "align_corners" if corners else "half_pixel" if middles else "asymmetric"
        turned = w.node("Transpose", [w.ref(images)], perm=[0, 3, 1, 2])
        if mode == "linear" and images.dtype is not float32:
            turned = w.cast(turned, float32)
        head = w.node("Slice", [w.node("Shape", [turned]), w.ints(0), w.ints(2)])
        sizes = w.node("Concat", [head, as_int64(w, size)], axis=0)
        nearest = "floor" if way == "asymmetric" else "round_prefer_ceil"
        made = w.node("Resize", [turned, "", "", sizes], mode=mode, coordinate_transformation_mode=way,
                      nearest_mode=nearest if mode == "nearest" else None)  # fmt: skip
        return w.node("Transpose", [made], perm=[0, 2, 3, 1])

    return write


def _by_matrices(gradient: bool) -> WriteRule:
    """An image times a matrix for its rows and one for its columns: what the op's own kernel does to single pixels."""

    def write(w: OnnxWriter, op: Operation) -> str:
        x = op.inputs[0]
        batch, height, width, channels = sizes_but_first(x)
        made = sizes_but_first(op.outputs[0])
        dtype = op.outputs[0].dtype
        down, across = _matrix(op, height, made[1], gradient), _matrix(op, width, made[2], gradient)
        name = w.cast(w.ref(x), dtype) if x.dtype is not dtype else w.ref(x)
        name = w.reshape(name, [batch, height, width * channels])
        name = w.node("MatMul", [w.constant(down.astype(dtype.np), dtype), name])
        name = w.reshape(name, [batch * made[1] if batch >= 0 else -1, width, channels])
        return w.reshape(w.node("MatMul", [w.constant(across.astype(dtype.np), dtype), name]), made)

    return write


def _matrix(op: Operation, size: int, new_size: int, gradient: bool) -> Any:
    """What the op does along an axis of `size`, whose result has `new_size`: column i is its result for pixel i."""
    kernel = op.opdef.own_kernel
    assert kernel is not None
    corners, middles = op.args[2:4]
    pixels = np.eye(size, dtype=np.float32).reshape(1, size, 1, size)
    target = np.array([new_size, 1], np.int32)
    if gradient and op.args[1].shape.ndims != 1:
        target = np.zeros((1, new_size, 1, size), np.float32)
    return np.asarray(kernel(np, pixels, target, corners, middles)).reshape(new_size, size)


# ---- diagonals, products, spans ----------------------------------------------------------------


def _diag(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    if rank_of(x) != 1:
        raise NotWritten(f"its operand has the shape {x.shape}; ONNX's form needs a vector")
    eye = _eye(w, w.node("Concat", [w.shape(x), w.shape(x)], axis=0))
    return w.node("Where", [eye, w.ref(x), w.like(x, 0)])


def _eye(w: OnnxWriter, shape: str) -> str:
    zeros = w.node("Expand", [w.constant(np.zeros((), np.float32), float32), shape])
    return w.cast(w.node("EyeLike", [zeros]), bool_)


def _diag_part(w: OnnxWriter, op: Operation) -> str:
    (x,) = op.inputs
    if rank_of(x) != 2:
        raise NotWritten(f"its operand has the shape {x.shape}; ONNX's form needs a matrix")
    chosen = w.node("Where", [_eye(w, w.shape(x)), w.ref(x), w.like(x, 0)])
    return w.node("ReduceSum", [chosen, w.ints(1)], keepdims=0)


def _cross(w: OnnxWriter, op: Operation) -> str:
    a, b = (w.ref(t) for t in op.inputs)

    def turned(name: str, by: int) -> str:
        return w.node("Gather", [name, w.ints(*[(i + by) % 3 for i in range(3)])], axis=-1)

    left = w.node("Mul", [turned(a, 1), turned(b, 2)])
    return w.node("Sub", [left, w.node("Mul", [turned(a, 2), turned(b, 1)])])


def _linspace(w: OnnxWriter, op: Operation) -> str:
    """start + i (stop - start) / (num - 1), and stop itself at the end."""
    start, stop, num = op.inputs
    if rank_of(start):
        raise NotWritten(f"it begins with the shape {start.shape}; ONNX's form needs a number")
    count = as_int64(w, num)
    one = w.constant(np.array(1))
    numbers = w.node("Range", [w.constant(np.array(0)), count, one])
    last = w.node("Max", [w.node("Sub", [count, one]), one])
    width = w.node("Div", [w.node("Sub", [w.ref(stop), w.ref(start)]), w.cast(last, start.dtype)])
    made = w.node("Add", [w.ref(start), w.node("Mul", [w.cast(numbers, start.dtype), width])])
    ends = w.node("And", [w.node("Equal", [numbers, last]), w.node("Greater", [count, one])])
    return w.node("Where", [ends, w.ref(stop), made])


def _unchecked(w: OnnxWriter, op: Operation) -> str:
    """`x` as it is: checks are left out."""
    return w.node("Identity", [w.ref(op.inputs[0])])


# ---- texts -------------------------------------------------------------------------------------


def _join(w: OnnxWriter, op: Operation) -> str:
    inputs, separator = op.args
    text = separator if isinstance(separator, bytes) else str(separator).encode()
    as_utf8(text)
    total = w.ref(inputs[0])
    for each in inputs[1:]:
        if text:
            total = w.node("StringConcat", [total, w.constant(np.array(text, object))])
        total = w.node("StringConcat", [total, w.ref(each)])
    return total if len(inputs) > 1 else w.node("Identity", [total])


def _regex(w: OnnxWriter, op: Operation) -> str:
    pattern = op.args[1]
    as_utf8(pattern)
    return w.node("RegexFullMatch", [w.ref(op.inputs[0])], pattern=pattern)


def _number(w: OnnxWriter, op: Operation) -> str:
    return w.node("Cast", [w.ref(op.inputs[0])], to=number_of(op.outputs[0].dtype))


def _real(w: OnnxWriter, op: Operation) -> str:
    return w.node("Identity", [w.ref(op.inputs[0])])


IMAGE_WRITES: dict[str, WriteRule] = {
    "BatchToSpaceND": _batch_to_space, "CheckNumerics": _unchecked, "Cross": _cross,
    "DepthToSpace": _depth_blocks("DepthToSpace"), "LinSpace": _linspace,
    "Print": _unchecked, "ResizeBicubic": _by_matrices(False),
    "ResizeBicubicGrad": _by_matrices(True), "ResizeBilinear": _resize("linear"),
    "ResizeBilinearGrad": _by_matrices(True), "ResizeNearestNeighbor": _resize("nearest"),
    "ResizeNearestNeighborGrad": _by_matrices(True), "SpaceToBatchND": _space_to_batch,
    "SpaceToDepth": _depth_blocks("SpaceToDepth"), "StaticRegexFullMatch": _regex,
    "StringJoin": _join, "StringToNumber": _number,
    **of_real_numbers({"Conj": _real, "Diag": _diag, "DiagPart": _diag_part, "Real": _real}),
}  # fmt: skip
