"""Export rules of datasets and iterators.

Functions of elements become functions of the library. What makes the dataset of a `OneShotIterator` becomes one, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_scalar
from ....graph.declare.effects import effects_of
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import variant
from ..bodies.function_writer import body_function, named, types_of
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import dtype_number
from .dataset_elements import Element, element_of, function_of_elements, note_datasets

_BUFFER = 262_144
"""The bytes that TensorFlow's readers of files read at a time."""


def _stated(element: Element) -> dict[str, Any]:
    types, shapes = element
    return {"output_types": types, "output_shapes": shapes}


def _own_element(w: NodeWriter, op: Operation) -> dict[str, Any]:
    return _stated(element_of(w, op.outputs[0]))


def _as_it_is(w: NodeWriter, op: Operation) -> None:
    attrs = {named.name: op.args[place] for place, named in op.opdef.attrs if named.name != "output_types"}
    w.node(op.type, [w.ref(t) for t in op.inputs], **(attrs | _own_element(w, op)))


def _counted(w: NodeWriter, op: Operation) -> None:
    """A list of datasets."""
    w.node(op.type, [w.ref(t) for t in op.inputs], N=len(op.inputs), **_own_element(w, op))


def _choices(w: NodeWriter, op: Operation) -> None:
    w.node(op.type, [w.ref(t) for t in op.inputs], N=len(op.inputs) - 1, stop_on_empty_dataset=op.args[-1],
           **_own_element(w, op))  # fmt: skip


def _components(w: NodeWriter, op: Operation) -> None:
    types, shapes = element_of(w, op.outputs[0])
    counts: dict[str, Any] = {"N": len(op.args[2])} if op.type == "PaddedBatchDatasetV2" else {}
    w.node(op.type, [w.ref(t) for t in op.inputs], Toutput_types=types, output_shapes=shapes, **counts)


def _of_files(w: NodeWriter, op: Operation) -> None:
    inputs = [w.ref(t) for t in op.inputs]
    buffer = w.constant("buffer_size", np.array(_BUFFER, np.int64))
    if op.type == "TextLineDataset":
        if known_scalar(op.inputs[2]) != 0:
            raise GraphFormatError(f"the node {op.name!r} skips the first lines of files, which TensorFlow's does not")
        w.node(op.type, [*inputs[:2], buffer])
    elif op.type == "TFRecordDataset":
        w.node(op.type, [*inputs, buffer])
    else:
        w.node(op.type, [*inputs[:4], buffer, inputs[4]])


def _with_function(w: NodeWriter, op: Operation) -> None:
    """The dataset, a first state, what the function captures, and what stands behind."""
    operands = op.args[op.opdef.parameters.index("operands")]
    counts, body = op.args[op.opdef.parameters.index("arguments")], function_of_elements(op)
    first = operands[: counts[0]] if len(counts) > 1 else ()
    captured = operands[sum(counts) :]
    note_datasets(w, body, operands)
    label = "predicate" if op.type in ("FilterDataset", "TakeWhileDataset") else "f"
    function = named(body_function(w, op, label, body, operands))
    taken = 1 + len(operands)
    behind = op.inputs[taken:]
    attrs: dict[str, Any] = {label: function, "Targuments": types_of(captured)}
    if first:
        attrs["Tstate"] = types_of(first)
    if op.type == "ReduceDataset":
        stated = _stated((tuple([t.dtype for t in op.outputs]), tuple([t.shape for t in op.outputs])))
    else:
        stated = _own_element(w, op)
    type = {"ParallelMapDataset": "ParallelMapDatasetV2"}.get(op.type, op.type)
    w.node(type, [w.ref(t) for t in (op.inputs[0], *first, *captured, *behind)], **attrs, **stated)


def _group_by_window(w: NodeWriter, op: Operation) -> None:
    dataset, for_key, for_reduce, for_size, key, reduce, size, counts = op.args[:8]
    if counts[1] > 2:
        raise GraphFormatError(f"the node {op.name!r} groups elements of {counts[1] - 1} parts, for which TensorFlow's "
                               "files have no form. .json keeps it")  # fmt: skip
    captured: list[Tensor] = []
    attrs: dict[str, Any] = {}
    for label, body, operands, count in (("key_func", key, for_key, counts[0]), ("reduce_func", reduce, for_reduce,
                                         counts[1]), ("window_size_func", size, for_size, counts[2])):  # fmt: skip
        note_datasets(w, body, operands)
        attrs[label] = named(body_function(w, op, label, body, operands))
        attrs[f"T{label}_other_arguments"] = types_of(operands[count:])
        captured += list(operands[count:])
    w.node(op.type, [w.ref(t) for t in (dataset, *captured)], **(attrs | _own_element(w, op)))


