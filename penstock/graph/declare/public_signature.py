"""The signature of an op as users read it: `TensorLike` and plain types instead of the marks of its declaration.

`help`, `inspect.signature`, an op's repr and the stubs of the public names (docs/make_stubs.py) show it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from .parameters import Operand

_PATH = re.compile(r"\b(?:\w+\.)+(?=\w)")
_DTYPE_LIKE = "DType | str | type | dtype[Any]"


class Written(str):
    """An annotation as it stands in a source file: it prints without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class PublicSignature:
    """The `__signature__` of an op, worked out when it is first asked for."""

    def __get__(self, op: Any, owner: type) -> inspect.Signature | None:  # op: an `OpDef`, None for the class
        if op is None:
            return None  # the class has the usual signature
        found: inspect.Signature | None = op.__dict__.get("_shown")
        if found is None:
            found = op.__dict__["_shown"] = public_signature(op.function, op.signature, op.operands)
        return found


def public_signature(
    function: Callable[..., Any], signature: inspect.Signature, operands: Sequence[tuple[int, str, Operand]]
) -> inspect.Signature:
    """`signature` with the annotations that users read.

    Args:
        function: the function of the declaration.
        signature: what a call takes; annotations that differ from those of the function are shown as they are.
        operands: (place, name, mark) of each tensor.
    """
    hints = inspect.get_annotations(function, eval_str=True)
    marks = {name: operand for _, name, operand in operands}
    raw = function.__annotations__
    shown = []
    for p in signature.parameters.values():
        # What the declaration's own text does not have was written for users.
        is_written = isinstance(p.annotation, str) and p.annotation != raw.get(p.name)
        text = p.annotation if is_written else _annotation(hints[p.name], marks.get(p.name))
        if p.default is None and "None" not in text:
            text += " | None"
        shown.append(p.replace(annotation=Written(text)))
    return signature.replace(parameters=shown, return_annotation=Written(_plain(hints["return"])))


def _annotation(hint: Any, operand: Operand | None) -> str:
    if hasattr(hint, "__metadata__"):
        hint = hint.__origin__
    if operand is None:
        return _plain(hint)
    # A class of the package beside the usual things: `cast` takes a SparseTensor.
    more = [c.__name__ for c in get_args(hint) if getattr(c, "__module__", "").startswith("penstock.")]
    text = " | ".join(["TensorLike", *(name for name in more if name != "Tensor")])
    return f"{f'Sequence[{text}]' if operand.many else text}{' | None' if operand.optional else ''}"


def _plain(hint: Any) -> str:
    """A type as it is written with names alone.

    >>> _plain(int), _plain(list[int] | None)
    ('int', 'list[int] | None')
    """
    text = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    return _PATH.sub("", text).replace("NoneType", "None").replace(_DTYPE_LIKE, "DTypeLike")
