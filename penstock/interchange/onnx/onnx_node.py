"""`OnnxNode`: a node of an ONNX model while it is read, as the rules see it.

Values of a model are tensors, or

    NarrowTensor     a tensor of a type of at most eight bits: its codes
    SequenceValue    a list of values; how many there are is known when the graph is built
    RunSequence      a list of tensors that a loop makes; only a run knows how many there are
    NoValue          an optional value that is not there
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from ...errors import GraphFormatError
from ...graph.building.constant_evaluation import known_value
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType
from ...graph.shapes.literal import Array
from ...graph.shapes.shape import TensorShape
from .onnx_errors import NeedsKnownValue, UnsupportedOnnx
from .wire.onnx_messages import AttributeProto, OnnxGraphProto, OnnxNodeProto, TypeProto
from .wire.onnx_tensors import OnnxArrays
from .wire.onnx_types import NarrowTensor


@dataclass(frozen=True, slots=True)
class SequenceValue:
    """A sequence: its values."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class RunSequence:
    """A sequence that a loop makes: a TensorArray.

    Attributes:
        array: its flow.
        dtype: that of the tensors.
        shape: what is known of the shape of each.
        is_turned: whether tensors are added in front: the sequence is then the TensorArray backwards.
        limit: the value of the model that says how many there are; "" if that is not one value.
    """

    array: Tensor
    dtype: DType
    shape: TensorShape
    is_turned: bool
    limit: str = ""

    def unknown_length(self) -> UnsupportedOnnx:
        """The error of what needs to know how many there are."""
        if self.limit:
            return NeedsKnownValue(self.limit)
        return UnsupportedOnnx("it needs the length of a sequence that a loop makes, which only a run knows")


@dataclass(frozen=True, slots=True)
class NoValue:
    """An optional value that is not there."""


Value: TypeAlias = "Tensor | NarrowTensor | SequenceValue | RunSequence | NoValue"


class HasArrays(Protocol):
    """What all scopes of one model share, as far as rules need it."""

    @property
    def arrays(self) -> OnnxArrays:
        """Reads arrays of the model."""

    @property
    def first_values(self) -> Mapping[Tensor, Array]:
        """What variables of the model begin with."""


class NodeScope(Protocol):
    """Where a node stands, as far as rules need it; `onnx_scope.OnnxScope` is one."""

    @property
    def state(self) -> HasArrays:
        """What all scopes of the model share."""

    @property
    def opsets(self) -> Mapping[str, int]:
        """The versions of the domains."""

    def inside(self) -> NodeScope:
        """The scope of a graph inside a node here, which sees the values here."""

    def find(self, name: str) -> Value:
        """The value of that name."""

    def root_of(self, tensor: Tensor, name: str) -> str:
        """The input of the model that a value needs."""

    def constant(self, array: Array, name: str = "Const", type: Any = None) -> Any:
        """An array as a value."""

    def read_graph(self, graph: OnnxGraphProto, inputs: Sequence[Value] | None) -> list[Value]:
        """The outputs of a graph."""


MISSING = NoValue()
_NO_DEFAULT: Any = object()


