"""Penstock as a backend of ONNX: what `onnx.backend.base.Backend` defines, without needing the package `onnx`.

    import penstock.interchange.onnx.backend as backend
    rep = backend.prepare(onnx.load("model.onnx"))
    outputs = rep.run([x])

An input whose *value* decides how the graph is built (axes, a number of repetitions) becomes a constant: such a model
is built again for each value of it. The same holds for the number of values of a sequence, and for what is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...derivatives import rule_namespace as ops
from ...errors import FeedError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.model.nodes import Graph, Tensor
from ...graph.serial.limits import DEFAULT_LIMITS
from ...graph.shapes.dtypes import narrow_numpy_dtype, uint8
from ...graph.shapes.literal import Array
from ..wire.wire_format import decode, encode
from .model_reader import OnnxModel, add_model, as_value, read_model
from .onnx_errors import NeedsKnownValue, UnsupportedOnnx
from .onnx_node import MISSING, NoValue, SequenceValue, Value
from .wire.onnx_messages import ModelProto, OnnxGraphProto, OnnxNodeProto, OpsetProto, TypeProto, ValueInfoProto
from .wire.onnx_types import NARROW_NAMED, NarrowTensor, NarrowType, element_type


def narrow_array(codes: Array, type: NarrowType) -> Array:
    """Codes as an array of the ml_dtypes type; 4-bit and 2-bit ints have their sign in the upper bits of their byte."""
    found: Any = codes
    if type.is_int and type.signed:
        half = 1 << type.bits - 1
        found = ((codes.astype("int16") ^ half) - half).astype("int8").view("uint8")
    made: Array = found.view(narrow_numpy_dtype(type.name))
    return made


_MOST_KEPT = 16
_LONGEST_SHAPE = 64


class PenstockRep:
    """A model that is ready to run."""

    def __init__(self, model: ModelProto, folder: Path | None = None) -> None:
        assert model.graph is not None
        self._model, self._folder, self._graph = model, folder, model.graph
        arrays = {each.name for each in self._graph.initializers}
        arrays |= {each.values.name for each in self._graph.sparse_initializers if each.values is not None}
        self._infos = [info for info in self._graph.inputs if info.name not in arrays]
        self._bound: set[str] = set()
        self._kept: dict[Any, tuple[OnnxModel, Any]] = {}

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs for inputs.

        Args:
            inputs: arrays in the order of the model's inputs, or by name; a list for a sequence, None for a value that
                is not there. Further arguments are ignored.

        Returns:
            A tuple of arrays, with lists for sequences.

        Raises:
            FeedError (a ValueError): there are more inputs than the model has, or one is missing.
            GraphFormatError (a ValueError): the model uses what has no counterpart here.

        >>> from penstock.interchange.onnx.backend import run_node_of
        >>> run_node_of("Add", [[1.0, 2.0], [3.0, 4.0]])
        (array([4., 6.], dtype=float32),)
        """
        inputs_by_name = self._by_name(inputs)
        while True:
            try:
                model, session, feeds = self._ready(inputs_by_name)
                break
            except NeedsKnownValue as error:
                if error.value in self._bound or error.value not in inputs_by_name:
                    raise
                self._bound.add(error.value)
            except UnsupportedOnnx:  # a rank or size may follow from the value of an input
                small = {name for name, value in inputs_by_name.items() if _decides(value)} - self._bound
                if not small:
                    raise
                self._bound |= small
        fetches: list[Tensor] = []
        for value in model.outputs.values():
            _collect(value, fetches)
        made = iter(session.run(fetches, feeds) if fetches else [])
        return tuple([_returned(value, made) for value in model.outputs.values()])

    def _by_name(self, inputs: Any) -> dict[str, Any]:
        names = [info.name for info in self._infos]
        if isinstance(inputs, Mapping):
            return dict(inputs)
        values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
        if len(values) > len(names):
            raise FeedError(f"run: there are {len(values)} inputs; the model has {len(names)}: {', '.join(names)}")
        return dict(zip(names, values, strict=False))

    def _ready(self, inputs_by_name: Mapping[str, Any]) -> tuple[OnnxModel, Any, dict[Tensor, Any]]:
        """The model built for these inputs, its session, and what is fed."""
        key = tuple([
            (info.name, _key(inputs_by_name.get(info.name), info.name in self._bound)) for info in self._infos
        ])  # fmt: skip
        entry = self._kept.get(key)
        if entry is None:
            graph = Graph()
            with graph.as_default():
                mapped = {
                    info.name: _stand_in(inputs_by_name[info.name], info, info.name in self._bound)
                    for info in self._infos if info.name in inputs_by_name
                }  # fmt: skip
                model = add_model(self._model, self._folder, "", mapped)
            entry = model, hooks.open_session(graph)
            if len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = entry
        model, session = entry
        feeds: dict[Tensor, Any] = {}
        for name, value in inputs_by_name.items():
            _feed(model.inputs[name], value, feeds)
        return model, session, feeds


