"""Loops of convolutions: for other processors, without arrays around them, and from the first run on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.ops.convolution.conv2d_ops import CONV2D, conv2d_op, steps_of_images
from penstock.ops.convolution.convolution_geometry import geometry_of
from penstock.ops.convolution.depthwise_ops import DEPTHWISE
from penstock.runtime.kernels.convolution import fast_convolution, fast_depthwise, native_convolutions, vector_code
from penstock.runtime.kernels.convolution.convolution_sizes import (
    Window,
    blocks_of,
    convolution_plan,
    filter_gradient_plan,
)
from penstock.runtime.kernels.convolution.vector_code import Machine
from penstock.runtime.kernels.loops import loop_cache, native_loops
from penstock.runtime.kernels.loops.loop_cache import TEMPLATES
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.tier import ModuleSource

from .fences import fenced, needs_the_tier

HOSTS = {
    "avx2": Machine(32, 16, has_fma=True),
    "neon": Machine(16, 32, has_fma=True),
    "sse": Machine(16, 16, has_fma=False),
}
ONES = (1, 1, 1, 1)
CASES: list[tuple[tuple[int, ...], tuple[int, ...], Any]] = [
    ((2, 9, 11, 3), (3, 3, 3, 70), (ONES, "SAME", (), "NHWC", ONES)),
    ((2, 12, 7, 5), (2, 5, 5, 17), ((1, 2, 3, 1), "SAME", (), "NHWC", ONES)),
    ((1, 13, 14, 4), (3, 2, 4, 24), (ONES, "VALID", (), "NHWC", (1, 2, 2, 1))),
    ((2, 7, 9, 20), (3, 3, 20, 3), ((1, 2, 1, 1), "SAME", (), "NHWC", ONES)),
    ((2, 6, 8, 19), (3, 2, 19, 1), (ONES, "VALID", (), "NHWC", (1, 1, 2, 1))),
    ((3, 6, 8, 33), (1, 1, 33, 12), (ONES, "VALID", (), "NHWC", ONES)),
]


def close(got: Any, want: Any, dtype: str) -> bool:
    """Whether two results are equal but for rounding."""
    eps = np.finfo(dtype).eps * 200
    return got.shape == want.shape and got.dtype == want.dtype and bool(np.allclose(got, want, eps, eps))


@pytest.fixture(params=list(HOSTS))
def host(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Loops are written for another processor, and compiled for this one."""
    chosen = HOSTS[request.param]
    modules = (vector_code, native_convolutions, fast_depthwise)
    for module in modules:
        monkeypatch.setattr(module, "machine", lambda: chosen)
    built: dict[Any, Callable[..., int]] = {}

    def find(name: str, *key: Any) -> Callable[..., int]:
        if (name, *key) not in built:
            ir, function = TEMPLATES[name].code(*key)
            built[name, *key] = loop_cache._loop(TEMPLATES[name], tier.build_now(ModuleSource(ir, (function,))))
        return built[name, *key]

    monkeypatch.setattr(native_loops, "finders_at_once", [find])
    monkeypatch.setattr(fast_convolution, "FEWEST", 1)
    calls = native_convolutions
    plans = (calls._plan_of, calls._narrow_plan_of, calls._gradient_plan_of, fast_depthwise._plan_of)
    for each in plans:
        each.cache_clear()
    yield chosen
    for each in plans:
        each.cache_clear()


@pytest.mark.share(8)
@needs_the_tier
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_loops_for_other_processors_compute_the_same(host: Machine, case: Any, dtype: str) -> None:
    shape, window, attrs = case
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal(shape).astype(dtype), rng.standard_normal(window).astype(dtype)
    dy = rng.standard_normal(CONV2D.output_shape(shape, window, *attrs)).astype(dtype)
    sizes, filters = np.array(shape, "i4"), np.array(window, "i4")
    for fast, op, args in (
        (fast_convolution.conv2d, CONV2D.forward, (x, w)),
        (fast_convolution.conv2d_input_gradient, CONV2D.by_input, (sizes, w, dy)),
        (fast_convolution.conv2d_filter_gradient, CONV2D.by_filter, (x, filters, dy)),
    ):
        assert close(fast(np, *args, *attrs), op.kernels["*"](np, *args, *attrs), dtype), op.type


