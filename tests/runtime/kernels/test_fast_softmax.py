"""Softmax and its kin: with the loops and without, the same bits, and nothing is touched beside the arrays."""

from typing import Any

import numpy as np
import pytest

from penstock.ops.activations import log_softmax_along, softmax_along
from penstock.ops.softmax_cross_entropy import softmax_cross_entropy_op, sparse_softmax_cross_entropy_op

from .buffers import Guarded
from .fences import loop, loops_at_once, needs_the_tier, run

pytestmark = needs_the_tier

SHAPES = [(1, 1), (3, 1), (50, 2), (7, 7), (50, 8), (50, 10), (130, 17), (3, 127), (3, 129), (2, 1000), (1100, 3),
          (3, 1025), (2, 4096)]  # fmt: skip
OPS: dict[str, Any] = {"softmax": softmax_along, "log_softmax": log_softmax_along}


def logits(shape: tuple[int, int], dtype: str, kind: str) -> Any:
    rng = np.random.default_rng(shape[1])
    x = rng.normal(size=shape) * 10
    if kind == "infinite":
        x[rng.random(shape) < 0.2] = np.inf
        x[-1] = -np.inf
    if kind == "NaN":
        x[rng.random(shape) < 0.05] = np.nan
    if kind == "zeros of both signs":
        x = np.where(rng.random(shape) < 0.5, 0.0, -0.0)
    return x.astype(dtype)


def assert_same_bits(a: Any, b: Any) -> None:
    """Equal bits; a NaN may be another NaN."""
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    nan = np.isnan(a) & np.isnan(b)
    bits = f"i{a.itemsize}"
    assert np.array_equal(np.where(nan, 0, a).view(bits), np.where(nan, 0, b).view(bits))


@pytest.mark.parametrize("kind", ["finite", "infinite", "NaN", "zeros of both signs"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", OPS)
def test_the_loop_gives_the_bits_of_the_plain_kernel(name: str, dtype: str, kind: str) -> None:
    for shape in SHAPES:
        x = logits(shape, dtype, kind)
        with loops_at_once() as handed, np.errstate(all="ignore"):
            made = run(OPS[name], x, -1)
        assert handed.names == [name]
        with loops_at_once(on=False), np.errstate(all="ignore"):
            assert_same_bits(made, run(OPS[name], x, -1))


@pytest.mark.parametrize("name", OPS)
def test_rank_1_and_rank_3_are_rows_too(name: str) -> None:
    for shape in ((5,), (2, 3, 5)):
        x = np.random.default_rng(0).normal(size=shape).astype("f4")
        with loops_at_once() as handed:
            made = run(OPS[name], x, x.ndim - 1)
        assert handed.names == [name]
        with loops_at_once(on=False):
            assert_same_bits(made, run(OPS[name], x, -1))


@pytest.mark.parametrize("name", OPS)
def test_other_axes_layouts_and_dtypes_are_left_to_numpy(name: str) -> None:
    x = np.random.default_rng(0).normal(size=(6, 4)).astype("f4")
    with loops_at_once() as handed, np.errstate(divide="ignore"):
        run(OPS[name], x, 0)
        run(OPS[name], x[::2], -1)
        run(OPS[name], x.astype("f2"), -1)
        run(OPS[name], np.zeros((3, 0), "f4"), -1)
        run(OPS[name], np.zeros((1, 5000), "f4"), -1)
    assert not handed.names


@pytest.mark.parametrize("off", [0, 1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_touched_beside_the_arrays(shape: tuple[int, int], off: int) -> None:
    rows, width = shape
    for dtype in ("f4", "f8"):
        x, labels, out = (Guarded(shape, dtype, off) for _ in range(3))
        loss, classes = Guarded((rows,), dtype, off), Guarded((rows,), "i4", off)
        x.array[...], labels.array[...], classes.array[...] = 1.0, 0.5, width - 1
        for name in OPS:
            assert loop(name, dtype)(out.array, x.array, rows, width) == 0
        assert loop("cross_entropy", dtype)(out.array, x.array, labels.array, loss.array, rows, width) == 0
        entropies = loop("sparse_cross_entropy", dtype, "i4")
        assert entropies(out.array, x.array, classes.array, loss.array, rows, width) == 0
        for each in (x, labels, out, loss, classes):
            each.check()


def parts(x: Any) -> tuple[Any, Any, Any]:
    """x - max(x), the logarithm of the sum of its powers, and softmax, as the plain kernels compute them."""
    shifted = x - x.max(1, keepdims=True)
    powers = np.exp(shifted)
    sums = powers.sum(1, keepdims=True)
    return shifted, np.log(sums), powers / sums


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_cross_entropy_has_the_bits_of_its_formula(dtype: str) -> None:
    for shape in SHAPES:
        x = logits(shape, dtype, "finite")
        labels = np.random.default_rng(1).random(shape).astype(dtype)
        out, loss = np.empty_like(x), np.empty(shape[0], dtype)
        assert loop("cross_entropy", dtype)(out, x, labels, loss, *shape) == 0
        shifted, logs, softmax = parts(x)
        assert_same_bits(loss, ((logs - shifted) * labels).sum(1))
        assert_same_bits(out, softmax - labels)


@pytest.mark.parametrize("label", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_sparse_cross_entropy_has_the_bits_of_its_formula(dtype: str, label: str) -> None:
    for shape in SHAPES:
        x = logits(shape, dtype, "finite")
        labels = np.random.default_rng(1).integers(0, shape[1], shape[0]).astype(label)
        out, loss = np.empty_like(x), np.empty(shape[0], dtype)
        assert loop("sparse_cross_entropy", dtype, label)(out, x, labels, loss, *shape) == 0
        shifted, logs, softmax = parts(x)
        places = np.arange(shape[0]), labels
        assert_same_bits(loss, logs[:, 0] - shifted[places])
        softmax[places] -= 1
        assert_same_bits(out, softmax)


@pytest.mark.parametrize("kind", ["finite", "infinite", "NaN", "zeros of both signs"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_cross_entropy_gives_the_bits_of_its_plain_kernel(dtype: str, kind: str) -> None:
    for shape in SHAPES:
        x = logits(shape, dtype, kind)
        labels = np.random.default_rng(1).random(shape).astype(dtype)
        classes = np.random.default_rng(1).integers(0, shape[1], shape[0])
        for op, name, target in (
            (softmax_cross_entropy_op, "cross_entropy", labels),
            (sparse_softmax_cross_entropy_op, "sparse_cross_entropy", classes),
        ):
            with loops_at_once() as handed, np.errstate(all="ignore"):
                made = run(op, x, target)
            assert handed.names == [name]
            with loops_at_once(on=False), np.errstate(all="ignore"):
                for one, other in zip(made, run(op, x, target), strict=True):
                    assert_same_bits(one, other)


@pytest.mark.parametrize("bad", [-1, 4])
def test_a_label_that_is_no_class_is_reported(bad: int) -> None:
    x, out, loss = np.zeros((2, 4), "f4"), np.zeros((2, 4), "f4"), np.zeros(2, "f4")
    assert loop("sparse_cross_entropy", "f4", "i8")(out, x, np.array([0, bad]), loss, 2, 4) == 1
