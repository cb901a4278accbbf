"""Reading TensorArrays that Penstock wrote: lists with attributes that say more than TensorFlow's do."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import GraphFormatError
from ...graph.model.nodes import Operation
from ...graph.shapes.shape import TensorShape
from .foreign_node import ForeignNode

MARK = "_penstock_type"
"""The attribute that holds the type of our operation."""

_UNKNOWN = TensorShape(None)


def written_array(s: ForeignNode) -> Operation:
    """The operation that was written as a list's node.

    Raises:
        GraphFormatError: the mark names none of them.
    """
    name = s.attr(MARK, "s")
    rule = _RULES.get(name.decode("ascii", "replace"))
    if rule is None:
        raise GraphFormatError(f"its attribute {MARK} names no operation of TensorArrays")
    return rule(s)


def _new(s: ForeignNode) -> Operation:
    _, size = s.take(2)
    label = s.attr("_penstock_label", "s", b"").decode("utf-8", "surrogateescape")
    flags = s.attr("_penstock_dynamic", "b", False), s.attr("_penstock_identical", "b", False)
    return s.add("TensorArray", size, s.attr("element_dtype", "type"), _shape(s), *flags, label)


def _shape(s: ForeignNode) -> TensorShape:
    found: TensorShape = s.attr("_penstock_shape", "shape", _UNKNOWN)
    return found


def _scatter(s: ForeignNode) -> Operation:
    array, value, indices = s.take(3)
    return s.add("TensorArrayScatter", array, value, None if s.attr("_penstock_rows", "b", False) else indices)


def _read(s: ForeignNode) -> Operation:
    array, index, _ = s.take(3)
    return s.add("TensorArrayRead", array, index, s.attr("element_dtype", "type"), _shape(s), _clear(s))


def _clear(s: ForeignNode) -> bool:
    return bool(s.attr("_penstock_clear", "b", False))


def _gather(s: ForeignNode) -> Operation:
    indices = s.inputs[1] if s.node.op == "TensorListGather" else None
    return s.add("TensorArrayGather", s.inputs[0], s.attr("element_dtype", "type"), _shape(s), _clear(s), indices)


def _concat(s: ForeignNode) -> Operation:
    return s.add("TensorArrayConcat", s.inputs[0], s.attr("element_dtype", "type"), _shape(s), _clear(s))


_RULES: dict[str, Callable[[ForeignNode], Operation]] = {
    "TensorArray": _new,
    "TensorArrayConcat": _concat,
    "TensorArrayGather": _gather,
    "TensorArrayRead": _read,
    "TensorArrayScatter": _scatter,
    "TensorArraySize": lambda s: s.add("TensorArraySize", *s.take(1)),
    "TensorArrayWrite": lambda s: s.add("TensorArrayWrite", *s.take(3)),
}
