"""The inputs of `graph.cost`: the stage that the fetches need, and the given sizes and shapes, checked against the
graph.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ...errors import FeedError, GraphError, PenstockError
from ...graph.building.builder import infer
from ...graph.common.near_names import nearest
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.dimension import Dimension, Symbol, broken_equations, read_sizes
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape, shape_of
from ..arguments.feeds import Bindings, bind, bind_waiting, check_shape
from ..arguments.fetches import Fetches
from ..ir.stage import Stage
from ..passes.pipeline import first_stage, prune
from ..passes.versions import with_versions
from .run_record import RunRecord


class CostError(PenstockError, ValueError):
    """The arguments of `cost` do not fit the graph; `attempt` is the call, `reason` what is wrong with it."""

    def __init__(self, attempt: str, reason: str) -> None:
        super().__init__(f"{attempt}: {reason}")
        self.attempt = attempt
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.attempt, self.reason)


class CostTypeError(CostError, TypeError):
    """An argument of `cost` has another type than a size or a shape."""


@dataclass(frozen=True, slots=True)
class CostInputs:
    """A stage whose cost is asked for, with the shapes and sizes that were given for it.

    Attributes:
        stage: the operations that the fetches need.
        names: names of the fed tensors.
        feed_shapes: the shape of each feed.
        sizes: the size of each symbol that is known.
        labels: the given sizes and shapes, as text.
        expected: shapes of other tensors, by name, which their ops cannot infer.
    """

    stage: Stage
    names: tuple[str, ...]
    feed_shapes: tuple[TensorShape, ...]
    sizes: Mapping[Symbol, int]
    labels: tuple[str, ...]
    expected: Mapping[str, TensorShape]

    def infer(
        self, op: Operation, args: list[Any]
    ) -> tuple[tuple[Tensor, ...], Sequence[tuple[DType, TensorShape]]]:
        """Inputs and outputs of `op` with these arguments; the given sizes replace symbols in the output shapes."""
        inputs, outputs = infer(op.opdef, args)
        return inputs, [(dtype, self.put_in(shape)) for dtype, shape in outputs]

    def put_in(self, shape: TensorShape) -> TensorShape:
        """The shape with symbols replaced by their given sizes."""
        if shape.raw is None or shape.is_known:
            return shape
        sizes = [d if isinstance(d, int) else d.at(self.sizes) for d in shape.raw]
        return shape_of(d if n is None or n < 0 else n for d, n in zip(shape.raw, sizes, strict=True))


def given_sizes(
    graph: Graph,
    fetches: Any,
    shapes: Mapping[Any, Sequence[int]] | None,
    record: RunRecord | None,
    named: Mapping[str, int],
) -> CostInputs:
    """The stage that `fetches` need, and the sizes that follow from shapes and names; ValueError if they do not fit."""
    if record is not None and fetches is None:
        fetches = list(record.fetches)
    fetch_structure = Fetches(graph, results_of(graph) if fetches is None else fetches)
    shape_of_tensor = {_tensor(graph, key): tuple(_size(f"the shape of {key!r}", s) for s in as_list(shape))
            for key, shape in (shapes or {}).items()}  # fmt: skip
    recorded = () if record is None else record.feeds[: len(record.plan.user_feeds)]
    fed = {graph.get_tensor_by_name(feed.name): feed.shape for feed in recorded}
    fed.update({tensor: shape for tensor, shape in shape_of_tensor.items() if tensor.op.opdef.facts.must_feed})
    expected = {} if record is None else dict(_recorded_shapes(record, graph))
    expected.update({t.name: shape_of(shape) for t, shape in shape_of_tensor.items() if t not in fed})
    needed = prune(fetch_structure.tensors, fetch_structure.operations, fed)
    tensors = [*fed, *(op.outputs[0] for op in needed if op.opdef.facts.must_feed and op.outputs[0] not in fed)]
    first = first_stage(fetch_structure.tensors, fetch_structure.operations, tensors)
    stage = with_versions(first, tensors, graph.find_anywhere)
    state = stage.feeds[len(tensors) :]
    sizes = _named_sizes(graph, named)
    labels = [f"{symbol.name}={size}" for symbol, size in sizes.items()]
    labels += [f"{t.name} {shape_of(s)}" for t, s in (fed | shape_of_tensor).items()]
    for tensor, shape in fed.items():
        _bind(tensor, shape, sizes)
    for dim, known, size, _, node in broken_equations(stage.equations, sizes):
        raise CostError(
            f"cost({', '.join(labels)})",
            f"this makes the dimension {dim} {known}, but the shapes at the node {node!r} "
            f"hold only for size {size}. Give a size that fits."
        )
    without_feeds = CostInputs(stage, (), (), sizes, (), expected)
    feed_shapes = tuple(
        shape_of(fed[user]) if user in fed else without_feeds.put_in(tensor.shape)
        for user, tensor in zip((*tensors, *state), stage.feeds, strict=True)
    )
    return CostInputs(stage, tuple(t.name for t in (*tensors, *state)), feed_shapes, sizes, tuple(labels), expected)


def _recorded_shapes(record: RunRecord, graph: Graph) -> Iterator[tuple[str, TensorShape]]:
    """The shapes that results had in the run, for steps that ran one unchanged node of the graph."""
    by_name = {op.name: op for op in graph.get_operations()}
    for step in record.steps:
        op = by_name.get(step.node)
        if op is not None and op.type == step.op and len(op.outputs) == len(step.results):
            for tensor, result in zip(op.outputs, step.results, strict=True):
                if not tensor.shape.is_known and tensor.shape.is_compatible_with(result.shape):
                    yield tensor.name, shape_of(result.shape)


def results_of(graph: Graph) -> list[Tensor]:
    """The tensors that no operation reads, constants excepted: the probable results of a graph."""
    operations = graph.get_operations()
    taken = {tensor for op in operations for tensor in op.inputs}
    return [t for op in operations for t in op.outputs if t not in taken and not op.opdef.facts.is_constant]


def as_list(shape: Any) -> list[Any]:
    """The sizes of a shape as a list."""
    if isinstance(shape, TensorShape):
        return list(shape.as_list())
    if isinstance(shape, (list, tuple)):
        return list(shape)
    raise CostTypeError("cost(shapes=...)", f"{shape!r} is of type {type(shape).__name__}; a shape is a list of ints")


def _tensor(graph: Graph, key: Any) -> Tensor:
    try:
        found = graph.as_graph_element(key)
    except (KeyError, GraphError) as error:
        raise CostError(f"cost(shapes={{{key!r}: ...}})", str(error.args[0])) from None
    if isinstance(found, Operation):
        if len(found.outputs) != 1:
            count = len(found.outputs)
            raise CostError(f"cost(shapes={{{key!r}: ...}})", f"this operation has {count} outputs; name one of them")
        found = found.outputs[0]
    return found


def _size(what: str, value: Any) -> int:
    try:
        size = operator.index(value)
    except TypeError:
        raise CostTypeError("cost", f"{what} has {value!r}, a {type(value).__name__}; a size is an int") from None
    if isinstance(value, bool):
        raise CostTypeError("cost", f"{what} has {value!r}, a bool; a size is an int")
    if size < 0:
        raise CostError("cost", f"{what} has {size}; a size must be >= 0")
    return size


def _named_sizes(graph: Graph, named: Mapping[str, int]) -> dict[Symbol, int]:
    if not named:
        return {}
    known: dict[str, Symbol] = {}
    for op in graph.get_operations():
        for tensor in op.outputs:
            for dim in tensor.shape.raw or ():
                if isinstance(dim, Dimension):
                    known.update({s.name: s for s, _ in dim.terms if s.name is not None})
    sizes: dict[Symbol, int] = {}
    for name, value in named.items():
        if name not in known:
            near = nearest(name, known)
            has = ", ".join(sorted(known)) or "none"
            hint = f" Did you mean {near}?" if near else ""
            raise CostError(f"cost({name}=...)", f"the graph has no dimension of that name; it has {has}.{hint}")
        sizes[known[name]] = _size(f"the dimension {name!r}", value)
    return sizes


def _bind(tensor: Tensor, shape: tuple[int, ...], sizes: dict[Symbol, int]) -> None:
    """Bind the symbols of the tensor's static shape to the sizes of a fed shape."""
    stand_in: Any = SimpleNamespace(shape=shape)  # binding reads the shape only; a real array may not fit in memory
    bindings: Bindings = {symbol: (size, tensor) for symbol, size in sizes.items()}
    waiting: list[Any] = []
    try:
        if check_shape(tensor, stand_in):
            bind(tensor, stand_in, bindings, waiting)
            bind_waiting(bindings, waiting)
    except FeedError as error:
        raise CostError(f"cost(shapes={{{tensor.name!r}: {list(shape)}}})", str(error)) from None
    sizes.update({symbol: size for symbol, (size, _) in bindings.items()})
    read_sizes(tensor.shape.raw, shape, sizes)
