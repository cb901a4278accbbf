"""The ops whose results are datasets and that hold functions: graphs, called for each element or group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from ...graph.declare.signature import Attr, Flag, Inner, Int, Variant, as_ints
from ...graph.model.nodes import Tensor
from ...graph.model.subgraph import SubGraph
from ..declare.held_graphs import Anything
from .dataset_decl import Count, Function, Yes, count_in, dataset_op
from .grouping import GroupByWindow
from .mapping import Filter, FlatMap, Interleave, Map, MapBatches, Scan, TakeWhile
from .parallel_interleaving import ParallelInterleave
from .parallel_mapping import ParallelMap, ParallelMapBatches
from .streams import Source

Ints = Annotated[Sequence[int], Attr(as_ints)]
_AUTOTUNE = 2
"""The elements that are worked on at the same time where the program leaves it open."""


@dataset_op(
    "MapDataset",
    lambda inner, operands, f, arguments, rows: Map(inner, operands[arguments[0] :], f, rows),
    body=True,
)
def map_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, all_rows: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """What a function gives for each element.

    arguments: how many of `operands` stand for the element; the others are captured.
    all_rows: whether an element is a batch, and the function does for all rows what the program's does for one.
    """


def _parallel_map(
    inner: Source, operands: Sequence[Any], calls: int, f: Any, arguments: Sequence[int], all_rows: bool
) -> ParallelMap:
    count = count_in(calls, "num_parallel_calls", -1 if calls == -1 else 1)
    return ParallelMap(inner, operands[arguments[0] :], f, _AUTOTUNE if count < 0 else count, all_rows)


@dataset_op("ParallelMapDataset", _parallel_map, body=True)
def parallel_map_dataset(
    input_dataset: Variant, operands: Anything, num_parallel_calls: Count, f: Function, arguments: Ints,
    all_rows: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The same; some elements are worked on at the same time."""


def _map_batches(whole: Source, single: Source, batch_size: int, drops: bool) -> Source:
    size = count_in(batch_size, "Batch size", 1)
    assert isinstance(whole, Map) and isinstance(single, Map)  # as `data.whole_batches` makes it
    if isinstance(whole, ParallelMap):
        return ParallelMapBatches(whole, single, size, drops)
    return MapBatches(whole, single, size, drops)


@dataset_op("RowsMapAndBatchDataset", _map_batches)
def map_batches_dataset(
    batches: Variant, elements: Variant, batch_size: Count, drop_remainder: Yes, name: str | None = None
) -> Tensor:
    """`map` and `batch` of one dataset: as a `map` of its batches, or where that fails as batches of its `map`.

    batches: a `map` of the batches of a dataset.
    elements: a `map` of that dataset.
    """


@dataset_op(
    "FilterDataset",
    lambda inner, operands, f, arguments: Filter(inner, operands[arguments[0] :], f),
    body=True,
)
def filter_dataset(
    input_dataset: Variant, operands: Anything, predicate: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The elements for which a function gives true."""


@dataset_op(
    "TakeWhileDataset",
    lambda inner, operands, f, arguments: TakeWhile(inner, operands[arguments[0] :], f),
    body=True,
)
def take_while_dataset(
    input_dataset: Variant, operands: Anything, predicate: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The elements before the first for which a function gives false."""


@dataset_op(
    "FlatMapDataset",
    lambda inner, operands, f, arguments: FlatMap(inner, operands[arguments[0] :], f),
    body=True,
)
def flat_map_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The elements of the datasets that a function gives."""


def _interleaved(
    inner: Source, operands: Sequence[Any], cycle_length: int, block_length: int, f: Any, arguments: Sequence[int],
    calls: int, sloppy: bool,
) -> Interleave:  # fmt: skip
    captures = operands[arguments[0] :]
    cycle, block = count_in(cycle_length, "cycle_length", 1), count_in(block_length, "block_length", 1)
    if calls:
        return ParallelInterleave(inner, captures, f, cycle, block, calls, sloppy)
    return Interleave(inner, captures, f, cycle, block)


@dataset_op("InterleaveDataset", _interleaved, body=True)
def interleave_dataset(
    input_dataset: Variant, operands: Anything, cycle_length: Count, block_length: Count, f: Function,
    arguments: Ints, calls: Int = 0, sloppy: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Elements of the datasets that a function gives, in turn; `calls` of them have threads, -1 for all."""


def _scanned(inner: Source, operands: Sequence[Any], f: Any, arguments: Sequence[int]) -> Scan:
    state, element = arguments
    return Scan(inner, operands[:state], operands[state + element :], f)


@dataset_op("ScanDataset", _scanned, body=True)
def scan_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The results of a function that also gives the next state.

    arguments: how many of `operands` are the first state, and how many stand for the element.
    """


def _grouped(inner: Source, *arguments: Any) -> GroupByWindow:
    *operands, key_func, reduce_func, window_size_func, counts = arguments
    captures = [list(each[count:]) for each, count in zip(operands, counts, strict=True)]
    return GroupByWindow(inner, [*captures[0], *captures[1], *captures[2]], (len(captures[0]), len(captures[1])),
                         key_func, reduce_func, window_size_func)  # fmt: skip


@dataset_op("GroupByWindowDataset", _grouped, body=True)
def group_by_window_dataset(
    input_dataset: Variant, for_key: Anything, for_reduce: Anything, for_size: Anything,
    key_func: Annotated[SubGraph, Inner(operands="for_key")],
    reduce_func: Annotated[SubGraph, Inner(operands="for_reduce")],
    window_size_func: Annotated[SubGraph, Inner(operands="for_size")],
    arguments: Ints, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The elements of the datasets that a function makes of groups."""
