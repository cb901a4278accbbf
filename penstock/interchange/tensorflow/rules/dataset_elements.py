"""What the elements of a dataset are, which TensorFlow's nodes state and our ops do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_scalar, known_value
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dtypes import DType, string, variant
from ....graph.shapes.shape import TensorShape, shape_of
from ..node_writer import NodeWriter

Element = tuple[tuple[DType, ...], tuple[TensorShape, ...]]
"""The dtypes and shapes of the parts of an element."""

_SCALAR = shape_of(())


def element_of(w: NodeWriter, dataset: Tensor) -> Element:
    """What the elements of a dataset are.

    Raises:
        GraphFormatError: that cannot be known.
    """
    known: Element | None = w.library.elements.get(dataset)
    if known is not None:
        return known
    op = dataset.op
    rule = _ELEMENTS.get(op.type)
    if rule is not None:
        return rule(w, op)
    if op.type == "DatasetElement":  # a dataset that is part of an element
        types, shapes = _element_of_parts(w, op.inputs[0])
        place = dataset.value_index - (len(op.outputs) - len(types))
        if place >= 0:
            return (types[place],), (shapes[place],)
    raise GraphFormatError(f"the node {op.name!r} is a {op.type}; nothing says what the elements of its dataset are")


def _element_of_parts(w: NodeWriter, dataset: Tensor) -> Element:
    """Of a dataset of windows, or one that is grouped: the elements before."""
    op = dataset.op
    while _ELEMENTS.get(op.type) is _same:
        op = op.inputs[0].op
    return element_of(w, op.inputs[0] if op.type == "WindowDataset" else op.outputs[0])


def _same(w: NodeWriter, op: Operation) -> Element:
    return element_of(w, op.inputs[0])


def _of_inputs(skipped: int) -> Callable[[NodeWriter, Operation], Element]:
    """The inputs, or their rows."""

    def rule(w: NodeWriter, op: Operation) -> Element:
        shapes = [t.shape if t.shape.raw is None else shape_of(t.shape.raw[skipped:]) for t in op.inputs]
        return tuple([t.dtype for t in op.inputs]), tuple(shapes)

    return rule


def _of_all(w: NodeWriter, op: Operation) -> Element:
    every = [element_of(w, each) for each in op.inputs]
    return tuple([t for types, _ in every for t in types]), tuple([s for _, shapes in every for s in shapes])


def _stacked(w: NodeWriter, op: Operation) -> Element:
    types, shapes = element_of(w, op.inputs[0])
    size, drop = known_scalar(op.inputs[1]), known_value(op.inputs[-1])
    first = int(size) if isinstance(size, int) and drop is not None and bool(drop) else None
    return types, tuple([s if s.raw is None else TensorShape([first, *s.raw]) for s in shapes])


def _stacked_elements(w: NodeWriter, op: Operation) -> Element:
    types, shapes = element_of(w, op.inputs[1])
    return types, tuple([s if s.raw is None else TensorShape([None, *s.raw]) for s in shapes])


def _padded(w: NodeWriter, op: Operation) -> Element:
    types, shapes = element_of(w, op.inputs[0])
    return types, tuple([TensorShape(None) if s.raw is None else TensorShape([None] * (len(s.raw) + 1))
                         for s in shapes])  # fmt: skip


def _unbatched(w: NodeWriter, op: Operation) -> Element:
    types, shapes = element_of(w, op.inputs[0])
    return types, tuple([s if s.raw is None else shape_of(s.raw[1:]) for s in shapes])


def _windows(w: NodeWriter, op: Operation) -> Element:
    count = len(element_of(w, op.inputs[0])[0])
    return (variant,) * count, (_SCALAR,) * count


def function_of_elements(op: Operation) -> Any:
    """The graph of an op with one function."""
    name = "predicate" if op.type in ("FilterDataset", "TakeWhileDataset") else "f"
    return op.args[op.opdef.parameters.index(name)]


def _mapped(w: NodeWriter, op: Operation) -> Element:
    body, first = function_of_elements(op), _first_result(op)
    return tuple([t.dtype for t in body.outputs[first:]]), tuple([t.shape for t in body.outputs[first:]])


def _first_result(op: Operation) -> int:
    """How many results of its function are a state."""
    return int(op.args[-1][0]) if op.type == "ScanDataset" else 0


def _flat(w: NodeWriter, op: Operation) -> Element:
    names = ("reduce_func", "for_reduce") if op.type == "GroupByWindowDataset" else ("f", "operands")
    body, operands = [op.args[op.opdef.parameters.index(name)] for name in names]
    note_datasets(w, body, operands)
    return element_of(w, body.outputs[0])


def note_datasets(w: NodeWriter, body: Any, operands: Sequence[Tensor]) -> None:
    """Note what the elements of datasets are that a body gets."""
    for inside, outside in zip(body.inputs, operands, strict=True):
        if outside.dtype.is_variant and inside not in w.library.elements:
            w.library.elements[inside] = element_of(w, outside)


_GIVE_THE_SAME = (
    "CacheDataset", "ConcatenateDataset", "FilterDataset", "IgnoreErrorsDataset", "PrefetchDataset", "RepeatDataset",
    "ShardDataset", "ShuffleDataset", "SkipDataset", "TakeDataset", "TakeWhileDataset",
)  # fmt: skip
_ONE_TEXT: Element = (string,), (_SCALAR,)

_ELEMENTS: dict[str, Callable[[NodeWriter, Operation], Element]] = {
    **dict.fromkeys(_GIVE_THE_SAME, _same),
    **dict.fromkeys(["MapDataset", "ParallelMapDataset", "ScanDataset"], _mapped),
    **dict.fromkeys(["FlatMapDataset", "GroupByWindowDataset", "InterleaveDataset"], _flat),
    **dict.fromkeys(["FixedLengthRecordDatasetV2", "MatchingFilesDataset", "TextLineDataset", "TFRecordDataset"],
                    lambda w, op: _ONE_TEXT),
    "BatchDatasetV2": _stacked,
    "DirectedInterleaveDataset": lambda w, op: element_of(w, op.inputs[1]),
    "PaddedBatchDatasetV2": _padded,
    "RangeDataset": lambda w, op: (tuple(op.args[-1]), (_SCALAR,)),
    "RowsMapAndBatchDataset": _stacked_elements,
    "TensorDataset": _of_inputs(0),
    "TensorSliceDataset": _of_inputs(1),
    "UnbatchDataset": _unbatched,
    "WindowDataset": _windows,
    "ZipDataset": _of_all,
}  # fmt: skip
