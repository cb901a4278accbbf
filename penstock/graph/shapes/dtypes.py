"""Element types (`DType`).

A `DType` is an interned, frozen value: `as_dtype("half") is float16`. It compares equal to its names and to the
NumPy dtype it is stored as, so `t.dtype == np.float32` and `t.dtype == "float32"` read naturally.
Strings are stored as object arrays of `bytes`; bfloat16 comes from ml_dtypes, imported only here.

`variant` holds one Python object in each element: an array of any shape and dtype, the elements of a TensorArray, or
None. Such values exist inside of a run only, and most ops do not take them, so `ALL` leaves the dtype out. It is stored
as a record with one field, which NumPy never confuses with an array of strings and never unpacks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ...errors import DTypeError
from ..common.hooks import hooks
from ..common.near_names import did_you_mean
from ..common.tracebacks import cut

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


_MADE: Final[list[Any]] = []


class DType:
    """An element type.

    >>> import penstock as tf
    >>> tf.float32.name, tf.float32.size, tf.float32.is_floating
    ('float32', 4, True)
    >>> str(tf.float32), repr(tf.float32), f"{tf.float32}"
    ("<dtype: 'float32'>", 'tf.float32', 'float32')
    >>> tf.as_dtype("half") is tf.float16
    True
    """

    __slots__ = ("_hash", "as_numpy_dtype", "bit", "is_bool", "is_complex", "is_floating", "is_integer", "is_unsigned",
                 "kind", "name", "np", "tf_name")  # fmt: skip

    def __init__(self, name: str, dtype: Any, kind: str, tf_name: str | None = None) -> None:
        self.name: Final[str] = name
        self.np: Final[np.dtype[Any]] = np.dtype(dtype)
        self.kind: Final[str] = kind
        # Sets of dtypes are ints with one bit each: testing membership is one C operation in every build.
        self.bit: Final[int] = 1 << len(_MADE)
        _MADE.append(self)
        self.tf_name: Final[str] = tf_name or name
        self.as_numpy_dtype: Final[type] = self.np.type if kind != "s" else np.object_
        self.is_bool: Final[bool] = kind == "b"
        self.is_integer: Final[bool] = kind in "iu"
        self.is_unsigned: Final[bool] = kind == "u"
        self.is_floating: Final[bool] = kind == "f"
        self.is_complex: Final[bool] = kind == "c"
        self._hash: Final[int] = hash(self.np)

    @property
    def base_dtype(self) -> DType:
        """This dtype; there are no reference types."""
        return self

    @property
    def as_datatype_enum(self) -> Any:
        """TensorFlow's number of the dtype, a `DataType`, which is an int."""
        return hooks.dtype_number(_NUMBERS[self.name])

    @property
    def _as_ref(self) -> Any:
        """What TensorFlow calls a reference to the dtype: float32 -> float32_ref."""
        return hooks.dtype_reference(self)

    @property
    def _is_ref_dtype(self) -> bool:
        return False

    @property
    def is_quantized(self) -> bool:
        """False: quantised dtypes exist as names."""
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether arrays of NumPy hold its elements: all but `variant`."""
        return not self.is_variant

    @property
    def limits(self) -> tuple[Any, Any]:
        """The smallest and the largest value of ints; 0 and 1 for floats, as pictures use them."""
        return (0, 1) if self.is_floating or self.is_bool else (self.min, self.max)

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part of a complex number; for other dtypes this dtype."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_string(self) -> bool:
        """Whether it is `string`."""
        return self.kind == "s"

    @property
    def is_variant(self) -> bool:
        """Whether it is `variant`."""
        return self.kind == "v"

    @property
    def holds_objects(self) -> bool:
        """Whether an element is a reference to a Python object: of `string` and `variant`."""
        return self.kind in "sv"

    @property
    def is_numeric(self) -> bool:
        """Whether its elements are numbers: ints, floats or complex numbers."""
        return self.kind in "iufc"

    @property
    def size(self) -> int:
        """The bytes of one element; for strings and variants those of one reference."""
        return self.np.itemsize

    @property
    def min(self) -> Any:
        """The smallest finite value; a TypeError for complex numbers and strings."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest finite value; a TypeError for complex numbers and strings."""
        return self._limit("max")

    def _limit(self, which: str) -> Any:
        if self.is_bool:
            return which == "max"
        if self.is_integer:
            return getattr(np.iinfo(self.np), which)
        if self.is_floating:
            limits: Any = ml_dtypes.finfo
            return getattr(limits(self.np), which)
        raise DTypeError(f"{self.name} has no {which}: its values are not ordered")

    def is_compatible_with(self, other: object) -> bool:
        """Whether `other` names this dtype.

        Args:
            other: a DType, a name, a NumPy dtype or a Python type, as for `as_dtype`.

        Returns:
            True or False.

        Raises:
            TypeError: `other` does not name a dtype.

        >>> import penstock as tf
        >>> tf.float32.is_compatible_with("float"), tf.float32.is_compatible_with("double")
        (True, False)
        """
        return as_dtype(other) is self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, DType) or other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)  # in a sentence it is its name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)


