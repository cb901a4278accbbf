"""in_top_k: whether a class is among the k with the largest predictions."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bits_of, bool_, float32, int32
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of, unknown_dims
from ..declare.shape_checks import listed

PUBLIC_NAMES = {"start_nn math": "in_top_k"}

_Predictions = Annotated[TensorLike, Operand(None, bits_of(float32))]
_Class = Annotated[TensorLike, Operand("T", INT32_64, prefer=int32)]


@op("InTopKV2", graphdef="T=targets ->precision", out=bool_, ranks={"predictions": 2, "targets": 1, "k": 0})
def in_top_k(predictions: _Predictions, targets: _Class, k: _Class, name: str | None = None) -> Tensor:
    """Whether the prediction for each target is among the `k` largest of its row.

    Predictions that are equal to the k-th largest are among them. A row that holds NaN or an infinity gives False,
    and so does a target that is not the number of a class.

    Args:
        predictions: a float32 matrix, a row for each example and a column for each class.
        targets: an int32 or int64 vector, the number of a class for each example.
        k: how many predictions are looked at, a scalar of the dtype of `targets`.

    Returns:
        A bool vector of the length of `targets`.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: ranks or sizes do not fit.
        InvalidArgumentError (when run): ranks or sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     predictions = tf.constant([[0.1, 0.7, 0.2], [0.8, 0.15, 0.05]])
    ...     print(session.run(tf.nn.in_top_k(predictions, [1, 2], 1)))
    [ True False]

    Source: TensorFlow 1.x, `tf.nn.in_top_k`.
    """


in_top_k.result_names = ("InTopKV2", "{name}")


@in_top_k.shape
def in_top_k_shape(predictions: Tensor, targets: Tensor, k: Tensor) -> TensorShape:
    rows = predictions.shape.raw
    if rows is None:
        return merge_shapes(unknown_dims(1, "the shape of predictions is not known", predictions), targets.shape)
    return merge_shapes(shape_of(rows[:1]), targets.shape)


@in_top_k.kernel
def in_top_k_kernel(xp: Any, predictions: Any, targets: Any, k: Any) -> Any:
    if predictions.ndim != 2 or targets.ndim != 1 or k.ndim:
        found = ", ".join(listed(each.shape) for each in (predictions, targets, k))
        rule = "predictions must be 2-dimensional, targets 1-dimensional and k a scalar"
        raise InvalidArgumentError(message=f"{rule}, not {found}")
    rows, classes = predictions.shape
    if len(targets) != rows:
        raise InvalidArgumentError(message=f"First dimension of predictions {rows} must match length of targets "
                                           f"{len(targets)}")  # fmt: skip
    if not predictions.size:
        return xp.zeros(rows, bool)
    is_class = (targets >= 0) & (targets < classes)
    of_target = predictions[xp.arange(rows), xp.where(is_class, targets, 0)]
    larger = (predictions > of_target[:, None]).sum(1)
    return is_class & xp.isfinite(predictions).all(1) & (larger < k)


@in_top_k.distributes
@labelled
def in_top_k_distributes(predictions: Tensor, targets: Tensor, k: Tensor) -> Axes | None:
    return [["rows", None], ["rows"]], [["rows"]]


@in_top_k.fails
def in_top_k_fails(predictions: Tensor, targets: Tensor, k: Tensor) -> str | None:
    rows, count = predictions.shape.raw, targets.shape.raw
    fits = rows is not None and count is not None and rows[0] == count[0] and k.shape.ndims == 0
    return None if fits else "that the shapes fit is not known before the run"


@in_top_k.samples
def in_top_k_samples(rng: np.random.Generator) -> Samples:
    x = rng.integers(0, 4, (4, 3)).astype("f4")
    yield sample(x, np.array([0, 2, 1, 3], "i4"), np.array(2, "i4"))
    yield sample(np.array([[1, np.nan], [np.inf, 0]], "f4"), np.array([0, 1], "i8"), np.array(1, "i8"))
    yield sample(np.zeros((0, 3), "f4"), np.zeros(0, "i4"), np.array(1, "i4"))


in_top_k.no_gradient("it gives bools")
