"""Import rules of datasets with functions: `map`, `filter`, `flat_map`, `scan` and their kin.

What a function of a dataset gets is in the attributes of the node that gives the dataset: the dtypes and shapes of an
element. The function itself becomes a graph inside the op, with what it captures behind the element.

    MapDataset(input, captured..., f, output_types, output_shapes)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.common.quick_dataclass import dataclass
from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.serial.loaded_origins import LoadedOrigin
from ....graph.shapes.dtypes import DType, int64, variant
from ....graph.shapes.shape import TensorShape, shape_of
from ..bodies.body_builder import arguments, finished, new_body
from ..foreign_node import ForeignNode, add_operation
from ..import_scope import Value
from ..wire.tensor_proto import Unsupported
from .functional_rules import function_of, run_function
from .queue_rules import dtypes_at, shapes_at

Element = tuple[tuple[DType, ...], tuple[TensorShape, ...]]
"""The dtypes and shapes of the parts of an element."""

# ---- what an element is -------------------------------------------------------------------------


def stated_element(s: ForeignNode) -> Element:
    """The element that a node says it gives."""
    types = dtypes_at(s, "output_types") or dtypes_at(s, "Toutput_types")
    shapes = shapes_at(s, "output_shapes")
    if not types or len(types) != len(shapes):
        raise GraphFormatError(f"it says that an element has {len(types)} dtypes and {len(shapes)} shapes")
    return types, shapes


def _element_of(s: ForeignNode, place: int) -> Element:
    """The element of the dataset that is an input."""
    value = s.values[place]
    known = s.scope.state.elements.get(value) if isinstance(value, Tensor) else None
    if known is not None:
        return known
    number = _origin(s, s.uses[place].node)
    if s.scope.index.type(number) == "_Arg":
        raise Unsupported(f"nothing says what the elements of its input {place} are")
    return stated_element(ForeignNode(s.scope, number))


def _origin(s: ForeignNode, number: int, passed: frozenset[str] = frozenset({"Identity"})) -> int:
    """The node behind those that give what they get."""
    index = s.scope.index
    while index.type(number) in passed and index.data[number]:
        number = index.data[number][0].node
    return number


_SAME_ELEMENTS = frozenset({"CacheDataset", "FilterDataset", "Identity", "OptionsDataset", "PrefetchDataset",
                            "RepeatDataset", "ShardDataset", "ShuffleDataset", "SkipDataset", "TakeDataset",
                            "TakeWhileDataset"})  # fmt: skip


def _elements_of_parts(s: ForeignNode) -> list[Element]:
    """Of a dataset of windows, what the elements of the parts of its elements are; [] of others."""
    number = _origin(s, s.uses[0].node, _SAME_ELEMENTS)
    if s.scope.index.type(number) != "WindowDataset" or not s.scope.index.data[number]:
        return []
    types, shapes = _element_of(ForeignNode(s.scope, number), 0)
    return [((dtype,), (shape,)) for dtype, shape in zip(types, shapes, strict=True)]


# ---- functions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _FunctionBody:
    """A function as a graph: what its first inputs stand for, and the graph, which says what it captures."""

    leading: tuple[Tensor, ...]
    graph: SubGraph


def _body(
    s: ForeignNode, attr: str, leading: Sequence[Tensor], captured: Sequence[Value],
    inside: Sequence[Element] = (),
    adapt: Callable[[ForeignNode, Any, list[Tensor]], list[Tensor]] | None = None,
) -> _FunctionBody:  # fmt: skip
    """The graph of the function that an attribute names.

    Args:
        leading: what its first inputs stand for.
        captured: the values of the last ones.
        inside: for those of the first inputs that are datasets, what their elements are.
        adapt: from our first inputs to those of TensorFlow's function.
    """
    function = function_of(s, attr)
    function_body = new_body(s.scope, f"{s.true_name}/{attr}")
    inputs = [function_body.graph.stand_in(t, f"element_{i}", t.shape) for i, t in enumerate(leading)]
    s.scope.state.elements.update(zip(inputs[len(inputs) - len(inside) :], inside, strict=True))
    first = inputs if adapt is None else adapt(s, function_body, inputs)
    inner = run_function(function_body.scope, function, [*first, *captured], f"{s.true_name}/{attr}/", ())
    function_body.scope.always += inner.always_run(function.always)
    results = [inner.tensor(use) for use in function.results]
    return _FunctionBody(tuple(leading), finished(function_body, inputs, results))


def _element(s: ForeignNode, dataset: Tensor, element: Element) -> tuple[Tensor, ...]:
    return s.helper("element", "DatasetElement", dataset, *element)


def _with_function(s: ForeignNode, type: str, body: _FunctionBody, **given: Any) -> Operation:
    """Add an op with one function; `given`: its other arguments."""
    opdef_name = "predicate" if type in ("FilterDataset", "TakeWhileDataset") else "f"
    args = arguments(type, operands=list(body.leading), **{opdef_name: body.graph},
                     **({"arguments": (len(body.leading),)} | given))  # fmt: skip
    return s.add(type, *args)


def _count_of_captures(s: ForeignNode, name: str = "Targuments") -> int:
    return len(dtypes_at(s, name))


def _parts(s: ForeignNode, before: int, after: int) -> tuple[tuple[Tensor, ...], tuple[Value, ...], tuple[Tensor, ...]]:
    """The inputs: the dataset and what follows it, what a function captures, what stands behind."""
    count = _count_of_captures(s)
    if len(s.uses) != before + count + after:
        raise GraphFormatError(f"it has {len(s.uses)} inputs, not {before + count + after}")
    tensors = [s.scope.tensor(use) for use in s.uses[:before]]
    behind = [s.scope.tensor(use) for use in s.uses[before + count :]]
    return tuple(tensors), s.values[before : before + count], tuple(behind)


def _of_elements(s: ForeignNode, attr: str, after: int = 0) -> tuple[Tensor, _FunctionBody, tuple[Tensor, ...]]:
    """The dataset, the function of its elements, and the inputs behind what that captures."""
    (dataset,), captured, behind = _parts(s, 1, after)
    element = _element(s, dataset, _element_of(s, 0))
    return dataset, _body(s, attr, element, captured, _elements_of_parts(s)), behind


def _map(s: ForeignNode) -> Operation:
    dataset, body, _ = _of_elements(s, "f")
    return _with_function(s, "MapDataset", body, input_dataset=dataset)


def _parallel_map(s: ForeignNode) -> Operation:
    dataset, body, (calls,) = _of_elements(s, "f", 1)
    if calls.dtype is not int64:
        (calls,) = s.helper("calls", "Cast", calls, int64)
    return _with_function(s, "ParallelMapDataset", body, input_dataset=dataset, num_parallel_calls=calls)


def _filter(s: ForeignNode) -> Operation:
    dataset, body, _ = _of_elements(s, "predicate")
    return _with_function(s, s.node.op, body, input_dataset=dataset)


def _flat_map(s: ForeignNode) -> Operation:
    dataset, body, _ = _of_elements(s, "f")
    return _with_function(s, "FlatMapDataset", body, input_dataset=dataset)


def _interleave(behind: int) -> Callable[[ForeignNode], Operation]:
    """The parallel kinds give the same elements in the same order."""

    def read(s: ForeignNode) -> Operation:
        if s.attr("sloppy", "b", False) or s.attr("deterministic", "s", b"default") == b"false":
            raise Unsupported("its order is not determined (sloppy)")
        dataset, body, rest = _of_elements(s, "f", behind)
        return _with_function(s, "InterleaveDataset", body, input_dataset=dataset, cycle_length=rest[0],
                              block_length=rest[1])  # fmt: skip

    return read


def _scan(s: ForeignNode) -> Operation:
    states = _count_of_captures(s, "Tstate")
    before = 1 + states
    (dataset, *state), captured, _ = _parts(s, before, 0)
    element = _element(s, dataset, _element_of(s, 0))
    body = _body(s, "f", (*state, *element), captured)
    return _with_function(s, "ScanDataset", body, input_dataset=dataset, arguments=(states, len(element)))


def _reduce(s: ForeignNode) -> Operation:
    states = _count_of_captures(s, "Tstate")
    (dataset, *state), captured, _ = _parts(s, 1 + states, 0)
    element = _element(s, dataset, _element_of(s, 0))
    body = _body(s, "f", (*state, *element), captured)
    return _with_function(s, "ReduceDataset", body, input_dataset=dataset, arguments=(states, len(element)))


def _map_and_batch(s: ForeignNode) -> Operation:
    dataset, body, (size, _, *drop) = _of_elements(s, "f", 3 if s.node.op.endswith("MapAndBatchDataset") else 2)
    args = arguments("MapDataset", input_dataset=dataset, operands=list(body.leading), f=body.graph,
                     arguments=(len(body.leading),))  # fmt: skip
    (mapped,) = s.helper("map", "MapDataset", *args)
    return s.add("BatchDatasetV2", mapped, size, drop[0] if drop else s.constant("drop", np.array(False)))


def _group_by_window(s: ForeignNode) -> Operation:
    """A group is one dataset in TensorFlow, and one for each part of an element here."""
    counts = [_count_of_captures(s, f"T{each}_other_arguments") for each in ("key_func", "reduce_func",
                                                                             "window_size_func")]  # fmt: skip
    if len(s.uses) != 1 + sum(counts):
        raise GraphFormatError(f"it has {len(s.uses)} inputs, not {1 + sum(counts)}")
    dataset = s.scope.tensor(s.uses[0])
    captured, at = [], 1
    for count in counts:
        captured.append(s.values[at : at + count])
        at += count
    whole = _element_of(s, 0)
    element = _element(s, dataset, whole)
    scalar = shape_of(())
    kinds = (int64, *[variant] * len(element))
    group = s.helper("group", "DatasetElement", dataset, kinds, (scalar,) * len(kinds))
    key = _body(s, "key_func", element, captured[0])
    parts = [((dtype,), (shape,)) for dtype, shape in zip(*whole, strict=True)]
    reduce = _body(s, "reduce_func", group, captured[1], parts, _zipped)
    size = _body(s, "window_size_func", group[:1], captured[2])
    args = arguments("GroupByWindowDataset", input_dataset=dataset, for_key=list(element), for_reduce=list(group),
                     for_size=list(group[:1]), key_func=key.graph, reduce_func=reduce.graph,
                     window_size_func=size.graph, arguments=(len(element), len(group), 1))  # fmt: skip
    return s.add("GroupByWindowDataset", *args)


def _zipped(s: ForeignNode, body: Any, inputs: list[Tensor]) -> list[Tensor]:
    key, *parts = inputs
    if len(parts) == 1:
        return inputs
    origin = LoadedOrigin(s.scope.state.file, s.number + 1, s.node.op)
    name = body.scope.free_name(f"{s.true_name}/reduce_func/window")
    window = add_operation(body.scope, name, "ZipDataset", (tuple(parts),), (), "", origin).outputs[0]
    known = [s.scope.state.elements[part] for part in parts]
    s.scope.state.elements[window] = tuple([each[0][0] for each in known]), tuple([each[1][0] for each in known])
    return [key, window]


FUNCTIONS_OF_ELEMENTS: dict[str, Callable[[ForeignNode], Operation]] = {
    "FilterDataset": _filter,
    "FlatMapDataset": _flat_map,
    "GroupByWindowDataset": _group_by_window,
    "InterleaveDataset": _interleave(2),
    "MapAndBatchDataset": _map_and_batch,
    "MapDataset": _map,
    "ParallelInterleaveDatasetV2": _interleave(3),
    "ParallelInterleaveDatasetV3": _interleave(3),
    "ParallelInterleaveDatasetV4": _interleave(5),
    "ParallelMapDataset": _parallel_map,
    "ParallelMapDatasetV2": _parallel_map,
    "ReduceDataset": _reduce,
    "ScanDataset": _scan,
    "TakeWhileDataset": _filter,
}
"""TensorFlow's node -> the rule that reads it."""
