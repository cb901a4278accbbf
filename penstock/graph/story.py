"""How is a build error told?

What was attempted (the op and its plain arguments), what was found and the rule (the rule's own words), then the call's
line and each tensor operand with the line that made it, a caret under the operand or dimension at fault, and the cure.

    ShapeError: concat(concat_dim=0): Dimension 1 in both shapes must be equal, but are 3 and 4 ...
      "tower/cc"    model.py:41  cc = tf.concat(0, [a, b])
      values[0]     model.py:12  "tower/a:0" float32 (batch, 3)   a = tf.placeholder(tf.float32, ["batch", 3])
      values[1]     model.py:30  "tower/b:0" float32 (?, 4)       b = tf.gather(table, ids)
                                                        ^
      Every other dimension of the values must agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BuildError
from .operation import Tensor
from .origin import user_origin

if TYPE_CHECKING:
    from .opdef import OpDef

_SHOWN_OPERANDS = 8


def tell(error: BuildError, opdef: OpDef[Any, Any], args: Sequence[Any], name: str | None) -> None:
    """Give `error` its full text. An error that was told by an inner call stays as it is."""
    if getattr(error, "told", False):
        return
    error.told = True  # type: ignore[attr-defined]  # a note to the outer calls, not part of the error
    origin = user_origin()
    lines = [f"{_attempt(opdef, args)}: {error.message}"]
    label = repr(name) if name else opdef.default_name
    rows = [(label, origin.place, origin.code, -1, "")]
    for index, parameter, tensor in operands_of(opdef, args):
        what = f'"{tensor.name}" {tensor.dtype.name} {tensor.shape}'
        code = tensor.op.origin.code
        rows.append((parameter, tensor.op.origin.place, what + ("   " + code if code else ""), index, what))
    shown = rows[: _SHOWN_OPERANDS + 1]
    if error.operand is not None and error.operand >= _SHOWN_OPERANDS and error.operand + 1 < len(rows):
        shown.append(rows[error.operand + 1])
    wide = max(len(r[0]) for r in shown)
    place = max(len(r[1]) for r in shown)
    for first, second, text, index, what in shown:
        lead = f"  {first.ljust(wide)}  {second.ljust(place)}  "
        lines.append((lead + text).rstrip())
        if index >= 0 and index == error.operand:
            lines.append(" " * (len(lead) + _caret(what, error, opdef, args)) + "^")
    if len(rows) > len(shown):
        lines.append(f"  ... and {len(rows) - len(shown)} operands more")
    if error.cure:
        lines.append(f"  {error.cure}")
    error.retell("\n".join(lines))


def operands_of(opdef: OpDef[Any, Any], args: Sequence[Any]) -> Iterator[tuple[int, str, Tensor]]:
    """(index among the inputs, how the signature calls it, tensor) for every tensor operand of a call."""
    index = 0
    for position, parameter, operand in opdef.operands:
        value = args[position]
        items = value if operand.many and isinstance(value, (list, tuple)) else (value,)
        for i, tensor in enumerate(items):
            if isinstance(tensor, Tensor):
                yield index, f"{parameter}[{i}]" if operand.many else parameter, tensor
            index += 1


def _attempt(opdef: OpDef[Any, Any], args: Sequence[Any]) -> str:
    """`concat(concat_dim=0)`: the op with those arguments that are short plain values."""
    shown = []
    for parameter, value in zip(opdef.parameters, args, strict=False):
        if isinstance(value, bool) and opdef.signature.parameters[parameter].default is value:
            continue  # a flag that nobody gave
        if isinstance(value, Tensor) and value.op.type == "Const" and value.op.args[0].size <= 8:
            value = value.op.args[0].tolist()
        elif (
            isinstance(value, (Tensor, np.ndarray, dict))
            or value is None
            or (isinstance(value, tuple) and not value)
            or (isinstance(value, (list, tuple)) and any(isinstance(v, (Tensor, np.ndarray)) for v in value))
        ):
            continue
        text = str(value) if not isinstance(value, (str, bytes)) else repr(value)
        if len(text) <= 40:
            shown.append(f"{parameter}={text}")
    return f"{opdef.__name__}({', '.join(shown)})" if shown else opdef.__name__


def _caret(what: str, error: BuildError, opdef: OpDef[Any, Any], args: Sequence[Any]) -> int:
    """The column, inside `what`, of the dimension at fault; of the operand's name where no dimension is named."""
    tensor = next((t for i, _, t in operands_of(opdef, args) if i == error.operand), None)
    if tensor is None or error.dim is None or tensor.shape.raw is None:
        return 0
    rank = len(tensor.shape.raw)
    dim = error.dim + rank if error.dim < 0 else error.dim
    if not 0 <= dim < rank:
        return 0
    start = what.rindex(str(tensor.shape)) + 1
    return start + sum(len(str(d)) + 2 for d in tensor.shape.raw[:dim])
