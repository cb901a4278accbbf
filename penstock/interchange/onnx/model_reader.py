"""`read_onnx`: an ONNX model as nodes of the default graph.

The nodes of the file are read one after the other by the rules of `rules.onnx_table`, each of which calls ops; so a
model passes the same checks as a program. Nothing of a model that fails stays in the graph.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np

from ...derivatives import rule_namespace as ops
from ...errors import FeedError, GraphFormatError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Tensor
from ...graph.serial.error_text import short
from ...graph.serial.limits import DEFAULT_LIMITS, Limits
from ...graph.shapes import dtypes
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape
from ...variables.variable import Variable
from ..wire.wire_format import decode
from .onnx_errors import UnsupportedOnnx
from .onnx_node import MISSING, NoValue, RunSequence, SequenceValue, Value
from .onnx_scope import OnnxScope, ReadState, clean
from .rules.onnx_table import has_rule, read_rule
from .wire.onnx_messages import ModelProto, OnnxGraphProto, OnnxNodeProto, TensorTypeProto, TypeProto, ValueInfoProto
from .wire.onnx_tensors import OnnxArrays, mapped
from .wire.onnx_types import NARROW_NAMED, NarrowTensor, NarrowType, element_type

NEWEST_OPSET = 28


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """The result of `load_onnx`.

    Attributes:
        graph: the graph that holds the model's nodes.
        inputs: the model's inputs by name: placeholders, or what `input_map` put in their place.
        outputs: the model's outputs by name.
        values: every value of the model by the name that it has in the file.
        variables: the arrays that became variables, by name; empty unless `trainable` is given.
        opset: the version of ONNX's operators that the model was written for.
        producer: the program that wrote the model, with its version.
        doc: the model's description.
        metadata: what its writer noted beside it.
    """

    _fetch_instead: ClassVar[str] = "fetch outputs of the model, such as model.outputs or model.outputs['y']"

    graph: Graph
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    values: dict[str, Any]
    variables: dict[str, Variable]
    opset: int
    producer: str = ""
    doc: str = ""
    metadata: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = [f"ONNX model, opset {self.opset}" + (f", written by {self.producer}" if self.producer else "")]
        for label, values in (("in ", self.inputs), ("out", self.outputs)):
            shown += [f"  {label}  {name}: {described(value)}" for name, value in values.items()]
        return "\n".join(shown)


class _ByName(dict[str, Any]):
    """A dictionary of a model, whose KeyError says which names there are."""

    def __init__(self, what: str, items: Mapping[str, Any]) -> None:
        super().__init__(items)
        self._what = what

    @hides_frames
    def __missing__(self, name: object) -> NoReturn:
        near = get_close_matches(str(name), self, 1)
        if near and len(self) > 8:
            cure = f"did you mean {near[0]!r}?"
        else:
            cure = f"its {self._what} are {', '.join(map(repr, self)) or 'none'}"
        raise KeyError(f"the model has no {name!r} among its {self._what}; {cure}")

    def __reduce__(self) -> Any:
        return _ByName, (self._what, dict(self))


def described(value: Any) -> str:
    """A value in one line: its dtype and shape."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name} {value.shape}"
    if isinstance(value, NarrowTensor):
        return f"{value.type.name} {value.shape}"
    if isinstance(value, SequenceValue):
        return "a sequence of " + (", ".join(described(each) for each in value.items) or "nothing")
    return "an optional value that is not there"