@dataclass(slots=True)
class OnnxNode:
    """A node and what its inputs stand for.

    Attributes:
        proto: the node of the file.
        inputs: the values; None for an optional input that is left out.
        opset: the version of its domain.
        scope: where it stands: for graphs in its attributes.
        attributes: by name.
    """

    proto: OnnxNodeProto
    inputs: list[Value | None]
    opset: int
    scope: NodeScope
    attributes: dict[str, AttributeProto]

    # ---- inputs ------------------------------------------------------------------------------

    def has(self, place: int) -> bool:
        """Whether an input is given."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def value(self, place: int) -> Value:
        """An input of any kind.

        Raises:
            GraphFormatError: it is left out.
        """
        found = self.inputs[place] if place < len(self.inputs) else None
        if found is None:
            raise GraphFormatError(f"its input {place} is missing")
        return found

    def tensor(self, place: int) -> Tensor:
        """An input that is a tensor of a dtype.

        Raises:
            GraphFormatError: it is left out, or something else.
        """
        found = self.value(place)
        if isinstance(found, Tensor):
            return found
        if isinstance(found, NarrowTensor):
            raise UnsupportedOnnx(f"its input {place} is of the type {found.type.name}, which it does not take here")
        raise GraphFormatError(f"its input {place} is not a tensor")

    def tensors(self) -> list[Tensor]:
        """All inputs, each a tensor."""
        return [self.tensor(place) for place in range(len(self.inputs))]

    def optional(self, place: int) -> Tensor | None:
        """An input that may be left out."""
        return self.tensor(place) if self.has(place) else None

    def known(self, place: int) -> Array:
        """The value of an input that decides how the graph is built.

        Raises:
            NeedsKnownValue: it is not known before a run.
        """
        found = self.scope.state.first_values.get(self.tensor(place))
        if found is None:
            found = known_value(self.tensor(place))
        if found is None:
            raise NeedsKnownValue(self.scope.root_of(self.tensor(place), self.proto.inputs[place]))
        return found

    def known_ints(self, place: int) -> list[int]:
        """The ints of a vector or scalar that decides how the graph is built."""
        return [int(value) for value in self.known(place).reshape(-1)]

    def rank(self, place: int) -> int:
        """The rank of an input.

        Raises:
            UnsupportedOnnx: it is not known before a run.
        """
        found = self.value(place)
        shape = found.shape if isinstance(found, Tensor | NarrowTensor) else None
        if shape is None or shape.ndims is None:
            raise UnsupportedOnnx(f"the rank of its input {self.proto.inputs[place]!r} is not known before a run")
        return shape.ndims

    def wants(self, place: int) -> bool:
        """Whether an output has a name."""
        return place < len(self.proto.outputs) and bool(self.proto.outputs[place])

    # ---- attributes --------------------------------------------------------------------------

    def _attribute(self, name: str, default: Any) -> AttributeProto | None:
        found = self.attributes.get(name)
        if found is None and default is _NO_DEFAULT:
            raise GraphFormatError(f"its attribute {name} is missing")
        return found

    def int(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """An int, or the default."""
        found = self._attribute(name, default)
        return default if found is None else found.i

    def float(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """A float, or the default."""
        found = self._attribute(name, default)
        return default if found is None else found.f

    def text(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """A text, or the default."""
        found = self._attribute(name, default)
        return default if found is None else found.s.decode("utf-8", "replace")

    def ints(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """A list of ints, or the default."""
        found = self._attribute(name, default)
        return default if found is None else list(found.ints)

    def floats(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """A list of floats, or the default."""
        found = self._attribute(name, default)
        return default if found is None else list(found.floats)

    def strings(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """A list of strings as bytes, or the default."""
        found = self._attribute(name, default)
        return default if found is None else list(found.strings)

    def array(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        """An array, or the default."""
        found = self._attribute(name, default)
        if found is None or found.t is None:
            return default
        return self.scope.state.arrays.read(found.t)[0]

    def graph(self, name: str) -> OnnxGraphProto:
        """A graph."""
        found = self._attribute(name, _NO_DEFAULT)
        if found is None or found.g is None:
            raise GraphFormatError(f"its attribute {name} is no graph")
        return found.g

    def type(self, name: str) -> TypeProto | None:
        """A type."""
        found = self.attributes.get(name)
        return None if found is None else found.tp

    # ---- constants ---------------------------------------------------------------------------

    def constant(self, value: Any, dtype: DType | None = None) -> Tensor:
        """A constant."""
        made: Tensor = self.scope.constant(np.asarray(value, None if dtype is None else dtype.np))
        return made


def items_of(value: Value) -> Sequence[Value]:
    """The values of a sequence.

    Raises:
        GraphFormatError: it is no sequence.
        UnsupportedOnnx: only a run knows its length.
    """
    if isinstance(value, RunSequence):
        raise value.unknown_length()
    if not isinstance(value, SequenceValue):
        raise GraphFormatError("an input is not a sequence")
    return value.items
