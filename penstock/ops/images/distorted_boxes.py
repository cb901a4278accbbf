"""`sample_distorted_bounding_box`: a random part of an image that shows enough of its objects.

Parts are tried until one covers enough of one object. The numbers, the roundings and the order of the tries are
TensorFlow's (core/kernels/sample_distorted_bounding_box_op.cc), so that seeds give the same parts.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, Flag, Int, Operand, TensorLike, at_least, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, float32, int8, int16, int32, int64, uint8
from ...graph.shapes.shape import TensorShape, shape_of
from ..candidates.word_stream import WordStream
from ..declare.composite import reported_as_call
from ..declare.shape_checks import listed
from ..random.philox import Position
from ..random.random_kernels import WORD_FLOPS
from ..random.reused_random_values import draw_several

PUBLIC_NAMES = {"image": "sample_distorted_bounding_box"}

_Sizes: TypeAlias = Annotated[TensorLike, Operand("T", bits_of(uint8, int8, int16, int32, int64), prefer=int32)]
_Floats: TypeAlias = Annotated[TensorLike, Operand(None, float32.bit, prefer=float32)]
_LEAST_AREA = 1.0
"""Pixels of an object that counts, and of a part."""
_F = np.float32


def _pair(value: Any) -> tuple[float, float]:
    found = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(found, (list, tuple)) or len(found) != 2:
        raise ValueRuleError(f"must be a pair of numbers, the least and the largest, not {value!r:.80}")
    if any(isinstance(each, (bool, Tensor)) or not isinstance(each, (int, float, np.number)) for each in found):
        raise DTypeError(f"must be a pair of Python numbers, not {value!r:.80}")
    first, last = float(_F(found[0])), float(_F(found[1]))
    if not 0 < first <= last:
        raise ValueRuleError(f"must be a pair of positive numbers, the least first, not {value!r:.80}")
    return first, last


_Pair: TypeAlias = Annotated[Any, Attr(_pair)]


class BoundingBox(NamedTuple):
    """A part of an image.

    Attributes:
        begin: (row, column, 0), the first argument of `tf.slice` behind the image.
        size: (height, width, -1), its second one.
        bboxes: the part as a box, float32 of shape [1, 1, 4].
    """

    begin: Tensor
    size: Tensor
    bboxes: Tensor


@reported_as_call("SampleDistortedBoundingBox", one_op=True)
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> BoundingBox:
    """A random part of an image that covers enough of one of its objects; the whole image if none is found.

    Args:
        image_size: height, width and channels of the image: ints, shape [3].
        bounding_boxes: the objects as (y_min, x_min, y_max, x_max) in [0, 1]: float32, shape [batch, boxes, 4].
        seed, seed2: the two seeds of the operation; without them those of other random ops, see `set_random_seed`.
        min_object_covered: how much of an object the part covers at least, a float32 scalar.
        aspect_ratio_range: the least and the largest width of the part by its height; (0.75, 1.33) without it.
        area_range: the least and the largest share of the image; (0.05, 1) without it.
        max_attempts: how many parts are tried; 100 without it.
        use_image_if_no_bounding_boxes: whether the whole image is the object where there are no boxes.

    Returns:
        A named tuple (begin, size, bboxes): two vectors of three ints with the dtype of `image_size`, for `tf.slice`,
        and the part as a box, float32 of shape [1, 1, 4].

    Raises:
        TypeError: a dtype is another one, or an option is no number.
        ValueError: a shape is another one, or a range is not two positive numbers, the least first.
        InvalidArgumentError (when run): the same; a coordinate is outside of [0, 1]; there are no boxes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     boxes = tf.constant([[[0.1, 0.2, 0.6, 0.7]]])
    ...     begin, size, _ = tf.image.sample_distorted_bounding_box([50, 40, 3], boxes, seed=1)
    ...     part = tf.slice(tf.zeros([50, 40, 3]), begin, size)
    ...     print(session.run(tf.shape(part))[2])
    3

    Source: TensorFlow 1.x, `tf.image.sample_distorted_bounding_box`.
    """
    arguments = (
        image_size, bounding_boxes, min_object_covered,
        (0.75, 1.33) if aspect_ratio_range is None else aspect_ratio_range,
        (0.05, 1.0) if area_range is None else area_range,
        100 if max_attempts is None else max_attempts, bool(use_image_if_no_bounding_boxes),
    )  # fmt: skip
    seeds = (seed or 0, seed2 or 0) if seed or seed2 else None
    return BoundingBox(*draw_several(distorted_box_op, *arguments, seed=None, name=name, seeds=seeds))


def _dtypes(image_size: Tensor, *rest: Any) -> tuple[DType, DType, DType]:
    return image_size.dtype, image_size.dtype, float32


@op(
    "SampleDistortedBoundingBoxV2", called="sample_distorted_bounding_box", out=_dtypes, host_only=True, fresh=True,
    graphdef=(
        "T=image_size aspect_ratio_range area_range max_attempts use_image_if_no_bounding_boxes seed seed2 "
        "->begin,size,bboxes"
    ),
    ranks={"image_size": 1, "bounding_boxes": 3, "min_object_covered": 0},
    fails="whether the coordinates are in [0, 1] is not known before the run",
)  # fmt: skip
def distorted_box_op(
    image_size: _Sizes,
    bounding_boxes: _Floats,
    min_object_covered: _Floats,
    aspect_ratio_range: _Pair,
    area_range: _Pair,
    max_attempts: Annotated[int, Attr(at_least(1))],
    use_image_if_no_bounding_boxes: Flag,
    seed: Int = 0,
    seed2: Int = 0,
    name: str | None = "sample_distorted_bounding_box",
) -> list[Tensor]:
    """The op behind `sample_distorted_bounding_box`."""


distorted_box_op.result_names = ("{name}", "SampleDistortedBoundingBoxV2")


@distorted_box_op.shape
def distorted_box_shape(sizes: Tensor, boxes: Tensor, covered: Tensor, *rest: Any) -> list[TensorShape]:
    return [shape_of((3,)), shape_of((3,)), shape_of((1, 1, 4))]


distorted_box_op.flops(lambda *_: 4 * WORD_FLOPS)  # the four words of one attempt


@distorted_box_op.draws
def distorted_box_draws(sizes: Any, boxes: Any, covered: Any, ratios: Any, areas: Any, *rest: Any) -> int:
    attempts: int = rest[0]
    return attempts  # blocks of four words


class _Pixels(NamedTuple):
    """Pixels from the first to before the last."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> float:
        return float((self.right - self.left) * (self.bottom - self.top))

    def common(self, other: _Pixels) -> _Pixels:
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return _Pixels(0, 0, 0, 0) if left > right or top > bottom else _Pixels(left, top, right, bottom)


