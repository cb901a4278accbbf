"""Conversion of fed values to arrays of their tensors' dtypes, with a warning if a number changes.

NumPy converts numbers to the dtype of the tensor, as TensorFlow 1.x's `Session.run` does: 1.5 fed to an int32 is 1, and
2**40 in an array of int64 becomes 0. Programs rely on that, so it is a warning at the line that feeds, not an error. An
array of the tensor's dtype is not examined.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...errors import FeedError, FeedTypeError, PenstockWarning, ResourceExhaustedError, UseError, ValueRuleError
from ...graph.common.source_location import Origin, user_origin, user_stacklevel
from ...graph.common.weak_table import WeakTable
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import variant
from ...graph.shapes.literal import Array, normal_bools, refuse_masked
from ..backends import on_device
from ..kernels.bytes_layout import layout_of_bytes
from ..kernels.loops.native_loops import find

_BLOCK = 1 << 14
_FEW = 64


class LossyFeedWarning(PenstockWarning):
    """A fed number changes when it is converted to the dtype of its tensor: 1.5 in an int32, 1e300 in a float32."""


def feed_array(tensor: Tensor, value: Any) -> Array:
    """`value` as an array of the tensor's dtype.

    Raises:
        FeedError (a ValueError): it cannot be converted; FeedTypeError (a TypeError too): it is of a wrong kind.
        UseError (a TypeError): it is a tensor.
    """
    dtype = tensor.dtype
    if value.__class__ is not np.ndarray:
        try:
            refuse_masked(value)
        except ValueRuleError as error:
            raise FeedError(f"Cannot feed Tensor {tensor.name}: {error.message}\n{declared(tensor)}") from None
    if isinstance(value, np.ndarray) and value.dtype == dtype.np and dtype.kind != "s":
        return normal_bools(np.asarray(value)) if dtype.kind == "b" else np.asarray(value)
    if isinstance(value, Tensor):
        raise UseError(
            f"The value of a feed cannot be a tensor: {tensor.name} was fed {value!r}. Feed numbers, lists or arrays; "
            "to use one tensor in place of another, build the graph with it"
        )
    there = on_device(value)
    if there is not None:
        array: Array = _device_array(tensor, there)
        return array
    try:
        if value is None:
            raise TypeError("None values not supported; feed a number, a list or an array")  # NumPy would make a NaN
        if dtype.kind == "s":
            return _strings(tensor, value)
        if dtype.kind == "v":
            return _variants(value)
        return number_array(tensor, value)
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error)
        if "inhomogeneous" in reason:
            reason = "the inner lists have different lengths, so they form no array"
        elif isinstance(error, OverflowError) and dtype.is_integer:
            limits = np.iinfo(dtype.np)
            reason = f"a number is out of bounds; {dtype.name} holds {limits.min} to {limits.max}"
        elif "invalid literal" in reason or "could not convert string" in reason:
            reason += (". Texts are no numbers: number the classes first, as in {'cat': 0, 'dog': 1}, or feed a "
                       "placeholder of tf.string to tf.contrib.lookup.index_table_from_tensor(...).lookup")  # fmt: skip
        kind = FeedError if isinstance(error, ValueError) else FeedTypeError
        raise kind(
            f"Cannot feed {_short(value)} for Tensor {tensor.name}, which has dtype {dtype.name}: {reason}\n"
            f"{declared(tensor)}"
        ) from None
    except MemoryError as error:
        raise ResourceExhaustedError(
            message=f"Cannot feed a {type(value).__name__} for Tensor {tensor.name}: there is no memory to convert it "
            f"to {dtype.name}: {error}. An array of the tensor's dtype is taken as it is; feed one, or feed less"
        ) from None


def _device_array(tensor: Tensor, array: Any) -> Any:
    """An array of a device, as it is."""
    if array.dtype != tensor.dtype.np:
        raise FeedError(
            f"Cannot feed an array of {array.dtype} on a device for Tensor {tensor.name}, which has dtype "
            f"{tensor.dtype.name}: arrays on a device are not converted. Convert it there, or feed it from the host"
        )
    return array.view("u1") != 0 if tensor.dtype.is_bool else array  # as `normal_bools`, without synchronising


def _strings(tensor: Tensor, value: Any) -> Array:
    array = np.asarray(value, object) if not isinstance(value, np.ndarray) else value
    if array.dtype.kind == "S":
        return array.astype(object)
    if array.dtype.kind == "U":
        array = array.astype(object)
    if array.dtype.kind != "O":
        raise TypeError(f"an array of {array.dtype} holds no strings")
    if _holds_bytes_only(array):
        return array
    flat = array.reshape(-1).tolist()
    converted = np.empty(array.shape, object)
    converted.reshape(-1)[:] = [_bytes(v) for v in flat]
    return converted


def _variants(value: Any) -> Array:
    if getattr(value, "dtype", None) != variant.np:
        raise TypeError("only a run makes variants; feed what a run returned for the flow of a TensorArray")
    return np.asarray(value)


def _holds_bytes_only(array: Array) -> bool:
    """True if each element of an object array is exactly bytes: 38 ms for 1e6 elements, 2 by a compiled loop."""
    layout = layout_of_bytes() if array.flags.c_contiguous and array.flags.aligned else None
    loop = None if layout is None else find("bytes_only", layout, work=8 * array.size)
    if loop is not None:
        return loop(array, array.size, id(bytes)) == array.size
    return all(type(v) is bytes for v in array.reshape(-1).tolist())


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"{value!r} is not a string")


def declared(tensor: Tensor) -> str:
    """The line that made the fed tensor, for errors."""
    return f"  {tensor.name}  {tensor.op.origin.place}  {tensor.op.origin.code}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def number_array(tensor: Tensor, value: Any) -> Array:
    """`value` as an array of the tensor's dtype, numeric or bool; a warning if a number changes.

    Raises: TypeError, ValueError, OverflowError: NumPy's error if there is no conversion; TensorFlow's words for an int
        that the dtype cannot hold.
    """
    dtype = tensor.dtype
    if isinstance(value, int) and (dtype.is_integer or dtype.is_bool):
        return _from_int(tensor, value)
    if dtype.is_integer:
        return _as_ints(tensor, value)
    if dtype.is_bool and np.asarray(value).dtype.kind in "SU":
        raise TypeError("a text is no bool, and NumPy would take 'False' for True; feed True or False")
    if isinstance(value, np.ndarray) and value.dtype.kind == "c" and not dtype.is_complex and not dtype.is_bool:
        _warn_unless(value.imag == 0, tensor, value, value.real)
        value = value.real  # NumPy would warn too, at a line of this file
    # A number that fits in 16 bits needs no error state: 0.4 us instead of 2.
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
    """A Python int, the one case in which TensorFlow checks the converted value."""
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
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind not in "iufc":
        return np.asarray(value, wanted)
    is_array = isinstance(value, (np.ndarray, np.generic))
    if kind in "iu":
        result = array.astype(wanted)
        if _are_the_same_ints(result, array):
            return result
    if not is_array:
        result = np.asarray(value, wanted)  # element by element: ints out of bounds and NaN are refused
    elif kind in "fc":
        with np.errstate(all="ignore"):
            result = array.real.astype(wanted)
    if not _holds_the_same(result, array):
        _warn_unless(result == array, tensor, array, result)
    return result


def _are_the_same_ints(found: Array, given: Array) -> bool:
    """True if `given`, an array of ints, was converted to `found` without a change."""
    if given.size <= _FEW:
        return bool(found.tolist() == given.tolist())  # 0.5 us; minimum and maximum take 3
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


_first: WeakTable[Tensor, dict[Origin, str]] = WeakTable()
"""Tensor -> line -> the first warning. The text is repeated, so that Python's filters recognise it."""


def _warn_unless(kept: Any, tensor: Tensor, array: Any, result: Any) -> None:
    """Warn of the first number that changed."""
    if np.all(kept):
        return
    warnings_by_line = _first.setdefault(tensor, {})
    line = user_origin()
    text = warnings_by_line.get(line)
    if text is None:
        place = np.unravel_index(int(np.argmin(kept)), np.shape(kept))
        what = f"element [{', '.join(map(str, place))}]" if place else "the value"
        origin = tensor.op.origin
        text = warnings_by_line[line] = (
            f"Feeding Tensor {tensor.name}, which has dtype {tensor.dtype.name}: {what} is {array[place]} and becomes "
            f"{result[place]}. Fed values are converted to the dtype of their tensor; {_cure(tensor, array)}\n"
            f"  {tensor.name}  {origin.place}  {origin.code}".rstrip()
        )
    warnings.warn(text, LossyFeedWarning, stacklevel=user_stacklevel())


def _cure(tensor: Tensor, given: Any) -> str:
    if given.dtype.kind == "f" and tensor.dtype.is_integer:
        return f"round it yourself (np.rint), or declare the tensor as {given.dtype}."
    return "declare the tensor with a dtype that holds it, or feed numbers that fit."