@pytest.mark.share(4)
@needs_the_tier
@pytest.mark.parametrize("channels", [3, 16, 20])
@pytest.mark.parametrize("stride", [(1, 1, 1, 1), (1, 2, 2, 1)])
def test_depthwise_loops_for_other_processors_compute_the_same(host: Machine, channels: int, stride: Any) -> None:
    rng = np.random.default_rng(1)
    attrs = (stride, "SAME", (), "NHWC", ONES)
    shape, window = (2, 9, 14, channels), (3, 3, channels, 1)
    x, w = rng.standard_normal(shape).astype("f4"), rng.standard_normal(window).astype("f4")
    dy = rng.standard_normal(DEPTHWISE.output_shape(shape, window, *attrs)).astype("f4")
    for fast, op, args in (
        (fast_depthwise.depthwise, DEPTHWISE.forward, (x, w)),
        (fast_depthwise.depthwise_input_gradient, DEPTHWISE.by_input, (np.array(shape, "i4"), w, dy)),
        (fast_depthwise.depthwise_filter_gradient, DEPTHWISE.by_filter, (x, np.array(window, "i4"), dy)),
    ):
        assert close(fast(np, *args, *attrs), op.kernels["*"](np, *args, *attrs), "f4"), op.type


@pytest.mark.parametrize("registers", [16, 32])
@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_blocks_have_every_channel_once(lanes: int, registers: int) -> None:
    for channels in range(1, 300):
        wide, blocks, rest, last = blocks_of(channels, lanes, registers)
        assert wide * blocks * lanes + (max(rest - 1, 0) * lanes + last if rest else 0) == channels
        assert bool(wide) == bool(blocks)
        assert max(wide, rest) <= 4


@pytest.mark.share(2)
@needs_the_tier
@pytest.mark.parametrize("shift", [0, 4, 20])
def test_nothing_is_touched_beside_the_arrays(shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_convolution, "FEWEST", 1)
    rng = np.random.default_rng(1)
    for shape, window, attrs in CASES:
        x = fenced(rng.standard_normal(shape).astype("f4"), shift)
        w = fenced(rng.standard_normal(window).astype("f4"), shift)
        y = fenced(np.zeros(CONV2D.output_shape(shape, window, *attrs), "f4"), shift)
        g = geometry_of(shape, window, steps_of_images(*attrs))
        assert native_convolutions.convolve_into(y.array, x.array, w.array, *fast_convolution.windows_of(g))
        assert close(y.array, conv2d_op.kernels["*"](np, x.array, w.array, *attrs), "f4")
        for each in (x, w, y):
            each.assert_whole()


@pytest.mark.share(8)
@needs_the_tier
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("taps", [2, 3, 5, 7])
@pytest.mark.parametrize("channels", [20, 40, 70])
def test_every_width_of_an_image_and_every_edge(
    channels: int, taps: int, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_convolution, "FEWEST", 1)
    rng = np.random.default_rng(taps)
    filters = np.array((2, taps, 3, channels), "i4")
    w = rng.standard_normal(filters).astype("f4")
    for width in range(1, 33):
        attrs = ((1, 1, stride, 1), "SAME", (), "NHWC", ONES)
        x = rng.standard_normal((1, 2, width, 3)).astype("f4")
        dy = rng.standard_normal(CONV2D.output_shape(x.shape, w.shape, *attrs)).astype("f4")
        sizes = np.array(x.shape, "i4")
        for fast, op, args in (
            (fast_convolution.conv2d, CONV2D.forward, (x, w)),
            (fast_convolution.conv2d_input_gradient, CONV2D.by_input, (sizes, w, dy)),
            (fast_convolution.conv2d_filter_gradient, CONV2D.by_filter, (x, filters, dy)),
        ):
            case = op.type, width, channels
            assert close(fast(np, *args, *attrs), op.kernels["*"](np, *args, *attrs), "f4"), case


@needs_the_tier
def test_pixels_beside_the_image_are_left_out() -> None:
    """Zeros in their place would be NaN times an infinite weight."""
    x, w = np.ones((1, 9, 29, 4), "f4"), np.zeros((1, 5, 4, 40), "f4")
    w[0, 0], w[0, 4] = np.inf, -np.inf
    y = fast_convolution.conv2d(np, x, w, ONES, "SAME", (), "NHWC", ONES)
    assert np.all(y[:, :, :2] == -np.inf)
    assert np.all(y[:, :, -2:] == np.inf)
    assert np.all(np.isnan(y[:, :, 2:-2]))


@needs_the_tier
@pytest.mark.parametrize("channels", [16, 40, 70])
def test_what_is_done_with_a_sum_has_the_bits_of_steps_of_their_own(channels: int) -> None:
    rng = np.random.default_rng(1)
    attrs = (ONES, "SAME", (), "NHWC", ONES)
    x, w = rng.standard_normal((2, 9, 9, 5)).astype("f4"), rng.standard_normal((3, 3, 5, channels)).astype("f4")
    x[0, 0, 0], x[0, 4], x[1, 5, 5] = np.nan, 0.0, np.inf
    w[..., 3], w[..., 4] = 0.0, -1e-45
    bias = rng.standard_normal(channels).astype("f4")
    bias[:8] = [np.nan, np.inf, -np.inf, -0.0, 0.0, -1e30, 1e-45, -0.0]
    with np.errstate(all="ignore"):
        sums = fast_convolution.conv2d(np, x, w, *attrs)
        for relu, want in ((False, sums + bias), (True, np.maximum(sums + bias, np.float32(0)))):
            got = fast_convolution.conv2d_plus(x, w, bias, relu, *attrs)
            assert np.array_equal(np.isnan(got), np.isnan(want))
            there = ~np.isnan(want)
            assert got[there].tobytes() == (want[there] + (np.float32(0) if relu else np.float32(-0.0))).tobytes()


