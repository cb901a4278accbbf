"""Softmax cross entropies: of labels that are probabilities, and of labels that are the numbers of classes.

Each op computes the loss of a row of logits, and in the same pass its derivative by the logits, which the gradient
multiplies by what comes in:

    loss      sum(labels * (log(sum(exp(x))) - x))
    backprop  softmax(x) - labels

with x the logits of the row less the largest of them. NumPy's passes go over blocks of rows that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.op_facts import RowRule
from ...graph.declare.signature import INT32_64, Float, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import float32, int32
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of
from ..create.creation import ones_like, zeros_like
from ..declare.elementwise_gradient import repeated_axes
from ..declare.failure_rules import constant_of, refusal
from ..declare.shape_checks import listed, same_size
from ..elementwise.arithmetic import multiply, subtract, truediv
from ..elementwise.casting import cast
from ..elementwise.comparison import equal
from ..elementwise.select_where import select
from ..elementwise.transcendental import exp, log
from ..index.row_indexing import private
from ..reduce.reductions import reduce_max, reduce_sum

_Classes = Annotated[TensorLike, Operand("Tlabels", INT32_64)]
BLOCK = 1 << 16
"""Elements of a block. Milliseconds of 8192 rows of 1000 float32, with labels: 24 in blocks, 39 in whole arrays; the
compiled loop (`runtime.kernels.softmax_loops`) takes 9."""

FLOPS = TRANSCENDENTAL + 7


@op("SoftmaxCrossEntropyWithLogits", graphdef="T=features ->loss,backprop", out=("T", "T"), flops=FLOPS,
    ranks={"features": 2, "labels": 2},
    gradient_note="TensorFlow's gradient is the derivative where each row of labels sums to 1")  # fmt: skip
def softmax_cross_entropy_with_logits_op(
    features: Float, labels: Float, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The op behind `softmax_cross_entropy_with_logits`: (loss, backprop) of matrices, of which `labels` may be
    repeated."""


softmax_cross_entropy_with_logits_op.result_names = ("Reshape_2",)


@op("SparseSoftmaxCrossEntropyWithLogits", graphdef="T=features Tlabels=labels ->loss,backprop", out=("T", "T"),
    flops=FLOPS,
    ranks={"features": 2, "labels": 1},
    fails="whether each label is the number of a class is not known before the run")  # fmt: skip
