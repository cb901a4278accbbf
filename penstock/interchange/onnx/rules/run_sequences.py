"""Sequences that a loop carries, where only a run knows how many iterations there are: TensorArrays.

A loop may add tensors at the end or in front, read them and ask how many there are. `graph.export` writes gradients of
loops in loops so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import int32, int64
from ....graph.shapes.shape import TensorShape
from ....ops.tensor_array.array_reading import array_read
from ....ops.tensor_array.array_writing import array_size, array_write, new_array
from ..onnx_errors import UnsupportedOnnx
from ..onnx_node import OnnxNode, RunSequence, SequenceValue, Value
from ..wire.onnx_messages import OnnxGraphProto, TensorTypeProto, ValueInfoProto
from ..wire.onnx_types import NarrowType, element_type
from .values import constant, where


def in_runs(values: Sequence[Value], body: OnnxGraphProto, limit: str) -> list[Value]:
    """A loop's values, sequences as TensorArrays. limit: the value of the model that limits its iterations, or ""."""
    infos = body.inputs[2:]
    return [_in_run(value, info, body, limit) if isinstance(value, SequenceValue) else value
            for value, info in zip(values, infos, strict=True)]  # fmt: skip


def _in_run(value: SequenceValue, info: ValueInfoProto, body: OnnxGraphProto, limit: str) -> RunSequence:
    type = None if info.type is None or info.type.sequence is None else info.type.sequence.elem_type
    tensor = None if type is None else type.tensor
    if tensor is None:
        raise UnsupportedOnnx(f"it carries the sequence {info.name!r} of something else than tensors, and only the run "
                              "says when it ends")  # fmt: skip
    dtype = element_type(tensor.elem_type)
    if isinstance(dtype, NarrowType):
        raise UnsupportedOnnx(f"it carries a sequence of {dtype.name}, and only the run says when it ends")
    turned = any(node.op_type == "SequenceInsert" and node.inputs[:1] == [info.name] and len(node.inputs) > 2
                 for node in body.nodes)  # fmt: skip
    shape = _sizes(tensor)
    made = RunSequence(new_array(0, dtype, shape, True, False, info.name), dtype, shape, turned, limit)
    for item in value.items[::-1] if turned else value.items:
        made = _added(made, item)
    return made


def of_tensors(tensors: Sequence[Tensor]) -> RunSequence:
    """A sequence of tensors whose shapes may differ.

    Raises:
        GraphFormatError: there is none.
    """
    if not tensors:
        raise GraphFormatError("it takes a value of a sequence that has none")
    dtype = tensors[0].dtype
    shape = TensorShape(None)
    if len({t.shape.ndims for t in tensors}) == 1 and tensors[0].shape.raw is not None:
        columns = zip(*[t.shape.raw or () for t in tensors], strict=True)
        shape = TensorShape([sizes[0] if isinstance(sizes[0], int) and len({*sizes}) == 1 else None
                             for sizes in columns])  # fmt: skip
    made = RunSequence(new_array(0, dtype, shape, True), dtype, shape, False)
    for tensor in tensors:
        made = _added(made, tensor)
    return made


def _sizes(type: TensorTypeProto) -> TensorShape:
    """The sizes that are numbers; names are those of another place."""
    if type.shape is None:
        return TensorShape(None)
    return TensorShape([dim.value if isinstance(dim.value, int) else None for dim in type.shape.dims])


def _added(sequence: RunSequence, item: Value) -> RunSequence:
    if not isinstance(item, Tensor) or item.dtype is not sequence.dtype:
        raise GraphFormatError(f"it adds something else than a {sequence.dtype.name} tensor to a sequence of these")
    array = array_write(sequence.array, array_size(sequence.array), item)
    return replace(sequence, array=array)


def inserted(n: OnnxNode, sequence: RunSequence) -> RunSequence:
    """SequenceInsert."""
    place = known_value(n.tensor(2)) if n.has(2) else None
    if n.has(2) != sequence.is_turned or (n.has(2) and (place is None or place.any())):
        raise UnsupportedOnnx("a loop of which only the run says when it ends adds to a sequence neither always at the "
                              "end nor always in front")  # fmt: skip
    return _added(sequence, n.value(1))


def length_of(sequence: RunSequence) -> Tensor:
    """How many tensors it has."""
    return ops.cast(array_size(sequence.array), int64)


def tensor_at(n: OnnxNode, sequence: RunSequence) -> Tensor:
    """SequenceAt."""
    place = ops.cast(ops.reshape(n.tensor(1), []), int64)
    count = length_of(sequence)
    place = where(place < constant(0), place + count, place)
    if sequence.is_turned:
        place = count - constant(1) - place
    found: Tensor = array_read(sequence.array, ops.cast(place, int32), sequence.dtype, sequence.shape)
    return found
