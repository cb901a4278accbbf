"""Does a fused group give on a GPU, in one launch, the bits it gives on the CPU?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.body import Body
from penstock.runtime.cuda.group import CudaGroup
from penstock.runtime.cuda.source import LAUNCHES, OPTIONS
from penstock.runtime.jit.scalar import CannotLower

from . import nvrtc

Build = Callable[..., Any]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3e9, -3e9, 1e20, 0.5, -2.5, 1e-40, 65520.0, 1e-7, 300.0]


def values(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.random(shape) > 0.5
    if dtype.is_integer:
        return rng.integers(dtype.min, dtype.max, shape, dtype.np, endpoint=True)
    x = rng.standard_normal(shape) * 3
    if x.size >= 16:
        x.reshape(-1)[:16] = rng.permutation(SPECIAL)
    with np.errstate(all="ignore"):
        return x.astype(dtype.np)


def run_both(xp: Any, build: Build, shapes: list[tuple[int, ...]], dtype: str) -> tuple[list[Any], list[Any], int]:
    """(results of the CPU, results of the GPU, launches) of a graph that is one fused group."""
    kind = tf.as_dtype(dtype)
    with tf.Graph().as_default() as g:
        places = [tf.placeholder(kind, s, name=f"x{i}") for i, s in enumerate(shapes)]
        built = build(*places)
        outputs = built if isinstance(built, list) else [built]
        given = [values(s, kind, i) for i, s in enumerate(shapes)]
        with tf.Session(graph=g) as session:
            want = session.run(outputs, dict(zip(places, given, strict=True)))
            plan = session.plan(outputs, places)
    there = {slot: xp.asarray(given[int(name[1])]) for name, slot in plan.feeds}
    there |= {slot: xp.asarray(array) for slot, array, _ in plan.constants}
    [step] = plan.steps
    [body] = [a for a in step.args if isinstance(a, Body)]
    before = LAUNCHES.count
    found = CudaGroup(body)(xp, [there[i] for i in step.inputs])
    there |= dict(zip(step.outputs, found, strict=True))
    return [np.asarray(w) for w in want], [xp.asnumpy(there[f]) for f in plan.fetches], LAUNCHES.count - before


def same_bits(got: Any, want: Any) -> bool:
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind in "fV":
        nan = np.isnan(got.astype(np.float64))
        if not np.array_equal(nan, np.isnan(want.astype(np.float64))):
            return False
        got, want = got[~nan] if got.ndim else got, want[~nan] if want.ndim else want
    return bool(got.tobytes() == want.tobytes())


NUMBERS = ("float32", "float64", "int32", "int64", "uint8", "int8", "uint16", "uint64", "float16", "bfloat16")


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arithmetic_is_bit_equal_in_one_launch(xp: Any, dtype: str) -> None:
    chain: Build = lambda a, b: (a * b + a - b) * a  # noqa: E731  # a graph in a line
    shapes: list[list[tuple[int, ...]]] = [
        [(1,), (1,)], [(5,), (5,)], [(1023,), (1023,)], [(40, 1), (1, 8)], [(7, 12), (12,)], [(30, 16), ()],
        [(0, 3), (3,)], [(2, 1, 3, 1), (5, 1, 4)],
    ]  # fmt: skip
    for each in shapes:
        want, got, launches = run_both(xp, chain, each, dtype)
        assert same_bits(got[0], want[0]), each
        assert launches == (1 if want[0].size else 0)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_choices_comparisons_and_several_results(xp: Any, dtype: str) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        c = tf.where(a > b, tf.maximum(a, b), a * b)
        return [c, tf.logical_or(tf.equal(a, c), a < b), tf.minimum(c, b)]

    want, got, launches = run_both(xp, build, [(333,), (333,)], dtype)
    assert all(same_bits(g, w) for g, w in zip(got, want, strict=True))
    assert launches == 1


@pytest.mark.parametrize("target", ["int8", "int32", "uint64", "float16", "bfloat16", "float64", "bool"])
@pytest.mark.parametrize("source", ["float32", "float64", "float16", "int32"])
def test_casts_inside_a_group_have_the_defined_meaning(xp: Any, source: str, target: str) -> None:
    doubled: Build = lambda a, b: tf.where(a > b, tf.cast(a, target), tf.cast(b, target))  # noqa: E731
    try:
        want, got, _ = run_both(xp, doubled, [(400,), (400,)], source)
    except CannotLower as error:
        assert {"float16", "bfloat16"} & {source, target}, str(error)  # float64 -> bfloat16 and the like
        return
    assert same_bits(got[0], want[0])


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32", "float16", "bfloat16"])
def test_reductions_at_the_end(xp: Any, dtype: str) -> None:
    exact = not tf.as_dtype(dtype).is_floating
    builds: list[Build] = [
        lambda a, b: tf.reduce_max(a * b + a, -1), lambda a, b: tf.reduce_min(a - b),
        lambda a, b: tf.reduce_sum(tf.cast(a * b, tf.int32), 1),
    ]  # fmt: skip
    for build in builds:
        every: list[list[tuple[int, ...]]] = [[(20, 64), (64,)], [(3, 9000), (3, 1)], [(2, 1), (1, 1)]]
        for shapes in every:
            want, got, launches = run_both(xp, build, shapes, dtype)
            assert launches == 1
            if exact:
                assert same_bits(got[0], want[0])
            else:
                assert np.array_equal(got[0].astype("f8"), want[0].astype("f8"), equal_nan=True)


def test_a_mean_and_a_sum_of_floats_are_near(xp: Any) -> None:
    def build(a: Any, b: Any) -> Any:
        return tf.reduce_mean(tf.minimum(tf.abs(a), 5.0) + tf.sigmoid(b), 1)

    want, got, _ = run_both(xp, build, [(64, 300), (64, 300)], "float32")
    finite = np.isfinite(want[0])
    assert finite.sum() > 50
    assert np.allclose(got[0], want[0], rtol=1e-5, equal_nan=True)


def test_a_group_that_has_no_cuda_runs_op_by_op(xp: Any) -> None:
    from penstock.runtime.cuda.group import run_body

    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.complex64, [3], name="x0")
        y = x * x + x
        with tf.Session(graph=g) as session:
            plan = session.plan(y, [x])
            want = session.run(y, {x: [1 + 2j, 3j, 1]})
    [body] = [a for s in plan.steps for a in s.args if isinstance(a, Body)]
    there = [xp.asarray(np.array([1 + 2j, 3j, 1], "c8")) for _ in body.inputs]
    assert np.allclose(xp.asnumpy(run_body(xp, there, body)[0]), want)


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
def test_nvidias_compiler_takes_generated_groups(xp: Any, sources: set[str]) -> None:
    for dtype in NUMBERS:
        test_choices_comparisons_and_several_results(xp, dtype)
        run_both(xp, lambda a, b: (a * b + a - b) * a, [(7, 12), (12,)], dtype)
    for source in ("float32", "float16", "uint64"):
        for target in ("int8", "uint64", "float16", "bool"):
            if source != target:
                test_casts_inside_a_group_have_the_defined_meaning(xp, source, target)
    test_reductions_at_the_end(xp, "bfloat16")
    functions = (tf.exp, tf.expm1, tf.log, tf.log1p, tf.sin, tf.tan, tf.asin, tf.atan, tf.sinh, tf.acosh, tf.erf)
    for dtype in ("float32", "float64", "float16"):
        for f in functions:
            run_both(xp, lambda a, b, f=f: f(a) * b, [(50,), (50,)], dtype)
    run_both(xp, lambda a, b: tf.floormod(a, b) + tf.softplus(a), [(50,), (50,)], "float64")
    for code in sources:
        assert ".entry" in nvrtc.compile_ptx(code, (*OPTIONS, "--gpu-architecture=compute_80"))