bool_: Final = DType("bool", np.bool_, "b")
uint8: Final = DType("uint8", np.uint8, "u")
uint16: Final = DType("uint16", np.uint16, "u")
uint32: Final = DType("uint32", np.uint32, "u")
uint64: Final = DType("uint64", np.uint64, "u")
int8: Final = DType("int8", np.int8, "i")
int16: Final = DType("int16", np.int16, "i")
int32: Final = DType("int32", np.int32, "i")
int64: Final = DType("int64", np.int64, "i")
float16: Final = DType("float16", np.float16, "f", "half")
bfloat16: Final = DType("bfloat16", _BFLOAT16, "f")
float32: Final = DType("float32", np.float32, "f", "float")
float64: Final = DType("float64", np.float64, "f", "double")
complex64: Final = DType("complex64", np.complex64, "c")
complex128: Final = DType("complex128", np.complex128, "c")
string: Final = DType("string", np.object_, "s")
variant: Final = DType("variant", [("variant", object)], "v")

ALL: Final = (bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64,
              complex64, complex128, string)  # fmt: skip
"""The dtypes that ordinary ops take: all but `variant`."""

_BY_NAME: Final[dict[str, DType]] = {d.name: d for d in ALL} | {
    "half": float16, "float": float32, "double": float64, "str": string, "bytes": string, "object": string,
    "variant": variant,
}  # fmt: skip
_BY_KEY: Final[dict[Any, DType]] = {d.np: d for d in ALL} | {
    bool: bool_, float: float32, int: int32, complex: complex128, str: string, bytes: string, object: string,
    variant.np: variant,
}  # fmt: skip
_BY_KEY.update({d.np.type: d for d in ALL})


_NUMBERS: Final[dict[str, int]] = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9,
    "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "variant": 21, "uint32": 22,
    "uint64": 23,
}  # fmt: skip
foreign_dtypes: Final[list[Callable[[object], DType | None]]] = []
"""What `named_dtypes` adds to `as_dtype`, once something has imported it: references, and numbers of dtypes."""


def bits_of(*dtypes: DType) -> int:
    """A set of dtypes as one int, to be tested with `dtype.bit & bits`."""
    return sum(d.bit for d in set(dtypes))


def dtypes_in(bits: int) -> tuple[DType, ...]:
    """The dtypes of such a set."""
    return tuple(d for d in _MADE if d.bit & bits)


def as_dtype(value: object) -> DType:
    """The `DType` that a value names.

    Args:
        value: a DType, a name, a NumPy dtype or type, or Python's bool, int, float, complex or str.

    Returns:
        The DType; of Python's types bool, int32, float32, complex128 and string.

    Raises:
        DTypeError (a TypeError): no dtype has that name.

    >>> import penstock as tf
    >>> tf.as_dtype("double"), tf.as_dtype(float)
    (tf.float64, tf.float32)
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        found = _BY_NAME.get(value)
        if found is not None:
            return found
    try:
        return _dtype_of_key(value)
    except DTypeError as error:
        cut(error)
        raise


def as_plain_dtype(value: object) -> DType:
    """As `as_dtype`, for a dtype that ordinary ops take.

    Raises:
        DTypeError (a TypeError): no dtype has that name, or it is `variant`.
    """
    found = as_dtype(value)
    if found is variant:
        raise DTypeError("must not be variant, the dtype of the flow of a TensorArray: only its methods, branches and "
                         "loops take it. Give that of numbers, bools or strings", code="dtype/not-allowed")  # fmt: skip
    return found


def _dtype_of_key(value: object) -> DType:
    """The DType of a value that is neither one nor the name of one."""
    try:
        found = _BY_KEY.get(value)
    except TypeError:
        found = None
    if found is not None:
        return found
    named = "_ref" if isinstance(value, str) and value.endswith("_ref") else None
    for each in foreign_dtypes if named is None else [hooks.plain_dtype]:
        found = each(value)
        if found is not None:
            return found
    try:
        # NumPy takes None for float64, and warns of names like "a8", which are no dtypes.
        if value is not None and not (isinstance(value, str) and value.startswith("a")):
            return of_numpy(np.dtype(value))  # type: ignore[call-overload]  # any object may be tried
    except (TypeError, ValueError, SyntaxError):  # what NumPy makes of texts that are no dtypes
        pass
    meant = did_you_mean(value, [d.name for d in ALL]) if isinstance(value, str) else ""
    cure = None
    if isinstance(value, (list, tuple)):
        cure = f"It looks like a shape: write shape={value!r}."
    elif isinstance(value, int) and not isinstance(value, bool):
        cure = "If it is a size: the sizes of a shape are one list, such as [2, 3]."
    raise DTypeError(
        f"{value!r} is not the name of a dtype; the dtypes are {', '.join(d.name for d in ALL)}{meant}",
        attempt="as_dtype",
        cure=cure,
        code="dtype/unknown",
    ) from None


def of_numpy(dtype: npt.DTypeLike) -> DType:
    """The DType that stores arrays of `dtype`; any byte order, and any kind of NumPy string."""
    dtype = np.dtype(dtype)
    found = _BY_KEY.get(dtype)
    if found is not None:
        return found
    if dtype.kind in "SUT":
        return string
    found = _BY_KEY.get(dtype.newbyteorder("="))
    if found is not None:
        return found
    raise DTypeError(
        f"arrays of NumPy dtype {dtype} have no counterpart here; convert them first",
        attempt="as_dtype",
        code="dtype/unknown",
    )


def narrow_numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of ml_dtypes for a type of at most eight bits, such as "float8_e4m3fn" or "int4".

    >>> from penstock.graph.shapes.dtypes import narrow_numpy_dtype
    >>> narrow_numpy_dtype("int4").itemsize
    1
    """
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found
