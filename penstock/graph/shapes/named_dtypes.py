"""Dtypes that exist as names: references, quantised numbers, resources; and TensorFlow's numbers of all dtypes.

`float32_ref` is what TensorFlow calls the dtype of a variable that is referred to; here it means float32. On quantised
numbers nothing is computed: `qint8` can be compared and printed, and an op that gets it says so.
"""

from __future__ import annotations

import enum
from typing import Any, Final

import numpy as np

from ...errors import DTypeError
from .dtypes import ALL, DType, foreign_dtypes, variant


class DataType(enum.IntEnum):
    """TensorFlow's numbers of dtypes.

    >>> import penstock as tf
    >>> tf.float32.as_datatype_enum, tf.as_dtype(tf.float32.as_datatype_enum)
    (<DataType.DT_FLOAT: 1>, tf.float32)
    """

    DT_INVALID = 0
    DT_FLOAT = 1
    DT_DOUBLE = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 5
    DT_INT8 = 6
    DT_STRING = 7
    DT_COMPLEX64 = 8
    DT_INT64 = 9
    DT_BOOL = 10
    DT_QINT8 = 11
    DT_QUINT8 = 12
    DT_QINT32 = 13
    DT_BFLOAT16 = 14
    DT_QINT16 = 15
    DT_QUINT16 = 16
    DT_UINT16 = 17
    DT_COMPLEX128 = 18
    DT_HALF = 19
    DT_RESOURCE = 20
    DT_VARIANT = 21
    DT_UINT32 = 22
    DT_UINT64 = 23
    DT_FLOAT_REF = 101
    DT_DOUBLE_REF = 102
    DT_INT32_REF = 103
    DT_UINT8_REF = 104
    DT_INT16_REF = 105
    DT_INT8_REF = 106
    DT_STRING_REF = 107
    DT_COMPLEX64_REF = 108
    DT_INT64_REF = 109
    DT_BOOL_REF = 110
    DT_QINT8_REF = 111
    DT_QUINT8_REF = 112
    DT_QINT32_REF = 113
    DT_BFLOAT16_REF = 114
    DT_QINT16_REF = 115
    DT_QUINT16_REF = 116
    DT_UINT16_REF = 117
    DT_COMPLEX128_REF = 118
    DT_HALF_REF = 119
    DT_RESOURCE_REF = 120
    DT_VARIANT_REF = 121
    DT_UINT32_REF = 122
    DT_UINT64_REF = 123


class NamedDType:
    """A dtype that exists as a name.

    Attributes:
        name: its name.
        base_dtype: what it refers to; itself for a quantised one.
        as_datatype_enum: its number.
    """

    is_bool = is_floating = is_complex = is_unsigned = False

    def __init__(self, name: str, number: int, base: Any = None, stored: Any = None) -> None:
        self.name = name
        self.as_datatype_enum = DataType(number)
        self.base_dtype: Any = base or self
        self.is_quantized = name[0] == "q"
        self.is_integer = False
        self.is_ref_dtype = base is not None
        self.as_numpy_dtype = stored if base is None else base.as_numpy_dtype
        self.size = np.dtype(stored).itemsize if stored is not None else base.size if base is not None else 1

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return named_dtype, (self.name,)


def _quantised(name: str, number: int, stored: Any) -> NamedDType:
    return NamedDType(name, number, stored=stored)


qint8: Final = _quantised("qint8", 11, np.int8)
quint8: Final = _quantised("quint8", 12, np.uint8)
qint32: Final = _quantised("qint32", 13, np.int32)
qint16: Final = _quantised("qint16", 15, np.int16)
quint16: Final = _quantised("quint16", 16, np.uint16)
resource: Final = NamedDType("resource", 20, stored=np.object_)

QUANTIZED_DTYPES: Final = frozenset({qint8, quint8, qint32, qint16, quint16})


def _reference(base: Any) -> NamedDType:
    return NamedDType(f"{base.name}_ref", base.as_datatype_enum + 100, base)


_EVERY: Final[tuple[DType | NamedDType, ...]] = (*ALL, variant, *QUANTIZED_DTYPES, resource)
_REFERENCES: Final = {base.name: _reference(base) for base in _EVERY}
_NAMED: Final = {each.name: each for each in (*_REFERENCES.values(), *QUANTIZED_DTYPES, resource)}


def named_dtype(name: str) -> NamedDType:
    """The dtype of a name."""
    return _NAMED[name]


def reference_to(dtype: DType) -> NamedDType:
    """What TensorFlow calls a reference to a dtype: float32 -> float32_ref."""
    return _REFERENCES[dtype.name]


def plain_dtype(value: object) -> DType | None:
    """The dtype that a number of a dtype, or a reference, means."""
    if isinstance(value, DataType):
        value = _OF_NUMBER[value % 100]
    elif isinstance(value, str):
        value = _NAMED.get(value)
    if isinstance(value, NamedDType) and value.is_ref_dtype:
        value = value.base_dtype
    if isinstance(value, str) and not value:
        raise DTypeError("DT_INVALID is no dtype", attempt="as_dtype", code="dtype/unknown")
    if isinstance(value, NamedDType):
        raise DTypeError(f"{value} exists as a name: nothing is computed on such values; cast with a plain dtype, such "
                         "as tf.int8", attempt="as_dtype", code="dtype/unknown")  # fmt: skip
    return value if isinstance(value, DType) else None


_OF_NUMBER: Final[dict[int, Any]] = {
    **{each.as_datatype_enum % 100: each for each in _EVERY}, 0: ""
}
foreign_dtypes.append(plain_dtype)

float16_ref, half_ref = (_REFERENCES["float16"],) * 2
bfloat16_ref, float32_ref, float64_ref = (_REFERENCES[name] for name in ("bfloat16", "float32", "float64"))
int8_ref, int16_ref, int32_ref, int64_ref = (_REFERENCES[f"int{bits}"] for bits in (8, 16, 32, 64))
uint8_ref, uint16_ref, uint32_ref, uint64_ref = (_REFERENCES[f"uint{bits}"] for bits in (8, 16, 32, 64))
bool_ref, string_ref, complex64_ref, complex128_ref, variant_ref, resource_ref = (
    _REFERENCES[name] for name in ("bool", "string", "complex64", "complex128", "variant", "resource")
)
qint8_ref, qint16_ref, qint32_ref = (_REFERENCES[f"qint{bits}"] for bits in (8, 16, 32))
quint8_ref, quint16_ref = (_REFERENCES[f"quint{bits}"] for bits in (8, 16))
