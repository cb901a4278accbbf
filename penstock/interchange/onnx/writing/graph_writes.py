"""Writing operations one after the other: known values as arrays, the others by their rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ..wire.onnx_types import NUMBER_OF
from .onnx_writer import NotWritten, OnnxWriter
from .write_table import instead_of, write_rule

_LARGEST_FOLDED = 4096


def write_operations(w: OnnxWriter, operations: Iterable[Operation], results: Sequence[Tensor]) -> None:
    """Write the operations of one graph, of which `results` are needed. What cannot be written is refused."""
    listed = list(operations)
    before, w.needed = w.needed, {t for op in listed for t in op.inputs} | set(results)
    stands = _extended(listed)
    for old, new in stands.items():
        w.needed.update(b for a, b in _pairs(old, new) if a in w.needed)
    for op in listed:
        own = stands.get(op, op)  # an extended copy has the operands of what it extends, so it can be written here
        is_written = bool(own.outputs) and all(t in w.values for t in own.outputs)
        if own in w.top.refused:
            _stand_in(w, own)
        elif not is_written:
            _write_or_refuse(w, own)
        if own is not op:
            w.values.update((a, w.values[b]) for a, b in _pairs(op, own))
    w.needed = before


def _write_or_refuse(w: OnnxWriter, op: Operation) -> None:
    w.begin(op)
    count = len(w.nodes)
    try:
        _write(w, op)
    except NotWritten as error:
        del w.nodes[count:]
        w.refuse(op, str(error))
        _stand_in(w, op)


def _stand_in(w: OnnxWriter, op: Operation) -> None:
    """Let what reads the results of an operation that is refused be written, to find further ones."""
    for tensor in op.outputs:
        w.values.setdefault(tensor, "")


def _write(w: OnnxWriter, op: Operation) -> None:
    if w.top.folds and op.outputs and op.opdef.type != "Const" and not op.opdef.facts.must_feed:
        values = [known_value(t) if t.dtype in NUMBER_OF else None for t in op.outputs]
        if all(value is not None and value.size <= _LARGEST_FOLDED for value in values):
            for tensor, value in zip(op.outputs, values, strict=True):
                w.values[tensor] = w.constant(value, tensor.dtype)
            return
    rule = write_rule(op.type)
    if rule is None:
        raise NotWritten(instead_of(op))
    first = len(w.nodes)
    made = rule(w, op)
    names = [made] if isinstance(made, str) else list(made or [])
    if op.outputs:
        w.name_results(op, names, first)


def _extended(operations: Sequence[Operation]) -> dict[Operation, Operation]:
    """Operations in whose place an extended copy is written, which has their results too: the last such copy."""
    by_name = {op.name: op for op in operations if op.opdef.facts.extends}
    found: dict[Operation, Operation] = {}
    for op in by_name.values():
        for name in op.get_attr("extends"):
            if name in by_name and by_name[name] is not op:
                found[by_name[name]] = op
    return found


def _pairs(old: Operation, new: Operation) -> list[tuple[Tensor, Tensor]]:
    """The results of an operation and those of its extended copy."""
    last = old.opdef.facts.closing
    split, end = len(old.outputs) - last, len(new.outputs) - last
    return [*zip(old.outputs[:split], new.outputs, strict=False),
            *zip(old.outputs[split:], new.outputs[end:], strict=True)]  # fmt: skip
