"""Random arguments for the ops that cut images into blocks and patches, as `play_random_cases` has them for others."""

from __future__ import annotations

import numpy as np

from .play_random_cases import Args, Rng, cases_of, dtype_in, ints, some_shape, values, wrong

_OF_IMAGES = "uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64"


def _image(rng: Rng, height: int, width: int, channels: int, names: str, is_first: bool = False) -> np.ndarray:
    """An image whose layout has the channels first or last; of another rank where that is to go wrong."""
    sizes = [int(rng.integers(0, 3)), height, width, channels]
    shape = [sizes[0], sizes[3], *sizes[1:3]] if is_first else sizes
    return values(rng, some_shape(rng, 1, 4) if wrong(rng) else shape, dtype_in(rng, names))  # type: ignore[no-any-return]


@cases_of("SpaceToDepth", "DepthToSpace")
def _(rng: Rng) -> Args:
    block, is_first = int(rng.integers(2, 4)), bool(rng.random() < 0.4)
    height, width = [block * int(n) + int(wrong(rng)) for n in rng.integers(0, 3, 2)]
    channels = block * block * int(rng.integers(1, 3)) + int(wrong(rng))
    image = _image(rng, height, width, channels, "bool int32 float32 complex64 string", is_first)
    return [image, block, "NCHW" if is_first else "NHWC"]


def _blocks(rng: Rng) -> tuple[list[int], np.ndarray, np.ndarray]:
    """The sizes of blocks, they and their ends as operands."""
    blocks = [int(n) for n in rng.integers(1, 4, int(rng.integers(1, 3)))]
    ends = ints(rng, 0, 3, [len(blocks) + int(wrong(rng)), 2])
    return blocks, np.array(blocks, rng.choice(["int32", "int64"])) - int(wrong(rng)), ends


@cases_of("SpaceToBatchND")
def _(rng: Rng) -> Args:
    blocks, block_shape, paddings = _blocks(rng)
    spatial = [max(0, by * 3 - int(pair.sum())) for by, pair in zip(blocks, paddings, strict=False)]
    shape = [int(rng.integers(0, 3)), *spatial, *some_shape(rng, 0, 1)]
    return [values(rng, shape[: len(shape) - int(wrong(rng))], dtype_in(rng)), block_shape, paddings]


@cases_of("BatchToSpaceND")
def _(rng: Rng) -> Args:
    blocks, block_shape, crops = _blocks(rng)
    batch = int(np.prod(blocks)) * int(rng.integers(0, 3)) + int(wrong(rng))
    shape = [batch, *rng.integers(1, 4, len(blocks)), *some_shape(rng, 0, 1)]
    return [values(rng, shape, dtype_in(rng)), block_shape, crops]


@cases_of("ExtractImagePatches")
def _(rng: Rng) -> Args:
    shape = [int(rng.integers(0, 3)), *rng.integers(3, 7, 2), int(rng.integers(1, 3))]
    image = values(rng, shape, dtype_in(rng, _OF_IMAGES))
    windows = [(1, *[int(n) for n in rng.integers(1, 3, 2)], 1) for _ in range(3)]
    return [image, *windows, str(rng.choice(["SAME", "VALID"]))]


_OF_GRADIENTS = "uint8 int8 int32 float16 bfloat16 float32 float64"


def _sizes_and_rules(rng: Rng) -> tuple[tuple[int, int, int], list[bool]]:
    """Height, width and channels of an image; whether corners are aligned, and pixels have their centers halfway."""
    height, width, channels = [int(n) for n in rng.integers(0 if wrong(rng) else 1, 5, 3)]
    return (height, width, channels), [bool(rng.random() < 0.4), bool(rng.random() < 0.3)]


def _size(rng: Rng) -> np.ndarray:
    return np.array(rng.integers(0 if wrong(rng) else 1, 7, 2 + int(wrong(rng))), np.int32)


@cases_of("ResizeNearestNeighbor", "ResizeBilinear", "ResizeBicubic")
def _(rng: Rng) -> Args:
    sizes, rules = _sizes_and_rules(rng)
    return [_image(rng, *sizes, _OF_IMAGES), _size(rng), *rules]


@cases_of("ResizeNearestNeighborGrad")
def _(rng: Rng) -> Args:
    sizes, rules = _sizes_and_rules(rng)
    return [_image(rng, *sizes, _OF_GRADIENTS), _size(rng), *rules]


def _by_image(rng: Rng, names: str) -> Args:
    """Gradients and the images that were resized."""
    sizes, rules = _sizes_and_rules(rng)
    grads = _image(rng, *sizes, "float32")
    ends = [grads.shape[0] + int(wrong(rng)), grads.shape[-1] + int(wrong(rng))]
    shape = [ends[0], *[int(n) for n in rng.integers(0 if wrong(rng) else 1, 7, 2)], ends[1]]
    return [grads, values(rng, shape[: len(shape) - int(wrong(rng))], dtype_in(rng, names)), *rules]


@cases_of("ResizeBilinearGrad")
def _(rng: Rng) -> Args:
    return _by_image(rng, "float16 bfloat16 float32 float64")


@cases_of("ResizeBicubicGrad")
def _(rng: Rng) -> Args:
    return _by_image(rng, "float32 float64")
