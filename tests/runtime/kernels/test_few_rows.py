"""Kernels of a few rows, as training of looked-up vectors has them, give what NumPy's idioms give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.kernels.kernel_choice import kernel_of, rule_kernel_of

from ...helpers import examples
from .fences import loops_at_once, needs_the_tier

DTYPES = ["f4", "f8", "f2", "i4", "i8", "u1", "c8"]
seeds = st.integers(0, 1 << 30)
inners = st.sampled_from([(), (1,), (3,), (7,), (2, 4)])


def numbers(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Any:
    made = rng.integers(0, 9, shape) * (1.25 if dtype[0] in "fc" else 1)
    return made.astype(dtype)


def result(call: Any) -> Any:
    try:
        with np.errstate(over="ignore"):  # as in a session
            found = call()
    except tf.errors.InvalidArgumentError as error:
        return error.message
    return [
        (each.dtype, each.shape, each.tobytes()) for each in (found if isinstance(found, (list, tuple)) else [found])
    ]


def both(op: str, *args: Any) -> tuple[Any, list[str]]:
    """What the op gives, which is the same without loops, and the loops that it got."""
    with loops_at_once(on=False):
        wanted = result(lambda: OPS[op].kernels["*"](np, *args))
    with loops_at_once() as handed:
        found = result(lambda: kernel_of(OPS[op], "numpy")(np, *args))
    assert found == wanted
    return found, handed.names


@needs_the_tier
@settings(deadline=None, max_examples=examples(5))
@given(seeds, st.sampled_from(DTYPES), st.integers(0, 20), inners, st.booleans())
def test_sums_of_segments(seed: int, dtype: str, count: int, inner: tuple[int, ...], spoil: bool) -> None:
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 6, count).astype(rng.choice(["i4", "i8"]))
    if spoil and count:
        ids[rng.integers(count)] = rng.choice([-1, 6, 1000])
    data = numbers(rng, dtype, (count, *inner))
    _, names = both("UnsortedSegmentSum", data, ids, np.array(6, "i4"))
    assert names == ([] if dtype == "f2" or not count else ["add"])


@needs_the_tier
@settings(deadline=None, max_examples=examples(5))
@given(seeds, st.sampled_from(DTYPES), st.integers(0, 20), inners, st.booleans(),
       st.sampled_from(["add", "sub", "mul", "update"]))  # fmt: skip
def test_rows_combined(seed: int, dtype: str, count: int, inner: tuple[int, ...], spoil: bool, how: str) -> None:
    rng = np.random.default_rng(seed)
    index = rng.integers(0, 6, count).astype("i4")
    if spoil and count:
        index[rng.integers(count)] = rng.choice([-1, 6, 1000])
    tensor, updates = numbers(rng, dtype, (6, *inner)), numbers(rng, dtype, (count, *inner))
    before = tensor.copy()
    wanted, names = both("CombineRows", tensor, index, updates, how, False)
    assert names == ([{"add": "add", "sub": "subtract"}[how]] if how in ("add", "sub") and count else [])
    assert np.array_equal(tensor, before)
    opdef = OPS["CombineRows"]
    with loops_at_once():
        place = tensor.copy()
        assert result(lambda: rule_kernel_of(opdef, "in place")(np, place, index, updates, how, False)) == wanted
        place = tensor.copy()
        prepare = rule_kernel_of(opdef, "prepared")
        later = result(lambda: _written_later(prepare(np, place, index, updates, how, False), place))
        assert later == wanted
        if isinstance(wanted, str):
            assert np.array_equal(place, before)


def _written_later(write: Any, place: Any) -> Any:
    before = place.tobytes()
    np.full(1000, 77)  # memory that the call has kept cannot become that of another array
    assert place.tobytes() == before
    if write is not None:
        write.call()
    return place


@needs_the_tier
def test_rows_of_the_target_itself_are_left_to_numpy() -> None:
    tensor = np.arange(12, dtype="f4").reshape(4, 3)
    opdef = OPS["CombineRows"]
    index = np.array([3, 2, 1], "i4")
    wanted = kernel_of(opdef, "numpy")(np, tensor, index, tensor[:3].copy(), "add", False)
    with loops_at_once() as handed:
        assert np.array_equal(rule_kernel_of(opdef, "in place")(np, tensor, index, tensor[:3], "add", False), wanted)
    assert handed.names == []


@settings(deadline=None, max_examples=examples(5))
@given(seeds, st.sampled_from(["i1", "u1", "i4", "i8", "u8"]), st.integers(0, 300), st.sampled_from(["int32", "int64"]))
def test_different_ints(seed: int, dtype: str, count: int, out: str) -> None:
    x = np.random.default_rng(seed).integers(0, 100, count).astype(dtype) - np.array(40, dtype)
    both("Unique", x, tf.as_dtype(out))


@pytest.mark.parametrize("value", [np.iinfo("i8").min, np.iinfo("i8").max])
def test_the_largest_ints_are_different(value: int) -> None:
    both("Unique", np.array([value, 0, value, value // 2]), tf.int32)
