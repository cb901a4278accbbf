"""Import rules of datasets and iterators: a dataset is a variant in TensorFlow, as here, and its nodes have the
same inputs.

    OneShotIterator(dataset_factory)     a function that makes the dataset, whose nodes are added beside it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation
from ....graph.shapes.dtypes import int64
from ..foreign_node import ForeignNode, read_as
from ..import_scope import Made
from .dataset_function_rules import FUNCTIONS_OF_ELEMENTS, stated_element
from .functional_rules import function_of, run_function
from .queue_rules import dtypes_at

# ---- others -------------------------------------------------------------------------------------


def _listed(type: str) -> Callable[[ForeignNode], Operation]:
    """The op whose inputs are one list."""

    def read(s: ForeignNode) -> Operation:
        if not s.uses:
            raise GraphFormatError("it has no inputs")
        return s.add(type, s.inputs)

    return read


def _slices(s: ForeignNode) -> Operation:
    if s.attr("is_files", "b", False) and not s.uses:
        raise GraphFormatError("it has no inputs")
    return _listed("TensorSliceDataset")(s)


def _range(s: ForeignNode) -> Operation:
    return s.add("RangeDataset", *s.take(3), dtypes_at(s, "output_types") or (int64,))


def _shuffle(s: ForeignNode) -> Operation:
    dataset, size, seed, seed2 = s.take(4)
    return s.add("ShuffleDataset", dataset, size, seed, seed2, s.attr("reshuffle_each_iteration", "b", True))


def _shuffle_and_repeat(s: ForeignNode) -> Operation:
    dataset, size, seed, seed2, count = s.take(5)
    again = s.attr("reshuffle_each_iteration", "b", True)
    (shuffled,) = s.helper("shuffle", "ShuffleDataset", dataset, size, seed, seed2, again)
    return s.add("RepeatDataset", shuffled, count)


def _batch(s: ForeignNode) -> Operation:
    dataset, size = s.take(2)
    return s.add("BatchDatasetV2", dataset, size, s.constant("drop", np.array(False)))


def _padded_batch(s: ForeignNode) -> Operation:
    count = s.attr("N", "i")
    has_drop = s.node.op.endswith("V2")
    if not 0 < count < len(s.uses):
        raise GraphFormatError(f"it has {len(s.uses)} inputs and pads {count} parts of an element")
    inputs = list(s.take(2 + 2 * count + has_drop))
    drop = inputs.pop() if has_drop else s.constant("drop", np.array(False))
    return s.add("PaddedBatchDatasetV2", *inputs[:2], tuple(inputs[2 : 2 + count]), tuple(inputs[2 + count :]), drop)


def _cache(s: ForeignNode) -> Operation:
    dataset, path = s.inputs[:2] if len(s.uses) >= 2 else s.take(2)
    return s.add("CacheDataset", dataset, path, stated_element(s)[0])


def _choices(s: ForeignNode) -> Operation:
    if len(s.uses) < 2:
        raise GraphFormatError(f"it has {len(s.uses)} inputs; they are a dataset of numbers and others to choose among")
    return s.add("DirectedInterleaveDataset", s.inputs[0], s.inputs[1:], s.attr("stop_on_empty_dataset", "b", False))


def _lines(s: ForeignNode) -> Operation:
    names, packing, _ = s.take(3)
    return s.add("TextLineDataset", names, packing, s.constant("skip", np.array(0, np.int64)))


def _fixed_records(s: ForeignNode) -> Operation:
    has_packing = s.node.op.endswith("V2")
    names, header, record, footer, _, *packing = s.take(5 + has_packing)
    kind = packing[0] if packing else s.constant("packing", np.array(b"", object))
    return s.add("FixedLengthRecordDatasetV2", names, header, record, footer, kind)


def _through(s: ForeignNode) -> Made:
    """A node that says how a dataset is computed, and gives the same elements."""
    if not s.uses:
        raise GraphFormatError("it has no inputs")
    dataset = s.scope.tensor(s.uses[0])
    return Made(dataset.op, (dataset,))


# ---- iterators ----------------------------------------------------------------------------------


def _iterator(s: ForeignNode) -> Operation:
    return s.add("IteratorV2", s.text("shared_name"), *stated_element(s))


def _one_shot(s: ForeignNode) -> Operation:
    factory = function_of(s, "dataset_factory")
    inner = run_function(s.scope, factory, (), f"{s.true_name}/dataset/", s.controls)
    if len(factory.results) != 1:
        raise GraphFormatError(f"the function of its dataset gives {len(factory.results)} results")
    return s.add("OneShotIterator", inner.tensor(factory.results[0]))


def _of_element(type: str) -> Callable[[ForeignNode], Operation]:
    return lambda s: s.add(type, *s.take(1), *stated_element(s))


_READ: dict[str, Callable[[ForeignNode], Any]] = {
    **FUNCTIONS_OF_ELEMENTS,
    "BatchDataset": _batch,
    "BatchDatasetV2": read_as("BatchDatasetV2", 3),
    "CacheDataset": _cache,
    "CacheDatasetV2": _cache,
    "ConcatenateDataset": read_as("ConcatenateDataset", 2),
    "DatasetToSingleElement": _of_element("DatasetToSingleElement"),
    "DirectedInterleaveDataset": _choices,
    "FixedLengthRecordDataset": _fixed_records,
    "FixedLengthRecordDatasetV2": _fixed_records,
    "IgnoreErrorsDataset": read_as("IgnoreErrorsDataset", 1),
    "Iterator": _iterator,
    "IteratorFromStringHandle": _of_element("IteratorFromStringHandle"),
    "IteratorFromStringHandleV2": _of_element("IteratorFromStringHandle"),
    "IteratorGetNext": _of_element("IteratorGetNext"),
    "IteratorGetNextSync": _of_element("IteratorGetNext"),
    "IteratorToStringHandle": read_as("IteratorToStringHandle", 1),
    "IteratorV2": _iterator,
    "MakeIterator": read_as("MakeIterator", 2),
    "MatchingFilesDataset": read_as("MatchingFilesDataset", 1),
    "ModelDataset": _through,
    "OneShotIterator": _one_shot,
    "OptimizeDataset": _through,
    "OptionsDataset": _through,
    "PaddedBatchDataset": _padded_batch,
    "PaddedBatchDatasetV2": _padded_batch,
    "PrefetchDataset": read_as("PrefetchDataset", 2),
    "RangeDataset": _range,
    "RepeatDataset": read_as("RepeatDataset", 2),
    "RewriteDataset": _through,
    "ShardDataset": read_as("ShardDataset", 3),
    "ShuffleAndRepeatDataset": _shuffle_and_repeat,
    "ShuffleDataset": _shuffle,
    "SkipDataset": read_as("SkipDataset", 2),
    "TakeDataset": read_as("TakeDataset", 2),
    "TensorDataset": _listed("TensorDataset"),
    "TensorSliceDataset": _slices,
    "TextLineDataset": _lines,
    "TFRecordDataset": lambda s: s.add("TFRecordDataset", *s.take(3)[:2]),
    "UnbatchDataset": read_as("UnbatchDataset", 1),
    "WindowDataset": read_as("WindowDataset", 5),
    "ZipDataset": _listed("ZipDataset"),
}

DATASET_NODES: dict[str, Callable[[ForeignNode], Any]] = {
    **{f"Experimental{type}": rule for type, rule in _READ.items() if type.endswith("Dataset")},
    **_READ,
}
"""TensorFlow's node -> the rule that reads it; those of TensorFlow 1.13 to 1.15 are called Experimental..."""