def sparse_softmax_cross_entropy_with_logits_op(
    features: Float, labels: _Classes, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The op behind `sparse_softmax_cross_entropy_with_logits`: (loss, backprop) of a matrix and a vector."""


sparse_softmax_cross_entropy_with_logits_op.result_names = ("{name}",)


# ---- shapes -------------------------------------------------------------------------------------


@softmax_cross_entropy_with_logits_op.shape
def softmax_cross_entropy_op_shape(features: Tensor, labels: Tensor) -> list[TensorShape]:
    sizes = features.shape.raw or [unknown("the shape of the logits is not known", features) for _ in range(2)]
    given = labels.shape.raw or (1, 1)  # as what could be repeated, which says nothing
    # Labels of size 1 are repeated, and a size that is not known may be 1.
    rows, classes = (
        same_size(size, label, 1, i, "labels have the shape of the logits, or sizes 1.")
        if isinstance(label, int) and label != 1 else size
        for i, (size, label) in enumerate(zip(sizes, given, strict=True))
    )  # fmt: skip
    return [shape_of((rows,)), shape_of((rows, classes))]


@sparse_softmax_cross_entropy_with_logits_op.shape
def sparse_softmax_cross_entropy_op_shape(features: Tensor, labels: Tensor) -> list[TensorShape]:
    dims = features.shape.raw or [unknown("the shape of the logits is not known", features) for _ in range(2)]
    try:
        loss = merge_shapes(shape_of(dims[:1]), labels.shape)
    except ShapeError as error:
        raise error.with_operand(operand=1, cure="There is one label for each row of logits.") from None
    assert loss.raw is not None  # the number of rows is one dimension
    return [loss, shape_of((loss.raw[0], dims[1]))]


def _axes(features: Tensor, labels: Tensor) -> Axes | None:
    dims = labels.shape.raw
    if dims is None:
        return None
    rows: list[str | None] = ["rows" if dims[0] != 1 else None, None]  # labels of one row are repeated
    return [["rows", None], rows[: len(dims)]], [["rows"], ["rows", None]]


softmax_cross_entropy_with_logits_op.distributes(labelled(_axes))


@sparse_softmax_cross_entropy_with_logits_op.distributes
@labelled
def sparse_softmax_cross_entropy_op_distributes(features: Tensor, labels: Tensor) -> Axes | None:
    return [["rows", None], ["rows"]], [["rows"], ["rows", None]]


@softmax_cross_entropy_with_logits_op.fails
def softmax_cross_entropy_op_fails(features: Tensor, labels: Tensor) -> str | None:
    given, wanted = features.shape.raw, labels.shape.raw
    return None if given is not None and given == wanted else "that the shapes fit is not known before the run"


@sparse_softmax_cross_entropy_with_logits_op.mistake
def sparse_softmax_cross_entropy_op_mistake(features: Tensor, labels: Tensor) -> str | None:
    known, dims = constant_of(labels), features.shape.raw
    if known is None or known.ndim != 1 or dims is None or not isinstance(dims[1], int):
        return None
    return refusal(_check_classes, known, dims[1])


# ---- kernels ------------------------------------------------------------------------------------


@softmax_cross_entropy_with_logits_op.kernel
def softmax_cross_entropy_op_kernel(xp: Any, features: Any, labels: Any) -> Any:
    if features.ndim != 2 or labels.ndim != 2:
        raise InvalidArgumentError(message="logits and labels must be either 2-dimensional, or broadcasted to be "
                                           f"2-dimensional, not {_sizes(features)} and {_sizes(labels)}")  # fmt: skip
    shape = features.shape
    if any(label not in (1, size) for size, label in zip(shape, labels.shape, strict=True)):
        raise InvalidArgumentError(message="logits and labels must be broadcastable: logits_size="
                                           f"{_sizes(features)} labels_size={_sizes(labels)}")  # fmt: skip
    logits, targets = (_matrix(xp, each, shape) for each in (features, labels))
    loss, backprop = xp.zeros(shape[0], logits.dtype), xp.empty(shape, logits.dtype)
    for rows in _blocks(xp, shape):
        out, wanted = backprop[rows], targets[rows]
        shifted, logs = _softmax_into(xp, logits[rows], out)
        xp.subtract(logs, shifted, out=shifted)
        shifted *= wanted
        loss[rows] = _sums(xp, shifted)[:, 0]
        out -= wanted
    return loss.astype(features.dtype, copy=False), backprop.astype(features.dtype, copy=False)


@sparse_softmax_cross_entropy_with_logits_op.kernel
def sparse_softmax_cross_entropy_op_kernel(xp: Any, features: Any, labels: Any) -> Any:
    if features.ndim != 2:
        raise InvalidArgumentError(message=f"logits must be 2-D, but got shape {_sizes(features)}")
    shape, classes = features.shape, private(labels)
    if labels.shape != shape[:1]:
        raise InvalidArgumentError(message="logits and labels must have the same first dimension, got logits shape "
                                           f"{_sizes(features)} and labels shape {_sizes(labels)}")  # fmt: skip
    if shape[0] and not shape[1]:
        raise InvalidArgumentError(message=f"Must have at least one class, but got logits shape {_sizes(features)}")
    _check_classes(classes, shape[1])
    logits = _matrix(xp, features, shape)
    loss, backprop = xp.zeros(shape[0], logits.dtype), xp.empty(shape, logits.dtype)
    for rows in _blocks(xp, shape):
        out, found = backprop[rows], loss[rows]
        shifted, logs = _softmax_into(xp, logits[rows], out)
        places = xp.arange(0, out.size, shape[1])
        places += classes[rows]
        xp.subtract(logs[:, 0], shifted.reshape(-1)[places], out=found)
        out.reshape(-1)[places] -= 1
    return loss.astype(features.dtype, copy=False), backprop.astype(features.dtype, copy=False)


# ---- the same for one row -----------------------------------------------------------------------


def _rows_of_matrices(features: Tensor, labels: Tensor) -> list[Tensor]:
    wanted = cast(labels, float32) if labels.dtype.size == 2 else labels
    shifted, powers, sums = _shifted_rows(features)
    loss = reduce_sum(multiply(subtract(log(reduce_sum(powers, -1, True)), shifted), wanted), -1)
    return [cast(each, features.dtype) for each in (loss, subtract(truediv(powers, sums), wanted))]


def _are_classes(features: Any, labels: Any) -> bool:
    """features: their sizes."""
    if not labels.size or not labels.dtype.isnative:
        return False
    # One pass instead of two: a negative number is a large one without its sign.
    return int(np.maximum.reduce(labels.view(f"u{labels.itemsize}"))) < features[1]


def _rows_of_classes(features: Tensor, labels: Tensor, places: Tensor) -> list[Tensor]:
    shifted, powers, sums = _shifted_rows(features)
    is_class = equal(places, cast(labels, int32))
    of_class = reduce_sum(select(is_class, shifted, zeros_like(shifted)), -1)
    loss = subtract(log(reduce_sum(powers, -1)), of_class)
    softmax = truediv(powers, sums)
    backprop = select(is_class, subtract(softmax, ones_like(softmax)), softmax)
    return [cast(each, features.dtype) for each in (loss, backprop)]


def _shifted_rows(features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """x - max(x) of each row, exp of it, and the sums of that."""
    wide = cast(features, float32) if features.dtype.size == 2 else features
    shifted = subtract(wide, reduce_max(wide, -1, True))
    powers = exp(shifted)
    return shifted, powers, reduce_sum(powers, -1, True)


softmax_cross_entropy_with_logits_op.row_rule = RowRule(
    _rows_of_matrices, lambda features, labels: len(features) == 2 and tuple(features) == tuple(labels)
)
sparse_softmax_cross_entropy_with_logits_op.row_rule = RowRule(
    _rows_of_classes, lambda features, labels: len(features) == 2 and tuple(features[:1]) == tuple(labels),
    succeeds=_are_classes, checked=1, takes_places=True,
)  # fmt: skip


def _sizes(array: Any) -> str:
    return listed(array.shape)


def _matrix(xp: Any, array: Any, shape: tuple[int, ...]) -> Any:
    """A row-major matrix of that shape; 16-bit floats are computed in float32 and rounded once."""
    wide = array.astype(np.float32) if array.dtype.itemsize == 2 else array
    return xp.ascontiguousarray(wide if wide.shape == shape else xp.broadcast_to(wide, shape))


def _blocks(xp: Any, shape: tuple[int, ...]) -> Iterator[slice]:
    """The rows of each block; a GPU takes them all at once."""
    rows, width = shape
    if not width:
        return
    step = max(1, BLOCK // width) if xp is np else max(1, rows)
    for first in range(0, rows, step):
        yield slice(first, first + step)


def _softmax_into(xp: Any, logits: Any, out: Any) -> tuple[Any, Any]:
    """Write the softmax of rows to `out`; give the logits less the largest, and the logarithms of their sums."""
    shifted = logits - logits.max(1, keepdims=True)
    xp.exp(shifted, out=out)
    sums = _sums(xp, out)
    out /= sums
    return shifted, xp.log(sums)


def _sums(xp: Any, rows: Any) -> Any:
    """The sum of each row, in the order of `reduce_sum`; an axis of size 1 stays."""
    assert reduce_sum.own_kernel is not None
    return reduce_sum.own_kernel(xp, rows, np.asarray(1), True)


def _check_classes(labels: Any, count: int) -> None:
    if not labels.size:
        return
    least, most = int(labels.min()), int(labels.max())
    if least < 0 or most >= count:
        shown = " ".join(map(str, labels[:10].tolist())) + (" ..." if len(labels) > 10 else "")
        raise InvalidArgumentError(message=f"Received a label value of {least if least < 0 else most} which is outside "
                                           f"the valid range of [0, {count}).  Label values: {shown}")  # fmt: skip


# ---- gradients ----------------------------------------------------------------------------------


@softmax_cross_entropy_with_logits_op.gradient("features: g * backprop; labels: -g * log_softmax(features)")
def softmax_cross_entropy_op_gradient(
    ops: Any, op: Operation, g: Tensor | None, of_backprop: Tensor | None
) -> list[Any]:
    features, labels = op.inputs

    def by_labels() -> Tensor:
        parts = []
        if g is not None:
            parts.append(ops.expand_dims(g, 1) * -ops.log_softmax(features))
        if of_backprop is not None:
            parts.append(-of_backprop)
        made: Tensor = ops.add_n(parts) if len(parts) > 1 else parts[0]
        axes = repeated_axes(labels.shape.raw, features.shape.raw)
        if axes is None:
            axes = ops.broadcast_gradient_args(ops.shape(labels), ops.shape(features))[0]
            return ops.reshape(ops.reduce_sum(made, axes), ops.shape(labels))
        return ops.reduce_sum(made, axes, True) if axes else made

    return [lambda: _by_logits(ops, op, g, of_backprop), by_labels]


@sparse_softmax_cross_entropy_with_logits_op.gradient("features: g * backprop")
def sparse_softmax_cross_entropy_op_gradient(
    ops: Any, op: Operation, g: Tensor | None, of_backprop: Tensor | None
) -> list[Any]:
    return [lambda: _by_logits(ops, op, g, of_backprop), None]


def _by_logits(ops: Any, op: Operation, g: Tensor | None, of_backprop: Tensor | None) -> Tensor:
    made: Tensor | None = None if g is None else ops.expand_dims(g, 1) * op.outputs[1]
    if of_backprop is None:
        assert made is not None  # a rule is called where a gradient comes in
        return made
    softmax = ops.softmax(op.inputs[0])
    second: Tensor = (of_backprop - ops.reduce_sum(of_backprop * softmax, 1, True)) * softmax
    return second if made is None else made + second


# ---- samples ------------------------------------------------------------------------------------


@softmax_cross_entropy_with_logits_op.samples
def softmax_cross_entropy_op_samples(rng: np.random.Generator) -> Samples:
    for dtype in ("f4", "f8", "f2"):
        labels = rng.random((3, 4))
        yield sample(rng.standard_normal((3, 4)).astype(dtype), (labels / labels.sum(1, keepdims=True)).astype(dtype))
    yield sample(rng.standard_normal((3, 2)).astype("f4"), np.array([[0.25, 0.75]], "f4"))
    yield sample(np.zeros((0, 3), "f4"), np.zeros((0, 3), "f4"))
    yield sample(np.zeros((2, 0), "f4"), np.zeros((2, 0), "f4"))


@sparse_softmax_cross_entropy_with_logits_op.samples
def sparse_softmax_cross_entropy_op_samples(rng: np.random.Generator) -> Samples:
    for dtype, index in (("f4", "i4"), ("f8", "i8"), ("f2", "i4")):
        yield sample(rng.standard_normal((3, 4)).astype(dtype), np.array([3, 0, 1], index))
    yield sample(np.zeros((0, 3), "f4"), np.zeros(0, "i4"))