@distorted_box_op.kernel
def distorted_box_kernel(
    xp: Any, at: Position, sizes: Any, boxes: Any, covered: Any, ratios: Any, areas: Any, attempts: int, whole: bool,
    *seeds: int,
) -> Any:  # fmt: skip
    if sizes.shape != (3,):
        raise InvalidArgumentError(message=f"image_size must contain 3 elements, but has shape {listed(sizes.shape)}")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise InvalidArgumentError(message="bounding_boxes must have shape [batch, boxes, 4], got shape "
                                           f"{listed(boxes.shape)}")  # fmt: skip
    if covered.ndim:
        raise InvalidArgumentError(message=f"min_object_covered must be a scalar, got shape {listed(covered.shape)}")
    height, width = int(sizes[0]), int(sizes[1])
    image = _Pixels(0, 0, width, height)
    objects = _objects(boxes.reshape(-1, 4), height, width)
    if not objects:
        if not whole:
            raise InvalidArgumentError(message="No bounding boxes provided as input. One must enable use_image_if_no_"
                                       "bounding_boxes if you wish to not provide any bounding boxes.")  # fmt: skip
        objects = [image]
    found = _part(WordStream(at), image, objects, _F(covered), ratios, areas, attempts) or image
    begin = np.array([found.top, found.left, 0]).astype(sizes.dtype)
    size = np.array([found.bottom - found.top, found.right - found.left, -1]).astype(sizes.dtype)
    scale = np.array([height, width, height, width], np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        box = np.array([found.top, found.left, found.bottom, found.right], np.float32) / scale
    return [begin, size, box.reshape(1, 1, 4)]


def _objects(boxes: Any, height: int, width: int) -> list[_Pixels]:
    if not ((boxes >= 0) & (boxes <= 1)).all():
        raise InvalidArgumentError(message="All bounding box coordinates must be in [0.0, 1.0]")
    scaled = boxes * np.array([height, width, height, width], np.float32)
    return [_Pixels(left, top, right, bottom) for top, left, bottom, right in scaled.astype(np.int32).tolist()]


def _part(
    words: WordStream, image: _Pixels, objects: list[_Pixels], covered: Any, ratios: Any, areas: Any, attempts: int
) -> _Pixels | None:
    """The first part that covers enough of an object; None if there is none among so many."""
    least, largest = _F(ratios[0]), _F(ratios[1])
    for _ in range(attempts):
        ratio = words.floats(1)[0] * (largest - least) + least
        part = _random_part(words, image.right, image.bottom, areas, ratio)
        if part is not None and part.area >= _LEAST_AREA and _covers(part, objects, covered):
            return part
    return None


def _covers(part: _Pixels, objects: list[_Pixels], covered: Any) -> bool:
    large = [each for each in objects if each.area >= _LEAST_AREA]
    return any(_F(part.common(each).area) / _F(each.area) >= covered for each in large)


def _random_part(words: WordStream, width: int, height: int, areas: Any, ratio: Any) -> _Pixels | None:
    """A part of an image with that ratio of width to height; None where the roundings leave the range of areas."""
    if width <= 0 or height <= 0:
        return None
    least, largest = (_F(share) * _F(width) * _F(height) for share in areas)
    tall = _rounded(np.sqrt(least / ratio))
    tallest = _rounded(np.sqrt(largest / ratio))
    if _rounded(_F(tallest) * ratio) > width:  # the largest that is not too wide when it is rounded
        tallest = int(_F(_F(width) + 0.5 - 0.0000001) / ratio)
        tallest -= _rounded(_F(tallest) * ratio) > width
    tallest = min(tallest, height)
    tall = min(tall, tallest)
    if tall < tallest:
        tall += int(words.below(tallest - tall + 1, 1, 32)[0])
    wide = _rounded(_F(tall) * ratio)
    if _F(wide * tall) < least:
        tall += 1
        wide = _rounded(_F(tall) * ratio)
    if _F(wide * tall) > largest:
        tall -= 1
        wide = _rounded(_F(tall) * ratio)
    if not least <= _F(wide * tall) <= largest or not 0 < wide <= width or not 0 < tall <= height:
        return None
    top = int(words.below(height - tall, 1, 32)[0]) if tall < height else 0
    left = int(words.below(width - wide, 1, 32)[0]) if wide < width else 0
    return _Pixels(left, top, left + wide, top + tall)


def _rounded(value: Any) -> int:
    return int(np.rint(value))


@distorted_box_op.samples
def distorted_box_samples(rng: np.random.Generator) -> Samples:
    boxes = np.array([[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 1.0, 0.9]]], "f4")
    common = (np.array(0.3, "f4"), (0.75, 1.33), (0.05, 1.0), 100)
    yield sample(np.array([50, 40, 3], "i4"), boxes, *common, False, 3, 4)
    yield sample(np.array([9, 7, 1], "i8"), np.zeros((1, 0, 4), "f4"), *common, True, 3, 4)


distorted_box_op.no_gradient("the place of the part is drawn, and its size is a whole number")
