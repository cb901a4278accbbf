"""The cache of compiled loops by template and key, and when each is compiled.

NumPy is faster for few elements, and compiling takes 10-20 ms. Each loop is a `Promotion` (llvm.promotion): it is
compiled at once if one call saves as much as compiling takes, or if the object cache holds it; otherwise in the
background, when the calls that asked for it have taken long enough with NumPy. Until then NumPy does the work; the
results are the same.

The table of all templates, by name.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final, NamedTuple

import numpy as np

from ...llvm import tier
from ...llvm.array_head import require_known_data_address
from ...llvm.native_calls import Address, NativeCall
from ...llvm.promotion import BEHIND, BEHIND_ONCE, Builder, Meter, Promotion
from ...llvm.tier import ModuleSource
from ...llvm.toolchain import Library
from ..convolution import convolution_loop, depthwise_loops, few_channels_loop, filter_gradient_loop, pooling_loops
from ..products import matrix_product_loop
from . import crc32c_loop, random_loops
from .loop_template import Template
from .nest_loops import NEST_LOOPS

NUMPY_TIME_PER_SAVING: Final = 4.0
"""What NumPy takes for an element at least, in units of what the loop saves."""


class Use(NamedTuple):
    """The use of a loop: (template, key) and the number of times it was returned."""

    template: str
    key: tuple[Any, ...]
    times: int


Loop = Callable[..., int]


class _CachedLoop:
    """One loop: its promotion, and the number of times it was returned."""

    __slots__ = ("handed_out", "made", "meter", "promotion")

    def __init__(self, name: str, key: tuple[Any, ...]) -> None:
        made = self.made = TEMPLATES[name]
        self.meter = Meter(0, BUILDER, BEHIND_ONCE if made.is_of_starts else BEHIND)
        self.promotion: Promotion[Loop] = Promotion(
            self.meter, lambda: _source(name, *key), lambda library: _loop(made, library)
        )
        self.handed_out = 0


BUILDER: Builder = tier
_entries: dict[tuple[Any, ...], _CachedLoop] = {}


def _entry(name: str, *key: Any) -> _CachedLoop:
    """No lock: threads that ask at the same moment may make a loop twice, which is harmless, and a fork finds none
    held.
    """
    return _entries.get((name, *key)) or _entries.setdefault((name, *key), _CachedLoop(name, key))


def find(name: str, *key: Any, work: int) -> Loop | None:
    """The loop of the template `name` for `key`, or None if NumPy is to do these `work` elements."""
    entry = _entry(name, *key)
    if work < entry.made.fewest or not entry.meter.builder.on():
        return None
    loop = entry.promotion.code
    if loop is None:
        saved = work * entry.made.saves
        loop = entry.promotion.code_for(saved)
        if loop is None:
            entry.meter.seconds += NUMPY_TIME_PER_SAVING * saved
            return None
    entry.handed_out += 1
    return loop


def find_after(name: str, *key: Any, spent: float) -> Loop | None:
    """The same after so many seconds that the loop would have saved."""
    entry = _entry(name, *key)
    loop = entry.promotion.code_after(spent)
    entry.handed_out += loop is not None
    return loop


def is_on() -> bool:
    """Whether code may be compiled."""
    return BUILDER.on()


def find_at_once(name: str, *key: Any) -> Loop | None:
    """The loop of a template, compiled now if it is not there; None if nothing is compiled on this machine."""
    entry = _entry(name, *key)
    loop = entry.promotion.code_at_once() if entry.meter.builder.on() else None
    entry.handed_out += loop is not None
    return loop


def uses() -> list[Use]:
    """The loops that were returned in this process, with counts."""
    return [Use(key[0], key[1:], entry.handed_out) for key, entry in _entries.items() if entry.handed_out]


def failures() -> dict[tuple[Any, ...], str]:
    """Why loops could not be compiled, by template and key."""
    return {key: entry.promotion.reason for key, entry in _entries.items() if entry.promotion.reason}


@cache
def _source(name: str, *key: Any) -> ModuleSource:
    made = TEMPLATES[name]
    ir, function = made.code(*key)
    return ModuleSource(ir, (function,), {} if made.calls is None else made.calls(*key))


def _loop(made: Template, library: Library) -> Loop:
    types = [ctypes.c_int64 if t == "i" else ctypes.c_void_p for t in made.takes]
    kind = ctypes.PYFUNCTYPE if made.holds_gil else ctypes.CFUNCTYPE
    (address,) = library.addresses.values()
    function = kind(ctypes.c_int64, *types)(address)
    if "a" not in made.takes:
        return _with_parts(_called(function), function, _address_of)
    require_known_data_address()
    return _with_parts(_called_on_objects(function), function, id)


def _with_parts(loop: Loop, function: Callable[..., int], taken: Callable[[Any], int]) -> Loop:
    """The loop, which carries the compiled function and what that takes for an array."""
    loop.__dict__[_PARTS] = function, taken
    return loop


_PARTS: Final = "function_and_argument"


def prepared(loop: Loop, *args: Any) -> Callable[[], int]:
    """A call of a loop with these arguments that no Python code is part of; the caller keeps the arrays."""
    function, taken = loop.__dict__[_PARTS]
    return partial(function, *[taken(a) if isinstance(a, np.ndarray) else a for a in args])


def native_call(loop: Loop, *args: Any) -> NativeCall:
    """The same for the block driver."""
    function, taken = loop.__dict__[_PARTS]
    if taken is not id:
        args = tuple([Address(_address_of(a)) if isinstance(a, np.ndarray) else a for a in args])
    return NativeCall(ctypes.cast(function, ctypes.c_void_p).value or 0, args)


def _address_of(array: Any) -> int:
    return int(array.ctypes.data)


def _called(function: Callable[..., int]) -> Callable[..., int]:
    """The function over arrays and ints. A CFUNCTYPE releases the GIL."""
    ndarray = np.ndarray

    def loop(*args: Any) -> int:
        return function(*[a.ctypes.data if a.__class__ is ndarray else a for a in args])

    return loop


def _called_on_objects(function: Callable[..., int]) -> Callable[..., int]:
    """The function over array objects and ints."""
    ndarray = np.ndarray

    def loop(*args: Any) -> int:
        return function(*[id(a) if a.__class__ is ndarray else a for a in args])

    return loop


_MODULES: Final = (
    convolution_loop, depthwise_loops, few_channels_loop, filter_gradient_loop, pooling_loops, matrix_product_loop,
    crc32c_loop, random_loops,
)  # fmt: skip
_WRITTEN: Final = [each for module in _MODULES for each in vars(module).values() if isinstance(each, Template)]
TEMPLATES: Final[dict[str, Template]] = {each.name: each for each in (*NEST_LOOPS, *_WRITTEN)}
"""All templates, by name."""
