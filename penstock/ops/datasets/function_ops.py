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
from .streams import boxed_source, source_of

Ints = Annotated[Sequence[int], Attr(as_ints)]
_AUTOTUNE = 2
"""The elements that are worked on at the same time where the program leaves it open."""


@dataset_op("MapDataset", body=True)
def map_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, all_rows: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """What a function gives for each element.

    arguments: how many of `operands` stand for the element; the others are captured.
    all_rows: whether an element is a batch, and the function does for all rows what the program's does for one.
    """
    raise NotImplementedError


@map_dataset.kernel
def map_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], f: Any, arguments: Sequence[int], all_rows: bool
) -> Any:
    return boxed_source(Map(source_of(input_dataset), operands[arguments[0] :], f, all_rows))


@dataset_op("ParallelMapDataset", body=True)
def parallel_map_dataset(
    input_dataset: Variant, operands: Anything, num_parallel_calls: Count, f: Function, arguments: Ints,
    all_rows: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The same; some elements are worked on at the same time."""
    raise NotImplementedError


@parallel_map_dataset.kernel
def parallel_map_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], num_parallel_calls: Any, f: Any, arguments: Sequence[int],
    all_rows: bool,
) -> Any:  # fmt: skip
    calls = count_in(num_parallel_calls, "num_parallel_calls", -1) if int(num_parallel_calls) == -1 else count_in(
        num_parallel_calls, "num_parallel_calls", 1)  # fmt: skip
    source = source_of(input_dataset)
    calls = _AUTOTUNE if calls < 0 else calls
    return boxed_source(ParallelMap(source, operands[arguments[0] :], f, calls, all_rows))


@dataset_op("RowsMapAndBatchDataset")
def map_batches_dataset(
    batches: Variant, elements: Variant, batch_size: Count, drop_remainder: Yes, name: str | None = None
) -> Tensor:
    """`map` and `batch` of one dataset: as a `map` of its batches, or where that fails as batches of its `map`.

    batches: a `map` of the batches of a dataset.
    elements: a `map` of that dataset.
    """
    raise NotImplementedError


@map_batches_dataset.kernel
def map_batches_dataset_kernel(
    xp: Any, batches: Any, elements: Any, batch_size: Any, drop_remainder: Any
) -> Any:
    size = count_in(batch_size, "Batch size", 1)
    whole, single = source_of(batches), source_of(elements)
    assert isinstance(whole, Map) and isinstance(single, Map)  # as `data.whole_batches` makes it
    if isinstance(whole, ParallelMap):
        return boxed_source(ParallelMapBatches(whole, single, size, bool(drop_remainder)))
    return boxed_source(MapBatches(whole, single, size, bool(drop_remainder)))


@dataset_op("FilterDataset", body=True)
def filter_dataset(
    input_dataset: Variant, operands: Anything, predicate: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The elements for which a function gives true."""
    raise NotImplementedError


@filter_dataset.kernel
def filter_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], predicate: Any, arguments: Sequence[int]
) -> Any:
    return boxed_source(Filter(source_of(input_dataset), operands[arguments[0] :], predicate))


@dataset_op("TakeWhileDataset", body=True)
def take_while_dataset(
    input_dataset: Variant, operands: Anything, predicate: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The elements before the first for which a function gives false."""
    raise NotImplementedError


@take_while_dataset.kernel
def take_while_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], predicate: Any, arguments: Sequence[int]
) -> Any:
    return boxed_source(TakeWhile(source_of(input_dataset), operands[arguments[0] :], predicate))


@dataset_op("FlatMapDataset", body=True)
def flat_map_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The elements of the datasets that a function gives."""
    raise NotImplementedError


@flat_map_dataset.kernel
def flat_map_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], f: Any, arguments: Sequence[int]
) -> Any:
    return boxed_source(FlatMap(source_of(input_dataset), operands[arguments[0] :], f))


@dataset_op("InterleaveDataset", body=True)
def interleave_dataset(
    input_dataset: Variant, operands: Anything, cycle_length: Count, block_length: Count, f: Function,
    arguments: Ints, calls: Int = 0, sloppy: Flag = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Elements of the datasets that a function gives, in turn; `calls` of them have threads, -1 for all."""
    raise NotImplementedError


@interleave_dataset.kernel
def interleave_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], cycle_length: Any, block_length: Any, f: Any,
    arguments: Sequence[int], calls: int, sloppy: bool,
) -> Any:  # fmt: skip
    cycle = count_in(cycle_length, "cycle_length", 1)
    block = count_in(block_length, "block_length", 1)
    if calls:
        captures = operands[arguments[0] :]
        return boxed_source(ParallelInterleave(source_of(input_dataset), captures, f, cycle, block, calls, sloppy))
    return boxed_source(Interleave(source_of(input_dataset), operands[arguments[0] :], f, cycle, block))


@dataset_op("ScanDataset", body=True)
def scan_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, name: str | None = None
) -> Tensor:
    """The results of a function that also gives the next state.

    arguments: how many of `operands` are the first state, and how many stand for the element.
    """
    raise NotImplementedError


@scan_dataset.kernel
def scan_dataset_kernel(
    xp: Any, input_dataset: Any, operands: Sequence[Any], f: Any, arguments: Sequence[int]
) -> Any:
    state, element = arguments
    return boxed_source(Scan(source_of(input_dataset), operands[:state], operands[state + element :], f))


@dataset_op("GroupByWindowDataset", body=True)
def group_by_window_dataset(
    input_dataset: Variant, for_key: Anything, for_reduce: Anything, for_size: Anything,
    key_func: Annotated[SubGraph, Inner(operands="for_key")],
    reduce_func: Annotated[SubGraph, Inner(operands="for_reduce")],
    window_size_func: Annotated[SubGraph, Inner(operands="for_size")],
    arguments: Ints, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The elements of the datasets that a function makes of groups."""
    raise NotImplementedError


@group_by_window_dataset.kernel
def group_by_window_dataset_kernel(
    xp: Any, input_dataset: Any, for_key: Sequence[Any], for_reduce: Sequence[Any], for_size: Sequence[Any],
    key_func: Any, reduce_func: Any, window_size_func: Any, arguments: Sequence[int],
) -> Any:  # fmt: skip
    captures = [list(each[count:]) for each, count in zip((for_key, for_reduce, for_size), arguments, strict=True)]
    return boxed_source(
        GroupByWindow(source_of(input_dataset), [*captures[0], *captures[1], *captures[2]],
                      (len(captures[0]), len(captures[1])), key_func, reduce_func, window_size_func)
    )
