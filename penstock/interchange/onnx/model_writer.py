"""`model_bytes`: what a run of some tensors would compute, as an ONNX model.

The operations that the tensors need are written one after the other by the rules of `writing.write_table`. An operation
without a rule, or a use of one that has no ONNX form, is noted, and writing goes on, so that one error names them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import FailedPreconditionError, FetchError, GraphError, GraphFormatError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.declare.effects import effects_of
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.subgraph import bodies_of
from ...graph.shapes.literal import Array
from ...ops.state.variable_ops import touched_by
from ..wire.wire_format import encode
from .wire.onnx_messages import ModelProto, OnnxGraphProto, OnnxNodeProto, OpsetProto
from .writing.graph_order import needed_operations
from .writing.graph_writes import write_operations
from .writing.onnx_writer import NotWritten, OnnxWriter, clean_name, value_info, value_name

OLDEST_OPSET, NEWEST_OPSET = 17, 26
DEFAULT_OPSET = 26
"""The newest that onnxruntime 1.32 reads; `interchange.onnx_files.save_onnx` has it too."""
_IR_VERSIONS = {17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 12, 26: 13}
_MOST_TOLD = 10


def model_bytes(fetches: Any, feeds: Any = None, graph: Graph | None = None, session: Any = None,
                opset: int = DEFAULT_OPSET) -> bytes:  # fmt: skip
    """`interchange.onnx_files.save_onnx`, which describes it.

    Raises:
        GraphFormatError: an operation has no ONNX form.
    """
    if not isinstance(opset, int) or not OLDEST_OPSET <= opset <= NEWEST_OPSET:
        raise ValueRuleError(f"opsets {OLDEST_OPSET} to {NEWEST_OPSET} are written",
                             attempt=f"save_onnx(opset={opset!r})")  # fmt: skip
    named = _named(fetches, graph)
    if not named:
        raise FetchError("save_onnx: nothing is fetched; name the tensors that become outputs")
    graph = next(iter(named.values())).graph
    fed = _feeds(feeds, graph)
    operations = needed_operations(list(named.values()), fed or ())
    if fed is None:
        fed = [op.outputs[0] for op in operations if op.opdef.facts.must_feed]
    inputs = {tensor: tensor for tensor in fed}
    if any(op.type == "TensorArray" for op in operations):
        operations, results, stands = hooks.loops_over_rows(list(named.values()), fed)
        named = dict(zip(named, results, strict=True))
        inputs = dict(zip(stands, fed, strict=True))
    return encode(_Export(graph, named, inputs, operations, session, opset).model())


class _Export:
    """The writing of one model."""

    def __init__(
        self, graph: Graph, named: Mapping[str, Tensor], fed: Mapping[Tensor, Tensor], operations: Sequence[Operation],
        session: Any, opset: int,
    ) -> None:  # fmt: skip
        """fed: the tensors that become inputs, and those whose names these have."""
        self._graph, self._named, self._fed, self._session, self._opset = graph, named, fed, session, opset
        self._operations = [op for op in operations if not (op.opdef.facts.must_feed and op.outputs[0] in fed)]
        self._writer = OnnxWriter(opset, write_operations)
        self._writer.folds = not any(t.op.opdef.facts.is_constant for t in fed)

    def model(self) -> ModelProto:
        """The message."""
        writer, proto = self._writer, OnnxGraphProto(name="penstock")
        for tensor, named in self._fed.items():
            writer.values[tensor] = writer.free(value_name(named))
            proto.inputs.append(value_info(writer.values[tensor], tensor.dtype, tensor.shape))
        self._refuse_writes()
        self._add_variables()
        writer.taken.update(self._named)
        writer.write(writer, self._operations, list(self._named.values()))
        if writer.refused:
            raise GraphFormatError(told(writer.refused))
        proto.outputs = [self._output(name, tensor) for name, tensor in self._named.items()]
        read = _read_names(writer.nodes)
        proto.nodes, proto.initializers = writer.nodes, [each for each in writer.arrays if each.name in read]
        domains = dict.fromkeys(writer.domains)
        opsets = [OpsetProto("", self._opset), *[OpsetProto(domain, 1) for domain in domains]]
        return ModelProto(_IR_VERSIONS[self._opset], "penstock", graph=proto, opsets=opsets)

    def _output(self, name: str, tensor: Tensor) -> Any:
        """An output: the value of that name, made by an Identity if the tensor's value has another one."""
        writer = self._writer
        writer.begin(None)
        writer.several("Identity", [writer.ref(tensor)], 1)
        writer.nodes[-1].outputs = [name]
        return value_info(name, tensor.dtype, tensor.shape)

    # ---- variables ---------------------------------------------------------------------------

    def _refuse_writes(self) -> None:
        for op in self._operations:
            if effects_of(op).touched[1]:
                self._writer.refuse(op, _why_not_written(op))

    def _add_variables(self) -> None:
        """The values of the variables, as arrays of the model."""
        resources = dict.fromkeys(name for op in _all_operations(self._operations) for name in touched_by(op)[0])
        self._writer.variables = dict.fromkeys(resources, "")
        if self._writer.refused or not resources:
            return
        for name, array in zip(resources, self._values(list(resources)), strict=True):
            self._writer.variables[name] = self._writer.array(array, clean_name(name))

    def _values(self, resources: Sequence[str]) -> list[Array]:
        try:
            return self._read(resources, self._session)
        except GraphError:
            if self._session is not None:
                raise
        session = hooks.open_session(self._graph)  # no session: variables have their initial values
        with session:
            known = {op.name: op for op in self._graph.get_operations()}
            session.run([known[f"{name}/Assign"] for name in resources if f"{name}/Assign" in known])
            return self._read(resources, session)

    def _read(self, resources: Sequence[str], session: Any) -> list[Array]:
        try:
            with hooks.read_values(resources, self._graph, session) as arrays:
                return [array.copy() for array in arrays]
        except FailedPreconditionError as error:
            raise GraphFormatError(f"a variable has no value in the session: {error.message}; run its initializer "
                                   "there first") from None  # fmt: skip


