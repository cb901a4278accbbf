"""Geometry of convolutions: bands, phases, paddings; kernels against sums written out."""

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.ops.convolution.band_patches import convolve, filter_gradient, input_gradient, phases
from penstock.ops.convolution.convolution_geometry import (
    BAND,
    Geometry,
    Steps,
    bands_of,
    geometry_of,
    same_paddings,
    steps_of,
)
from penstock.ops.convolution.depthwise_kernels import (
    convolve_depthwise,
    depthwise_filter_gradient,
    depthwise_input_gradient,
)


@pytest.mark.parametrize(
    "sizes",
    [(2, 3, 4), (3, 28, 28), (2, 5, 700), (1, 1000), (500, 2, 2), (2, 3, 20, 30), (0, 3, 3), (2, 0, 3), (1, 1, 1)],
)
def test_bands_cover_all_positions_in_order_and_are_small(sizes: tuple[int, ...]) -> None:
    numbers = np.arange(prod(sizes)).reshape(sizes)
    parts = [numbers[band].reshape(-1) for band in bands_of(sizes)]
    assert all(1 <= part.size <= BAND for part in parts)
    assert np.array_equal(np.concatenate([np.zeros(0, int), *parts]), numbers.reshape(-1))


def test_bands_are_rows_of_one_image_or_whole_images() -> None:
    rows = list(bands_of((2, 28, 28)))
    assert rows[0] == (slice(0, 1), slice(0, 16), slice(0, 28)) and len(rows) == 4
    assert list(bands_of((9, 10, 10)))[-1] == (slice(8, 9), slice(0, 10), slice(0, 10))
    assert list(bands_of((1, 1, 500))) == [(slice(0, 1), slice(0, 1), slice(0, 448)),
                                           (slice(0, 1), slice(0, 1), slice(448, 500))]  # fmt: skip


def test_phases_are_all_positions_that_a_tap_reaches_and_their_taps() -> None:
    for window, stride, dilation, before, size in product(range(1, 5), range(1, 5), range(1, 5), range(4), range(1, 9)):
        reached: dict[int, set[tuple[int, int]]] = {i: set() for i in range(size)}
        for output, tap in product(range(-20, 20), range(window)):
            at = output * stride + tap * dilation - before
            if 0 <= at < size:
                reached[at].add((output, tap))
        found: dict[int, set[tuple[int, int]]] = {i: set() for i in range(size)}
        for phase in phases(window, stride, dilation, before, size):
            taps = list(range(window))[::-1][phase.taps]
            for number, at in enumerate(range(size)[phase.positions]):
                found[at] |= {(number + j * phase.dilation - phase.before, tap) for j, tap in enumerate(taps)}
        assert found == reached


def test_the_odd_element_of_padding_is_behind() -> None:
    assert same_paddings(5, 4, 1, 1) == (1, 2)
    assert same_paddings(6, 3, 2, 1) == (0, 1)
    assert same_paddings(7, 1, 3, 1) == (0, 0)
    assert same_paddings(9, 3, 1, 3) == (3, 3)


def test_a_geometry_lists_spatial_axes_whatever_the_layout() -> None:
    last = steps_of((1, 2, 3, 1), "EXPLICIT", (0, 0, 1, 2, 3, 4, 0, 0), "NHWC", (1, 1, 2, 1))
    first = steps_of((1, 1, 2, 3), "EXPLICIT", (0, 0, 0, 0, 1, 2, 3, 4), "NCHW", (1, 1, 1, 2))
    one, other = geometry_of((2, 8, 9, 4), (3, 2, 2, 6), last), geometry_of((2, 4, 8, 9), (3, 2, 2, 6), first)
    assert (one.inputs, one.window, one.outputs, one.strides, one.dilations, one.before, one.after, one.groups) == (
        (8, 9), (3, 2), (5, 5), (2, 3), (1, 2), (1, 3), (2, 4), 2
    )  # fmt: skip
    assert one.output_shape == (2, 5, 5, 6) and other.output_shape == (2, 6, 5, 5)
    assert (one.inputs, one.outputs, one.taps) == (other.inputs, other.outputs, other.taps) and one.taps == 12


