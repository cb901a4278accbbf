"""Calls of convolutions whose values, static shapes and gradients are recorded; `nn_cases.evaluate` runs them.

TensorFlow's kernels for CPUs lack channels first and, backwards, dilations. Where a case needs these, `plainly` says
the same with what TensorFlow has: transposes, zeros around the input, a convolution with holes and every n-th position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .nn_cases import Case

RNG = np.random.default_rng(20261128)
START = RNG.bit_generator.state
ONES = [1, 1, 1, 1]
FLOATS = ("float32", "float64", "float16")


def cases() -> Iterator[Case]:
    """All of them, with the same operands each time."""
    RNG.bit_generator.state = START
    yield from _images()
    yield from _without_kernels()
    yield from _gradients()
    yield from _depthwise()
    yield from _sequences_and_volumes()
    yield from _transposed()
    yield from _with_holes()
    yield from _wrong()


def normal(*shape: int) -> Any:
    """Numbers with two digits."""
    return RNG.standard_normal(shape).round(2)


def plainly(tf: Any, x: Any, w: Any, strides: Any, padding: Any, data_format: str, dilations: Sequence[int]) -> Any:
    """`conv2d` with layouts and dilations that TensorFlow's CPU kernels lack, or for Penstock the call itself."""
    if not tf.__name__.startswith("tensorflow") and "tensorflow" not in tf.__name__:
        return tf.nn.conv2d(x, w, strides, padding, data_format=data_format, dilations=list(dilations))
    first = data_format == "NCHW"
    if first:
        x = tf.transpose(x, [0, 2, 3, 1])
    steps, rates = (list(each[2:] if first else each[1:3]) for each in (strides, dilations))
    sizes, window = x.shape.as_list()[1:3], w.shape.as_list()[:2]
    if padding == "SAME":
        pads = []
        for size, taps, step, rate in zip(sizes, window, steps, rates, strict=True):
            needed = max(0, (-(-size // step) - 1) * step + (taps - 1) * rate + 1 - size)
            pads.append([needed // 2, needed - needed // 2])
    else:
        pads = [[0, 0], [0, 0]] if padding == "VALID" else list(padding[2:] if first else padding[1:3])
    y = tf.nn.convolution(tf.pad(x, [[0, 0], *pads, [0, 0]]), w, "VALID", dilation_rate=rates)
    y = y[:, :: steps[0], :: steps[1]]
    return tf.transpose(y, [0, 3, 1, 2]) if first else y


def _images() -> Iterator[Case]:
    for padding in ("SAME", "VALID", [[0, 0], [1, 2], [0, 3], [0, 0]]):
        for strides in ([1, 1, 1, 1], [1, 2, 2, 1], [1, 3, 1, 1]):
            yield Case(
                f"conv2d {padding} {strides}",
                lambda tf, x, w, s=strides, p=padding: tf.nn.conv2d(x, w, s, p),
                (normal(2, 5, 6, 2), normal(3, 2, 2, 3)), FLOATS,
            )  # fmt: skip
    conv = Case("", lambda tf, x, w: tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME"), ())
    for name, x, w in (
        ("an even filter", (1, 5, 4, 1), (4, 4, 1, 2)), ("a filter larger than the image", (1, 2, 3, 2), (5, 5, 2, 1)),
        ("one tap", (2, 3, 3, 4), (1, 1, 4, 3)), ("no images", (0, 4, 4, 2), (2, 2, 2, 3)),
        ("no filters", (2, 4, 4, 2), (2, 2, 2, 0)),
        ("two groups", (2, 4, 4, 4), (2, 2, 2, 6)), ("a row", (2, 1, 9, 3), (1, 3, 3, 2)),
    ):  # fmt: skip
        yield Case(f"conv2d, {name}", conv.call, (normal(*x), normal(*w)), ("float32",))
        yield Case(f"conv2d, {name}, unknown", conv.call, (normal(*x), normal(*w)), ("float64",), unknown=True)
    # TensorFlow leaves the gradients of filters uninitialised where images have no rows.
    yield Case("conv2d, no rows", lambda tf, x, w: tf.stop_gradient(conv.call(tf, x, w)),
               (normal(2, 0, 4, 2), normal(2, 2, 2, 3)), ("float32",))  # fmt: skip
    x = normal(1, 4, 4, 1)
    x[0, 1, 1, 0], x[0, 3, 3, 0] = np.nan, np.inf
    yield Case("conv2d, NaN and infinity", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "VALID"), (x, normal(2, 2, 1, 2)),
               ("float32",))  # fmt: skip
    ints = RNG.integers(-9, 9, (2, 4, 4, 2)).astype("i4"), RNG.integers(-9, 9, (3, 3, 2, 2)).astype("i4")
    yield Case("conv2d of ints", lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME"), ints, ("float32",))
    yield Case("conv2d, strides of two", lambda tf, x, w: tf.nn.conv2d(x, w, [2, 1], "SAME", data_format=None),
               (normal(1, 5, 5, 1), normal(3, 3, 1, 2)), ("float32",))  # fmt: skip
    yield Case("conv2d, by keywords",
               lambda tf, x, w: tf.nn.conv2d(input=x, filters=w, strides=2, padding="VALID", use_cudnn_on_gpu=False),
               (normal(1, 5, 5, 1), normal(3, 3, 1, 2)), ("float32",))  # fmt: skip
    yield Case("conv2d, dilations forwards",
               lambda tf, x, w: tf.stop_gradient(tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME", dilations=[1, 2, 3, 1])),
               (normal(2, 7, 8, 2), normal(3, 2, 2, 3)), FLOATS)  # fmt: skip
    yield Case("conv2d twice", lambda tf, x, w: tf.nn.conv2d(tf.tanh(tf.nn.conv2d(x, w, 1, "SAME")), w, 2, "VALID"),
               (normal(1, 5, 5, 2), normal(3, 3, 2, 2) / 3), ("float32", "float64"))  # fmt: skip


def _without_kernels() -> Iterator[Case]:
    for padding in ("SAME", "VALID", [[0, 0], [0, 0], [1, 0], [2, 1]]):
        for step, rate in ((1, 1), (2, 1), (1, 2), (2, 3), (3, 2)):
            yield Case(
                f"conv2d NCHW {padding}, stride {step}, dilation {rate}",
                lambda tf, x, w, p=padding, s=step, r=rate: plainly(tf, x, w, [1, 1, s, 1], p, "NCHW", [1, 1, r, 1]),
                (normal(2, 2, 7, 5), normal(3, 2, 2, 3)), ("float32", "float64"),
            )  # fmt: skip
    for step, rate in ((1, 2), (2, 2), (2, 3), (3, 2), (4, 6)):
        yield Case(
            f"conv2d SAME, stride {step}, dilation {rate}",
            lambda tf, x, w, s=step, r=rate: plainly(tf, x, w, [1, s, 1, 1], "SAME", "NHWC", [1, r, 2, 1]),
            (normal(1, 9, 6, 2), normal(3, 3, 2, 2)), ("float32", "float64"),
        )  # fmt: skip


def _gradients() -> Iterator[Case]:
    def by_input(tf: Any, w: Any, dy: Any, **more: Any) -> Any:
        return tf.nn.conv2d_backprop_input([2, 5, 6, 2], w, dy, [1, 2, 1, 1], "SAME", **more)

    def by_filter(tf: Any, x: Any, dy: Any) -> Any:
        return tf.nn.conv2d_backprop_filter(x, [3, 2, 2, 3], dy, [1, 2, 1, 1], "SAME")

    for unknown in (False, True):
        name = ", unknown" if unknown else ""
        yield Case(f"conv2d_backprop_input{name}", by_input, (normal(3, 2, 2, 3), normal(2, 3, 6, 3)), FLOATS, unknown)
        yield Case(f"conv2d_backprop_filter{name}", by_filter, (normal(2, 5, 6, 2), normal(2, 3, 6, 3)), FLOATS,
                   unknown)  # fmt: skip
        yield Case(f"conv2d_backprop_input of another size{name}", by_input, (normal(3, 2, 2, 3), normal(2, 4, 6, 3)),
                   ("float32",), unknown)  # fmt: skip
        yield Case(f"conv2d_backprop_filter of another size{name}", by_filter, (normal(2, 5, 6, 2), normal(2, 3, 5, 3)),
                   ("float32",), unknown)  # fmt: skip
    yield Case("conv2d_backprop_input, height and width",
               lambda tf, w, dy: tf.nn.conv2d_backprop_input([5, 6], w, dy, [1, 1, 1, 1], "SAME"),
               (normal(2, 2, 2, 3), normal(2, 5, 6, 3)), ("float32",), second=False)  # fmt: skip


def _depthwise() -> Iterator[Case]:
    for padding in ("SAME", "VALID", [[0, 0], [1, 2], [0, 3], [0, 0]]):
        for step in (1, 2):
            yield Case(
                f"depthwise_conv2d {padding}, stride {step}",
                lambda tf, x, w, s=step, p=padding: tf.nn.depthwise_conv2d(x, w, [1, s, s, 1], p),
                (normal(2, 5, 6, 3), normal(3, 2, 3, 2)), FLOATS,
            )  # fmt: skip
    yield Case("depthwise_conv2d, rate", lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", [2, 3]),
               (normal(2, 7, 6, 2), normal(3, 2, 2, 1)), ("float32", "float64"))  # fmt: skip
    yield Case("depthwise_conv2d, rate, VALID",
               lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID", rate=[2, 1], name="d"),
               (normal(2, 7, 6, 2), normal(3, 2, 2, 1)), ("float32",))  # fmt: skip
    yield Case("depthwise_conv2d, no images",
               lambda tf, x, w: tf.stop_gradient(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")),
               (normal(0, 4, 4, 2), normal(3, 3, 2, 2)), ("float32",))  # fmt: skip
    yield Case("depthwise_conv2d_native, unknown",
               lambda tf, x, w: tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME"),
               (normal(2, 4, 5, 3), normal(2, 3, 3, 1)), ("float32",), unknown=True)  # fmt: skip
    yield Case("depthwise_conv2d_native_backprop_input",
               lambda tf, w, dy: tf.nn.depthwise_conv2d_native_backprop_input([2, 4, 5, 3], w, dy, ONES, "SAME"),
               (normal(2, 3, 3, 2), normal(2, 4, 5, 6)), ("float32", "float64"))  # fmt: skip
    yield Case("depthwise_conv2d_native_backprop_filter",
               lambda tf, x, dy: tf.nn.depthwise_conv2d_native_backprop_filter(x, [2, 3, 3, 2], dy, ONES, "SAME"),
               (normal(2, 4, 5, 3), normal(2, 4, 5, 6)), ("float32", "float64"))  # fmt: skip
    for name, more in (("", {}), (", rate", {"rate": [2, 2]})):
        yield Case(
            f"separable_conv2d{name}",
            lambda tf, x, w, p, more=more: tf.nn.separable_conv2d(x, w, p, [1, 1, 1, 1], "SAME", **more),
            (normal(2, 5, 4, 2), normal(3, 3, 2, 2), normal(1, 1, 4, 3)), ("float32", "float64"),
        )  # fmt: skip
    yield Case("separable_conv2d, stride 2",
               lambda tf, x, w, p: tf.nn.separable_conv2d(x, w, p, [1, 2, 2, 1], "VALID"),
               (normal(2, 5, 4, 2), normal(3, 3, 2, 2), normal(1, 1, 4, 3)), ("float32",))  # fmt: skip


def _sequences_and_volumes() -> Iterator[Case]:
    for padding in ("SAME", "VALID"):
        for step in (1, 3):
            yield Case(f"conv1d {padding}, stride {step}",
                       lambda tf, x, w, s=step, p=padding: tf.nn.conv1d(x, w, s, p),
                       (normal(2, 8, 3), normal(4, 3, 2)), FLOATS)  # fmt: skip
            yield Case(f"conv3d {padding}, stride {step}",
                       lambda tf, x, w, s=step, p=padding: tf.nn.conv3d(x, w, [1, s, 1, s, 1], p),
                       (normal(2, 4, 3, 5, 2), normal(2, 3, 2, 2, 2)), FLOATS)  # fmt: skip
    yield Case("conv1d, unknown", lambda tf, x, w: tf.nn.conv1d(value=x, filters=w, stride=2, padding="SAME"),
               (normal(2, 8, 3), normal(4, 3, 2)), ("float32",), unknown=True)  # fmt: skip
    yield Case("conv1d, dilations", lambda tf, x, w: tf.stop_gradient(tf.nn.conv1d(x, w, 1, "SAME", dilations=2)),
               (normal(2, 8, 3), normal(3, 3, 2)), ("float32",))  # fmt: skip
    yield Case("conv3d, unknown", lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME"),
               (normal(1, 4, 3, 5, 2), normal(2, 3, 2, 2, 2)), ("float32",), unknown=True)  # fmt: skip
    yield Case("conv3d, no volumes", lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME"),
               (normal(0, 4, 3, 5, 2), normal(2, 3, 2, 2, 2)), ("float32",), second=False)  # fmt: skip
    yield Case("conv3d_backprop_filter_v2",
               lambda tf, x, dy: tf.nn.conv3d_backprop_filter_v2(x, [2, 2, 1, 2, 3], dy, [1, 1, 2, 1, 1], "VALID"),
               (normal(2, 3, 4, 2, 2), normal(2, 2, 2, 2, 3)), ("float32", "float64"))  # fmt: skip


def _transposed() -> Iterator[Case]:
    for padding, size in (("SAME", 6), ("SAME", 5), ("VALID", 7), ([[0, 0], [1, 0], [0, 1], [0, 0]], 6)):
        yield Case(f"conv2d_transpose {padding} to {size}",
                   lambda tf, x, w, p=padding, n=size: tf.nn.conv2d_transpose(x, w, [2, n, n, 3], [1, 2, 2, 1], p),
                   (normal(2, 3, 3, 2), normal(3, 3, 3, 2)), FLOATS)  # fmt: skip
    yield Case("conv2d_transpose, unknown",
               lambda tf, x, w: tf.nn.conv2d_transpose(x, w, tf.stack([tf.shape(x)[0], 6, 6, 3]), [1, 2, 2, 1]),
               (normal(2, 3, 3, 2), normal(3, 3, 3, 2)), ("float32",), unknown=True)  # fmt: skip
    yield Case("conv2d_transpose to another size",
               lambda tf, x, w: tf.nn.conv2d_transpose(x, w, [2, 8, 6, 3], [1, 2, 2, 1]),
               (normal(2, 3, 3, 2), normal(3, 3, 3, 2)), ("float32",))  # fmt: skip
    yield Case("conv1d_transpose", lambda tf, x, w: tf.nn.conv1d_transpose(x, w, [2, 7, 3], 2, "SAME"),
               (normal(2, 4, 2), normal(3, 3, 2)), ("float32", "float64"))  # fmt: skip
    yield Case("conv3d_transpose", lambda tf, x, w: tf.nn.conv3d_transpose(x, w, [1, 4, 3, 4, 3], [1, 2, 1, 2, 1]),
               (normal(1, 2, 3, 2, 2), normal(2, 3, 2, 3, 2)), ("float32", "float64"))  # fmt: skip
    yield Case("conv_transpose", lambda tf, x, w: tf.nn.conv_transpose(x, w, [2, 6, 6, 3], 2),
               (normal(2, 3, 3, 2), normal(3, 3, 3, 2)), ("float32",))  # fmt: skip


def _with_holes() -> Iterator[Case]:
    for padding in ("SAME", "VALID"):
        for rate in (1, 2, 3):
            yield Case(f"atrous_conv2d {padding}, rate {rate}",
                       lambda tf, x, w, r=rate, p=padding: tf.nn.atrous_conv2d(x, w, r, p),
                       (normal(2, 8, 9, 2), normal(3, 2, 2, 3)), ("float32", "float64"))  # fmt: skip
        size = 6 if padding == "SAME" else 10
        yield Case(f"atrous_conv2d_transpose {padding}",
                   lambda tf, x, w, p=padding, n=size: tf.nn.atrous_conv2d_transpose(x, w, [2, n, n, 3], 2, p),
                   (normal(2, 6, 6, 2), normal(3, 3, 3, 2)), ("float32", "float64"))  # fmt: skip
    yield Case("convolution of sequences", lambda tf, x, w: tf.nn.convolution(x, w, "SAME", [2]),
               (normal(2, 8, 3), normal(3, 3, 2)), ("float32",))  # fmt: skip
    yield Case("convolution of sequences, dilated",
               lambda tf, x, w: tf.nn.convolution(x, w, "VALID", dilation_rate=[2]),
               (normal(2, 8, 3), normal(3, 3, 2)), ("float32",))  # fmt: skip
    yield Case("convolution of volumes, dilated",
               lambda tf, x, w: tf.nn.convolution(input=x, filter=w, padding="SAME", dilation_rate=[2, 1, 2]),
               (normal(1, 5, 3, 4, 2), normal(2, 2, 2, 2, 2)), ("float32", "float64"))  # fmt: skip


def _wrong() -> Iterator[Case]:
    x, w = normal(2, 5, 5, 4), normal(3, 3, 4, 2)
    wrong: dict[str, Any] = {
        "rank 3": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "SAME"), x[0], w),
        "a filter of rank 3": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "SAME"), x, w[0]),
        "other channels": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "SAME"), x, w[:, :, :3]),
        "a large filter": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "VALID"), x[:, :2], w),
        "no taps": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "VALID"), x, w[:0]),
        "a stride of 0": (lambda tf, a, b: tf.nn.conv2d(a, b, [1, 0, 1, 1], "SAME"), x, w),
        "three strides": (lambda tf, a, b: tf.nn.conv2d(a, b, [1, 1, 1], "SAME"), x, w),
        "a dilation of 0": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "SAME", dilations=[1, 0, 1, 1]), x, w),
        "another padding": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "FULL"), x, w),
        "EXPLICIT": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "EXPLICIT"), x, w),
        "a negative padding": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, [[0, 0], [-1, 0], [0, 0], [0, 0]]), x, w),
        "padded channels": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, [[0, 0], [0, 0], [0, 0], [1, 0]]), x, w),
        "two paddings": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, [[0, 0], [1, 0]]), x, w),
        "another layout": (lambda tf, a, b: tf.nn.conv2d(a, b, 1, "SAME", data_format="NWHC"), x, w),
        "depthwise, other channels": (lambda tf, a, b: tf.nn.depthwise_conv2d(a, b, ONES, "SAME"), x, w[:, :, :3]),
        "convolution, strides and dilations": (
            lambda tf, a, b: tf.nn.convolution(a, b, "SAME", [2, 2], [2, 2]), x, w
        ),
        "atrous, rate 0": (lambda tf, a, b: tf.nn.atrous_conv2d(a, b, 0, "SAME"), x, w),
        "conv1d of images": (lambda tf, a, b: tf.nn.conv1d(a, b, 1, "SAME"), x, w),
        "conv3d of images": (lambda tf, a, b: tf.nn.conv3d(a, b, [1, 1, 1, 1, 1], "SAME"), x, w),
    }  # fmt: skip
    for name, (call, *operands) in wrong.items():
        yield Case(f"wrong: {name}", call, tuple(operands), ("float32",), second=False)
        if name in ("rank 3", "other channels", "no taps", "depthwise, other channels"):
            yield Case(f"wrong: {name}, unknown", call, tuple(operands), ("float32",), True, second=False)
