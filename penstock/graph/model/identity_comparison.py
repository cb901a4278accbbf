"""`==` and `!=` on tensors: identity, as in TensorFlow 1, with a warning where a program compares values.

`in`, `index`, `remove`, sets and dicts call `__eq__` too and mean identity, so only a comparison in the user's own line
is warned of: the instruction that runs in his frame is then COMPARE_OP.
"""

from __future__ import annotations

import sys
import warnings
from opcode import opmap
from types import CodeType
from typing import Any, Final

from ...errors import PenstockWarning
from ..common.source_location import is_inside

_COMPARE: Final = opmap["COMPARE_OP"]
_CACHE_LIMIT = 100_000


class MistakeWarning(PenstockWarning):
    """A line of the program is a mistake that the package can see while it builds.

    A node that every run will refuse, as its constants show: `transpose(x, [0, 0])`. A tensor that is compared with
    `==`, which is never true of values.
    """


# Keyed by id, because hashing a code object walks its constants; the value keeps the code, so the id, alive.
_places: dict[tuple[int, int], tuple[CodeType, bool]] = {}


class ComparedByIdentity:
    """The base class of tensors that gives them `==`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, _VALUES) and _is_comparison(sys._getframe(1)):
            _warn("==", "False", "tf.equal(x, y)")
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        if isinstance(other, _VALUES) and _is_comparison(sys._getframe(1)):
            _warn("!=", "True", "tf.not_equal(x, y)")
        return False if self is other else NotImplemented

    __hash__ = object.__hash__


# An array is not among them: NumPy makes tf.equal of it.
_VALUES: Final = (bool, int, float, complex, bytes, str, list, tuple, ComparedByIdentity)


def _is_comparison(frame: Any) -> bool:
    """Whether a frame is the user's and is at a comparison."""
    code: CodeType = frame.f_code
    key = (id(code), frame.f_lasti)
    found = _places.get(key)
    if found is None:
        if len(_places) > _CACHE_LIMIT:
            _places.clear()
        is_comparison = not is_inside(code) and code.co_code[frame.f_lasti] == _COMPARE
        found = _places[key] = (code, is_comparison)
    return found[1]


def _warn(operator: str, outcome: str, cure: str) -> None:
    text = (
        f"`x {operator} y` compares identity: it is {outcome} unless both are the same tensor object; to compare "
        f"values write {cure}, for identity `x is{' not' if operator == '!=' else ''} y`"
    )
    warnings.warn(text, MistakeWarning, stacklevel=3)
