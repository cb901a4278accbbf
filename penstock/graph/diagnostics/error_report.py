"""The text of a build error.

It has the op and its plain arguments, what was found and the rule in the words of the shape rule, then the line of the
call and each tensor operand with the line that made it, a caret under the operand or dimension at fault, and the cure.

    ShapeError: concat(concat_dim=0): Dimension 1 in both shapes must be equal, but are 3 and 4.
      'cc'        model.py:41  cc = tf.concat(0, [a, b], name="cc")
      values[0]   model.py:12  "tower/a:0" float32 (batch, 3)   a = tf.placeholder(tf.float32, ["batch", 3])
      values[1]   model.py:30  "tower/b:0" float32 (?, 4)       b = tf.gather(table, ids)
                                                      ^
      Every other dimension of the values must agree.

The error of a function that is made of ops names that function and its arguments, whichever of its steps refused
(`report_on_call`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import BuildError
from ..common.source_location import user_origin, user_stacklevel
from ..model.identity_comparison import MistakeWarning
from ..model.nodes import Graph, Tensor

if TYPE_CHECKING:
    from ..declare.op_declaration import OpDef
    from ..shapes.dimension import SizeClaim

_SHOWN_OPERANDS = 8
_LOOKED_AT = 100  # equations: a graph may have very many


def report_on_op(error: BuildError, opdef: OpDef[Any, Any], args: Sequence[Any], name: str | None) -> None:
    """Give `error` its full text. An error that has it already, from an inner call, stays as it is."""
    if error.is_reported:
        return
    operands = list(operands_of(opdef, args))
    error.is_reported = True
    error.step = _attempt(opdef, args)
    error.culprit = next(((p, t) for i, p, t in operands if i == error.operand), None)
    rows = [(parameter, tensor, index == error.operand) for index, parameter, tensor in operands]
    _write(error, error.step, error.message, repr(name) if isinstance(name, str) and name else opdef.default_name, rows)


def report_on_call(
    error: BuildError,
    function: str,
    arguments: Mapping[str, Any],
    label: str,
    renamed: Mapping[str, str],
    show_step: bool,
) -> None:
    """Give an error of a step of a user's call the text of an error of that call.

    Args:
        error: the error.
        function: the name of the function that was called.
        arguments: those of the call by parameter, without its name.
        label: what the node is called.
        renamed: parameters of the step -> those of the call.
        show_step: whether the text says which step it was.
    """
    attempt = _call_text(function, [(p, v) for p, v in arguments.items() if _is_plain(v)])
    message, cure = error.message, error.cure or ""
    if error.step:
        message, cure = _in_words_of(renamed, message), _in_words_of(renamed, cure)
    if show_step and error.step and error.step.partition("(")[0] != function:
        message = f"in its step {error.step}: {message}"
    operands = list(_tensors_in(arguments))
    culprit = _culprit_among(operands, error, renamed)
    rows = [(parameter, tensor, index == culprit) for index, (parameter, tensor) in enumerate(operands)]
    error.is_reported = True
    _write(error, attempt, message, label, rows, cure)


def warn_of_mistake(opdef: OpDef[Any, Any], args: Sequence[Any], mistake: str) -> None:
    """A `MistakeWarning` at the user's line."""
    text = f"{_attempt(opdef, args)}: every run that reaches this will fail: {mistake}"
    warnings.warn(text, MistakeWarning, stacklevel=user_stacklevel())


def warn_of_claims(opdef: OpDef[Any, Any], args: Sequence[Any], graph: Graph, claims: Sequence[SizeClaim]) -> None:
    """A `MistakeWarning` at the user's line for each name that this call binds to a number and none before it did."""
    for dim, size in claims:
        if not isinstance(size, int):
            continue
        earlier = next(((op, known) for op, other, known in graph.equations[-_LOOKED_AT:] if other == dim), None)
        if earlier is not None and earlier[1] == size:
            continue
        holder = next((t for _, _, t in operands_of(opdef, args) if dim in (t.shape.raw or ())), None)
        text = f"{_attempt(opdef, args)}: every run that reaches this will fail unless {dim} is {size}"
        if earlier is not None:
            op, known = earlier
            text += f", and {op.name!r} holds only if it is {known} ({op.origin.place}  {op.origin.code})"
        if holder is not None:
            text += f"\n  {holder.name} {holder.shape}  {holder.op.origin.place}  {holder.op.origin.code}".rstrip()
        warnings.warn(text, MistakeWarning, stacklevel=user_stacklevel())