def _batches_of_map(w: NodeWriter, op: Operation) -> None:
    """The batches of its elements; how whole batches are computed does not matter to their values."""
    _, elements, size, drop = op.inputs
    w.node("BatchDatasetV2", [w.ref(elements), w.ref(size), w.ref(drop)], **_own_element(w, op))


def _nothing(w: NodeWriter, op: Operation) -> None:
    """What functions see of an element has no node."""


# ---- iterators ----------------------------------------------------------------------------------


def _iterator(w: NodeWriter, op: Operation) -> None:
    shared_name, types, shapes = op.args
    w.node(op.type, (), shared_name=shared_name or op.name, container="", **_stated((types, shapes)))


def _of_element(w: NodeWriter, op: Operation) -> None:
    type = {"IteratorFromStringHandle": "IteratorFromStringHandleV2"}.get(op.type, op.type)
    _, types, shapes = op.args
    w.node(type, [w.ref(op.inputs[0])], **_stated((types, shapes)))


def _plain(w: NodeWriter, op: Operation) -> None:
    w.node(op.type, [w.ref(t) for t in op.inputs])


def _one_shot(w: NodeWriter, op: Operation) -> None:
    """All nodes that make the dataset are in a function, and stand in the graph too."""
    dataset = op.inputs[0]
    needed: set[Operation] = set()
    waiting = [dataset.op]
    while waiting:
        each = waiting.pop()
        if each not in needed:
            needed.add(each)
            waiting += [t.op for t in each.inputs]
    nodes = [each for each in op.graph.get_operations() if each in needed]
    for each in nodes:
        if each.opdef.facts.state or each.opdef.facts.must_feed or each.opdef.facts.is_source:
            raise GraphFormatError(f"the node {op.name!r} is an iterator whose dataset needs {each.name!r}, a "
                                   f"{each.type}; TensorFlow's function of it takes nothing of the graph. Use "
                                   "make_initializable_iterator")  # fmt: skip
    inner = NodeWriter(nodes, w.library)
    for each in nodes:
        inner.begin(each)
        w.library.write(inner, each)
    function = w.library.add(f"{op.name}_dataset", inner.nodes, [], [(inner.ref(dataset), dtype_number(variant))],
                             (), {"_stateful": True} if any(not effects_of(each).is_pure for each in nodes) else None)
    w.node(op.type, (), dataset_factory=named(function), container="", shared_name="",
           **_stated(element_of(w, dataset)))  # fmt: skip


_AS_THEY_ARE = (
    "BatchDatasetV2", "CacheDataset", "ConcatenateDataset", "IgnoreErrorsDataset", "PrefetchDataset", "RangeDataset",
    "RepeatDataset", "ShardDataset", "ShuffleDataset", "SkipDataset", "TakeDataset", "UnbatchDataset", "WindowDataset",
)  # fmt: skip
_FUNCTIONS = ("FilterDataset", "FlatMapDataset", "InterleaveDataset", "MapDataset", "ParallelMapDataset",
              "ReduceDataset", "ScanDataset", "TakeWhileDataset")  # fmt: skip

OF_DATASETS: dict[str, ExportRule] = {
    **dict.fromkeys(_AS_THEY_ARE, _as_it_is),
    **dict.fromkeys(_FUNCTIONS, _with_function),
    **dict.fromkeys(["FixedLengthRecordDatasetV2", "TextLineDataset", "TFRecordDataset"], _of_files),
    "DatasetElement": _nothing,
    "DatasetToSingleElement": _of_element,
    "DirectedInterleaveDataset": _choices,
    "GroupByWindowDataset": _group_by_window,
    "IteratorFromStringHandle": _of_element,
    "IteratorGetNext": _of_element,
    "IteratorToStringHandle": _plain,
    "IteratorV2": _iterator,
    "MakeIterator": _plain,
    "MatchingFilesDataset": _plain,
    "OneShotIterator": _one_shot,
    "PaddedBatchDatasetV2": _components,
    "RowsMapAndBatchDataset": _batches_of_map,
    "TensorDataset": _components,
    "TensorSliceDataset": _components,
    "ZipDataset": _counted,
}  # fmt: skip
"""Our op -> the rule that writes it."""

