"""`tf.image.combined_non_max_suppression`: the best boxes of several classes, image by image.

Each class is suppressed alone (`box_suppression`); then the best boxes of all classes are kept.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag, Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import float32, int32
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import composite
from ..declare.shape_checks import dims_of, require_rank, same_size
from .box_suppression import check_scalars, kept_boxes

PUBLIC_NAMES = {"image": "combined_non_max_suppression"}

_Single: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(float32), prefer=float32)]
_Count: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]
_Results = tuple[Tensor, Tensor, Tensor, Tensor]


@op(
    "CombinedNonMaxSuppression",
    called="combined_non_max_suppression",
    graphdef="pad_per_class clip_boxes ->nmsed_boxes,nmsed_scores,nmsed_classes,valid_detections",
    out=(float32, float32, float32, int32),
    host_only=True,
    no_gradient="as in TensorFlow, a choice has none",
)
def combined_op(
    boxes: _Single, scores: _Single, max_output_size_per_class: _Count, max_total_size: _Count,
    iou_threshold: _Single, score_threshold: _Single, pad_per_class: Flag = False, clip_boxes: Flag = True,
    name: str | None = None,
) -> _Results:  # fmt: skip
    """The op behind `tf.image.combined_non_max_suppression`."""


class CombinedNonMaxSuppression(NamedTuple):
    """The boxes that are kept.

    Attributes:
        nmsed_boxes: float32 of shape (batch, n, 4), the best first; zeros behind the last one.
        nmsed_scores: float32 of shape (batch, n).
        nmsed_classes: the numbers of their classes, float32 of shape (batch, n).
        valid_detections: how many boxes of each image count, int32 of shape (batch,).
    """

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


@composite("combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size_per_class: TensorLike, max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5, score_threshold: TensorLike = float("-inf"), pad_per_class: bool = False,
    clip_boxes: bool = True, name: str | None = None
) -> CombinedNonMaxSuppression:  # fmt: skip
    """The boxes with the best scores of all classes, without those that overlap a better one of their class too much.

    Args:
        boxes: float32 of shape (batch, boxes, q, 4): opposite corners (y1, x1, y2, x2); q is 1 or one for each class.
        scores: float32 of shape (batch, boxes, classes).
        max_output_size_per_class: how many boxes of a class are chosen at most, an int32 scalar.
        max_total_size: how many boxes of an image are chosen at most, an int32 scalar.
        iou_threshold: the largest share of intersection in union that is no reason to leave a box out, in [0, 1].
        score_threshold: boxes with this score or a lower one are left out.
        pad_per_class: whether the results are no longer than `max_output_size_per_class` for each class.
        clip_boxes: whether coordinates become the nearest ones in [0, 1].

    Returns:
        A named tuple (nmsed_boxes, nmsed_scores, nmsed_classes, valid_detections).

    Raises:
        TypeError: a dtype is another.
        ValueError: ranks or shapes do not fit.
        InvalidArgumentError (when run): the same; a threshold is not in [0, 1].

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     boxes = tf.reshape([0.0, 0.0, 1.0, 1.0, 0.0, 0.1, 1.0, 1.0], [1, 2, 1, 4])
    ...     kept = tf.image.combined_non_max_suppression(boxes, [[[0.8, 0.3], [0.9, 0.1]]], 2, 3)
    ...     print(*(session.run(each) for each in kept[1:]))
    [[0.9 0.3 0. ]] [[0. 1. 0.]] [2]

    Source: TensorFlow 1.15, `tf.image.combined_non_max_suppression`.
    """
    return CombinedNonMaxSuppression(*combined_op(
        boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold, pad_per_class,
        clip_boxes, "CombinedNonMaxSuppression",
    ))  # fmt: skip


@combined_op.shape
def combined_shape(boxes: Tensor, scores: Tensor, *rest: Any) -> list[TensorShape]:
    require_rank(boxes, 4, 0, "Boxes have the batch, their number, the classes or 1, and four coordinates.")
    require_rank(scores, 3, 1, "Scores have the batch, the number of boxes and the classes.")
    for place, each in enumerate(rest[:4]):
        require_rank(each, 0, place + 2)
    (batch, count, q, width), (own_batch, own_count, classes) = dims_of(boxes, 4), dims_of(scores, 3)
    for ours, theirs, dim in ((batch, own_batch, 0), (count, own_count, 1)):
        if ours is not None and theirs is not None:
            same_size(ours, theirs, 1, dim, "There is a score for each box and class.")
    if isinstance(q, int) and isinstance(classes, int) and q != 1:
        same_size(q, classes, 0, 2, "Boxes are the same for all classes, or there is one for each class.")
    if width is not None:
        same_size(width, 4, 0, 3, "A box is (y1, x1, y2, x2).")
    images = batch if batch is not None else own_batch
    if images is None:
        images = unknown("the number of images is not known", boxes)
    kept = _length(rest[0], rest[1], classes, rest[4])
    return [shape_of((images, kept, 4)), shape_of((images, kept)), shape_of((images, kept)), shape_of((images,))]


def _length(each: Tensor, most: Tensor, classes: Dim | None, per_class: bool) -> Dim:
    limit, of_class = known_int(most), known_int(each)
    if limit is None or limit < 0:
        return unknown("max_total_size is not known before the run", most)
    if not per_class:
        return limit
    if of_class is None or not isinstance(classes, int):
        return unknown("max_output_size_per_class or the number of classes is not known", each)
    return min(limit, max(of_class, 0) * classes)


@combined_op.kernel
def combined_kernel(
    xp: Any, boxes: Any, scores: Any, each: Any, most: Any, limit: Any, lowest: Any, per_class: bool, clips: bool
) -> Any:
    if boxes.ndim != 4 or scores.ndim != 3 or boxes.shape[3] != 4 or boxes.shape[:2] != scores.shape[:2]:
        raise InvalidArgumentError(message=f"boxes has shape {list(boxes.shape)} and scores {list(scores.shape)}; they "
                                           "must be [batch, n, q, 4] and [batch, n, classes]")  # fmt: skip
    batch, _, classes = scores.shape
    if boxes.shape[2] not in (1, classes):
        raise InvalidArgumentError(message=f"boxes has {boxes.shape[2]} boxes for {classes} classes; it must have 1 or "
                                           "one for each class")  # fmt: skip
    check_scalars(max_output_size_per_class=each, max_total_size=most, iou_threshold=limit, score_threshold=lowest)
    if int(each) <= 0 or int(most) <= 0:
        raise InvalidArgumentError(message="max_output_size_per_class and max_total_size must be > 0, but are "
                                           f"{each} and {most}")  # fmt: skip
    length = min(int(most), int(each) * classes) if per_class else int(most)
    out_boxes, out_scores = np.zeros((batch, length, 4), np.float32), np.zeros((batch, length), np.float32)
    out_classes, counts = np.zeros((batch, length), np.float32), np.zeros(batch, np.int32)
    for image in range(batch):
        candidates = _of_image(boxes[image], scores[image], each, limit, lowest)[:length]
        counts[image] = len(candidates)
        for place, (score, of_class, box) in enumerate(candidates):
            out_scores[image, place], out_classes[image, place] = score, of_class
            out_boxes[image, place] = boxes[image, box, of_class if boxes.shape[2] > 1 else 0]
    return [np.clip(out_boxes, 0, 1) if clips else out_boxes, out_scores, out_classes, counts]


def _of_image(boxes: Any, scores: Any, each: Any, limit: Any, lowest: Any) -> list[tuple[float, int, int]]:
    """(score, class, number of the box) of the boxes that their classes keep, the best first."""
    candidates: list[tuple[float, int, int]] = []
    for of_class in range(scores.shape[1]):
        own = boxes[:, of_class if boxes.shape[1] > 1 else 0]
        kept, kept_scores = kept_boxes(own, scores[:, of_class], each, limit, lowest)
        candidates += [(score, of_class, box) for box, score in zip(kept, kept_scores, strict=True)]
    return sorted(candidates, key=lambda candidate: -candidate[0])


@combined_op.samples
def combined_samples(rng: np.random.Generator) -> Samples:
    corners, sizes = rng.random((2, 6, 1, 2)), rng.uniform(0.2, 0.6, (2, 6, 1, 2))
    boxes = np.concatenate([corners, corners + sizes], -1).astype("f4")
    numbers = (np.array(2, "i4"), np.array(4, "i4"), np.array(0.3, "f4"), np.array(0.1, "f4"))
    yield sample(boxes, rng.random((2, 6, 3)).astype("f4"), *numbers)
    yield sample(boxes.repeat(3, 2), rng.random((2, 6, 3)).astype("f4"), *numbers, True, False)
    yield sample(np.zeros((1, 0, 1, 4), "f4"), np.zeros((1, 0, 2), "f4"), *numbers)