@pytest.mark.parametrize(
    ("x", "w", "words"),
    [
        ((2, 5, 5), (3, 3, 4, 2), "input must be 4-dimensional: [2,5,5]"),
        ((2, 5, 5, 4), (3, 3, 4), "filter must be 4-dimensional: [3,3,4]"),
        ((2, 5, 5, 4), (3, 3, 3, 2), "input depth must be evenly divisible by filter depth: 4 vs 3"),
        ((2, 5, 5, 4), (3, 3, 2, 3), "output depth must be evenly divisible by number of groups: 3 vs 2"),
        ((2, 5, 5, 0), (3, 3, 0, 2), "Depth of filter must not be 0"),
        ((2, 5, 5, 4), (0, 3, 4, 2), "at least one tap"),
        ((2, 1, 5, 4), (3, 3, 4, 2), "Computed output size would be negative: -1"),
    ],
)
def test_sizes_that_do_not_fit_are_told(x: tuple[int, ...], w: tuple[int, ...], words: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        geometry_of(x, w, steps_of((1, 1, 1, 1), "VALID", (), "NHWC", (1, 1, 1, 1)))
    assert words in caught.value.message


def random_geometry(rng: np.random.Generator) -> tuple[Geometry, bool, tuple[int, ...]] | None:
    """A convolution, whether it is depthwise, and the shape of its filter; None where nothing fits."""
    rank, is_depthwise = int(rng.integers(1, 4)), bool(rng.integers(2))

    def axes(low: int, high: int) -> tuple[int, ...]:
        return tuple(int(n) for n in rng.integers(low, high, rank))

    padding = ("SAME", "VALID", "EXPLICIT")[rng.integers(3)]
    before, after = (axes(0, 4), axes(0, 4)) if padding == "EXPLICIT" else ((0,) * rank, (0,) * rank)
    depth, groups = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    channels = depth if is_depthwise else depth * groups
    filters = int(rng.integers(1, 3)) * (1 if is_depthwise else groups)
    is_first, sizes, batch = bool(rng.integers(2)), axes(0, 8), int(rng.integers(0, 3))
    w = (*axes(1, 5), depth, filters)
    steps = Steps(axes(1, 4), axes(1, 4), padding, before, after, is_first)
    try:
        return geometry_of((batch, channels, *sizes) if is_first else (batch, *sizes, channels), w, steps,
                           is_depthwise), is_depthwise, w  # fmt: skip
    except InvalidArgumentError:
        return None


def written_out(x: Any, w: Any, g: Geometry, is_depthwise: bool) -> Any:
    """The convolution of an N...C array as sums over taps."""
    out = np.zeros((g.batch, *g.outputs, g.filters))
    depth, width = w.shape[-2], g.filters // g.groups
    for place, tap in product(np.ndindex(*g.outputs), np.ndindex(*g.window)):
        each = zip(place, g.strides, tap, g.dilations, g.before, strict=True)
        at = [o * step + k * rate - zeros for o, step, k, rate, zeros in each]
        if any(not 0 <= i < size for i, size in zip(at, g.inputs, strict=True)):
            continue
        read = x[(slice(None), *at)]
        if is_depthwise:
            out[(slice(None), *place)] += (read[:, :, None] * w[tap]).reshape(g.batch, g.filters)
            continue
        for j in range(g.groups):
            filters = slice(j * width, (j + 1) * width)
            out[(slice(None), *place, filters)] += read[:, j * depth : (j + 1) * depth] @ w[tap][:, filters]
    return out


@pytest.mark.parametrize("seed", range(6))
def test_kernels_are_the_sums_written_out_and_gradients_are_their_adjoints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tried = 0
    while tried < 40:
        made = random_geometry(rng)
        if made is None:
            continue
        g, is_depthwise, filter_shape = made
        tried += 1
        forward, by_input, by_filter = (
            (convolve_depthwise, depthwise_input_gradient, depthwise_filter_gradient) if is_depthwise
            else (convolve, input_gradient, filter_gradient)
        )  # fmt: skip
        x, w, dy = (rng.standard_normal(shape) for shape in (g.input_shape, filter_shape, g.output_shape))
        y, dx, dw = forward(np, x, w, g), by_input(np, w, dy, g), by_filter(np, x, dy, g)
        assert y.shape == g.output_shape and dx.shape == x.shape and dw.shape == w.shape
        assert y.flags.c_contiguous and dx.flags.c_contiguous and dw.flags.c_contiguous
        last = [np.moveaxis(a, 1, -1) if g.is_channels_first else a for a in (x, y)]
        assert np.allclose(last[1], written_out(last[0], w, g, is_depthwise), atol=1e-12)
        assert np.allclose((y * dy).sum(), (x * dx).sum()) and np.allclose((y * dy).sum(), (w * dw).sum())


def test_a_convolution_needs_little_memory_beside_its_result() -> None:
    import tracemalloc

    steps = steps_of((1, 1, 1, 1), "SAME", (), "NHWC", (1, 1, 1, 1))
    g = geometry_of((4, 64, 64, 16), (5, 5, 16, 16), steps)
    x, w = np.ones(g.input_shape, "f4"), np.ones((5, 5, 16, 16), "f4")
    convolve(np, x, w, g)  # modules that a first call imports are no memory of a convolution
    tracemalloc.start()
    convolve(np, x, w, g)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * x.nbytes  # the matrix of all patches would be 25 times that
    assert np.prod(g.outputs) * g.batch * g.taps * 4 == 25 * x.nbytes


def test_shards_of_the_batch_train_as_the_whole() -> None:
    rng = np.random.default_rng(0)
    images, labels = rng.standard_normal((6, 8, 8, 2)).astype("f4"), rng.integers(0, 3, 6)
    found: list[Any] = []
    for config in (tf.SessionConfig(), tf.SessionConfig(shard={"n": 3})):
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(3)
            x, y = tf.placeholder(tf.float32, ["n", 8, 8, 2]), tf.placeholder(tf.int64, ["n"])
            h = tf.layers.conv2d(x, 4, 3, 2, "same", activation=tf.nn.relu)
            h = tf.layers.separable_conv2d(h, 4, 3, activation=tf.nn.relu)
            h = tf.layers.conv2d_transpose(h, 2, 2, 2)
            logits = tf.layers.dense(tf.layers.flatten(h), 3)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, y))
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            start = tf.global_variables_initializer()
            variables = tf.trainable_variables()
        with tf.Session(graph=graph, config=config) as session:
            session.run(start)
            for _ in range(3):
                session.run(step, {x: images, y: labels})
            steps = [each.op for each in session.plan(step, [x, y]).steps]
            times = 3 if found else 1
            for type, count in (("Conv2D", 3), ("Conv2DBackpropInput", 2), ("Conv2DBackpropFilter", 3),
                                ("DepthwiseConv2dNativeBackpropFilter", 1)):  # fmt: skip
                assert steps.count(type) == count * times, type
            found.append(session.run([loss, *variables], {x: images, y: labels}))
    for whole, parts in zip(*found, strict=True):
        assert np.allclose(whole, parts, rtol=1e-4, atol=1e-5)