@needs_the_tier
def test_where_no_tap_reaches_a_pixel_its_gradient_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_convolution, "FEWEST", 1)
    attrs = ((1, 2, 2, 1), "EXPLICIT", (0, 0, 1, 0, 1, 0, 0, 0), "NHWC", ONES)
    shape, w = (2, 1, 1, 9), np.ones((1, 1, 9, 40), "f4")
    dy = np.ones(CONV2D.output_shape(shape, w.shape, *attrs), "f4")
    dx = fast_convolution.conv2d_input_gradient(np, np.array(shape, "i4"), w, dy, *attrs)
    assert dx.shape == shape
    assert not dx.any()


def test_networks_need_few_loops() -> None:
    """The usual widths of images and numbers of channels; each loop is 20 ms of a first run."""
    host = Machine(64, 32, has_fma=True)
    same = partial(Window, 3, 1, 1, 1)
    keys = {
        convolution_plan((1, n, n, 64), same(n), same(n), 64 * c, 4, host, (0, 0, 0)).key
        for n in (4, 7, 8, 14, 16, 28, 32, 56, 112, 224)
        for c in (1, 2, 4, 8)
    }
    assert len(keys) == 1
    gradients = {
        filter_gradient_plan((1, n, n, d), same(n), same(n), 64, 4, host).key
        for n in (4, 7, 8, 14, 16, 28, 32, 56, 112, 224)
        for d in (16, 32, 64, 128, 256, 512)
    }
    assert len(gradients) == 1


@needs_the_tier
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("images", [1, 3, 9])
def test_the_phases_of_a_strided_gradient_take_turns(
    images: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_loops, "threads_for", lambda seconds: threads)
    monkeypatch.setattr(native_convolutions, "BAND", 1 << 14)
    rng = np.random.default_rng(1)
    attrs = ((1, 2, 3, 1), "SAME", (), "NHWC", ONES)
    window, shape = (5, 4, 20, 36), (images, 13, 17, 20)
    w = rng.standard_normal(window).astype("f4")
    dy = rng.standard_normal(CONV2D.output_shape(shape, window, *attrs)).astype("f4")
    dx = fast_convolution.conv2d_input_gradient(np, np.array(shape, "i4"), w, dy, *attrs)
    sizes = np.array((1, *shape[1:]), "i4")
    each = [fast_convolution.conv2d_input_gradient(np, sizes, w, dy[i : i + 1], *attrs) for i in range(images)]
    assert dx.tobytes() == np.concatenate(each).tobytes()
    assert close(dx, CONV2D.by_input.kernels["*"](np, np.array(shape, "i4"), w, dy, *attrs), "f4")


def convolution(images: Any, filters: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """A placeholder for images and their convolution."""
    x = tf.placeholder(tf.float32, [None, *images.shape[1:]])
    return x, conv2d_op(x, tf.constant(filters), (1, 1, 1, 1), "SAME")


@needs_the_tier
def test_every_run_and_every_part_of_a_batch_has_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    images, filters = rng.standard_normal((12, 10, 10, 50)).astype("f4"), rng.standard_normal((3, 3, 50, 20))
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = convolution(images, filters.astype("f4"))
        first = session.run(y, {x: images})
        for _ in range(5):
            assert session.run(y, {x: images}).tobytes() == first.tobytes()
        parts = [session.run(y, {x: images[i : i + 3]}) for i in range(0, 12, 3)]
    assert np.concatenate(parts).tobytes() == first.tobytes()


def test_without_compiled_code_the_plain_kernel_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    images = rng.standard_normal((2, 10, 10, 5)).astype("f4")
    filters = rng.standard_normal((3, 3, 5, 20)).astype("f4")
    attrs = (ONES, "SAME", (), "NHWC", ONES)
    want = conv2d_op.kernels["*"](np, images, filters, *attrs)
    monkeypatch.setattr(native_loops, "finders_at_once", [lambda name, *key: None])
    assert fast_convolution.conv2d(np, images, filters, *attrs) is None
    monkeypatch.undo()
    jit.mode = "off"
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            x, y = convolution(images, filters)
            assert session.run(y, {x: images}).tobytes() == want.tobytes()
    finally:
        jit.mode = None


def test_few_multiplications_are_left_to_numpy() -> None:
    images, filters = np.ones((100, 2, 2, 1), "f4"), np.ones((2, 2, 1, 1), "f4")
    assert fast_convolution.conv2d(np, images, filters, ONES, "SAME", (), "NHWC", ONES) is None
