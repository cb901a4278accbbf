"""Cards: what a page shows about one operation.

A card holds the op in one line, attributes, static shapes, dtype, device, the user's line, and why a dimension is not
known. Stages share most operations, and a loop makes many that are alike, so equal cards are stored once. Attributes
that a drawn object does not have are left out: a page can be made of anything that `picture_of` takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.diagnostics.unknown_dims import why_unknown
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim
from ...runtime.ir.fused_ir import Body, instructions_in
from ...runtime.planning.plan import Plan, Step
from ..layout.text_measure import shorten
from .page_data import Texts

Row = tuple[Any, ...]

_LONGEST_VALUE = 160
_LONGEST_WHY = 1200
_LONGEST_LINE = 400
_MOST_OUTPUTS = 64


class Cards:
    """The cards of a page; operations with equal cards share one.

    rows: [type, attributes, outputs, origins, device, why], where an attribute is [name, value], an output
    [dtype, shape], an origin [place, code, name of the node whose gradient it is for].
    """

    def __init__(self, texts: Texts) -> None:
        self.rows: list[Row] = []
        self.docs: dict[int, str] = {}
        self._texts = texts
        self._numbers: dict[Row, int] = {}
        self._by_name: dict[str, tuple[Any, int]] = {}  # the last operation of each name, and its card
        self._reasons: dict[object, str] = {}
        # Rows that many operations share, by id. The objects are kept too, so their ids are not reused.
        self._types: dict[tuple[int, int], tuple[object, object, Row]] = {}
        self._origins: dict[int, tuple[object, Row]] = {}

    def number(self, op: Any) -> int:
        """The number of the operation's card."""
        op = getattr(op, "stands_for", op)
        before, found = self._by_name.get(op.name, (None, -1))
        if op is before or (before is not None and _tell_the_same(op, before)):
            return found
        row = self._row(op)
        found = self._numbers.setdefault(row, len(self.rows))
        if found == len(self.rows):
            self.rows.append(row)
        self._by_name[op.name] = op, found
        return found

    def of_step(self, step: Step, plan: Plan) -> int:
        """The number of a new card for a step of a plan."""
        texts = self._texts
        opdef = OPS.get(step.op)
        kind = texts.number(step.op)
        attributes: Row = ()
        if opdef is not None:
            self.docs.setdefault(kind, _first_line(opdef.__doc__))
            attributes = tuple([(attr.name, _value(step.args[position])) for position, attr in opdef.attrs])
        outputs = [
            (texts.number(plan.slots[slot].dtype.name), texts.number(shape_text(plan.slots[slot].shape)))
            for slot in step.outputs[:_MOST_OUTPUTS]
        ]
        self.rows.append((kind, attributes, tuple(outputs), (), texts.number(step.device), 0))
        return len(self.rows) - 1

    def _row(self, op: Any) -> Row:
        texts = self._texts
        kind = texts.number(op.type)
        outputs = tuple([self._type_of(tensor) for tensor in op.outputs[:_MOST_OUTPUTS]])
        if not isinstance(op, Operation):
            return kind, (), outputs, (), 0, 0
        if kind not in self.docs:
            self.docs[kind] = _first_line(op.opdef.__doc__)
        group = instructions_in(op)  # its only attribute is its graph
        attributes = tuple([(name, _value(group or value)) for name, value in op.attrs.items()])
        return kind, attributes, outputs, self._origins_of(op), texts.number(op.device), texts.number(self._why(op))

    def _type_of(self, tensor: Any) -> Row:
        dtype, shape = tensor.dtype, tensor.shape
        found = self._types.get((id(dtype), id(shape)))
        if found is None:
            row = self._texts.number(dtype.name), self._texts.number(str(shape))
            found = self._types[id(dtype), id(shape)] = dtype, shape, row
        return found[2]

    def _origins_of(self, op: Operation) -> Row:
        found = self._origins.get(id(op.origins))
        if found is None:
            texts = self._texts
            row = tuple([
                (texts.number(each.place), texts.number(_line(each.whole_code)), texts.number(getattr(each, "of", "")))
                for each in op.origins
            ])  # fmt: skip
            found = self._origins[id(op.origins)] = op.origins, row
        return found[1]

    def _why(self, op: Operation) -> str:
        reasons = dict.fromkeys(reason for tensor in op.outputs for reason in self._reasons_of(tensor))
        return _whole_lines([line for reason in reasons for line in reason.split("\n")])

    def _reasons_of(self, tensor: Tensor) -> list[str]:
        """The reason for each unknown size of a tensor, in words.

        A reason is worked out where the size first occurs, at its origin, and kept. Walking back from every node of a
        long chain would take quadratic time.
        """
        raw = tensor.shape.raw
        if raw is None:
            return [self._rank_reason(tensor)]
        if all(dim.__class__ is int for dim in raw):
            return []
        open_sizes = [
            symbol
            for dim in raw
            if not isinstance(dim, int)
            for symbol, _ in dim.terms
            if symbol.name is None
        ]
        if any(symbol not in self._reasons for symbol in open_sizes):
            told = [str(reason) for reason in why_unknown(tensor)]
            for symbol, reason in zip(open_sizes, told, strict=True):
                self._reasons.setdefault(symbol, reason)
        return [self._reasons[symbol] for symbol in open_sizes]

    def _rank_reason(self, tensor: Tensor) -> str:
        before = next((t for t in tensor.op.inputs if t.shape.raw is None and t in self._reasons), None)
        reason = self._reasons[before] if before is not None else str(why_unknown(tensor))
        return self._reasons.setdefault(tensor, reason)


