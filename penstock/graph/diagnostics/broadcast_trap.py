"""The broadcast trap: predictions of shape (rows, 1) minus labels of shape (rows,) give (rows, rows), in silence.

NumPy's rule lines shapes up at their ends, so "rows" of one operand meets the 1 of the other one, and each row is
computed with each other row. A graph knows the sizes by name, so a call that does this gets a `MistakeWarning`.

    y_hat (rows, 1)  -  y (rows,)      warned: (rows, rows)
    y_hat (rows, 1)  -  y[None, :]     not warned: the operands have the same rank, so the pairs are meant
    y[:, None]       -  y (rows,)      not warned: the dimension of size 1 is there for this call
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..common.source_location import user_stacklevel
from ..model.identity_comparison import MistakeWarning
from ..model.nodes import Tensor

if TYPE_CHECKING:
    from ..declare.op_declaration import OpDef
    from ..shapes.shape import TensorShape


class BroadcastWarnings:
    """Whether calls are warned of: `penstock.config.broadcast_warnings`."""

    __slots__ = ("are_on",)

    def __init__(self) -> None:
        self.are_on = os.environ.get("PENSTOCK_BROADCAST_WARNINGS") != "off"


BROADCAST_WARNINGS: Final = BroadcastWarnings()


def is_trap(x: Tensor, y: Tensor) -> bool:
    """Whether an unknown size of the operand with fewer dimensions meets a 1, and is another dimension of the other."""
    longer, shorter = x._shape.raw, y._shape.raw  # without a call: each use of an operator comes here
    if longer is None or shorter is None or len(longer) == len(shorter):
        return False
    if len(longer) < len(shorter):
        x, longer, shorter = y, shorter, longer
    for size in shorter:
        if size.__class__ is not int:
            break
    else:
        return False
    return _meeting(longer, shorter) is not None and not _adds_axes(x)


def warn_of_trap(opdef: OpDef[Any, Any], args: Sequence[Any], result: TensorShape) -> None:
    """A `MistakeWarning` at the user's line, with the lines that made the operands; `result`: the shape of both."""
    names = opdef.parameters[:2]
    sides = sorted(zip(names, args, strict=False), key=lambda side: -len(side[1].shape.raw))
    (long, more), (short, fewer) = sides
    cut = f"tf.squeeze({long}, [{_meeting(more.shape.raw, fewer.shape.raw)}])"
    pairs = ", ".join(["None"] * (len(more.shape.raw) - len(fewer.shape.raw)) + [":"] * len(fewer.shape.raw))
    lines = [
        f"{opdef.__name__}: shapes {more.shape} and {fewer.shape} give {result}: every entry meets every other one",
        *[_row(name, tensor) for name, tensor in zip(names, args, strict=False)],
        f"If entries belong together one by one, give both one shape, as with {cut}. If all pairs are meant, "
        f"write {short}[{pairs}], which is not warned of.",
    ]
    warnings.warn("\n  ".join(lines), MistakeWarning, stacklevel=user_stacklevel())


def _meeting(longer: Sequence[Any], shorter: Sequence[Any]) -> int | None:
    """The dimension of size 1 of the longer shape that a size meets which stands before it there too."""
    before = len(longer) - len(shorter)
    for i, size in enumerate(shorter):
        if not isinstance(size, int) and longer[before + i] == 1 and size in longer[:before]:
            return before + i
    return None


def _adds_axes(tensor: Tensor) -> bool:
    op = tensor.op
    return op.opdef.facts.adds_axes and len(op.inputs[0].shape.raw or ()) < len(tensor.shape.raw or ())


def _row(parameter: str, tensor: Tensor) -> str:
    made = tensor.op.origin
    return f'{parameter}  {made.place}  "{tensor.name}" {tensor.dtype.name} {tensor.shape}   {made.code}'.rstrip()