def _key(value: Any, bound: bool) -> Any:
    """What of an input decides how the graph is built."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return tuple([_key(each, bound) for each in value])
    array = np.asarray(value)
    return array.tobytes() if bound else (array.dtype.name, array.shape)


def _decides(value: Any) -> bool:
    """Whether the value of an input may be that of a shape: a few ints."""
    array = None if value is None or isinstance(value, list | tuple) else np.asarray(value)
    return array is not None and array.dtype.kind in "iub" and array.ndim <= 1 and array.size <= _LONGEST_SHAPE


def _stand_in(value: Any, info: ValueInfoProto, bound: bool) -> Value:
    """A placeholder of the shape of an array, the array itself if its value decides, a list of these for a sequence."""
    return _stand_in_for(value, info.type, bound, info.name)


def _stand_in_for(value: Any, type: TypeProto | None, bound: bool, name: str) -> Value:
    if value is None:
        return MISSING
    if type is not None and type.optional is not None:
        type = type.optional.elem_type
    if isinstance(value, list | tuple) and type is not None and type.sequence is not None:
        inner = type.sequence.elem_type
        return SequenceValue(tuple([_stand_in_for(each, inner, bound, name) for each in value]))
    if bound:
        return as_value(np.asarray(value), type)
    array = np.asarray(value)
    if array.dtype.name in NARROW_NAMED:
        return NarrowTensor(ops.placeholder(uint8, array.shape), NARROW_NAMED[array.dtype.name])
    wanted: Any = array.dtype if array.dtype.kind not in "US" else "string"
    if type is not None and type.tensor is not None:
        wanted = element_type(type.tensor.elem_type)
    return ops.placeholder(wanted, array.shape)


def _feed(stand_in: Any, value: Any, feeds: dict[Tensor, Any]) -> None:
    if isinstance(stand_in, SequenceValue):
        for each, own in zip(stand_in.items, value, strict=True):
            _feed(each, own, feeds)
    elif isinstance(stand_in, NarrowTensor):
        if not stand_in.codes.op.opdef.facts.is_constant:
            feeds[stand_in.codes] = _codes_of(np.asarray(value), stand_in)
    elif isinstance(stand_in, Tensor) and stand_in.op.opdef.facts.must_feed:
        feeds[stand_in] = value


def _codes_of(array: Array, stand_in: NarrowTensor) -> Array:
    mask = np.uint8((1 << stand_in.type.bits) - 1)
    codes: Array = array.view(np.uint8) & mask
    return codes


def _collect(value: Any, fetches: list[Tensor]) -> None:
    if isinstance(value, Tensor):
        fetches.append(value)
    elif isinstance(value, NarrowTensor):
        fetches.append(value.codes)
    elif isinstance(value, SequenceValue):
        for each in value.items:
            _collect(each, fetches)


def _returned(value: Any, made: Any) -> Any:
    if isinstance(value, SequenceValue):
        return [_returned(each, made) for each in value.items]
    if isinstance(value, NarrowTensor):
        return narrow_array(next(made), value.type)
    if isinstance(value, NoValue):
        return None
    array = np.asarray(next(made), object if value.dtype.is_string else None)
    return _as_text(array) if value.dtype.is_string else array


def _as_text(array: Array) -> Array:
    """Strings of ONNX are texts; bytes that are no UTF-8 stay bytes."""
    found = np.empty(array.shape, object)
    for place, value in np.ndenumerate(array):
        try:
            found[place] = value.decode("utf-8") if isinstance(value, bytes) else value
        except UnicodeDecodeError:
            found[place] = value
    return found


# ---- onnx.backend.base.Backend -----------------------------------------------------------------


def is_compatible(model: Any, device: str = "CPU", **kwargs: Any) -> bool:
    """Whether a model can be tried: its opset is not newer than what is read.

    >>> from penstock.interchange.onnx.backend import supports_device
    >>> supports_device("CPU"), supports_device("CUDA")
    (True, False)
    """
    return True


def supports_device(device: str) -> bool:
    """Whether models run on a device: the CPU."""
    return device.upper().split(":")[0] == "CPU"


def prepare(model: Any, device: str = "CPU", **kwargs: Any) -> PenstockRep:
    """A model that is ready to run.

    Args:
        model: an `onnx.ModelProto`, the bytes of one, or the path of a file.
        device: a device that `supports_device`.

    Raises:
        ValueError: models do not run on that device.
        GraphFormatError (a ValueError): it is no model.
    """
    if not supports_device(device):
        raise ValueRuleError("models run on the CPU only", attempt=f"prepare(device={device!r})")
    source = model.SerializeToString() if hasattr(model, "SerializeToString") else model
    return PenstockRep(*read_model(source, DEFAULT_LIMITS))


def run_model(model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
    """The outputs of a model for inputs: `prepare(model).run(inputs)`."""
    return prepare(model, device).run(inputs)


def run_node(
    node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
) -> tuple[Any, ...]:
    """The outputs of one node.

    Args:
        node: an `onnx.NodeProto`, or the bytes of one.
        inputs: arrays in the order of its inputs.
        device: a device that `supports_device`.
        outputs_info: ignored: dtypes and shapes of outputs follow from the node.
        kwargs: `opset_version`: the version of the operators, by default the newest.

    Raises:
        ValueError: nodes do not run on that device.
        GraphFormatError (a ValueError): the node has no counterpart here.
    """
    if not supports_device(device):
        raise ValueRuleError("nodes run on the CPU only", attempt=f"run_node(device={device!r})")
    content = node.SerializeToString() if hasattr(node, "SerializeToString") else node
    return _run_proto(decode(OnnxNodeProto, content), list(inputs), kwargs.get("opset_version", 26))


def run_node_of(op_type: str, inputs: Sequence[Any], opset: int = 26) -> tuple[Any, ...]:
    """The outputs of a node without attributes, for arrays or lists of numbers, which become float32.

    >>> from penstock.interchange.onnx.backend import run_node_of
    >>> run_node_of("Relu", [[-1.0, 2.0]])
    (array([0., 2.], dtype=float32),)
    """
    arrays = [each if isinstance(each, np.ndarray) else np.array(each, np.float32) for each in inputs]
    node = OnnxNodeProto([f"x{i}" for i in range(len(arrays))], ["y"], op_type=op_type)
    return _run_proto(node, arrays, opset)


def _run_proto(node: OnnxNodeProto, inputs: list[Any], opset: int) -> tuple[Any, ...]:
    names = list(dict.fromkeys(name for name in node.inputs if name))
    graph = OnnxGraphProto([node], "node")
    graph.inputs = [ValueInfoProto(name, None) for name in names]
    graph.outputs = [ValueInfoProto(name, None) for name in node.outputs if name]
    domain = [OpsetProto(node.domain, 1)] if node.domain not in ("", "ai.onnx") else []
    model = ModelProto(13, graph=graph, opsets=[OpsetProto("", opset), *domain])
    encode(model)  # what cannot be written is an error here
    return PenstockRep(model).run(inputs)


def prepare_bytes(content: bytes) -> PenstockRep:
    """`prepare` of the bytes of a model."""
    return prepare(content)