def read_onnx(
    source: str | os.PathLike[str] | bytes,
    name: str = "",
    input_map: Mapping[str, Any] | None = None,
    trainable: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> OnnxModel:
    """`interchange.onnx_files.load_onnx`, which describes it.

    Raises:
        GraphFormatError: the file is damaged, too large, or uses what has no counterpart here.
    """
    model, folder = read_model(source, limits)
    return add_model(model, folder, name, input_map, trainable, limits)


def read_model(source: str | os.PathLike[str] | bytes, limits: Limits) -> tuple[ModelProto, Path | None]:
    """The message in a file or in bytes, and the folder for files beside it.

    Raises:
        GraphFormatError: it is no ONNX model. OSError: it cannot be read.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        content, folder = memoryview(source), None
    else:
        path = Path(source)
        content, folder = mapped(path, max(limits.file_bytes, limits.constant_bytes)), path.parent
    if not content:
        raise GraphFormatError("the file is empty")
    try:
        model = decode(ModelProto, content, limits)
    except GraphFormatError as error:
        raise GraphFormatError(f"this is no ONNX model, or it is damaged: {error}", code=error.code) from None
    if model.graph is None or not (model.graph.nodes or model.graph.outputs):
        raise GraphFormatError("the file has no graph; an ONNX model has one, with nodes and outputs")
    return model, folder


def add_model(
    model: ModelProto,
    folder: Path | None,
    name: str = "",
    input_map: Mapping[str, Any] | None = None,
    trainable: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> OnnxModel:
    """Add a model to the default graph, all of it or nothing.

    Raises:
        GraphFormatError: a limit is exceeded, or something has no counterpart here.
    """
    importing = _ModelImport(model, folder, dict(input_map or {}), trainable, limits)
    graph = get_default_graph()

    def build() -> OnnxModel:
        if not name:
            return importing.result(graph)
        with graph.name_scope(name):
            return importing.result(graph)

    return graph.journal.all_around_or_nothing(build)


class _ModelImport:
    """The import of one model."""

    def __init__(
        self, model: ModelProto, folder: Path | None, input_map: dict[str, Any], trainable: bool, limits: Limits
    ) -> None:
        assert model.graph is not None  # read_model has seen it
        self._model, self._graph, self._map = model, model.graph, input_map
        self._opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in model.opsets} or {"": 1}
        opset = self._opsets.get("", 1)
        if opset > NEWEST_OPSET:
            raise GraphFormatError(f"the model is of opset {opset}; the newest that is read here is {NEWEST_OPSET}")
        functions = {("" if f.domain == "ai.onnx" else f.domain, f.name, f.overload): f for f in model.functions}
        count = sum(1 for _ in _all_nodes(self._graph)) + sum(len(f.nodes) for f in model.functions)
        self._variables: dict[str, Variable] = {}
        arrays = OnnxArrays(limits, folder, limits.constant_bytes)
        state = ReadState(limits, arrays, read_rule, functions, min(limits.nodes, max(20_000, limits.growth * count)),
                          self._variable if trainable else None)  # fmt: skip
        self._scope = OnnxScope(state, self._opsets)
        self._refuse_unknown()

    def _refuse_unknown(self) -> None:
        """Name every operator that has no rule before anything is built."""
        functions = self._scope.state.functions
        nodes = [*_all_nodes(self._graph)]
        for function in self._model.functions:
            nodes += [each for node in function.nodes for each in (node, *_inner_nodes(node))]
        missing: Counter[str] = Counter()
        first: dict[str, str] = {}
        for node in nodes:
            domain = "" if node.domain == "ai.onnx" else node.domain
            if (domain, node.op_type, node.overload) not in functions and not has_rule(domain, node.op_type):
                type = f"{domain}.{node.op_type}" if domain else node.op_type
                missing[type] += 1
                first.setdefault(type, node.name)
        if missing:
            listed = ", ".join(
                f"{short(type)[1:-1]} x{count}" + (f" (node {short(first[type])})" if first[type] else "")
                for type, count in missing.most_common(20)
            )
            raise UnsupportedOnnx(
                f"no op here does what these operators do: {listed}. Those that are read are listed in "
                "docs/onnx-operators.md; let the program that writes the model put others in their place"
            )

    def _variable(self, array: Array, name: str) -> Tensor:
        made = Variable(array, name=name)
        self._variables[name] = made
        found: Tensor = ops.identity(made, name=f"{name}/value")
        return found

    def result(self, graph: Graph) -> OnnxModel:
        """The model in the graph."""
        scope = self._scope
        arrays = {proto.name for proto in self._graph.initializers}
        arrays |= {each.values.name for each in self._graph.sparse_initializers if each.values is not None}
        inputs: dict[str, Any] = {}
        for info in self._graph.inputs:
            if info.name in self._map:
                inputs[info.name] = scope.values[info.name] = self._given(info, self._map.pop(info.name))
            elif info.name not in arrays:
                inputs[info.name] = scope.values[info.name] = self._placeholder(info)
        for name in [each for each in self._map if each in arrays]:
            scope.values[name] = ops.convert_to_tensor(self._map.pop(name))
        if self._map:
            known = ", ".join(repr(info.name) for info in self._graph.inputs)
            raise FeedError(f"load_onnx: input_map names {next(iter(self._map))!r}; the model's inputs are {known}")
        for name, value in inputs.items():
            if isinstance(value, Tensor):
                scope.sources[value] = name
        made = scope.read_graph(self._graph, None)
        outputs: dict[str, Any] = {}
        for info, value in zip(self._graph.outputs, made, strict=True):
            if isinstance(value, RunSequence):
                raise value.unknown_length()
            outputs[info.name] = value
            _claim_shape(info, value)
        model = self._model
        producer = f"{model.producer_name} {model.producer_version}".strip()
        metadata = {entry.key: entry.value for entry in model.metadata}
        return OnnxModel(graph, _ByName("inputs", inputs), _ByName("outputs", outputs),
                         _ByName("values", scope.values), self._variables, self._opsets.get("", 1), producer,
                         model.doc or self._graph.doc, metadata)  # fmt: skip

    def _placeholder(self, info: ValueInfoProto) -> Value:
        if info.type is None:
            raise GraphFormatError(f"the input {short(info.name)} has no type")
        if info.type.tensor is None:
            kind = "a sequence" if info.type.sequence else "an optional value" if info.type.optional else "a map"
            raise UnsupportedOnnx(
                f"the input {short(info.name)} is {kind}; how many values there are must be known when the graph is "
                f"built: give them with input_map={{{info.name!r}: [tensors]}}, or None for a value that is not there"
            )
        type = element_type(info.type.tensor.elem_type)
        shape = shape_of_type(info.type.tensor)
        label = clean(info.name) or "input"
        if isinstance(type, NarrowType):
            return NarrowTensor(ops.placeholder(dtypes.uint8, shape, name=label), type)
        return ops.placeholder(type, shape, name=label)

    def _given(self, info: ValueInfoProto, value: Any) -> Value:
        wanted = info.type.tensor if info.type is not None else None
        if isinstance(value, Tensor) and wanted is not None:
            type = element_type(wanted.elem_type)
            if not isinstance(type, NarrowType) and value.dtype != type:
                raise FeedError(
                    f"load_onnx: input_map gives {value.dtype.name} {value.shape} for the input {short(info.name)}, "
                    f"which is {type.name} {shape_of_type(wanted)}. Write tf.cast(x, tf.{type.name}) if that is meant"
                )
        return as_value(value, info.type)


def as_value(value: Any, type: TypeProto | None) -> Value:
    """What a program gives for an input of a type: a tensor or array, a list of them for a sequence, None for nothing.
    """
    if isinstance(value, NarrowTensor | SequenceValue | NoValue):
        return value
    if value is None:
        return MISSING
    inner = type
    if type is not None and type.optional is not None:
        inner = type.optional.elem_type
    if isinstance(value, list | tuple) and inner is not None and inner.sequence is not None:
        return SequenceValue(tuple([as_value(each, inner.sequence.elem_type) for each in value]))
    if isinstance(value, np.ndarray) and value.dtype.name in NARROW_NAMED:
        return NarrowTensor(ops.constant(value.view(np.uint8)), NARROW_NAMED[value.dtype.name])
    if inner is not None and inner.tensor is not None and not isinstance(value, Tensor):
        wanted = element_type(inner.tensor.elem_type)
        if not isinstance(wanted, NarrowType):
            return ops.convert_to_tensor(value, wanted)
    return ops.convert_to_tensor(value)


def shape_of_type(type: TensorTypeProto) -> TensorShape:
    """The shape of a type; a size with a name is that named size."""
    if type.shape is None:
        return TensorShape(None)
    if len(type.shape.dims) > 255:
        raise GraphFormatError(f"a shape has {len(type.shape.dims)} dimensions; at most 255 are possible")
    sizes: list[int | str | None] = []
    for dim in type.shape.dims:
        if dim.value is not None and dim.value >= 0:
            sizes.append(dim.value)
        else:
            sizes.append(dim.param if dim.param and dim.param.isidentifier() else None)
    return TensorShape(sizes)


def _claim_shape(info: ValueInfoProto, value: Value) -> None:
    """Add what the file says about an output's shape, if it says more than the ops know: its rank and sizes."""
    tensor = info.type.tensor if info.type is not None else None
    if not isinstance(value, Tensor) or tensor is None or tensor.shape is None or value.shape.ndims is not None:
        return
    sizes = [dim.value if dim.value is not None and dim.value >= 0 else None for dim in tensor.shape.dims]
    value.set_shape(sizes)


def _all_nodes(graph: OnnxGraphProto) -> Iterator[OnnxNodeProto]:
    for node in graph.nodes:
        yield node
        yield from _inner_nodes(node)


def _inner_nodes(node: OnnxNodeProto) -> Iterator[OnnxNodeProto]:
    for attribute in node.attributes:
        for graph in ([attribute.g] if attribute.g is not None else []) + attribute.graphs:
            yield from _all_nodes(graph)
