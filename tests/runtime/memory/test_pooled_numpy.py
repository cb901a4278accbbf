"""`XP` is NumPy, except for the origin of memory."""

import gc
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.runtime.memory.buffer_pool import POOL, SMALL
from penstock.runtime.memory.pooled_numpy import XP

DTYPES: list[Any] = [None, "f4", float, "c16", "?", "i1", ">i4", "S3", "U2", "S0", "O", "M8[s]", "m8", "(2,3)f4",
                     "f4,i8", "V5", ml_dtypes.bfloat16, np.dtypes.StringDType(), "nonsense"]  # fmt: skip
SHAPES: list[Any] = [0, 5, 150_000, (), (3,), (0, 4), (500, 400), (200, 300, 5), [400, 500], (np.int16(400), 500),
                     np.int64(200_000), -1, (-2, 3), 2.5, "3", None, (1, 200_000)]  # fmt: skip
ORDERS: list[Any] = ["C", "F", "A", "K", "c", None, "Z"]
FILLS: list[Any] = [0, 1, -1, 2.5, True, "ab", b"ab", None, 3 + 1j, [1], np.float32(7), np.arange(500), "text", 10**30]


def outcome(call: Any, has_values: bool) -> Any:
    """What a call gives, in a form that can be compared; the type of its exception if it fails."""
    try:
        with np.errstate(all="ignore"):
            array = call()
    except Exception as error:
        return type(error)
    values = None
    if has_values:
        values = array.tobytes() if not array.dtype.hasobject else array.tolist()
    return type(array), array.shape, array.dtype, array.strides, array.flags.c_contiguous, array.flags.writeable, values


def same(name: str, *given: Any, **named: Any) -> None:
    has_values = not name.startswith("empty")
    expected = outcome(lambda: getattr(np, name)(*given, **named), has_values)
    assert outcome(lambda: getattr(XP, name)(*given, **named), has_values) == expected


def some(draw: st.DrawFn, /, **choices: list[Any]) -> dict[str, Any]:
    """Some of the arguments, with one of their values each."""
    return {name: draw(st.sampled_from(values)) for name, values in choices.items() if draw(st.booleans())}


@pytest.mark.filterwarnings("ignore")  # NumPy's own, equal in both
@pytest.mark.parametrize("name", ["empty", "zeros", "ones"])
@given(data=st.data())
def test_functions_of_a_shape_do_as_numpys(name: str, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    same(
        name,
        shape,
        **data.draw(
            st.composite(some)(dtype=DTYPES, order=ORDERS, device=["cpu", None, "gpu"], like=[None, np.ones(3)])
        ),
    )


@pytest.mark.filterwarnings("ignore")
@given(data=st.data())
def test_full_does_as_numpys(data: st.DataObject) -> None:
    shape, fill = data.draw(st.sampled_from(SHAPES)), data.draw(st.sampled_from(FILLS))
    same("full", shape, fill, **data.draw(st.composite(some)(dtype=DTYPES, order=ORDERS, device=["cpu", None])))


@pytest.mark.parametrize(
    "make",
    [
        lambda xp: xp.empty((400, 500), np.float32),
        lambda xp: xp.zeros((400, 500), ml_dtypes.bfloat16),
        lambda xp: xp.ones(400_000, "i4"),
        lambda xp: xp.full((400, 500), 2.5),
    ],
)
def test_large_arrays_come_from_the_pool(make: Any) -> None:
    found = make(XP)
    assert POOL.owns(found)
    assert not POOL.owns(make(np))


@pytest.mark.parametrize("name", ["zeros", "ones"])
def test_no_trace_of_earlier_values_is_left(name: str) -> None:
    for dtype in ("f4", "S5", "M8[s]", "f4,i8", ml_dtypes.bfloat16):
        shape = (SMALL,)
        dirty = XP.empty(shape, dtype)
        dirty.view(np.uint8).fill(0xAB)
        at = dirty.ctypes.data
        del dirty
        found = getattr(XP, name)(shape, dtype)
        assert found.ctypes.data == at
        assert found.tobytes() == getattr(np, name)(shape, dtype).tobytes()


def test_a_fill_that_fails_gives_its_memory_back() -> None:
    gc.collect()
    before = POOL.stats().in_use
    with pytest.raises(ValueError, match="broadcast"):
        XP.full((400, 500), [1.0, 2.0, 3.0])
    assert POOL.stats().in_use == before


def test_everything_else_is_numpys_own() -> None:
    replaced = {name for name in dir(np) if getattr(XP, name) is not getattr(np, name)}
    assert replaced == {"empty", "zeros", "ones", "full"}
    assert isinstance(XP, ModuleType)
    assert XP.linalg.norm is np.linalg.norm
    with pytest.raises(AttributeError):
        XP.nonsense