def _write(
    error: BuildError,
    attempt: str,
    message: str,
    label: str,
    operands: Sequence[tuple[str, Tensor, bool]],
    cure: str | None = None,
) -> None:
    """Put the lines together: the attempt, the call, its operands (parameter, tensor, is it the one at fault), cure."""
    origin = user_origin()
    rows: list[tuple[str, str, str, Tensor | None, str]] = [(label, origin.place, origin.code, None, "")]
    for parameter, tensor, is_culprit in operands:
        what = f'"{tensor.name}" {tensor.dtype.name} {tensor.shape}'
        made, code = tensor.op.origin.place, tensor.op.origin.code
        rows.append((parameter, made, what + ("   " + code if code else ""), tensor if is_culprit else None, what))
    shown = rows[: _SHOWN_OPERANDS + 1]
    shown += [row for row in rows[_SHOWN_OPERANDS + 1 :] if row[3] is not None][:1]
    wide = max(len(r[0]) for r in shown)
    place = max(len(r[1]) for r in shown)
    lines = [f"{attempt}: {message}"]
    for first, second, text, culprit, what in shown:
        lead = f"  {first.ljust(wide)}  {second.ljust(place)}  "
        lines.append((lead + text).rstrip())
        if culprit is not None:
            lines.append(" " * (len(lead) + _caret(what, culprit, error.dim)) + "^")
    if len(rows) > len(shown):
        lines.append(f"  ... and {len(rows) - len(shown)} operands more")
    cure = error.cure if cure is None else cure
    if cure:
        lines.append(f"  {cure}")
    error.replace_text("\n".join(lines))


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


def _tensors_in(given: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors among the arguments of a call, and in the lists among them."""
    for parameter, value in given.items():
        if isinstance(value, Tensor):
            yield parameter, value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{parameter}[{i}]", item) for i, item in enumerate(value) if isinstance(item, Tensor))


def _culprit_among(operands: Sequence[tuple[str, Tensor]], error: BuildError, renamed: Mapping[str, str]) -> int | None:
    """Which of a call's operands a step found at fault: the tensor, under its own name if it is given twice."""
    if error.culprit is None:
        return None
    parameter, tensor = _in_words_of(renamed, error.culprit[0]), error.culprit[1]
    found = [i for i, (_, each) in enumerate(operands) if each is tensor]
    return next((i for i in found if operands[i][0] == parameter), found[0] if found else None)


def _attempt(opdef: OpDef[Any, Any], args: Sequence[Any]) -> str:
    """`concat(concat_dim=0)`: the op with those arguments that are short plain values."""
    shown = []
    for parameter, value in zip(opdef.parameters, args, strict=False):
        if isinstance(value, bool) and opdef.signature.parameters[parameter].default is value:
            continue  # a flag that has its default
        if value is not None and not (isinstance(value, tuple) and not value) and _is_plain(value):
            shown.append((parameter, value))
    return _call_text(opdef.__name__, shown)


def _is_plain(value: Any) -> bool:
    """Whether a value may be short enough to be shown: no tensor whose values are not in the graph."""
    if isinstance(value, Tensor):
        is_small = value.op.opdef.facts.is_constant and value.op.args[0].size <= 8
        return is_small and not _short(value.op.args[0].tolist()).startswith("<list")
    return not (isinstance(value, (list, tuple)) and any(isinstance(v, (Tensor, np.ndarray)) for v in value))


def _call_text(function: str, shown: Sequence[tuple[str, Any]]) -> str:
    texts = []
    for parameter, value in shown:
        texts.append(f"{parameter}={_short(value.op.args[0].tolist() if isinstance(value, Tensor) else value)}")
    return f"{function}({', '.join(texts)})" if texts else function


def _short(value: Any) -> str:
    """A value as the call might have written it, or what it is if that is long."""
    if isinstance(value, np.ndarray):
        return f"<array {value.dtype} {list(value.shape)}>"
    text = f"{value}" if not isinstance(value, (str, bytes)) else repr(value)  # a dtype by its name
    return text if len(text) <= 40 and " at 0x" not in text else f"<{type(value).__name__}>"


def _in_words_of(renamed: Mapping[str, str], text: str) -> str:
    """`text` with the parameters called as the user's function calls them; `can't` has no parameter t in it."""
    for old, new in renamed.items():
        text = re.sub(rf"(?<!\w)(?<!\w')(?<!tf\.){old}\b(?! ?\()", new, text)
    return text


def _caret(what: str, tensor: Tensor, at: int | None) -> int:
    """The column, inside `what`, of the dimension at fault; of the operand's name where no dimension is named."""
    if at is None or tensor.shape.raw is None:
        return 0
    rank = len(tensor.shape.raw)
    dim = at + rank if at < 0 else at
    if not 0 <= dim < rank:
        return 0
    start = what.rindex(str(tensor.shape)) + 1
    return start + sum(len(str(d)) + 2 for d in tensor.shape.raw[:dim])
