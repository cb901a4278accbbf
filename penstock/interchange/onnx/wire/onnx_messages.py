"""The protobuf messages of an ONNX model, as far as graphs need them.

Source: onnx-ml.proto of ONNX 1.23 (IR version 14).
"""

# ruff: noqa: RUF009  # the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...wire.message_fields import many, member, one


@dataclass(slots=True)
class TextEntryProto:
    """An entry of a map from texts to texts."""

    key: str = one(1, "text", "")
    value: str = one(2, "text", "")


@dataclass(slots=True)
class OpsetProto:
    """A domain of operators and its version."""

    domain: str = one(1, "text", "")
    version: int = one(2, "int", 0)


@dataclass(slots=True)
class DimensionProto:
    """A size: a number, a name, or neither."""

    value: int | None = member(1, "int")
    param: str | None = member(2, "text")
    denotation: str = one(3, "text", "")


@dataclass(slots=True)
class OnnxShapeProto:
    """The sizes of a tensor."""

    dims: list[DimensionProto] = many(1, DimensionProto)


@dataclass(slots=True)
class TensorTypeProto:
    """A tensor's dtype and shape; without a shape its rank is unknown."""

    elem_type: int = one(1, "enum", 0)
    shape: OnnxShapeProto | None = one(2, OnnxShapeProto, None)


@dataclass(slots=True)
class HolderTypeProto:
    """A sequence or an optional value of another type."""

    elem_type: TypeProto | None = one(1, lambda: TypeProto, None)


@dataclass(slots=True)
class MapTypeProto:
    """A map from keys to values."""

    key_type: int = one(1, "enum", 0)
    value_type: TypeProto | None = one(2, lambda: TypeProto, None)


@dataclass(slots=True)
class TypeProto:
    """The type of a value: one member is there."""

    tensor: TensorTypeProto | None = member(1, TensorTypeProto)
    sequence: HolderTypeProto | None = member(4, HolderTypeProto)
    map: MapTypeProto | None = member(5, MapTypeProto)
    sparse: TensorTypeProto | None = member(8, TensorTypeProto)
    optional: HolderTypeProto | None = member(9, HolderTypeProto)


@dataclass(slots=True)
class ValueInfoProto:
    """The name and the type of a value."""

    name: str = one(1, "text", "")
    type: TypeProto | None = one(2, TypeProto, None)
    doc: str = one(3, "text", "")


@dataclass(slots=True)
class OnnxTensorProto:
    """An array: bytes, numbers in the list of its type, or a place in another file."""

    dims: list[int] = many(1, "int")
    data_type: int = one(2, "enum", 0)
    float_data: list[float] = many(4, "float")
    int32_data: list[int] = many(5, "int")
    string_data: list[bytes] = many(6, "bytes")
    int64_data: list[int] = many(7, "int")
    name: str = one(8, "text", "")
    raw_data: memoryview | bytes | None = member(9, "view")
    double_data: list[float] = many(10, "double")
    uint64_data: list[int] = many(11, "int")
    doc: str = one(12, "text", "")
    external_data: list[TextEntryProto] = many(13, TextEntryProto)
    data_location: int = one(14, "enum", 0)


@dataclass(slots=True)
class SparseTensorProto:
    """A sparse array: values, and where they stand."""

    values: OnnxTensorProto | None = one(1, OnnxTensorProto, None)
    indices: OnnxTensorProto | None = one(2, OnnxTensorProto, None)
    dims: list[int] = many(3, "int")


@dataclass(slots=True)
class AttributeProto:
    """An attribute of a node; `type` says which member holds its value."""

    name: str = one(1, "text", "")
    f: float = one(2, "float", 0.0)
    i: int = one(3, "int", 0)
    s: bytes = one(4, "bytes", b"")
    t: OnnxTensorProto | None = one(5, OnnxTensorProto, None)
    g: OnnxGraphProto | None = one(6, lambda: OnnxGraphProto, None)
    floats: list[float] = many(7, "float")
    ints: list[int] = many(8, "int")
    strings: list[bytes] = many(9, "bytes")
    tensors: list[OnnxTensorProto] = many(10, OnnxTensorProto)
    graphs: list[OnnxGraphProto] = many(11, lambda: OnnxGraphProto)
    tp: TypeProto | None = one(14, TypeProto, None)
    type: int = one(20, "enum", 0)
    ref_attr_name: str = one(21, "text", "")
    sparse_tensor: SparseTensorProto | None = one(22, SparseTensorProto, None)


@dataclass(slots=True)
class OnnxNodeProto:
    """A node: its inputs and outputs are names of values."""

    counts_as_node: ClassVar[bool] = True

    inputs: list[str] = many(1, "text")
    outputs: list[str] = many(2, "text")
    name: str = one(3, "text", "")
    op_type: str = one(4, "text", "")
    attributes: list[AttributeProto] = many(5, AttributeProto)
    doc: str = one(6, "text", "")
    domain: str = one(7, "text", "")
    overload: str = one(8, "text", "")


@dataclass(slots=True)
class OnnxGraphProto:
    """A graph: nodes in the order in which they can be computed, arrays, inputs and outputs."""

    nodes: list[OnnxNodeProto] = many(1, OnnxNodeProto)
    name: str = one(2, "text", "")
    initializers: list[OnnxTensorProto] = many(5, OnnxTensorProto)
    doc: str = one(10, "text", "")
    inputs: list[ValueInfoProto] = many(11, ValueInfoProto)
    outputs: list[ValueInfoProto] = many(12, ValueInfoProto)
    value_infos: list[ValueInfoProto] = many(13, ValueInfoProto)
    sparse_initializers: list[SparseTensorProto] = many(15, SparseTensorProto)


@dataclass(slots=True)
class OnnxFunctionProto:
    """A function that nodes may call by its domain and name."""

    name: str = one(1, "text", "")
    inputs: list[str] = many(4, "text")
    outputs: list[str] = many(5, "text")
    attribute_names: list[str] = many(6, "text")
    nodes: list[OnnxNodeProto] = many(7, OnnxNodeProto)
    opsets: list[OpsetProto] = many(9, OpsetProto)
    domain: str = one(10, "text", "")
    attribute_defaults: list[AttributeProto] = many(11, AttributeProto)
    overload: str = one(13, "text", "")


@dataclass(slots=True)
class ModelProto:
    """A model."""

    ir_version: int = one(1, "int", 0)
    producer_name: str = one(2, "text", "")
    producer_version: str = one(3, "text", "")
    domain: str = one(4, "text", "")
    model_version: int = one(5, "int", 0)
    doc: str = one(6, "text", "")
    graph: OnnxGraphProto | None = one(7, OnnxGraphProto, None)
    opsets: list[OpsetProto] = many(8, OpsetProto)
    metadata: list[TextEntryProto] = many(14, TextEntryProto)
    functions: list[OnnxFunctionProto] = many(25, OnnxFunctionProto)
