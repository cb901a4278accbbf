"""A stand-in array module that is not NumPy, to test backends where there is no GPU.

`DeviceArray` holds a NumPy array and hides it, as a GPU's memory would: it never becomes a NumPy array by accident, and
its operators and every function of the module refuse NumPy arrays, as CuPy does. Functions return `DeviceArray`s, of
rank 0 too, where NumPy would give scalars.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .cuda.cupy_names import check_name


class Address(NamedTuple):
    """CuPy's pointer to memory."""

    ptr: int


class Flags(NamedTuple):
    """CuPy's flags of an array."""

    c_contiguous: bool
    f_contiguous: bool
    owndata: bool


LISTENERS: list[Callable[[Any, Callable[[], Any]], None]] = []
"""Each is told what methods and operators of device arrays compute: the NumPy result, and a function that computes it
again. A played GPU that captures notes them."""


def _told(again: Callable[[], Any]) -> Any:
    """The result of `again`, of which the listeners are told."""
    result = again()
    for listener in LISTENERS:
        listener(result, again)
    return result


class DeviceArray:
    """An array "on the device"."""

    __slots__ = ("_hidden",)
    __array_ufunc__ = None  # NumPy must not compute with it: `np.ndarray + DeviceArray` comes to us, and is refused

    def __init__(self, hidden: Any) -> None:
        array = np.asarray(hidden)
        if array.dtype.kind in "OSU":
            raise TypeError(f"the device holds no arrays of {array.dtype}")
        self._hidden = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError("implicit conversion of a device array to a NumPy array is not allowed")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array"):
            raise AttributeError(name)
        check_name("ndarray", name)
        found = getattr(self._hidden, name)
        if not callable(found):
            return wrapped(found)

        def call(*args: Any, **kwargs: Any) -> Any:
            given, options = unwrapped(args), unwrapped(kwargs)
            return wrapped(_told(lambda: found(*given, **options)))

        return call

    @property
    def flags(self) -> Flags:
        """What CuPy's flags tell; it has no `writeable`."""
        flags = self._hidden.flags
        return Flags(flags.c_contiguous, flags.f_contiguous, flags.owndata)

    @property
    def data(self) -> Address:
        """Where it lies, as CuPy says it."""
        return Address(self._hidden.ctypes.data)

    def __getitem__(self, key: Any) -> Any:
        at = unwrapped(key)
        return DeviceArray(_told(lambda: self._hidden[at]))

    def __setitem__(self, key: Any, value: Any) -> None:
        at, given = unwrapped(key), unwrapped(value)
        _told(lambda: self._hidden.__setitem__(at, given))

    def __len__(self) -> int:
        return len(self._hidden)

    def __iter__(self) -> Iterator[DeviceArray]:
        return (DeviceArray(row) for row in self._hidden)

    def __bool__(self) -> bool:
        return bool(self._hidden)

    def __int__(self) -> int:
        return int(self._hidden)

    def __float__(self) -> float:
        return float(self._hidden)

    def __index__(self) -> int:
        return operator.index(self._hidden.item())

    def __repr__(self) -> str:
        return f"DeviceArray({self._hidden!r})"


def _binary(function: Callable[[Any, Any], Any], reflected: bool = False) -> Callable[[Any, Any], Any]:
    def compute(self: DeviceArray, other: Any) -> Any:
        a, b = self._hidden, unwrapped(other)
        return DeviceArray(_told(lambda: function(b, a) if reflected else function(a, b)))

    return compute


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compute(self: DeviceArray, other: Any) -> Any:
        given = unwrapped(other)
        _told(lambda: function(self._hidden, given))
        return self

    return compute


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def compute(self: DeviceArray) -> Any:
        return DeviceArray(_told(lambda: function(self._hidden)))

    return compute


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
for _name in (*_ARITHMETIC, "and_", "or_", "xor", "lshift", "rshift"):
    _function = getattr(operator, _name)
    _plain = _name.rstrip("_")
    setattr(DeviceArray, f"__{_plain}__", _binary(_function))
    setattr(DeviceArray, f"__r{_plain}__", _binary(_function, reflected=True))
    if _plain != "matmul":
        setattr(DeviceArray, f"__i{_plain}__", _in_place(getattr(operator, f"i{_plain}")))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(DeviceArray, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(DeviceArray, f"__{_name}__", _unary(getattr(operator, _name)))


def unwrapped(value: Any) -> Any:
    """What a device array holds, inside tuples and lists too; TypeError for a NumPy array."""
    if isinstance(value, DeviceArray):
        return value._hidden
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>: a NumPy array was handed to the device")
    if isinstance(value, (list, tuple)):
        return type(value)(map(unwrapped, value))
    if isinstance(value, dict):
        return {k: unwrapped(v) for k, v in value.items()}
    return value


def wrapped(value: Any) -> Any:
    """NumPy arrays and scalars as device arrays, inside tuples and lists too."""
    if isinstance(value, (np.ndarray, np.generic)):
        return DeviceArray(value)
    if type(value) in (list, tuple):
        return type(value)(map(wrapped, value))
    return value


def on_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function of device arrays."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return wrapped(function(*unwrapped(args), **unwrapped(kwargs)))

    return call


class DeviceFunction:
    """A ufunc of the module, with its `at`, `reduce`, `accumulate`."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return on_device(self._ufunc)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._ufunc, name)
        return on_device(found) if callable(found) else found


class DeviceModule:
    """What kernels get as `xp`: NumPy's functions for device arrays. `asarray` and `array` are the ways in."""

    ndarray = DeviceArray

    def asarray(self, value: Any, dtype: Any = None, copy: bool | None = None) -> DeviceArray:
        """The value on the device."""
        if isinstance(value, DeviceArray):
            value = value._hidden
        return DeviceArray(np.array(value, dtype) if copy else np.asarray(value, dtype))

    def array(self, value: Any, dtype: Any = None, copy: bool = True) -> DeviceArray:
        """A copy of the value on the device."""
        return self.asarray(value, dtype, copy)

    def asnumpy(self, array: DeviceArray) -> Any:
        """A copy of the value on the host: the one way out."""
        return array._hidden.copy()

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if isinstance(found, np.ufunc):
            return DeviceFunction(found)
        if isinstance(found, type) or not callable(found):
            return found
        return on_device(found)


def computed_there(kernel: Callable[..., Any], *args: Any) -> Any:
    """What a kernel makes of arrays on the device, brought back."""

    def moved(arg: Any) -> Any:
        if isinstance(arg, list):
            return list(map(moved, arg))
        return DeviceArray(arg) if isinstance(arg, np.ndarray) else arg

    return unwrapped(kernel(StandIn.xp, *map(moved, args)))


class StandIn:
    """The backend "standin"; `copies` counts what crossed over."""

    name = "standin"
    xp: Any = DeviceModule()
    array_type: type = DeviceArray

    def __init__(self) -> None:
        self.copies = 0

    def from_host(self, array: Any) -> DeviceArray:
        """Copy to the device; what lies there already is used as it is."""
        if isinstance(array, DeviceArray):
            return array
        self.copies += 1
        return DeviceArray(array.copy())

    def to_host(self, array: DeviceArray) -> Any:
        """Copy from the device."""
        self.copies += 1
        return self.xp.asnumpy(array)
