"""What array do fed numbers become, and is something lost on the way?

NumPy converts them to the dtype of their tensor, as TensorFlow 1.x's `Session.run` lets it: 1.5 fed to an int32 is 1,
and 2**40 in an array of int64 is 0. Programs rely on that, so it is no error; but it is said in a warning, at the line
that feeds. An array of the tensor's dtype never comes here, and looking costs less than converting.
"""

from __future__ import annotations

import warnings
import weakref
from typing import Any

import numpy as np

from ...graph.literal import Array
from ...graph.nodes import Tensor
from ...graph.source_location import Origin, user_origin, user_stacklevel

_BLOCK = 1 << 14
_FEW = 64


class LossyFeedWarning(UserWarning):
    """A fed number is not what was fed once it has the dtype of its tensor: 1.5 in an int32, 1e300 in a float32."""


def number_array(tensor: Tensor, value: Any) -> Array:
    """`value` as an array of the tensor's dtype, which holds numbers or bools; a warning if a number is another then.

    Raises:
        TypeError, ValueError, OverflowError: NumPy's, where there is no conversion; TensorFlow's words for an int that
        the dtype cannot hold.
    """
    dtype = tensor.dtype
    if isinstance(value, int) and (dtype.is_integer or dtype.is_bool):
        return _from_int(tensor, value)
    if dtype.is_integer:
        return _as_ints(tensor, value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "c" and not dtype.is_complex and not dtype.is_bool:
        _warn_unless(value.imag == 0, tensor, value, value.real)
        value = value.real  # NumPy would warn too, at a line of ours
    # What neither overflows nor underflows in 16 bits needs no error state: 0.4 us instead of 2.
    if value.__class__ is float and (1e-3 < value < 6e4 or -6e4 < value < -1e-3):
        return np.asarray(value, dtype.np)
    try:
        with np.errstate(all="ignore", over="raise"):
            return np.asarray(value, dtype.np)
    except FloatingPointError:
        with np.errstate(all="ignore"):
            found = np.asarray(value, dtype.np)
            given = np.asarray(value)
            _warn_unless(np.isfinite(found) | ~np.isfinite(given), tensor, given, found)
        return found


def _from_int(tensor: Tensor, value: int) -> Array:
    """A Python int: the one case in which TensorFlow compares what it fed."""
    try:
        found = np.asarray(value, tensor.dtype.np)
        if found[()] == value:
            return found
    except OverflowError:
        pass
    limits = None if tensor.dtype.is_bool else np.iinfo(tensor.dtype.np)
    raise TypeError(
        f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {tensor.dtype.name}, "
        f"which holds {f'{limits.min} to {limits.max}' if limits else '0 and 1'}"
    )


def _as_ints(tensor: Tensor, value: Any) -> Array:
    wanted = tensor.dtype.np
    given = np.asarray(value)
    kind = given.dtype.kind
    if kind not in "iufc":
        return np.asarray(value, wanted)
    is_array = isinstance(value, (np.ndarray, np.generic))
    if kind in "iu":
        found = given.astype(wanted)
        if _are_the_same_ints(found, given):
            return found
    if not is_array:
        found = np.asarray(value, wanted)  # one by one: ints out of bounds and NaN are refused
    elif kind in "fc":
        with np.errstate(all="ignore"):
            found = given.real.astype(wanted)
    if not _holds_the_same(found, given):
        _warn_unless(found == given, tensor, given, found)
    return found


def _are_the_same_ints(found: Array, given: Array) -> bool:
    """Whether `given`, an array of ints, lost nothing when it became `found`."""
    if given.size <= _FEW:
        return bool(found.tolist() == given.tolist())  # 0.5 us, 3 for the least and the greatest
    limits = np.iinfo(found.dtype)
    return bool(limits.min <= int(given.min()) and int(given.max()) <= limits.max)


def _holds_the_same(found: Array, given: Array) -> bool:
    """`(found == given).all()`, in blocks that stay in the cache: a third of the time for 1e6 elements."""
    if not (found.flags.c_contiguous and given.flags.c_contiguous) or given.size <= _BLOCK:
        return bool((found == given).all())
    found, given = found.reshape(-1), given.reshape(-1)
    for i in range(0, len(given), _BLOCK):
        block = given[i : i + _BLOCK]
        if not (found[i : i + _BLOCK].astype(given.dtype) == block).all():
            return False
    return True


_first: weakref.WeakKeyDictionary[Tensor, dict[Origin, str]] = weakref.WeakKeyDictionary()
"""What was said of a tensor first at a line. The words stay, so that Python's filters know what they have shown."""


def _warn_unless(kept: Any, tensor: Tensor, given: Any, found: Any) -> None:
    """Warn of the first number that was not kept."""
    if np.all(kept):
        return
    said = _first.setdefault(tensor, {})
    line = user_origin()
    text = said.get(line)
    if text is None:
        place = np.unravel_index(int(np.argmin(kept)), np.shape(kept))
        what = f"element [{', '.join(map(str, place))}]" if place else "the value"
        origin = tensor.op.origin
        text = said[line] = (
            f"Feeding Tensor {tensor.name}, which has dtype {tensor.dtype.name}: {what} is {given[place]} and becomes "
            f"{found[place]}. What is fed is converted to the dtype of its tensor; {_cure(tensor, given)}\n"
            f"  {tensor.name}  {origin.place}  {origin.code}".rstrip()
        )
    warnings.warn(text, LossyFeedWarning, stacklevel=user_stacklevel())


def _cure(tensor: Tensor, given: Any) -> str:
    if given.dtype.kind == "f" and tensor.dtype.is_integer:
        return f"round it yourself (np.rint), or declare the tensor as {given.dtype}."
    return "declare the tensor with a dtype that holds it, or feed what fits."
