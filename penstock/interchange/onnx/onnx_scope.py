"""`OnnxScope`: the values of a model, a function or a graph inside a node while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import GraphFormatError
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...graph.serial.error_text import brief, short
from ...graph.serial.limits import Limits
from ...graph.shapes.literal import Array
from .onnx_errors import NeedsKnownValue, UnsupportedOnnx
from .onnx_names import clean_label as clean
from .onnx_node import OnnxNode, SequenceValue, Value
from .wire.onnx_messages import AttributeProto, OnnxFunctionProto, OnnxGraphProto, OnnxNodeProto
from .wire.onnx_tensors import OnnxArrays
from .wire.onnx_types import NarrowTensor, NarrowType

ReadRule = Callable[[OnnxNode], Any]
_DEEPEST = 40


class OnnxNodeError(GraphFormatError):
    """An error whose message names the node already."""


@dataclass(slots=True)
class ReadState:
    """What all scopes of one model share.

    Attributes:
        limits: the largest counts to accept.
        arrays: reads its arrays.
        rule: the read rule of an operator: domain, name, version.
        functions: those of the model, by domain, name and overload.
        nodes_left: how many nodes may still be read, those of calls included.
        trainable: makes a variable of an array; None if arrays are constants.
        first_values: what these variables begin with: where a value decides how the graph is built, it stays that.
    """

    limits: Limits
    arrays: OnnxArrays
    rule: Callable[[str, str, int], ReadRule | None]
    functions: Mapping[tuple[str, str, str], OnnxFunctionProto]
    nodes_left: int
    trainable: Callable[[Array, str], Tensor] | None = None
    first_values: dict[Tensor, Array] = field(default_factory=dict)


@dataclass(slots=True)
class OnnxScope:
    """Values by name.

    Attributes:
        state: what all scopes of the model share.
        opsets: the versions of the domains.
        values: the values made so far.
        outer: the scope around a graph inside a node.
        arguments: the attributes of the call, in a function.
        depth: how many scopes are around this one.
        sources: inputs of the model -> their names, which errors give.
        absent: the inputs of a function that its call leaves out.
    """

    state: ReadState
    opsets: Mapping[str, int]
    values: dict[str, Value] = field(default_factory=dict)
    outer: OnnxScope | None = None
    arguments: Mapping[str, AttributeProto] = field(default_factory=dict)
    depth: int = 0
    sources: dict[Tensor, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()

    def inside(self) -> OnnxScope:
        """The scope of a graph inside a node here, which sees the values here."""
        return OnnxScope(self.state, self.opsets, {}, self, self.arguments, self._deeper(), self.sources, self.absent)

    def _deeper(self) -> int:
        if self.depth >= _DEEPEST:
            raise GraphFormatError(f"graphs and calls are nested more than {_DEEPEST} deep", code="file/limit")
        return self.depth + 1

    def find(self, name: str) -> Value:
        """The value of that name.

        Raises:
            GraphFormatError: nothing before gives it.
        """
        scope: OnnxScope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        raise GraphFormatError(f"the value {short(name)} is used before any node, input or array gives it")

    def _is_absent(self, name: str) -> bool:
        return bool(self.absent) and name in self.absent and name not in self.values

    def root_of(self, tensor: Tensor, name: str) -> str:
        """The input of the model that a value needs: the nearest one, or the value itself."""
        seen, waiting = set(), [tensor]
        while waiting:
            each = waiting.pop(0)
            if each in self.sources:
                return self.sources[each]
            if each.op not in seen:
                seen.add(each.op)
                waiting += each.op.inputs
                outside = getattr(each.graph, "outside", {}).get(each)
                if outside is not None:
                    waiting.append(outside)
        return name

    def constant(self, array: Array, name: str = "Const", type: Any = None) -> Any:
        """An array as a value."""
        made = ops.constant(array, name=clean(name).rpartition("/")[2] or "Const")
        return NarrowTensor(made, type) if isinstance(type, NarrowType) else made

    # ---- graphs ------------------------------------------------------------------------------

    def read_graph(self, graph: OnnxGraphProto, inputs: Sequence[Value] | None) -> list[Value]:
        """The outputs of a graph. `inputs`: what its inputs stand for; None if they are here already."""
        if inputs is not None:
            own = graph.inputs
            if len(inputs) > len(own):
                raise GraphFormatError(f"a graph inside a node has {len(own)} inputs and gets {len(inputs)}")
            for info, value in zip(own, inputs, strict=False):
                self.values[info.name] = value
        self.read_arrays(graph)
        self.read_nodes(graph.nodes)
        return [self.find(info.name) for info in graph.outputs]

    def read_arrays(self, graph: OnnxGraphProto) -> None:
        """The arrays that a graph holds."""
        for proto in graph.initializers:
            if proto.name in self.values:
                continue
            array, type = self.state.arrays.read(proto)
            if self.state.trainable is not None and array.dtype.kind in "fV" and array.ndim and not self.depth:
                made = self.state.trainable(array, clean(proto.name))
                self.values[proto.name] = made
                self.state.first_values[made] = array
            else:
                self.values[proto.name] = self.constant(array, proto.name, type)
        for sparse in graph.sparse_initializers:
            name = sparse.values.name if sparse.values is not None else ""
            if name not in self.values:
                array, type = self.state.arrays.sparse(sparse)
                self.values[name] = self.constant(array, name, type)

    def read_nodes(self, nodes: Sequence[OnnxNodeProto]) -> None:
        """Add the nodes, in the order in which they stand: ONNX has them sorted."""
        for number, proto in enumerate(nodes):
            self.state.nodes_left -= 1
            if self.state.nodes_left < 0:
                raise GraphFormatError(
                    f"calls of functions give more nodes than the limit of {self.state.limits.nodes}", code="file/limit"
                )
            with naming(number, proto):
                self._read_node(proto)

    def _read_node(self, proto: OnnxNodeProto) -> None:
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        function = self.state.functions.get((domain, proto.op_type, proto.overload))
        rule = None if function is not None else self.state.rule(domain, proto.op_type, self.opsets.get(domain, 1))
        inputs = [self.find(name) if name and not self._is_absent(name) else None for name in proto.inputs]
        attributes = self._attributes(proto)
        with get_default_graph().name_scope(clean(proto.name) or proto.op_type):
            if function is not None:
                made: Any = self._called(function, inputs, attributes)
            elif rule is not None:
                made = rule(OnnxNode(proto, inputs, self.opsets.get(domain, 1), self, attributes))
            else:
                where = domain or "ai.onnx"
                raise UnsupportedOnnx(f"no op here does what {short(proto.op_type)} of the domain {where!r} does")
        results = list(made) if isinstance(made, list | tuple) else [made]
        if len([name for name in proto.outputs if name]) > len(results):
            raise GraphFormatError(f"it has {len(proto.outputs)} outputs; the operator gives {len(results)}")
        for name, result in zip(proto.outputs, results, strict=False):
            if name:
                if name in self.values:
                    raise GraphFormatError(f"the value {short(name)} is given twice")
                if result is None:
                    raise UnsupportedOnnx(f"its output {short(name)} is not computed here")
                self.values[name] = result

    def _attributes(self, proto: OnnxNodeProto) -> dict[str, AttributeProto]:
        """The attributes by name; in a function, those that refer to the call's are the call's."""
        found = {}
        for each in proto.attributes:
            if not each.ref_attr_name:
                found[each.name] = each
            elif each.ref_attr_name in self.arguments:
                found[each.name] = self.arguments[each.ref_attr_name]
        return found

    def _called(
        self, function: OnnxFunctionProto, inputs: Sequence[Value | None], attributes: Mapping[str, AttributeProto]
    ) -> list[Value]:
        """The results of a function of the model, whose nodes are read in place of the call."""
        given = {each.name: each for each in function.attribute_defaults} | dict(attributes)
        opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in function.opsets} or self.opsets
        inner = OnnxScope(self.state, opsets, {}, None, given, self._deeper(), self.sources)
        for name, value in zip(function.inputs, inputs, strict=False):
            if value is not None:
                inner.values[name] = value
        inner.absent = frozenset(function.inputs) - frozenset(inner.values)
        inner.read_nodes(function.nodes)
        return [inner.find(name) for name in function.outputs]


@contextmanager
def naming(number: int, proto: OnnxNodeProto) -> Iterator[None]:
    """Let errors name the node."""
    where = f"node {number} ({short(proto.name or proto.op_type)}, {short(proto.op_type)})"
    try:
        yield
    except NeedsKnownValue as error:
        if not error.names_node:
            error.args = (f"{where}: {error.args[0]}",)
            error.names_node = True
        raise
    except OnnxNodeError:
        raise
    except UnsupportedOnnx as error:
        if error.names_node:
            raise
        named = UnsupportedOnnx(f"{where}: {brief(error)}", code=error.code)
        named.names_node = True
        raise named from None
    except GraphFormatError as error:
        raise OnnxNodeError(f"{where}: {brief(error)}", code=error.code) from None
    except MemoryError:
        raise OnnxNodeError(f"{where}: it asks for more memory than there is", code="file/limit") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        # A rule expects the inputs of its op; it fails on a node with other ones.
        raise OnnxNodeError(f"{where}: its inputs and attributes do not fit the op: {brief(error)}") from None


__all__ = ["OnnxNodeError", "OnnxScope", "ReadRule", "ReadState", "SequenceValue", "clean", "naming"]
