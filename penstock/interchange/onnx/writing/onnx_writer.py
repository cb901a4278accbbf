"""`OnnxWriter`: nodes of a graph of ONNX while it is written.

Values have names. A rule adds nodes and returns the names of the operation's results; the last nodes then take the
names of the operation's tensors, so that a reader finds them again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType
from ....graph.shapes.shape import TensorShape
from ..wire.onnx_messages import (
    AttributeProto,
    DimensionProto,
    HolderTypeProto,
    OnnxGraphProto,
    OnnxNodeProto,
    OnnxShapeProto,
    OnnxTensorProto,
    TensorTypeProto,
    TypeProto,
    ValueInfoProto,
)
from ..wire.onnx_tensors import tensor_proto
from ..wire.onnx_types import NUMBER_OF

SINCE = {"BitwiseAnd": 18, "BitwiseNot": 18, "BitwiseOr": 18, "BitwiseXor": 18, "CumProd": 26,
         "RegexFullMatch": 20, "StringConcat": 20}  # fmt: skip
"""Operators that the oldest opset that is written lacks, and the opset that has them."""


class NotWritten(GraphFormatError):
    """An operation that has no ONNX form, or a use of it that has none."""


WriteOperations: TypeAlias = "Callable[[OnnxWriter, Iterable[Operation], Sequence[Tensor]], None]"
"""Writes operations, of which some results are needed."""


class OnnxWriter:
    """Collects the nodes of one graph.

    Args:
        opset: the version of the operators.
        write: what writes operations, for graphs inside nodes.
        outer: the writer of the graph around it.

    Attributes:
        nodes, arrays: what was written.
        values: the names of the tensors' values.
        variables: the names of the values of variables; of the outermost writer.
        needed: the tensors that something reads, or that are results.
        refused: the operations that cannot be written, and why; of the outermost writer.
        folds: whether known values are written as arrays.
        domains: the domains of the nodes besides ONNX's own.
    """

    def __init__(self, opset: int, write: WriteOperations, outer: OnnxWriter | None = None) -> None:
        self.opset = opset
        self.write = write
        self.outer = outer
        self.top: OnnxWriter = self if outer is None else outer.top
        self.needed: set[Tensor] = set()
        self.refused: dict[Operation, str] = {}
        self.folds = True
        self.domains: list[str] = []
        self.nodes: list[OnnxNodeProto] = []
        self.arrays: list[OnnxTensorProto] = []
        self.values: dict[Tensor, str] = {}
        self.variables: dict[str, str] = {}
        self.taken: set[str] = outer.taken if outer is not None else set()
        self._known: dict[Any, str] = {}
        self._op: Operation | None = None

    # ---- values ------------------------------------------------------------------------------

    def ref(self, tensor: Tensor) -> str:
        """The name of a tensor's value.

        Raises:
            NotWritten: it has none, because what makes it is not written.
        """
        writer: OnnxWriter | None = self
        while writer is not None:
            if tensor in writer.values:
                return writer.values[tensor]
            writer = writer.outer
        raise NotWritten(f"it needs {tensor.name!r}, which is not written")

    def begin(self, op: Operation | None) -> None:
        """Write nodes of `op` from now on."""
        self._op = op

    def refuse(self, op: Operation, why: str) -> None:
        """Note that an operation cannot be written."""
        self.top.refused.setdefault(op, why)

    def inside(self) -> OnnxWriter:
        """The writer of a graph inside a node of this one."""
        return OnnxWriter(self.opset, self.write, self)

    def free(self, name: str) -> str:
        """A name that no value has yet."""
        found, count = name or "value", 0
        while found in self.taken:
            count += 1
            found = f"{name}_{count}"
        self.taken.add(found)
        return found

    def constant(self, value: Any, dtype: DType | None = None) -> str:
        """A value that holds an array; equal small ones are shared."""
        array = np.asarray(value, None if dtype is None else dtype.np)
        key = (array.dtype.str, array.dtype.name, array.shape, array.tobytes()) if array.size <= 64 and (
            array.dtype.kind != "O") else None  # fmt: skip
        if key is not None and key in self.top._known:
            return self.top._known[key]
        name = self.array(array, f"{self.label}/const")
        if key is not None:
            self.top._known[key] = name
        return name

    def array(self, array: Any, name: str) -> str:
        """An array of the outermost graph, which the graphs inside nodes see too; its name."""
        if array.dtype.kind == "O":
            for value in array.reshape(-1).tolist():
                as_utf8(value)
        name = self.free(name)
        self.top.arrays.append(tensor_proto(array, name))
        return name

    def ints(self, *values: int) -> str:
        """A vector of int64."""
        return self.constant(np.array(values, np.int64))

    def like(self, tensor: Tensor, value: Any) -> str:
        """A scalar of the dtype of a tensor; an empty string for strings."""
        if tensor.dtype.is_string:
            return self.constant(np.array(b"", object), tensor.dtype)
        return self.constant(np.array(value).astype(tensor.dtype.np), tensor.dtype)

    @property
    def label(self) -> str:
        """The name of the operation that is written, as a name of ONNX."""
        return clean_name(self._op.name) if self._op is not None else "graph"

    # ---- nodes -------------------------------------------------------------------------------

    def node(self, op_type: str, inputs: Sequence[str], /, *, domain: str = "", **attributes: Any) -> str:
        """Add a node of one output; its name."""
        return self.several(op_type, inputs, 1, domain=domain, **attributes)[0]

    def several(
        self, op_type: str, inputs: Sequence[str], count: int, /, *, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node of several outputs; their names."""
        if self.opset < SINCE.get(op_type, 0):
            raise NotWritten(f"ONNX has {op_type} since opset {SINCE[op_type]}; write that or a newer one with opset=")
        if domain and domain not in self.top.domains:
            self.top.domains.append(domain)
        names = [self.free(f"{self.label}/{op_type}") for _ in range(count)]
        given = [attribute(key, value) for key, value in attributes.items() if value is not None]
        self.nodes.append(OnnxNodeProto([*inputs], names, names[0], op_type, given, "", domain))
        return names

    def cast(self, name: str, dtype: DType) -> str:
        """A value as another dtype."""
        return self.node("Cast", [name], to=number_of(dtype))

    def shape(self, tensor: Tensor) -> str:
        """The shape of a tensor as a vector of int64: a constant where it is known."""
        raw = tensor.shape.raw
        if raw is not None and all(isinstance(size, int) for size in raw):
            return self.constant(np.array(raw, np.int64))
        return self.node("Shape", [self.ref(tensor)])

    def reshape(self, name: str, sizes: Sequence[int] | str) -> str:
        """A value with other sizes; 0 means 0."""
        target = sizes if isinstance(sizes, str) else self.ints(*sizes)
        return self.node("Reshape", [name, target], allowzero=1)

    def name_results(self, op: Operation, made: Sequence[str], first: int) -> None:
        """Let the results of an operation have its tensors' names: those made by its nodes, which begin at `first`."""
        own = {name: (node, i) for node in self.nodes[first:] for i, name in enumerate(node.outputs)}
        renamed = {}
        for tensor, name in zip(op.outputs, made, strict=True):
            if name in own and name not in renamed:
                wanted = self.free(value_name(tensor))
                node, i = own[name]
                node.outputs[i] = renamed[name] = wanted
                if i == 0:
                    node.name = wanted
            self.values[tensor] = renamed.get(name, name)
        if renamed:
            for node in self.nodes[first:]:
                node.inputs = [renamed.get(each, each) for each in node.inputs]


