"""The call of an op as text: `MatMul(t0, t2, transpose_b=True)`, without defaults and without flags that are False."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ...graph.declare.op_declaration import OPS, OpDef


def call_text(
    op: str, args: Sequence[Any], text_of: Callable[[Any], str], texts: Mapping[str, str] | None = None
) -> str:
    """The call of the op of type `op` with these arguments, in the order of its signature.

    texts: what stands for some arguments, by the names of their parameters.

    >>> call_text("MatMul", ["a", "b", False, True, False, False, False, False], str)
    'MatMul(a, b, transpose_b=True)'
    """
    opdef = OPS.get(op)
    if opdef is None or len(opdef.parameters) != len(args):
        return f"{op}({', '.join(map(text_of, args))})"
    shown: list[str] = []
    operands = {place: operand for place, _, operand in opdef.operands}
    is_named = False
    for place, (name, arg, default) in enumerate(zip(opdef.parameters, args, _defaults(opdef), strict=True)):
        text = texts[name] if texts and name in texts else text_of(arg)
        is_optional = default is not inspect.Parameter.empty
        is_left_out = arg is None and place in operands and operands[place].optional
        if arg is False or is_left_out or (is_optional and text == text_of(default)):
            is_named = True  # what follows could be taken for this one
            continue
        is_named = is_named or name in (texts or ()) or (place not in operands and (is_optional or arg is True))
        shown.append(f"{name}={text}" if is_named else text)
    return f"{op}({', '.join(shown)})"


@cache
def _defaults(opdef: OpDef[Any, Any]) -> tuple[Any, ...]:
    parameters = opdef.signature.parameters
    return tuple([parameters[name].default for name in opdef.parameters])
