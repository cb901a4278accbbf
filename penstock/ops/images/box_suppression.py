"""`tf.image.non_max_suppression` and its kin: of boxes that overlap, those with the best scores.

The best box is kept; every other one whose overlap with a kept one is too large is left out, and so on. Overlap is the
share of the intersection in the union. A box without area overlaps nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_int
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag, Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import float16, float32, int32
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import reported_as_call
from ..declare.shape_checks import dims_of, require_rank, same_size

PUBLIC_NAMES = {
    "image": (
        "non_max_suppression non_max_suppression_overlaps non_max_suppression_padded "
        "non_max_suppression_with_scores"
    ),
}

_Floats: TypeAlias = Annotated[TensorLike, Operand("T", bits_of(float16, float32), prefer=float32)]
_Single: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(float32), prefer=float32)]
_Count: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]
_Kept = tuple[list[int], list[float]]


@op("NonMaxSuppressionV3", graphdef="T=boxes T_threshold=iou_threshold ->selected_indices", out=int32, host_only=True)
def non_max_suppression_op(
    boxes: _Floats, scores: _Floats, max_output_size: _Count, iou_threshold: _Floats, score_threshold: _Floats,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `tf.image.non_max_suppression`."""


@op(
    "NonMaxSuppressionV4",
    graphdef="T=boxes T_threshold=iou_threshold pad_to_max_output_size ->selected_indices,valid_outputs",
    out=(int32, int32),
    host_only=True,
)
def non_max_suppression_padded_op(
    boxes: _Floats, scores: _Floats, max_output_size: _Count, iou_threshold: _Floats, score_threshold: _Floats,
    pad_to_max_output_size: Flag = False, name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The op behind `tf.image.non_max_suppression_padded`: (numbers of boxes, how many of them count)."""


@op(
    "NonMaxSuppressionV5",
    graphdef="T=boxes pad_to_max_output_size ->selected_indices,selected_scores,valid_outputs",
    out=(int32, "T", int32), host_only=True,
)  # fmt: skip
def non_max_suppression_with_scores_op(
    boxes: _Floats, scores: _Floats, max_output_size: _Count, iou_threshold: _Floats, score_threshold: _Floats,
    soft_nms_sigma: _Floats, pad_to_max_output_size: Flag = False, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The op behind `tf.image.non_max_suppression_with_scores`: (numbers of boxes, their scores, how many count)."""


@op("NonMaxSuppressionWithOverlaps", graphdef="->selected_indices", out=int32, host_only=True, ranks={"overlaps": 2})
def non_max_suppression_overlaps_op(
    overlaps: _Single, scores: _Single, max_output_size: _Count, overlap_threshold: _Single, score_threshold: _Single,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The op behind `tf.image.non_max_suppression_overlaps`."""


for _op in (non_max_suppression_op, non_max_suppression_padded_op, non_max_suppression_with_scores_op,
            non_max_suppression_overlaps_op):  # fmt: skip
    _op.result_names = (_op.type,)  # in TensorFlow the node stands in a scope of its own
    _op.no_gradient("as in TensorFlow, a choice has none")


def _checked(boxes: Tensor, scores: Tensor, numbers: tuple[Tensor, ...], columns: Dim | None) -> None:
    require_rank(boxes, 2, 0)
    require_rank(scores, 1, 1)
    for place, each in enumerate(numbers):
        require_rank(each, 0, place + 2)
    count, width = dims_of(boxes, 2)
    (own,) = dims_of(scores, 1)
    if count is not None and own is not None:
        same_size(count, own, 1, 0, "There is one score for each box.")
    if columns is not None and width is not None:
        same_size(width, columns, 0, 1, "A box is (y1, x1, y2, x2).")


def _chosen_count(boxes: Tensor) -> Dim:
    return unknown("only the run knows how many boxes are chosen", boxes)


@non_max_suppression_op.shape
def non_max_suppression_shape(boxes: Tensor, scores: Tensor, *numbers: Tensor) -> TensorShape:
    _checked(boxes, scores, numbers, 4)
    return shape_of((_chosen_count(boxes),))


@non_max_suppression_overlaps_op.shape
def overlaps_shape(overlaps: Tensor, scores: Tensor, *numbers: Tensor) -> TensorShape:
    _checked(overlaps, scores, numbers, dims_of(overlaps, 2)[0])
    return shape_of((_chosen_count(overlaps),))


def _padded_count(boxes: Tensor, most: Tensor, pads: bool) -> Dim:
    number = known_int(most) if pads else None
    if number is not None and number >= 0:
        return number
    return unknown("max_output_size is not known before the run", most) if pads else _chosen_count(boxes)


@non_max_suppression_padded_op.shape
def padded_shape(boxes: Tensor, scores: Tensor, *rest: Any) -> list[TensorShape]:
    _checked(boxes, scores, rest[:-1], 4)
    return [shape_of((_padded_count(boxes, rest[0], rest[-1]),)), shape_of(())]


@non_max_suppression_with_scores_op.shape
def soft_shape(boxes: Tensor, scores: Tensor, *rest: Any) -> list[TensorShape]:
    _checked(boxes, scores, rest[:-1], 4)
    count = _padded_count(boxes, rest[0], rest[-1])
    return [shape_of((count,)), shape_of((count,)), shape_of(())]


# ---- kernels ------------------------------------------------------------------------------------


def _of_boxes(boxes: Any) -> Callable[[int, list[int]], Any]:
    """The overlaps of a box with others, by their numbers."""
    corners = boxes.astype(np.float32, copy=False)
    top, bottom = np.minimum(corners[:, 0], corners[:, 2]), np.maximum(corners[:, 0], corners[:, 2])
    left, right = np.minimum(corners[:, 1], corners[:, 3]), np.maximum(corners[:, 1], corners[:, 3])
    area = (bottom - top) * (right - left)

    def overlaps(box: int, others: list[int]) -> Any:
        tall = np.minimum(bottom[box], bottom[others]) - np.maximum(top[box], top[others])
        wide = np.minimum(right[box], right[others]) - np.maximum(left[box], left[others])
        joint = np.maximum(tall, 0) * np.maximum(wide, 0)
        share = joint / (area[box] + area[others] - joint)
        return np.where((area[box] > 0) & (area[others] > 0), share, np.float32(0))

    return overlaps


def _suppressed(
    overlaps: Callable[[int, list[int]], Any], scores: Any, most: Any, limit: Any, lowest: Any, sigma: Any = 0.0
) -> _Kept:
    """The numbers of the boxes that are kept, the best first, and their scores.

    A box that waits remembers how many boxes were kept when it was compared last. With `sigma`, overlap lowers its
    score and puts it back in line, by exp(-overlap ** 2 / (2 sigma)).
    """
    limit, lowest, sigma = float(limit), float(lowest), float(sigma)
    waiting = [(-score, box, 0) for box, score in enumerate(scores.tolist()) if score > lowest]
    heapq.heapify(waiting)
    kept: list[int] = []
    kept_scores: list[float] = []
    while waiting and len(kept) < int(most):
        worse, box, compared = heapq.heappop(waiting)
        score, is_over = _compared(overlaps, box, kept[compared:], -worse, limit, lowest, sigma)
        if is_over:
            continue
        if score == -worse:
            kept.append(box)
            kept_scores.append(score)
        elif score > lowest:
            heapq.heappush(waiting, (-score, box, len(kept)))
    return kept, kept_scores


def _compared(
    overlaps: Callable[[int, list[int]], Any], box: int, others: list[int], score: float, limit: float, lowest: float,
    sigma: float,
) -> tuple[float, bool]:  # fmt: skip
    """(the score of a box after overlaps with those kept, whether it is left out); the latest ones count first."""
    if not others:
        return score, False
    for share in overlaps(box, others[::-1]).tolist():
        if sigma <= 0:
            if share > limit:
                return score, True
            continue
        weight = np.exp(np.float32(-0.5 / sigma) * np.float32(share) * np.float32(share))
        score = float(np.float32(score) * np.float32(weight))
        if score <= lowest:
            break
    return score, False


def check_scalars(**values: Any) -> None:
    """Raise where one of the numbers of a call is none."""
    for name, value in values.items():
        if np.ndim(value):
            raise InvalidArgumentError(message=f"{name} must be a scalar, and has shape {list(np.shape(value))}")


def _check(boxes: Any, scores: Any, columns: int) -> None:
    if boxes.ndim != 2 or scores.ndim != 1 or len(boxes) != len(scores) or boxes.shape[1] != columns:
        raise InvalidArgumentError(message=f"boxes has shape {list(boxes.shape)} and scores {list(scores.shape)}; they "
                                           f"must be [n, {columns}] and [n]")  # fmt: skip


def _check_limit(limit: Any) -> None:
    if not 0 <= float(limit) <= 1:
        raise InvalidArgumentError(message=f"iou_threshold must be in [0, 1], and is {float(limit)}")


def kept_boxes(boxes: Any, scores: Any, most: Any, limit: Any, lowest: Any, sigma: Any = 0.0) -> _Kept:
    """The numbers of the boxes that are kept, the best first, and their scores; the kernels of this family call it."""
    _check(boxes, scores, 4)
    check_scalars(max_output_size=most, iou_threshold=limit, score_threshold=lowest, soft_nms_sigma=sigma)
    _check_limit(limit)
    if float(sigma) < 0:
        raise InvalidArgumentError(message=f"soft_nms_sigma must not be negative, and is {float(sigma)}")
    return _suppressed(_of_boxes(boxes), scores, most, limit, lowest, sigma)


def _filled(values: list[Any], dtype: Any, most: Any, pads: bool) -> Any:
    out = np.zeros(max(int(most), 0) if pads else len(values), dtype)
    out[: len(values)] = values
    return out


@non_max_suppression_op.kernel
def non_max_suppression_kernel(xp: Any, boxes: Any, scores: Any, most: Any, limit: Any, lowest: Any) -> Any:
    return np.array(kept_boxes(boxes, scores, most, limit, lowest)[0], np.int32)


@non_max_suppression_padded_op.kernel
def padded_kernel(xp: Any, boxes: Any, scores: Any, most: Any, limit: Any, lowest: Any, pads: bool) -> Any:
    kept, _ = kept_boxes(boxes, scores, most, limit, lowest)
    return [_filled(kept, np.int32, most, pads), np.array(len(kept), np.int32)]


@non_max_suppression_with_scores_op.kernel
def soft_kernel(xp: Any, boxes: Any, scores: Any, most: Any, limit: Any, lowest: Any, sigma: Any, pads: bool) -> Any:
    kept, found = kept_boxes(boxes, scores, most, limit, lowest, sigma)
    return [_filled(kept, np.int32, most, pads), _filled(found, scores.dtype, most, pads),
            np.array(len(kept), np.int32)]  # fmt: skip


@non_max_suppression_overlaps_op.kernel
def overlaps_kernel(xp: Any, overlaps: Any, scores: Any, most: Any, limit: Any, lowest: Any) -> Any:
    _check(overlaps, scores, scores.size)
    check_scalars(max_output_size=most, overlap_threshold=limit, score_threshold=lowest)
    return np.array(_suppressed(lambda box, others: overlaps[box, others], scores, most, limit, lowest)[0], np.int32)


def _sampled_boxes(rng: np.random.Generator) -> tuple[Any, Any]:
    corners, sizes = rng.random((6, 2)), rng.uniform(0.2, 0.6, (6, 2))
    return np.concatenate([corners, corners + sizes], 1).astype("f4"), rng.random(6).astype("f4")


_MOST, _LIMIT, _LOWEST = np.array(4, "i4"), np.array(0.3, "f4"), np.array(0.1, "f4")
_NO_BOXES = (np.zeros((0, 4), "f4"), np.zeros(0, "f4"), _MOST, _LIMIT, _LOWEST)


@non_max_suppression_op.samples
def non_max_suppression_samples(rng: np.random.Generator) -> Samples:
    yield sample(*_sampled_boxes(rng), _MOST, _LIMIT, _LOWEST)
    yield sample(*_NO_BOXES)


@non_max_suppression_padded_op.samples
def padded_samples(rng: np.random.Generator) -> Samples:
    yield sample(*_sampled_boxes(rng), _MOST, _LIMIT, _LOWEST, True)
    yield sample(*_NO_BOXES)


@non_max_suppression_with_scores_op.samples
def soft_samples(rng: np.random.Generator) -> Samples:
    yield sample(*_sampled_boxes(rng), _MOST, _LIMIT, _LOWEST, np.array(0.5, "f4"), True)
    yield sample(*_NO_BOXES, np.array(0.0, "f4"))


@non_max_suppression_overlaps_op.samples
def overlaps_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((5, 5)).astype("f4"), rng.random(5).astype("f4"), _MOST, _LIMIT, _LOWEST)
    yield sample(np.zeros((0, 0), "f4"), np.zeros(0, "f4"), _MOST, _LIMIT, _LOWEST)


# ---- the functions ------------------------------------------------------------------------------



@reported_as_call("non_max_suppression", one_op=True)
def non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), name: str | None = None
) -> Tensor:  # fmt: skip
    """The numbers of the boxes with the best scores, without those that overlap a better one too much.

    Args:
        boxes: floats of shape [n, 4]: opposite corners (y1, x1, y2, x2).
        scores: floats of shape [n].
        max_output_size: how many boxes are chosen at most, an int32 scalar.
        iou_threshold: the largest share of intersection in union that is no reason to leave a box out, in [0, 1].
        score_threshold: boxes with this score or a lower one are left out.

    Returns:
        An int32 vector, the best box first: `tf.gather(boxes, ...)` gives the boxes.

    Raises:
        TypeError: a dtype is another one than float32 or float16, or dtypes differ.
        ValueError: ranks or shapes do not fit.
        InvalidArgumentError (when run): the same; a threshold is not in [0, 1].

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]
    ...     print(session.run(tf.image.non_max_suppression(boxes, [0.8, 0.9, 0.7], 3)))
    [1 2]

    Source: TensorFlow 1.15, `tf.image.non_max_suppression`.
    """
    name = name or "non_max_suppression"
    return non_max_suppression_op(boxes, scores, max_output_size, iou_threshold, score_threshold, name)


@reported_as_call("non_max_suppression_padded", one_op=True)
def non_max_suppression_padded(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), pad_to_max_output_size: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`non_max_suppression` with a result of fixed size.

    Args:
        boxes: floats of shape [n, 4]: opposite corners (y1, x1, y2, x2).
        scores: floats of shape [n].
        max_output_size: how many boxes are chosen at most, an int32 scalar.
        iou_threshold: as there.
        score_threshold: as there.
        pad_to_max_output_size: whether zeros fill the result.

    Returns:
        (an int32 vector, how many of its first entries count, an int32 scalar).

    Raises:
        TypeError: a dtype is another one than float32 or float16, or dtypes differ.
        ValueError: ranks or shapes do not fit.
        InvalidArgumentError (when run): the same; a threshold is not in [0, 1].

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1]]
    ...     print(session.run(tf.image.non_max_suppression_padded(boxes, [0.8, 0.9], 3, pad_to_max_output_size=True)))
    (array([1, 0, 0], dtype=int32), np.int32(1))

    Source: TensorFlow 1.15, `tf.image.non_max_suppression_padded`.
    """
    name = name or "non_max_suppression_padded"
    return non_max_suppression_padded_op(
        boxes, scores, max_output_size, iou_threshold, score_threshold, pad_to_max_output_size, name
    )


@reported_as_call("non_max_suppression_with_scores", one_op=True)
def non_max_suppression_with_scores(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), soft_nms_sigma: TensorLike = 0.0, name: str | None = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`non_max_suppression`, where overlap may lower the scores of boxes instead of leaving them out.

    Args:
        boxes: floats of shape [n, 4]: opposite corners (y1, x1, y2, x2).
        scores: floats of shape [n].
        max_output_size: how many boxes are chosen at most, an int32 scalar.
        iou_threshold: as there; it does not count where `soft_nms_sigma` is not 0.
        score_threshold: as there.
        soft_nms_sigma: a score is multiplied by exp(-overlap ** 2 / (2 sigma)) for each better box; 0 for not at all.

    Returns:
        (an int32 vector, the best box first; the scores of these boxes).

    Raises:
        TypeError: a dtype is another one than float32 or float16, or dtypes differ.
        ValueError: ranks or shapes do not fit.
        InvalidArgumentError (when run): the same; a threshold is not in [0, 1], or `soft_nms_sigma` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
    ...     chosen = tf.image.non_max_suppression_with_scores(boxes, [0.8, 0.9], 3, soft_nms_sigma=0.5)
    ...     print([each.round(3) for each in session.run(chosen)])
    [array([1, 0], dtype=int32), array([0.9  , 0.294], dtype=float32)]

    Source: TensorFlow 1.15, `tf.image.non_max_suppression_with_scores`.
    """
    name = name or "non_max_suppression_with_scores"
    indices, kept_scores, _ = non_max_suppression_with_scores_op(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, False, name
    )
    return indices, kept_scores


@reported_as_call("non_max_suppression_overlaps", one_op=True)
def non_max_suppression_overlaps(
    overlaps: TensorLike, scores: TensorLike, max_output_size: TensorLike, overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), name: str | None = None
) -> Tensor:  # fmt: skip
    """`non_max_suppression` by overlaps that are given.

    Args:
        overlaps: float32 of shape [n, n]: how much two boxes overlap.
        scores: float32 of shape [n].
        max_output_size: how many boxes are chosen at most, an int32 scalar.
        overlap_threshold: the largest overlap that is no reason to leave a box out.
        score_threshold: boxes with this score or a lower one are left out.

    Returns:
        An int32 vector, the best box first.

    Raises:
        TypeError: a dtype is another one.
        ValueError: ranks or shapes do not fit.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     overlaps = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    ...     print(session.run(tf.image.non_max_suppression_overlaps(overlaps, [0.8, 0.9, 0.7], 3)))
    [1 2]

    Source: TensorFlow 1.15, `tf.image.non_max_suppression_overlaps`.
    """
    name = name or "non_max_suppression_overlaps"
    return non_max_suppression_overlaps_op(overlaps, scores, max_output_size, overlap_threshold, score_threshold, name)