def _line(code: str) -> str:
    """A line of a program; only what no person wrote is cut."""
    return code if len(code) <= _LONGEST_LINE else code[: _LONGEST_LINE - 1] + "…"


def _whole_lines(lines: list[str]) -> str:
    """The first lines that fit on a card, with the number of the others."""
    room = _LONGEST_WHY
    for number, line in enumerate(lines):
        room -= len(line)
        if room < 0 and number:
            return "\n".join([*lines[:number], f"and {len(lines) - number} more lines; tf.why_unknown shows all"])
    return "\n".join(lines)


def _tell_the_same(op: Any, before: Any) -> bool:
    """Whether `op` is a copy of `before` with other inputs, made by a pass; cards do not show inputs."""
    return (
        isinstance(op, Operation)
        and isinstance(before, Operation)
        and op.opdef is before.opdef
        and op.origins is before.origins
        and op.device == before.device
        and len(op.args) == len(before.args)
        and all(new is old or isinstance(new, Tensor) for new, old in zip(op.args, before.args, strict=True))
        and all(
            new.dtype is old.dtype and new.shape is old.shape
            for new, old in zip(op.outputs, before.outputs, strict=True)
        )
    )


def shape_text(shape: tuple[Dim, ...] | None) -> str:
    """A static shape as it prints: `(batch, 3)`."""
    if shape is None:
        return "<unknown>"
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def graph_text(body: SubGraph | Plan) -> str:
    """A graph inside an op in a few words: "3 operations: Mul, Add, Exp"."""
    ops = [op.type for op in body.operations] if isinstance(body, SubGraph) else [step.op for step in body.steps]
    return f"{len(ops)} operation{'' if len(ops) == 1 else 's'}: {', '.join(ops)}"


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n\n")[0].replace("\n", " ").replace("`", "")


def _value(value: object) -> str:
    if isinstance(value, Body):
        return value.formula
    if isinstance(value, (SubGraph, Plan)):
        return graph_text(value)
    size = getattr(value, "size", None)
    if isinstance(size, int) and size > 16:
        return f"{getattr(value, 'dtype', '')} array of shape {getattr(value, 'shape', '')}".strip()
    if isinstance(value, np.ndarray) and not value.shape:
        value = value[()]  # prints the same, ten times as fast
    return shorten(str(value), _LONGEST_VALUE)
