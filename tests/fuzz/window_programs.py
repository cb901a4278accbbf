"""Random pools, patches, blocks, resizes and normalizations with their first and second derivatives. The same text
builds them in TensorFlow, whose side this module is, too:

    python -m tests.fuzz.window_programs 0 300 out.npz

TensorFlow's kernels for CPUs lack channels first in gradients; there its side transposes around them. The gradient of
its largest number of images goes to a NaN that comes first in the window, without oneDNN, which crashes for some of
these programs; derivatives of such arrays are not compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

Results = dict[str, Any]
DTYPES = ("float32", "float32", "float64", "float16", "bfloat16")
POOLS = ("max_pool", "avg_pool", "max_pool3d", "avg_pool3d", "max_pool1d", "avg_pool1d", "argmax", "pool")
RESIZES = ("nearest", "bilinear", "bicubic", "resize_images")
BLOCKS = ("space_to_depth", "depth_to_space", "space_to_batch", "batch_to_space")
OTHERS = ("lrn", "patches", "batch_norm", "bias_add", "frames", "colors")
KINDS = (*POOLS, *POOLS[:2], *RESIZES, *BLOCKS, *OTHERS)


@dataclass(frozen=True)
class Program:
    """A call of one of the functions.

    Attributes:
        kind: one of `KINDS`.
        dtype: of its array.
        shape: of its array, channels last.
        call: from a namespace and tensors to the result.
        known: how much of the shape a placeholder has: "all", "rank", "none" or "batch", which leaves out the first.
        values: "normal", "ties" or "odd", which has NaN and infinities.
        is_first: whether the channels are first.
    """

    kind: str
    dtype: str
    shape: tuple[int, ...]
    call: Callable[[Any, Any], Any]
    known: str
    values: str
    is_first: bool


def program_of(seed: int) -> Program:
    """The program of a seed."""
    rng = np.random.RandomState(seed)
    kind = KINDS[rng.randint(len(KINDS))]
    dtype = DTYPES[rng.randint(len(DTYPES))]
    known = ("all", "rank", "none", "batch")[rng.randint(4)]
    values = ("normal", "normal", "ties", "odd")[rng.randint(4)]
    batch = int(rng.choice([1, 2, 3, 0]))
    shape: tuple[int, ...] = (batch, *(int(n) for n in rng.randint(1, 9, 2)), int(rng.randint(1, 5)))
    is_first = False
    if kind in POOLS:
        return _pool(rng, kind, dtype, shape, known, values)
    if kind in RESIZES:
        shape = (batch, *(max(1, n) for n in shape[1:]))
        return _resize(rng, kind, dtype, shape, known, values)
    if kind in BLOCKS:
        return _blocks(rng, kind, dtype, batch, known)
    call: Callable[[Any, Any], Any]
    if kind == "lrn":
        dtype = "float32" if dtype != "float16" else dtype
        values = "normal"  # TensorFlow multiplies with a band matrix, in which 0 * NaN spreads
        radius, bias, alpha = int(rng.randint(0, 6)), 1.0 + rng.rand(), rng.rand()
        beta = float(rng.choice([0.5, 1, 0.75]))
        call = lambda tf, x: tf.nn.lrn(x, radius, bias, alpha, beta)  # noqa: E731
    elif kind == "patches":
        window, steps, rates = ([1, *map(int, rng.randint(1, 4, 2)), 1] for _ in range(3))
        padding = ("SAME", "VALID")[rng.randint(2)]
        call = lambda tf, x: tf.extract_image_patches(x, window, steps, rates, padding)  # noqa: E731
    elif kind == "batch_norm":
        dtype, values, batch = ("float32", "float16")[rng.randint(2)], "normal", max(batch, 1)
        shape, is_first = (batch, *shape[1:]), bool(rng.rand() < 0.4)
        known = "all" if known == "none" else known
        call = _batch_norm(rng, shape[-1], is_first)
    elif kind == "bias_add":
        is_first = bool(rng.rand() < 0.5)
        known = "rank" if known == "none" else known
        bias, form = rng.randn(shape[-1]), "NCHW" if is_first else "NHWC"
        call = lambda tf, x: tf.nn.bias_add(x, tf.cast(tf.constant(bias), x.dtype), form)  # noqa: E731
    elif kind == "frames":
        known = "rank" if known == "none" else known
        call = _frames(rng, shape)
    else:
        known = "rank" if known == "none" else known
        values = "normal"
        dtype = "float32"
        shape = (*shape[:3], 3)
        call = _colors(rng)
    return Program(kind, dtype, shape, call, known, values, is_first)


def _pool(rng: Any, kind: str, dtype: str, shape: tuple[int, ...], known: str, values: str) -> Program:
    count = {"max_pool3d": 3, "avg_pool3d": 3, "max_pool1d": 1, "avg_pool1d": 1}.get(kind, 2)
    if kind == "pool":
        count = int(rng.choice([1, 2, 3]))
    if count == 3:
        # NaN wins or not, as it lies in a vector, in TensorFlow's kernel without oneDNN.
        dtype, values = "float32", "ties" if values == "odd" else values
    sizes = tuple(int(n) for n in rng.randint(1, 9 - 2 * (count == 3), count))
    window, steps = ([int(n) for n in rng.randint(1, 4, count)] for _ in range(2))
    padding: Any = ("SAME", "VALID")[rng.randint(2)]
    if (
        count == 3
        and padding == "SAME"
        and any(
            taps + (-(-size // step) - 1) * step < size for size, taps, step in zip(sizes, window, steps, strict=True)
        )
    ):
        padding = "VALID"  # TensorFlow's kernel then sees other elements than its gradient takes it to see
    is_first = kind != "argmax" and bool(rng.rand() < 0.3)
    form = _form(count, is_first)
    if kind == "pool":
        steps = [min(step, size) for step, size in zip(steps, window, strict=True)]
        rates = [int(n) for n in rng.randint(1, 4, count)] if max(steps) == 1 and padding == "VALID" else [1] * count
        how = ("MAX", "AVG")[rng.randint(2)]
        known = "rank" if known == "none" else known

        def general(tf: Any, x: Any) -> Any:
            theirs = "tensorflow" in tf.__name__
            if theirs and is_first:
                x = _last(tf, x)
            y = tf.nn.pool(x, window, how, padding, rates, steps, data_format=_form(count, is_first and not theirs))
            return _first(tf, y) if theirs and is_first else y

        return Program(kind, dtype, (shape[0], *sizes, shape[-1]), general, known, values, is_first)
    if kind == "argmax":
        dtype = "float32" if dtype == "bfloat16" else dtype
        whole = bool(rng.rand() < 0.5)

        def places(tf: Any, x: Any) -> Any:
            sizes, moves = [1, *window, 1], [1, *steps, 1]
            y, at = tf.nn.max_pool_with_argmax(x, sizes, moves, padding, include_batch_in_index=whole)
            return y + tf.cast(at % 7, y.dtype)

        return Program(kind, dtype, (shape[0], *sizes, shape[-1]), places, known, values, False)
    if kind == "max_pool" and rng.rand() < 0.25:
        kind = "explicit"
        padding = [[0, 0], *([int(rng.randint(0, size)), int(rng.randint(0, size))] for size in window), [0, 0]]

    def plain(tf: Any, x: Any) -> Any:
        theirs, pads = "tensorflow" in tf.__name__, padding
        if theirs and is_first:
            x = _last(tf, x)
        elif is_first and not isinstance(padding, str):
            pads = [padding[0], padding[3], *padding[1:3]]
        function = getattr(tf.nn, "max_pool" if kind == "explicit" else kind)
        y = function(x, window, steps, pads, _form(count, False) if theirs else form)
        return _first(tf, y) if theirs and is_first else y

    if is_first and known == "none":
        known = "rank"
    return Program(kind, dtype, (shape[0], *sizes, shape[-1]), plain, known, values, is_first)


def _form(count: int, is_first: bool) -> str:
    return {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[count][is_first]


def _last(tf: Any, x: Any) -> Any:
    return tf.transpose(x, [0, *range(2, x.shape.ndims), 1])


def _first(tf: Any, x: Any) -> Any:
    return tf.transpose(x, [0, x.shape.ndims - 1, *range(1, x.shape.ndims - 1)])


def _resize(rng: Any, kind: str, dtype: str, shape: tuple[int, ...], known: str, values: str) -> Program:
    if kind == "bicubic" and dtype in ("float16", "bfloat16"):
        dtype = "float32"
    size = [int(n) for n in rng.randint(1, 12, 2)]
    corners, half = ((False, False), (True, False), (False, True))[rng.randint(3)]
    name = {"nearest": "resize_nearest_neighbor", "bilinear": "resize_bilinear", "bicubic": "resize_bicubic"}.get(kind)
    if kind == "resize_images":
        method = int(rng.randint(2))
        known = "rank" if known == "none" else known
        ratio = bool(rng.rand() < 0.3) and min(shape[1:3]) * 3 > max(shape[1:3]) and min(size) > 3
        return Program(kind, dtype, shape, lambda tf, x: tf.image.resize_images(x, size, method, corners, ratio), known,
                       values, False)  # fmt: skip
    assert name is not None
    return Program(kind, dtype, shape, lambda tf, x: getattr(tf.image, name)(
        x, size, align_corners=corners, half_pixel_centers=half
    ), known, values, False)  # fmt: skip


def _blocks(rng: Any, kind: str, dtype: str, batch: int, known: str) -> Program:
    block = int(rng.choice([2, 2, 3]))
    h, w, c = (int(n) for n in rng.randint(1, 4, 3))
    if kind == "space_to_depth":
        return Program(kind, dtype, (batch, h * block, w * block, c), lambda tf, x: tf.space_to_depth(x, block), known,
                       "odd", False)  # fmt: skip
    if kind == "depth_to_space":
        return Program(kind, dtype, (batch, h, w, c * block * block), lambda tf, x: tf.depth_to_space(x, block), known,
                       "odd", False)  # fmt: skip
    other = int(rng.choice([1, 2]))
    cut = [[int(n) for n in rng.randint(0, 3, 2)] for _ in range(2)]
    if kind == "space_to_batch":
        sizes = [h * block + 6 * block, w * other + 6 * other]
        shape = (batch, *(n - sum(pair) for n, pair in zip(sizes, cut, strict=True)), c)
        return Program(kind, dtype, shape, lambda tf, x: tf.space_to_batch_nd(x, [block, other], cut), known, "odd",
                       False)  # fmt: skip
    return Program(kind, dtype, (batch * block * other, h, w + 1, c),
                   lambda tf, x: tf.batch_to_space_nd(x, [block, other], cut), known, "odd", False)  # fmt: skip


def _batch_norm(rng: Any, channels: int, is_first: bool) -> Callable[[Any, Any], Any]:
    scale, offset, mean = (rng.randn(channels).astype("f4") for _ in range(3))
    variance = rng.rand(channels).astype("f4") + 0.5
    training, factor = bool(rng.rand() < 0.6), float(rng.choice([1.0, 0.3]))
    form = "NCHW" if is_first else "NHWC"

    def call(tf: Any, x: Any) -> Any:
        theirs = "tensorflow" in tf.__name__
        if theirs and is_first:
            x = _last(tf, x)
        moving = (mean, variance) if not training or factor != 1.0 else (None, None)
        y, m, v = tf.nn.fused_batch_norm(x, scale, offset, *moving, 0.01, "NHWC" if theirs else form, training,
                                         exponential_avg_factor=factor if training else 1.0)  # fmt: skip
        y = _first(tf, y) if theirs and is_first else y
        spread = tf.stop_gradient(tf.reduce_sum(m) + tf.reduce_sum(v))
        return y + tf.cast(spread if training else 0 * spread, y.dtype)

    return call


def _frames(rng: Any, shape: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    h, w = shape[1:3]
    target = [int(n) for n in rng.randint(1, 9, 2)]
    top, left = int(rng.randint(0, h)), int(rng.randint(0, w))
    part = float(rng.choice([0.3, 0.5, 0.7, 1.0]))
    turns = int(rng.randint(4))
    calls: list[Callable[[Any, Any], Any]] = [
        lambda tf, x: tf.image.flip_left_right(x),
        lambda tf, x: tf.image.flip_up_down(x),
        lambda tf, x: tf.image.transpose_image(x),
        lambda tf, x: tf.image.rot90(x, turns),
        lambda tf, x: tf.image.resize_image_with_crop_or_pad(x, *target),
        lambda tf, x: tf.image.crop_to_bounding_box(x, top, left, h - top, w - left),
        lambda tf, x: tf.image.pad_to_bounding_box(x, top, left, h + top + 1, w + left),
        lambda tf, x: tf.image.central_crop(x, part),
    ]
    return calls[rng.randint(len(calls))]


def _colors(rng: Any) -> Callable[[Any, Any], Any]:
    number = float(rng.rand())
    calls: list[Callable[[Any, Any], Any]] = [
        lambda tf, x: tf.image.rgb_to_grayscale(x),
        lambda tf, x: tf.image.grayscale_to_rgb(x[..., :1]),
        lambda tf, x: tf.image.adjust_brightness(x, number),
        lambda tf, x: tf.image.adjust_contrast(x, 2 * number),
        lambda tf, x: tf.image.per_image_standardization(x),
        lambda tf, x: tf.cast(tf.image.convert_image_dtype(tf.abs(x) / (1 + tf.abs(x)), tf.uint8), tf.float32),
        lambda tf, x: tf.cast(tf.image.adjust_brightness(tf.cast(tf.abs(x) * 90.0, tf.uint8), number), tf.float32),
        lambda tf, x: tf.cast(tf.image.rgb_to_grayscale(tf.cast(tf.abs(x) * 50.0, tf.uint8)), tf.float32),
    ]
    return calls[rng.randint(len(calls))]


def array_of(p: Program, seed: int) -> Any:
    """The array that is fed."""
    rng = np.random.RandomState(seed + 1)
    x = rng.randn(*p.shape)
    if p.values == "ties":
        x = rng.randint(-2, 3, p.shape).astype(float)
    elif p.values == "odd" and x.size and p.kind not in OTHERS[2:4]:
        flat = x.reshape(-1)
        for value in (np.nan, np.inf, -np.inf, -0.0):
            flat[rng.randint(0, x.size, max(1, x.size // 10))] = value
    return np.moveaxis(x, -1, 1) if p.is_first else x


def results(tf: Any, seed: int) -> Results:
    """What a program gives: its values, first and second derivatives, or the word "error".

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        seed: the program.
    """
    p = program_of(seed)
    x_value = np.ascontiguousarray(array_of(p, seed))
    shape: Any = {"all": list(x_value.shape), "rank": [None] * x_value.ndim, "none": None,
                  "batch": [None, *x_value.shape[1:]]}[p.known]  # fmt: skip
    fed = tf.placeholder(tf.float64, shape)
    found: Results = {}
    errors = (ValueError, TypeError, tf.errors.InvalidArgumentError)
    with tf.Session() as session:
        run = lambda t: session.run(tf.cast(t, tf.float64), {fed: x_value})  # noqa: E731
        try:
            x = tf.cast(fed, tf.as_dtype(p.dtype))
            y = p.call(tf, x)
            value = run(y)
        except errors:
            return {f"{seed}/y": np.array("error")}
        found[f"{seed}/y"] = value
        if p.values == "odd" and p.kind in ("max_pool", "explicit", "max_pool1d", "pool"):
            return found
        try:
            weight = tf.cast(tf.constant(np.cos(np.arange(value.size)).reshape(value.shape)), y.dtype)
            slope = tf.gradients(y, x, weight)[0]
            if slope is not None:
                found[f"{seed}/first"] = run(slope)
                # The derivative of the slope by what comes in is the way back: it is linear in that.
                once = tf.cast(tf.constant(np.sin(np.arange(x_value.size)).reshape(x_value.shape)), x.dtype)
                again = tf.gradients(slope, weight, once)[0]
                if again is not None:
                    found[f"{seed}/second"] = run(again)
        except (*errors, LookupError) as error:
            found[f"{seed}/no gradient"] = np.array(type(error).__name__)
    return found


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tensorflow = import_module("tensorflow")
    first, count, path = sys.argv[1:]
    found: Results = {}
    for seed in range(int(first), int(first) + int(count)):
        with tensorflow.Graph().as_default():
            try:
                found |= results(tensorflow.compat.v1, seed)
            except Exception as error:
                print(seed, program_of(seed), type(error).__name__, str(error)[:300], file=sys.stderr)
                found[f"{seed}/y"] = np.array("none")
    np.savez(path, **found)


if __name__ == "__main__":
    main()
