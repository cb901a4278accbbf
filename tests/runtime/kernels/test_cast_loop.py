"""Casts by loops: the same bits as the interpreter tier's rules, for every 16-bit float and at every integer's ends."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.graph.shapes.dtypes import as_dtype, bfloat16, of_numpy
from penstock.ops.elementwise import casting
from penstock.runtime.kernels import fast_cast
from penstock.runtime.kernels.loops.loop_cache import TEMPLATES
from penstock.runtime.llvm import number_conversion

from ...helpers import every_case
from .buffers import Guarded, guarded
from .fences import loop, needs_the_tier

pytestmark = needs_the_tier

INTS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
PAIRS = [
    *[(s, t) for s in ("f2", "bf") for t in ("f2", "bf", "f4", "f8", "b1", *INTS) if s != t],
    *[(s, t) for s in ("f4", "f8") for t in ("f2", "bf", *INTS)],
    *[(s, t) for s in ("b1", *INTS) for t in ("f2", "bf")],
]
OFTEN = [("f2", "f4"), ("f4", "f2"), ("bf", "f4"), ("f4", "bf"), ("f8", "f2"), ("f2", "bf")]
NAMES = ["f2", "bf", "f4", "f8", "b1", *INTS]
BY_DAY = [pair for pair in PAIRS if pair in OFTEN or sum(map(NAMES.index, pair)) % 3 == 0]
"""Each dtype as a source and as a target, cast to every third one."""


def dtype_of(name: str) -> Any:
    return bfloat16.np if name == "bf" else np.dtype(name)


def wanted(x: Any, target: str) -> Any:
    with np.errstate(all="ignore"):
        return casting._converted(np, x, of_numpy(dtype_of(target)), casting._to_int_on_cpu)


def equal(got: Any, want: Any) -> bool:
    """The same bits; all NaNs count as one value."""
    assert got.dtype == want.dtype
    differ = got.view(f"u{got.itemsize}") != want.view(f"u{want.itemsize}")
    if got.dtype.kind in "iub":
        return not differ.any()
    return not (differ & ~((got != got) & (want != want))).any()


@cache
def values(name: str) -> Any:
    """All of them for 16 bits, else every end of an integer, every 16-bit float and its neighbours, and random bits."""
    dtype, rng = dtype_of(name), np.random.default_rng(1)
    if dtype.kind == "b":
        return np.array([False, True] * 9)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        some = rng.integers(ends.min, ends.max, 5000, dtype, endpoint=True)
        return np.concatenate([np.array([ends.min, ends.max, 0, 1], dtype), some, some >> (ends.bits // 2)])
    every = np.arange(1 << 16, dtype=np.uint16)
    if dtype.itemsize == 2:
        return every.view(dtype)
    near = [float(np.iinfo(i).min) for i in INTS] + [float(np.iinfo(i).max) for i in INTS]
    with np.errstate(all="ignore"):
        shorts = np.concatenate([every.view("f2").astype(dtype), every.view(bfloat16.np).astype(dtype)])
        middles = (shorts[1:] + shorts[:-1]) / 2
        exact = np.concatenate([shorts, middles, np.array([*near, 0.5, -0.5, -0.0, 65520, 65519.99], dtype)])
        below, above = (np.nextafter(exact, dtype.type(end)) for end in (-np.inf, np.inf))
        wide = rng.integers(0, 256, 40_000 * dtype.itemsize, np.uint8).view(dtype)
        return np.concatenate([exact, below, above, wide])


def check(source: str, target: str) -> None:
    x = values(source)
    out = Guarded(x.shape, dtype_of(target), 1)
    loop("cast", source, target)(out.array, guarded(x, 1), x.size)
    assert equal(out.array.copy(), wanted(x, target))
    out.check()


@every_case("source, target", BY_DAY)
def test_a_cast_has_the_bits_of_the_rule(source: str, target: str) -> None:
    check(source, target)


@pytest.mark.nightly
@every_case("source, target", [pair for pair in PAIRS if pair not in BY_DAY])
def test_any_other_cast_has_the_bits_of_the_rule(source: str, target: str) -> None:
    check(source, target)


@pytest.mark.share(2)
@pytest.mark.parametrize(("source", "target"), [("f4", "f2"), ("f2", "f4"), ("f4", "bf"), ("f8", "i1"), ("f4", "u8")])
@given(st.integers(0, 140), st.integers(0, 7))
def test_any_count_at_any_address(source: str, target: str, count: int, off: int) -> None:
    x = guarded(values(source)[::97][:count], off)
    out = Guarded(x.shape, dtype_of(target), off)
    loop("cast", source, target)(out.array, x, x.size)
    assert equal(out.array.copy(), wanted(x.copy(), target))
    out.check()


def test_a_processor_without_float16_has_no_loop_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_conversion, "features", lambda: frozenset({"sse2"}))
    for source, target in (("f2", "f4"), ("i4", "f2")):
        with pytest.raises(RuntimeError, match="no instructions that convert float16"):
            TEMPLATES["cast"].code(source, target)
    TEMPLATES["cast"].code("bf", "f4")


def test_a_pair_without_a_loop_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="there is no loop from i4 to f8"):
        TEMPLATES["cast"].code("i4", "f8")


def test_names_of_dtypes_are_those_of_the_op() -> None:
    names = [fast_cast.loop_name(as_dtype(n)) for n in ("bfloat16", "float16", "uint8", "bool")]
    assert names == ["bf", "f2", "u1", "b1"]
