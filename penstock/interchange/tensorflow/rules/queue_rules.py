"""Queues and readers in files: the rules that read their nodes, and those that write them.

A handle is a resource in TensorFlow (`FIFOQueueV2`), or a reference to two strings in older files (`FIFOQueue`). Here
it is one string, the name of the queue in the session, so nodes of both kinds become the same ops. What takes
elements out has the shapes of the queue's components, which the node of the queue alone states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType, int64
from ....graph.shapes.shape import TensorShape, shape_of
from ..foreign_node import ForeignNode, read_as
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported, dtype_of, shape_of_proto

_QUEUES = ("FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2")
_TAKERS = ("QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2")
_PUTTERS = ("QueueEnqueueV2", "QueueEnqueueManyV2")

# ---- reading ------------------------------------------------------------------------------------


def dtypes_at(s: ForeignNode, name: str) -> tuple[DType, ...]:
    """An attribute that lists dtypes; () where it is left out."""
    return tuple([dtype_of(each) for each in s.listed(name).type])


def shapes_at(s: ForeignNode, name: str) -> tuple[TensorShape, ...]:
    """An attribute that lists shapes; () where it is left out."""
    return tuple([shape_of_proto(each) for each in s.listed(name).shape])


def _queue(type: str) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        types, shapes = dtypes_at(s, "component_types"), shapes_at(s, "shapes")
        if type == "PriorityQueueV2":  # TensorFlow's nodes do not list the priority
            types, shapes = (int64, *types), (shape_of(()), *shapes) if shapes or not types else ()
        if not types:
            raise GraphFormatError("its attribute component_types is empty; a queue has components")
        if shapes and len(shapes) != len(types):
            raise GraphFormatError(f"it has {len(types)} components and {len(shapes)} shapes")
        args: list[Any] = [types, shapes, s.attr("capacity", "i", -1)]
        if type == "RandomShuffleQueueV2":
            args += [s.attr("min_after_dequeue", "i", 0), s.attr("seed", "i", 0), s.attr("seed2", "i", 0)]
        return s.add(type, *args, s.text("shared_name"))

    return read


def _components_of(handle: Tensor) -> tuple[Sequence[DType], Sequence[TensorShape]]:
    """The dtypes and shapes of the queue with a handle; empty where another graph, or a choice, gives the handle."""
    op = handle.op
    while op.type == "Identity":
        op = op.inputs[0].op
    return (op.args[0], op.args[1]) if op.type in _QUEUES else ((), ())


def _without_timeout(s: ForeignNode) -> None:
    if s.attr("timeout_ms", "i", -1) != -1:
        raise Unsupported("it has a timeout; here it waits as long as the run lasts")


def _put(type: str) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        _without_timeout(s)
        if len(s.uses) < 2:
            raise GraphFormatError(f"it has {len(s.uses)} inputs; they are a queue and components")
        return s.add(type, s.inputs[0], s.inputs[1:])

    return read


def _take(type: str) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        _without_timeout(s)
        handle, *count = s.take(1 if type == "QueueDequeueV2" else 2)
        types = dtypes_at(s, "component_types")
        stated, shapes = _components_of(handle)
        if not types:
            raise GraphFormatError("its attribute component_types is missing")
        if stated and tuple(stated) != types:
            raise GraphFormatError(f"it takes {len(types)} components {', '.join(map(str, types))} out of a queue of "
                                   f"{', '.join(map(str, stated))}")  # fmt: skip
        return s.add(type, handle, *count, types, tuple(shapes))

    return read


def _close(s: ForeignNode) -> Operation:
    return s.add("QueueCloseV2", *s.take(1), s.attr("cancel_pending_enqueues", "b", False))


def _fixed_records(s: ForeignNode) -> Operation:
    sizes = [s.attr(name, "i", usual) for name, usual in (("record_bytes", None), ("header_bytes", 0),
                                                          ("footer_bytes", 0))]  # fmt: skip
    return s.add("FixedLengthRecordReaderV2", *sizes, s.text("encoding"), s.text("shared_name"),
                 s.attr("hop_bytes", "i", 0))  # fmt: skip


def _named(type: str, *attrs: str) -> Callable[[ForeignNode], Operation]:
    """A reader whose attributes are texts, before `shared_name`."""
    return lambda s: s.add(type, *[s.text(name) for name in attrs], s.text("shared_name"))


_READ: dict[str, Callable[[ForeignNode], Operation]] = {
    **{type: _queue(type) for type in _QUEUES},
    **{type: _put(type) for type in _PUTTERS},
    **{type: _take(type) for type in _TAKERS},
    "QueueCloseV2": _close,
    "QueueIsClosedV2": read_as("QueueIsClosedV2", 1),
    "QueueSizeV2": read_as("QueueSizeV2", 1),
    "FixedLengthRecordReaderV2": _fixed_records,
    "IdentityReaderV2": _named("IdentityReaderV2"),
    "TFRecordReaderV2": _named("TFRecordReaderV2", "compression_type"),
    "TextLineReaderV2": lambda s: s.add(
        "TextLineReaderV2", s.attr("skip_header_lines", "i", 0), s.text("shared_name")
    ),
    "WholeFileReaderV2": _named("WholeFileReaderV2"),
    "ReaderNumRecordsProducedV2": read_as("ReaderNumRecordsProducedV2", 1),
    "ReaderNumWorkUnitsCompletedV2": read_as("ReaderNumWorkUnitsCompletedV2", 1),
    "ReaderReadUpToV2": read_as("ReaderReadUpToV2", 3),
    "ReaderReadV2": read_as("ReaderReadV2", 2),
    "ReaderResetV2": read_as("ReaderResetV2", 1),
}

QUEUE_NODES: dict[str, Callable[[ForeignNode], Operation]] = {
    **_READ,
    **{type.removesuffix("V2"): rule for type, rule in _READ.items()},
}
"""TensorFlow's node -> the rule that reads it; the names without V2 are those of older files."""

# ---- writing ------------------------------------------------------------------------------------


def _write_queue(w: NodeWriter, op: Operation) -> None:
    arguments = dict(zip(op.opdef.parameters, op.args, strict=False))
    types, shapes = arguments.pop("component_types"), arguments.pop("shapes")
    if op.type == "PriorityQueueV2":
        types, shapes = types[1:], shapes[1:]
    arguments.pop("name", None)
    w.node(op.type, (), component_types=types, shapes=shapes, container="", **arguments)


def _write_put(w: NodeWriter, op: Operation) -> None:
    w.node(op.type, [w.ref(t) for t in op.inputs], Tcomponents=[t.dtype for t in op.inputs[1:]],
           timeout_ms=-1)  # fmt: skip


def _write_take(w: NodeWriter, op: Operation) -> None:
    types = [t.dtype for t in op.outputs]
    w.node(op.type, [w.ref(t) for t in op.inputs], component_types=types, timeout_ms=-1)


def _write_attributes(w: NodeWriter, op: Operation) -> None:
    """An op whose attributes have TensorFlow's names."""
    attrs = {named.name: op.args[position] for position, named in op.opdef.attrs}
    if "shared_name" in attrs:
        attrs["container"] = ""
    w.node(op.type, [w.ref(t) for t in op.inputs], **attrs)


OF_QUEUES: dict[str, ExportRule] = {
    **dict.fromkeys(_READ, _write_attributes),
    **dict.fromkeys(_QUEUES, _write_queue),
    **dict.fromkeys(_PUTTERS, _write_put),
    **dict.fromkeys(_TAKERS, _write_take),
}
"""Our op -> the rule that writes it."""