def _all_operations(operations: Iterable[Operation]) -> Iterable[Operation]:
    for op in operations:
        yield op
        for body in bodies_of(op):
            yield from _all_operations(body.operations)


def _read_names(nodes: Iterable[OnnxNodeProto]) -> set[str]:
    """The names of the values that nodes read, those of graphs inside them too."""
    found: set[str] = set()
    for node in nodes:
        found.update(node.inputs)
        for attribute in node.attributes:
            if attribute.g is not None:
                found |= _read_names(attribute.g.nodes)
    return found


def _named(fetches: Any, graph: Graph | None) -> dict[str, Tensor]:
    """The tensors that become outputs, by the names of these.

    Raises:
        FetchError: something is no tensor, or two outputs would have one name.
    """
    if isinstance(fetches, Mapping):
        return {str(name): _tensor(value, graph) for name, value in fetches.items()}
    tensors: dict[str, Tensor] = {}
    for each in fetches if isinstance(fetches, list | tuple) else [fetches]:
        tensor = _tensor(each, graph)
        name, count = value_name(tensor), 0
        while name in tensors:
            count += 1
            name = f"{value_name(tensor)}_again{count}"
        tensors[name] = tensor
    graphs = {tensor.graph for tensor in tensors.values()}
    if len(graphs) > 1:
        raise FetchError("save_onnx: the fetches are of different graphs; a model is made of one")
    return tensors


def _tensor(value: Any, graph: Graph | None) -> Tensor:
    element: Any
    if isinstance(value, str):
        element = (graph or get_default_graph()).as_graph_element(value)
    else:
        element = value if isinstance(value, Tensor) else getattr(value, "value", lambda: None)()
    if isinstance(element, Operation) and len(element.outputs) == 1:
        element = element.outputs[0]
    if not isinstance(element, Tensor):
        raise FetchError(f"save_onnx: {value!r} is fetched, which is no tensor; a model's outputs are tensors")
    if graph is not None and element.graph is not graph:
        raise FetchError(f"save_onnx: {element.name!r} is not in the graph that is written")
    return element


def _feeds(feeds: Any, graph: Graph) -> list[Tensor] | None:
    if feeds is None:
        return None
    given = list(feeds) if isinstance(feeds, list | tuple | Mapping | set) else [feeds]
    return [_tensor(each, graph) for each in given]


def told(refused: Mapping[Operation, str]) -> str:
    """The operations that are not written, by name, with the line that made each and why."""
    lines = [f"{len(refused)} operation{'s have' if len(refused) > 1 else ' has'} no ONNX form; nothing was written"]
    for op, why in list(refused.items())[:_MOST_TOLD]:
        origin = op.origin
        lines.append(f"  {op.name!r} ({op.type}) {origin.made}  {origin.code}".rstrip())
        lines.append(f"      {why}")
    if len(refused) > _MOST_TOLD:
        lines.append(f"  and {len(refused) - _MOST_TOLD} more")
    return "\n".join(lines)


__all__ = ["DEFAULT_OPSET", "NotWritten", "model_bytes"]


def _why_not_written(op: Operation) -> str:
    """Why a model cannot have an operation with an effect, and what to do."""
    if touched_by(op)[1]:
        return ("it writes a variable, and a model of ONNX has no state; fetch what it would write, and write that "
                "back in the program")  # fmt: skip
    if effects_of(op).uses_objects:
        return ("it uses a queue, an iterator or a reader of the session, and a model of ONNX has none; give its "
                "result in feeds=, as an input of the model")  # fmt: skip
    return ("it calls the program or touches files, and a model of ONNX only computes; give its result in feeds=, as "
            "an input of the model")  # fmt: skip
