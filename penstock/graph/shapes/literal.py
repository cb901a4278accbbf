"""Arrays from Python values: the rules of `constant`, and so of every conversion.

Ints are int32 if they fit, floats are float32, arrays keep their dtype. A Python value never changes its kind (a float
to an int dtype, a number to a string); a NumPy array may. The result never shares memory with the value and is
read-only.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...errors import DTypeError, ValueRuleError
from ..building.given_none import why_none
from ..common.float_errors import unwarned
from ..model.context import defaults
from .dimension import Dimension
from .dtypes import DType, bool_, complex128, float32, int32, int64, of_numpy, string, uint64, variant
from .shape import TensorShape

_INT32 = np.iinfo(np.int32)
_INT64 = np.iinfo(np.int64)

# A Python scalar's kind, and which DType kinds it may become: bool to int is widening, int to bool is not.
_MAY_BECOME = {"b": "biufc", "i": "iufc", "f": "fc", "c": "c", "s": "s"}
Array = np.ndarray[Any, np.dtype[Any]]


def literal(value: Any, dtype: DType | None = None) -> Array:
    """`value` as a read-only array that shares no memory with it, unless that memory can never be written.

    Raises:
        ValueRuleError (a ValueError): None, or a ragged list.
        DTypeError (a TypeError): no such dtype, or a Python value of another kind than `dtype`.
    """
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        array = _scalar(value, kind, dtype)
    elif isinstance(value, (np.ndarray, np.generic)):
        if value.__class__ is not np.ndarray:
            refuse_masked(value)
        array = _from_numpy(np.asarray(value), dtype)
    elif isinstance(value, TensorShape):
        array = _from_python(_shape_entries(value), dtype or int32)
    elif hasattr(value, "__array__") and not isinstance(value, (list, tuple, str, bytes)):
        array = _from_numpy(np.asarray(value), dtype)
    else:
        array = _from_python(value, dtype)
    array.flags.writeable = False
    return array


def _scalar(value: Any, kind: type, dtype: DType | None) -> Array:
    if dtype is None:
        dtype = float32 if kind is float else bool_ if kind is bool else _int_dtype(value, value)
    if dtype.kind not in ("fc" if kind is float else "biufc" if kind is bool else "iufc"):
        raise _refused(value, kind.__name__, dtype)
    if dtype.is_integer and not dtype.min <= value <= dtype.max:
        raise _out_of_range(value, dtype)
    # What neither overflows nor underflows in 16 bits warns of nothing: 0.3 us instead of 0.8.
    if 1e-3 < value < 6e4 or -6e4 < value < -1e-3 or value == 0:
        return np.array(value, dtype.np)
    return _row_major(value, dtype.np)


def _row_major(value: Any, dtype: np.dtype[Any]) -> Array:
    made: Array = unwarned(np.array, value, dtype, copy=True, order="C")
    return made


def refuse_masked(value: Any) -> None:
    """ValueRuleError for a NumPy masked array, or a list that holds one, in which anything is masked."""
    masked = sys.modules.get("numpy.ma")
    if masked is None or not hasattr(masked, "MaskedArray"):  # a thread beside this one may be importing it
        return
    if isinstance(value, (list, tuple)):
        for each in value if value and isinstance(value[0], np.ndarray) else ():
            refuse_masked(each)
    elif isinstance(value, masked.MaskedArray) and masked.getmaskarray(value).any():
        count = int(masked.getmaskarray(value).sum())
        raise ValueRuleError(f"{count} of {value.size} entries of a masked array are masked, and a tensor has no mask; "
                             "give them a value with .filled(value), or leave them out: .compressed()")  # fmt: skip


def _from_numpy(array: Array, dtype: DType | None) -> Array:
    if array.dtype.kind == "O":
        if dtype is None and not array.size:
            dtype = string  # the one dtype that is stored as objects
        return _from_python(array.tolist() if array.ndim else array.item(), dtype, array.shape)
    source = of_numpy(array.dtype)
    if source is string:
        if dtype not in (None, string):
            raise _refused(array, "string", dtype)
        return _strings(array.tolist(), array.shape)
    if dtype is string:
        raise _refused(array, source.name, dtype)
    if (source.is_variant or dtype is variant) and dtype not in (None, source):
        raise _refused(array, source.name, dtype)
    if source.is_complex and dtype is not None and not dtype.is_complex:
        raise _refused(array, source.name, dtype)
    if array.nbytes >= _LEAST_SHARED and dtype in (None, source) and not source.is_bool and _is_frozen(array):
        return array[...]
    own = _row_major(array, (dtype or source).np)
    return normal_bools(own) if source.is_bool and own.dtype == source.np else own


_LEAST_SHARED = 1 << 16


def _is_frozen(array: Array) -> bool:
    """Whether an array lies in bytes or in a file that is mapped for reading: then it need not be copied."""
    if not array.flags.c_contiguous or not array.flags.aligned:
        return False
    base: Any = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return False
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj if base.readonly else None
    return isinstance(base, bytes) or type(base).__name__ == "mmap"


def normal_bools(array: Array) -> Array:
    """An array of bools in which each byte is 0 or 1: `array` itself if its bytes are.

    NumPy takes every byte but 0 for true, and a view of uint8 as bool may hold any. Every array of bools that comes
    from outside passes here, so kernels may compute with the bytes: 0.2 us for 100, 1 for 1e5, 90 for 1e7.
    """
    plain = not array.tobytes().translate(None, b"\0\1") if array.size <= 2048 else array.view(np.uint8).max() <= 1
    return array if plain else np.asarray(array.view(np.uint8) != 0)


def _from_python(value: Any, dtype: DType | None, shape: tuple[int, ...] | None = None) -> Array:
    flat: list[Any] = []
    shape = _walk(value, flat) if shape is None else (_walk(value, flat), shape)[1]
    if not flat:
        return np.zeros(shape, (dtype or float32).np)
    kinds = {_kind_of(v) for v in flat}
    if "s" in kinds:
        if kinds != {"s"} or dtype not in (None, string):
            raise _mixed(value) if dtype is None else _refused_leaf(flat, dtype)
        return _strings(flat, shape)
    wanted = dtype or _common_dtype(kinds, flat)
    if any(wanted.kind not in _MAY_BECOME[kind] for kind in kinds):
        raise _refused_leaf(flat, wanted)
    if wanted.is_integer:
        smallest, largest = min(flat), max(flat)
        if smallest < wanted.min or largest > wanted.max:
            raise _out_of_range(smallest if smallest < wanted.min else largest, wanted)
    try:
        return _row_major(flat, wanted.np).reshape(shape)
    except OverflowError:
        raise ValueRuleError(f"a Python int among the values is too large for {wanted.name}") from None


def _walk(value: Any, flat: list[Any], depth: int = 1) -> tuple[int, ...]:
    """Append the leaves of nested lists to `flat`; return the shape, the same at every branch."""
    if isinstance(value, np.ndarray) and value.ndim:
        refuse_masked(value)
        flat.extend(value.ravel().tolist())
        return tuple(value.shape)
    if isinstance(value, (np.ndarray, TensorShape)):
        refuse_masked(value)
        value = _shape_entries(value) if isinstance(value, TensorShape) else value.item()
    if not isinstance(value, (list, tuple, range)):
        if isinstance(value, Dimension):
            if value.value is None:
                raise ValueRuleError(f"the dimension {value} has no known size to make a constant of; "
                                     "use tf.shape(t)[i] for the size in the graph")  # fmt: skip
            value = value.value
        flat.append(value)
        return ()
    inner: tuple[int, ...] | None = None
    for item in value:
        shape = _walk(item, flat, depth + 1)
        if inner is None:
            inner = shape
        elif inner != shape:
            raise ValueRuleError(
                f"The requested array has an inhomogeneous shape after {depth} dimensions: "
                f"one item of the list has shape {list(inner)}, another {list(shape)}"
            )
    return (len(value), *(inner or ()))


def _cure_of_none() -> str:
    """Which calls may have given the None."""
    why = why_none(defaults.stack[-1] if defaults.stack else defaults.base)
    return f"{why}." if why else "Give a number, a list, an array or a tensor."


def _kind_of(value: Any) -> str:
    kind = type(value)
    if kind is int:
        return "i"
    if kind is float:
        return "f"
    if isinstance(value, (bool, np.bool_)):
        return "b"
    if isinstance(value, (str, bytes)):
        return "s"
    if isinstance(value, (complex, np.complexfloating)):
        return "c"
    if isinstance(value, np.generic):
        found = of_numpy(value.dtype).kind
        return "i" if found == "u" else found
    if isinstance(value, (int, np.integer)):
        return "i"
    if isinstance(value, float):
        return "f"
    if value is None:
        raise ValueRuleError("None values not supported.", code="value/none", cure=_cure_of_none())
    raise DTypeError(
        "Expected numbers, bools or strings", got=f"{value!r} of type {kind.__name__}", code="value/kind"
    )


def _common_dtype(kinds: set[str], flat: list[Any]) -> DType:
    scalars = {type(v) for v in flat if isinstance(v, np.generic)}
    if scalars and len(scalars) == 1 and all(isinstance(v, np.generic) for v in flat):
        return of_numpy(scalars.pop())
    if "c" in kinds:
        return complex128
    if "f" in kinds:
        return float32
    return _int_dtype(min(flat), max(flat)) if "i" in kinds else bool_


def _int_dtype(smallest: int, largest: int) -> DType:
    if _INT32.min <= smallest and largest <= _INT32.max:
        return int32
    if _INT64.min <= smallest and largest <= _INT64.max:
        return int64
    if smallest >= 0 and largest < 1 << 64:
        return uint64
    raise ValueRuleError(f"the Python int {largest if largest > 0 else smallest} does not fit any integer dtype")


def _strings(values: Any, shape: tuple[int, ...]) -> Array:
    array = np.empty(shape, object)
    flat: list[Any] = []
    _walk(values, flat)
    array.reshape(-1)[:] = [v.encode() if isinstance(v, str) else bytes(v) for v in flat]
    return array


def _shape_entries(shape: TensorShape) -> list[int]:
    if shape.raw is None or not shape.is_known:
        raise ValueRuleError(f"Cannot convert a partially known TensorShape {shape} to a Tensor; "
                             "use tf.shape(t) for the shape in the graph")  # fmt: skip
    return [int(d) for d in shape.raw]


def _refused(value: Any, kind: str, dtype: DType) -> DTypeError:
    text = str(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    if dtype is string:
        cure = "numbers do not become strings by themselves"
    else:
        op = "string_to_number" if kind in ("str", "bytes", "string") else "cast"
        cure = f"write tf.{op}(...) if a conversion is meant"
    return DTypeError(f"Expected {dtype.name}", got=f"{text} of type '{kind}'; {cure}", code="value/kind")


def _refused_leaf(flat: list[Any], dtype: DType) -> DTypeError:
    leaf = next(v for v in flat if dtype.kind not in _MAY_BECOME[_kind_of(v)])
    return _refused(leaf, type(leaf).__name__, dtype)


def _mixed(value: Any) -> DTypeError:
    text = repr(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return DTypeError(f"strings and numbers cannot be in one tensor, but got {text}. "
                      "Consider casting elements to a supported type")  # fmt: skip


def _out_of_range(value: Any, dtype: DType) -> ValueRuleError:
    return ValueRuleError(f"{value} does not fit {dtype.name}, which holds {dtype.min} to {dtype.max}")
