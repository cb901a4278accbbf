"""Groups about rows are one kernel on a GPU: softmax, normalisations, cross entropies, by hand or as ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.base.launch_count import LAUNCHES
from penstock.runtime.cuda.cuda_group import CudaGroup
from penstock.runtime.kernels.kernel_choice import kernel_of

from ..helpers import nightly
from ..runtime.nest.nests import normalised, softmax
from .test_groups import same_bits

Build = Callable[..., Any]


def results(xp: Any, build: Build, arrays: Sequence[Any]) -> tuple[list[Any], list[Any], int]:
    """(results of the CPU, results of the GPU, launches) of a graph that is one group, for arrays of any sizes."""
    with tf.Graph().as_default() as graph:
        places = [tf.placeholder(x.dtype, [None] * x.ndim, name=f"x{i}") for i, x in enumerate(arrays)]
        built = build(*places)
        outputs = built if isinstance(built, list) else [built]
        with tf.Session(graph=graph) as session, np.errstate(all="ignore"):
            want = session.run(outputs, dict(zip(places, arrays, strict=True)))
            plan = session.plan(outputs, places)
    there = {slot: xp.asarray(arrays[int(name[1])]) for name, slot in plan.feeds}
    there |= {slot: xp.asarray(array) for slot, array, _ in plan.constants}
    (step,) = plan.steps
    before = LAUNCHES.count
    found = CudaGroup(step.args[-1])(xp, [there[i] for i in step.inputs])
    there |= dict(zip(step.outputs, found, strict=True))
    return [np.asarray(w) for w in want], [xp.asnumpy(there[f]) for f in plan.fetches], LAUNCHES.count - before


def rows(*shape: int, dtype: str = "f4") -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def log_softmax(x: Any) -> Any:
    d = x - tf.reduce_max(x, -1, keepdims=True)
    return d - tf.log(tf.reduce_sum(tf.exp(d), -1, keepdims=True))


def moments(x: Any) -> list[Any]:
    mean = tf.reduce_mean(x, -1, keepdims=True)
    return [mean, tf.reduce_mean(tf.square(x - mean), -1)]


def scaled(x: Any, scale: Any) -> list[Any]:
    y = x * scale
    return [y / tf.reduce_max(tf.abs(y), -1, keepdims=True), tf.reduce_sum(y, -1)]


SHAPES = [(1, 2), (5, 7), (100, 64), (7, 1000), (2, 5001), (2300, 3), (1, 8192)]


@pytest.mark.share(2)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("build", [softmax, log_softmax])
def test_a_group_of_rows_is_one_launch(xp: Any, build: Build, shape: tuple[int, int]) -> None:
    for dtype in ("float32", "float64"):
        (want,), (got,), launches = results(xp, build, [rows(*shape).astype(dtype)])
        assert launches == 1
        assert got.dtype == want.dtype
        assert np.allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-13, atol=1e-6)


@pytest.mark.share(2)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_layer_norm_and_its_operands_of_a_row_are_one_launch(xp: Any, shape: tuple[int, int]) -> None:
    x, gain, bias = rows(*shape), rows(shape[1]), rows(1, shape[1])[0]
    (want,), (got,), launches = results(xp, normalised, [x, gain, bias])
    assert launches == 1
    assert np.allclose(got, want, rtol=1e-4, atol=1e-5)


def test_totals_that_are_exact_give_the_bits_of_the_cpu(xp: Any) -> None:
    for shape in SHAPES:
        x = np.round(rows(*shape) * 4)
        want, got, launches = results(xp, scaled, [x, np.round(rows(shape[0], 1) * 3)])
        assert launches == 1
        assert all(map(same_bits, got, want)), shape


def test_operands_in_any_layout(xp: Any) -> None:
    whole = np.round(rows(6, 8, 40) * 4)
    for part in (np.s_[::2, :, ::2], np.s_[:, ::-1, ::-1], np.s_[1:, 1:, 1:]):
        x = whole[part]
        for scale in (np.full((*x.shape[:2], 1), 2, "f4"), np.full((1, x.shape[1], 1), 3, "f4")):
            want, got, launches = results(xp, scaled, [x, scale])
            assert launches == 1
            assert all(map(same_bits, got, want)), part
    x = np.round(rows(9, 5, 7) * 4).transpose(2, 0, 1)
    want, got, _ = results(xp, scaled, [x, np.ones((7, 9, 1), "f4")])
    assert all(map(same_bits, got, want))


def test_what_is_one_number_for_a_row_is_read_once(xp: Any) -> None:
    x = np.round(rows(40, 64) * 4)
    want, got, launches = results(xp, moments, [x])
    assert launches == 1
    assert same_bits(got[0], want[0])
    assert np.allclose(got[1], want[1], rtol=1e-5)


def test_long_rows_that_few_blocks_would_share_run_in_parts(xp: Any) -> None:
    for shape in [(1, 20_000), (2, 40_000)]:
        (want,), (got,), launches = results(xp, softmax, [rows(*shape)])
        assert launches > 1
        assert np.allclose(got, want, rtol=1e-5)


def test_sums_over_rows_leave_the_rest_one_kernel(xp: Any) -> None:
    def backward(x: Any, g: Any) -> list[Any]:
        p = g * tf.nn.relu(x)
        return [p - tf.reduce_sum(p, -1, keepdims=True), tf.reduce_sum(p, 0)]

    x, g = np.round(rows(30, 12) * 4), np.round(rows(30, 12) * 3)
    want, got, launches = results(xp, backward, [x, g])
    assert launches == 1  # and CuPy's sum
    assert all(map(same_bits, got, want))


def test_rows_without_elements_are_as_on_the_cpu(xp: Any) -> None:
    want, got, _ = results(xp, moments, [rows(0, 5)])
    assert all(map(same_bits, got, want))


def test_results_and_reductions_of_one_shape_are_one_launch(xp: Any) -> None:
    def build(x: Any, y: Any) -> list[Any]:
        z = x * y + y
        return [z, tf.reduce_sum(z, 1), tf.reduce_max(z - x, 1)]

    for shape in [(20, 33), (3, 9000), (2, 30_000)]:
        x, y = np.round(rows(*shape) * 4), np.round(rows(shape[0], 1) * 3)
        want, got, launches = results(xp, build, [x, y])
        assert launches == 1
        assert all(map(same_bits, got, want)), shape


# ---- ops ----------------------------------------------------------------------------------------


def of_op(xp: Any, type: str, *args: Any) -> tuple[Any, Any, int]:
    """(results of the op's own kernel, results on the GPU, launches)."""
    opdef = OPS[type]
    want = opdef.kernels["*"](np, *args)
    before = LAUNCHES.count
    found = kernel_of(opdef, "cupy")(xp, *[xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args])
    return want, found, LAUNCHES.count - before


def assert_near(xp: Any, got: Any, want: Any) -> None:
    for g, w in zip(*[each if isinstance(each, list | tuple) else [each] for each in (got, want)], strict=True):
        g = xp.asnumpy(g)
        assert (g.dtype, g.shape) == (w.dtype, w.shape)
        tolerance = {8: 1e-13, 4: 1e-5, 2: 1e-2}[w.dtype.itemsize]
        wide = g.astype("f8"), w.astype("f8")
        assert np.allclose(*wide, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("type", ["Softmax", "LogSoftmax"])
def test_softmax_is_one_launch_along_the_last_axis(xp: Any, type: str, dtype: str) -> None:
    kind = tf.as_dtype(dtype).np
    for shape in [(5, 7), (3, 4, 33), (2, 5000), (3,)]:
        x = (rows(*shape) * 3).astype(kind)
        want, got, launches = of_op(xp, type, x, -1)
        assert launches == 1
        assert_near(xp, got, want)
    x[:3] = [np.inf, np.nan, -np.inf]
    with np.errstate(all="ignore"):
        want, got, _ = of_op(xp, type, x, -1)
        assert_near(xp, got, want)
        want, got, launches = of_op(xp, type, rows(4, 5), 0)
    assert launches == 0
    assert_near(xp, got, want)


@pytest.mark.parametrize("is_whole", [False, *nightly([True])])
@pytest.mark.parametrize("dtype", ["float32", "float16", *nightly(["float64"])])
def test_cross_entropies_are_one_launch_with_both_results(xp: Any, dtype: str, is_whole: bool) -> None:
    for shape in [(5, 7), (300, 10), (2, 1000)]:
        x, wanted = rows(*shape).astype(dtype), np.abs(rows(*shape)).astype(dtype)
        want, got, launches = of_op(xp, "SoftmaxCrossEntropyWithLogits", x, wanted)
        assert launches == 1
        assert_near(xp, got, want)
        for index in ("i4", "i8") if is_whole or shape[0] == 2 else ("i4",):
            labels = np.random.default_rng(1).integers(0, shape[1], shape[0]).astype(index)
            want, got, launches = of_op(xp, "SparseSoftmaxCrossEntropyWithLogits", x, labels)
            assert launches == 1
            assert_near(xp, got, want)


def test_a_label_that_is_no_class_is_the_error_of_the_op(xp: Any) -> None:
    kernel = kernel_of(OPS["SparseSoftmaxCrossEntropyWithLogits"], "cupy")
    for label in (-1, 7):
        with pytest.raises(tf.errors.InvalidArgumentError, match="label"):
            kernel(xp, xp.asarray(rows(2, 7)), xp.asarray(np.array([0, label], "i4")))


def test_rows_of_no_elements_run_the_plain_kernel(xp: Any) -> None:
    want, got, launches = of_op(xp, "Softmax", rows(0, 5), -1)
    assert launches == 0
    assert_near(xp, got, want)