def clean_name(name: str) -> str:
    """A name as ONNX's readers take it."""
    return re.sub(r"[^A-Za-z0-9_./-]", "_", name)


def value_name(tensor: Tensor) -> str:
    """The name of a tensor's value: that of its operation for the first result."""
    base = clean_name(tensor.op.name)
    return f"{base}_{tensor.value_index}" if tensor.value_index else base


def number_of(dtype: DType) -> int:
    """ONNX's number of a dtype.

    Raises:
        NotWritten: it has none.
    """
    found = NUMBER_OF.get(dtype)
    if found is None:
        raise NotWritten(f"the dtype {dtype.name} has no ONNX form")
    return found


def as_utf8(value: Any) -> None:
    """Raise NotWritten for bytes that are no UTF-8: strings of ONNX are texts."""
    try:
        if isinstance(value, bytes):
            value.decode("utf-8")
    except UnicodeDecodeError:
        raise NotWritten(f"the string {value[:20]!r} is no UTF-8, and strings of ONNX are texts") from None


def attribute(name: str, value: Any) -> AttributeProto:
    """A Python value as an attribute."""
    if isinstance(value, bool | int | np.integer):
        return AttributeProto(name, i=int(value), type=2)
    if isinstance(value, float):
        return AttributeProto(name, f=value, type=1)
    if isinstance(value, str | bytes):
        return AttributeProto(name, s=value.encode() if isinstance(value, str) else value, type=3)
    if isinstance(value, OnnxTensorProto):
        return AttributeProto(name, t=value, type=4)
    if isinstance(value, OnnxGraphProto):
        return AttributeProto(name, g=value, type=5)
    found = list(value)
    if any(isinstance(each, float) for each in found):
        return AttributeProto(name, floats=[float(each) for each in found], type=6)
    return AttributeProto(name, ints=[int(each) for each in found], type=7)


def value_info(name: str, dtype: DType, shape: TensorShape) -> ValueInfoProto:
    """The type of a value; a named size is its `dim_param`."""
    own = None
    if shape.raw is not None:
        own = OnnxShapeProto([
            DimensionProto(value=size) if isinstance(size, int)
            else DimensionProto(param=str(size) if size.is_named else None)
            for size in shape.raw
        ])  # fmt: skip
    return ValueInfoProto(name, TypeProto(tensor=TensorTypeProto(number_of(dtype), own)))


def sequence_info(name: str, dtype: DType, shape: TensorShape) -> ValueInfoProto:
    """The type of a sequence of tensors: sizes that are numbers are claimed of each."""
    sizes = shape if shape.raw is None else TensorShape([size if isinstance(size, int) else None for size in shape.raw])
    element = value_info(name, dtype, sizes).type
    return ValueInfoProto(name, TypeProto(sequence=HolderTypeProto(element)))


def known_sizes(tensor: Tensor, what: str = "it") -> list[int]:
    """The sizes of a tensor.

    Raises:
        NotWritten: one is not known before a run.
    """
    raw = tensor.shape.raw
    if raw is None or not all(isinstance(size, int) for size in raw):
        raise NotWritten(f"{what} has the shape {tensor.shape}, of which ONNX's form needs every size as a number")
    return [size for size in raw if isinstance(size, int)]


def sizes_but_first(tensor: Tensor) -> list[int]:
    """The sizes of a tensor; -1 for the first one where it is not known before a run.

    Raises:
        NotWritten: another one is not known.
    """
    raw = tensor.shape.raw
    if raw and not isinstance(raw[0], int) and all(isinstance(size, int) for size in raw[1:]):
        return [-1, *[size for size in raw[1:] if isinstance(size, int)]]
    return known_sizes(tensor)


def rank_of(tensor: Tensor) -> int:
    """The rank of a tensor.

    Raises:
        NotWritten: it is not known before a run.
    """
    if tensor.shape.ndims is None:
        raise NotWritten("the rank of its operand is not known before a run; give it with set_shape")
    return int(tensor.shape.ndims)


