"""A fused group gives on a GPU, in one launch, the bits that it gives on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.base.launch_count import LAUNCHES
from penstock.runtime.cuda import cuda_source
from penstock.runtime.cuda.cuda_group import CudaGroup, DividedByZero, group_of, run_body
from penstock.runtime.cuda.cuda_source import OPTIONS
from penstock.runtime.ir.fused_ir import Body
from penstock.runtime.ir.scalar_ir import CannotLower

from ..helpers import nightly, slow
from . import nvrtc, shim
from .fake_cupy import FakeCupy
from .random_nests import as_on_a_card

Build = Callable[..., Any]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3e9, -3e9, 1e20, 0.5, -2.5, 1e-40, 65520.0, 1e-7, 300.0]


def values(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.random(shape) > 0.5
    if dtype.is_integer:
        return rng.integers(dtype.min, dtype.max, shape, dtype.np, endpoint=True)
    if dtype.is_complex:
        z = np.empty(shape, dtype.np)
        z.real, z.imag = values(shape, dtype.real_dtype, seed), values(shape, dtype.real_dtype, seed + 100)
        return z
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
        if not isinstance(xp, FakeCupy):
            given = list(map(as_on_a_card, given))
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
    if got.dtype.kind == "c":
        parts = f"f{got.dtype.itemsize // 2}"
        return same_bits(got.reshape(-1).view(parts), want.reshape(-1).view(parts)) and got.shape == want.shape
    if got.dtype.kind in "fV":
        nan = np.isnan(got.astype(np.float64))
        if not np.array_equal(nan, np.isnan(want.astype(np.float64))):
            return False
        got, want = got[~nan] if got.ndim else got, want[~nan] if want.ndim else want
    return bool(got.tobytes() == want.tobytes())


NUMBERS = ("float32", "float64", "int32", "int64", "uint8", "int8", "uint16", "uint64", "float16", "bfloat16")


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("is_whole", [False, *nightly([True])])
def test_arithmetic_is_bit_equal_in_one_launch(xp: Any, dtype: str, is_whole: bool) -> None:
    chain: Build = lambda a, b: (a * b + a - b) * a  # noqa: E731  # a graph in a line
    shapes: list[list[tuple[int, ...]]] = [
        [(1,), (1,)], [(5,), (5,)], [(1023,), (1023,)], [(40, 1), (1, 8)], [(7, 12), (12,)], [(30, 16), ()],
        [(0, 3), (3,)], [(2, 1, 3, 1), (5, 1, 4)],
    ]  # fmt: skip
    for each in shapes if is_whole or dtype == "float32" else shapes[NUMBERS.index(dtype) % 2 :: 2]:
        want, got, launches = run_both(xp, chain, each, dtype)
        assert same_bits(got[0], want[0]), each
        assert launches == (1 if want[0].size else 0)


@pytest.mark.share(3)
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


@pytest.mark.share(3)
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


def test_the_greatest_of_large_negative_numbers_and_the_least_of_large_ones(xp: Any) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        large = tf.where(a > b, a * 0.0 + 3e38, a * 0.0 + np.inf)
        kept = tf.where(tf.equal(large, large), large, tf.fill(tf.shape(a), 3e38))  # no NaN
        return [tf.reduce_min(kept, -1), tf.reduce_max(-kept, -1)]

    want, got, launches = run_both(xp, build, [(20, 64), (20, 64)], "float32")
    assert all(same_bits(g, w) for g, w in zip(got, want, strict=True))
    assert launches == 1 and want[0].min() == np.float32(3e38)


def test_a_mean_and_a_sum_of_floats_are_near(xp: Any) -> None:
    def build(a: Any, b: Any) -> Any:
        return tf.reduce_mean(tf.minimum(tf.abs(a), 5.0) + tf.sigmoid(b), 1)

    want, got, _ = run_both(xp, build, [(64, 300), (64, 300)], "float32")
    finite = np.isfinite(want[0])
    assert finite.sum() > 50
    assert np.allclose(got[0], want[0], rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("axis", [1, None])
def test_a_mean_is_finished_in_the_kernel_of_rows_and_behind_that_of_all_elements(xp: Any, axis: int | None) -> None:
    for dtype in ("int32", "uint64", "int8"):
        want, got, launches = run_both(xp, lambda a, b: tf.reduce_mean(a * b, axis), [(20, 33), (33,)], dtype)
        assert same_bits(got[0], want[0])
        assert launches == 1


@pytest.mark.share(2)
@pytest.mark.parametrize("rows, count", [(3, 40_000), (1, 30_000), (2200, 130), (5, 700), (1, 1), (4, 8193), (9, 4)])
def test_reductions_of_rows_of_every_length(xp: Any, rows: int, count: int) -> None:
    for build in (lambda a, b: tf.reduce_sum(a * b, 1), lambda a, b: tf.reduce_max(a + b, 1)):
        want, got, launches = run_both(xp, build, [(rows, count), (rows, 1)], "int32")
        assert same_bits(got[0], want[0])
        assert launches == 1
    want, got, _ = run_both(xp, lambda a, b: tf.reduce_sum(tf.minimum(a * a, b * b), 1), [(rows, count)] * 2, "float64")
    assert np.allclose(got[0], want[0], rtol=1e-9, equal_nan=True)


@pytest.mark.parametrize("hot, kernels", [(1000, 2), (0, 4)])  # dense rows need no sizes
def test_sizes_that_vary_share_a_kernel(
    xp: Any, monkeypatch: pytest.MonkeyPatch, sources: set[str], hot: int, kernels: int
) -> None:
    monkeypatch.setattr(cuda_source, "HOT", hot)
    monkeypatch.setattr(cuda_source, "_written", set())
    for n in (37, 41, 43):
        want, got, _ = run_both(xp, lambda a, b: (a * b + a) * b, [(4, n), (4, 1)], "float32")
        assert same_bits(got[0], want[0])
        want, got, _ = run_both(xp, lambda a, b: tf.reduce_max(a * b + a, 1), [(4, n), (4, 1)], "float32")
        assert same_bits(got[0], want[0])
    if sources:  # the played GPU's
        assert len(sources) == kernels


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_arithmetic_is_bit_equal_in_one_launch(xp: Any, dtype: str) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        c = (a * b - b) / (a + b)
        return [c, -c * tf.square(a), tf.reciprocal(c) - b, tf.not_equal(a, c), tf.where(tf.equal(c, c), c, c + b)]

    every: list[list[tuple[int, ...]]] = [[(300,), (300,)], [(7, 5), (5,)], [(31,), ()]]
    for shapes in every:
        want, got, launches = run_both(xp, build, shapes, dtype)
        assert all(same_bits(g, w) for g, w in zip(got, want, strict=True)), shapes
        assert launches == 1


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_size_of_a_complex_number_is_bit_equal(xp: Any, dtype: str) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        size = tf.abs(a)
        return [tf.abs(a * b) + size, tf.abs(b * 0.0) + size]

    want, got, launches = run_both(xp, build, [(300,), (300,)], dtype)
    assert all(same_bits(g, w) for g, w in zip(got, want, strict=True))
    assert launches == 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_rests_that_are_zero_and_quotients_by_zero_are_those_of_the_cpu(xp: Any, dtype: str) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        if a.dtype.is_complex:
            return [a / (b * 0.0) + a]
        rest = tf.mod(tf.round(a), tf.round(b))  # zero in many places, of both signs
        return [rest, -rest]

    want, got, launches = run_both(xp, build, [(200,), (200,)], dtype)
    assert all(same_bits(g, w) for g, w in zip(got, want, strict=True))
    assert launches == 1


INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", INTS)
def test_ints_are_divided_in_a_group_as_on_the_cpu(xp: Any, dtype: str) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        safe = tf.where(tf.equal(b, 0), b + 1, b)
        return [tf.floordiv(a, safe), tf.mod(a, safe), tf.div(a + 1, safe)]

    want, got, launches = run_both(xp, build, [(400,), (400,)], dtype)
    assert all(same_bits(g, w) for g, w in zip(got, want, strict=True))
    assert launches == 1


def test_the_least_int_divided_by_minus_one(xp: Any) -> None:
    for dtype in ("int8", "int32", "int64"):
        kind = tf.as_dtype(dtype)
        with tf.Graph().as_default() as g:
            x, y = tf.placeholder(kind, [2], name="x0"), tf.placeholder(kind, [2], name="x1")
            quotient = tf.floordiv(x, y)
            fetches = [quotient, tf.mod(x, y) - quotient]
            feed = {x: [kind.min, 7], y: [-1, -2]}
            with tf.Session(graph=g) as session:
                want = session.run(fetches, feed)
                plan = session.plan(fetches, [x, y])
        there = {slot: xp.asarray(np.array(feed[{"x0:0": x, "x1:0": y}[name]], kind.np)) for name, slot in plan.feeds}
        there |= {slot: xp.asarray(array) for slot, array, _ in plan.constants}
        [step] = plan.steps
        found = CudaGroup(step.args[-1])(xp, [there[i] for i in step.inputs])
        there |= dict(zip(step.outputs, found, strict=True))
        assert [xp.asnumpy(there[f]).tolist() for f in plan.fetches] == [w.tolist() for w in want]


@pytest.mark.parametrize("divided", [tf.floordiv, tf.mod])
def test_a_zero_divisor_is_the_error_it_is_on_the_cpu(xp: Any, divided: Build) -> None:
    with tf.Graph().as_default() as g:
        x, y = tf.placeholder(tf.int32, [3], name="x0"), tf.placeholder(tf.int32, [3], name="x1")
        z = divided(x * 2, y) + x
        with tf.Session(graph=g) as session:
            plan = session.plan(z, [x, y])
    bodies = [a for s in plan.steps for a in s.args if isinstance(a, Body)]
    for body in bodies:
        group = CudaGroup(body)
        if not group.divisors:
            continue
        given = [xp.asarray(np.array([4, 5, 6], "i4")) for _ in body.inputs]
        before = LAUNCHES.count
        group(xp, given)
        assert LAUNCHES.count > before
        [divisor] = group.divisors
        given[divisor] = xp.asarray(np.array([1, 0, 2], "i4"))
        with pytest.raises(DividedByZero):
            group(xp, given)
        with np.errstate(all="ignore"), pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            run_body(xp, given, body)
        group.safe = frozenset([divisor])
        assert not group.waits


def test_a_group_that_has_no_cuda_runs_op_by_op(xp: Any) -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.complex64, [3], name="x0")
        y = tf.exp(x) * x + x
        with tf.Session(graph=g) as session:
            plan = session.plan(y, [x])
            want = session.run(y, {x: [1 + 2j, 3j, 1]})
    [body] = [a for s in plan.steps for a in s.args if isinstance(a, Body)]
    there = [xp.asarray(np.array([1 + 2j, 3j, 1], "c8")) for _ in body.inputs]
    assert np.allclose(xp.asnumpy(run_body(xp, there, body)[0]), want)
    assert "exp of complex numbers" in group_of(body).reason


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
@pytest.mark.parametrize("every", [*slow([1]), *nightly([4]), 30])
def test_nvidias_compiler_takes_generated_groups(
    xp: Any, sources: set[str], every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # To compile all of them takes long: every run takes each thirtieth. They are not played, which other tests do.
    monkeypatch.setattr(shim, "launch", lambda *_: None)
    works = works_of_many_groups(xp)
    assert len(works) > 100
    tried = works[::every]
    for work in tried:
        with suppress(AssertionError):  # of the numbers, which nothing computed
            work()
    assert len(sources) >= len(tried)
    for i, code in enumerate(sorted(sources)):
        architecture = ("70", "80", "90")[i % 3]
        nvrtc.compile_code(code, OPTIONS, architecture)


def works_of_many_groups(xp: Any) -> list[Callable[[], object]]:
    """What makes groups of every kind; each plays those that it makes."""
    works: list[Callable[[], object]] = []
    for dtype in NUMBERS:
        works.append(partial(test_choices_comparisons_and_several_results, xp, dtype))
        works.append(partial(run_both, xp, lambda a, b: (a * b + a - b) * a, [(7, 12), (12,)], dtype))
    for kind in ("float32", "float16", "uint64"):
        for target in ("int8", "uint64", "float16", "bool"):
            if kind != target:
                works.append(partial(test_casts_inside_a_group_have_the_defined_meaning, xp, kind, target))
    works.append(partial(test_reductions_at_the_end, xp, "bfloat16"))
    functions = (tf.exp, tf.expm1, tf.log, tf.log1p, tf.sin, tf.tan, tf.asin, tf.atan, tf.sinh, tf.acosh, tf.erf)
    for dtype in ("float32", "float64", "float16"):
        for f in functions:
            works.append(partial(run_both, xp, lambda a, b, f=f: f(a) * b, [(50,), (50,)], dtype))
    works.append(partial(run_both, xp, lambda a, b: tf.floormod(a, b) + tf.softplus(a), [(50,), (50,)], "float64"))
    for dtype in ("complex64", "complex128"):
        works.append(partial(test_complex_arithmetic_is_bit_equal_in_one_launch, xp, dtype))
        works.append(partial(test_the_size_of_a_complex_number_is_bit_equal, xp, dtype))
    for dtype in INTS:
        works.append(partial(test_ints_are_divided_in_a_group_as_on_the_cpu, xp, dtype))
    works.append(partial(test_reductions_of_rows_of_every_length, xp, 3, 40_000))
    works.append(partial(test_reductions_of_rows_of_every_length, xp, 2200, 130))
    works.append(partial(test_a_mean_is_finished_in_the_kernel_of_rows_and_behind_that_of_all_elements, xp, 1))
    for dtype in (*INTS, "float32", "float64", "bfloat16"):
        for shape in ((20, 64), (3, 9000)):
            least = lambda a, b: tf.reduce_min(tf.maximum(a, b) + a, 1)  # noqa: E731
            unequal = lambda a, b: tf.reduce_any(tf.logical_or(a > b, a < b), 1)  # noqa: E731
            works += [partial(run_both, xp, f, [shape, shape], dtype) for f in (least, unequal)]
    return works
