"""The ops whose results are datasets, without functions: where elements come from, and how they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.function_attribute import PythonFunction
from ...graph.declare.signature import EVERYTHING, Attr, Flag, Operand, TensorLike, Variant
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, bits_of, int64
from .batching import Batch, PaddedBatch, Unbatch, WindowSource
from .combining import Choose, Concatenate, Range, Repeat, Shard, Skip, Take, Tensors, Zip
from .dataset_decl import Count, Datasets, DTypes, Shapes, Text, Yes, count_in, dataset_op
from .file_sources import (
    FromFiles,
    Generated,
    ListedFiles,
    csv_lines_of,
    fixed_records_of,
    lines_of,
    records_of,
)  # fmt: skip
from .mapping import IgnoreErrors
from .prefetching import Cache, FileCache, Prefetch
from .random_order import Shuffle
from .row_streams import TensorSlices
from .streams import Source

Components = Annotated[Sequence[TensorLike], Operand(None, EVERYTHING, many=True)]


def _text(value: Sequence[bytes]) -> str:
    """The text that an operand holds."""
    return b"".join(value).decode()


def _own(value: Any) -> Any:
    """An array that nothing else writes. Constants and feeds stay what they are."""
    return value if isinstance(value, np.ndarray) else np.asarray(value)


@dataset_op("TensorDataset", lambda components: Tensors(tuple([_own(each) for each in components])))
def tensor_dataset(components: Components, name: str | None = None) -> Tensor:
    """One element."""


def _rows(components: Sequence[Any]) -> TensorSlices:
    arrays = tuple([_own(each) for each in components])
    for each in arrays:
        if not each.ndim:
            raise InvalidArgumentError(message="All components must be at least 1-dimensional")
        if len(each) != len(arrays[0]):
            raise InvalidArgumentError(
                message="All components must have the same size in the 0th dimension: the first has "
                f"{len(arrays[0])} rows, another one {len(each)}"
            )
    return TensorSlices(arrays)


@dataset_op("TensorSliceDataset", _rows)
def tensor_slice_dataset(components: Components, name: str | None = None) -> Tensor:
    """The rows of tensors."""


def _numbers(start: int, stop: int, step: int, output_types: Sequence[DType]) -> Range:
    if step == 0:
        raise InvalidArgumentError(message="step must be a non-zero integer.")
    return Range(start, stop, step, output_types[0].np)


@dataset_op("RangeDataset", _numbers)
def range_dataset(start: Count, stop: Count, step: Count, output_types: DTypes, name: str | None = None) -> Tensor:
    """Numbers."""


@dataset_op("ZipDataset", Zip)
def zip_dataset(input_datasets: Datasets, name: str | None = None) -> Tensor:
    """An element of each dataset."""


@dataset_op("ConcatenateDataset", lambda *inner: Concatenate(inner))
def concatenate_dataset(input_dataset: Variant, another_dataset: Variant, name: str | None = None) -> Tensor:
    """One dataset after the other."""


@dataset_op("RepeatDataset", Repeat)
def repeat_dataset(input_dataset: Variant, count: Count, name: str | None = None) -> Tensor:
    """Several passes."""


@dataset_op("TakeDataset", Take)
def take_dataset(input_dataset: Variant, count: Count, name: str | None = None) -> Tensor:
    """The first elements."""


@dataset_op("SkipDataset", Skip)
def skip_dataset(input_dataset: Variant, count: Count, name: str | None = None) -> Tensor:
    """Without the first elements."""


@dataset_op("ShardDataset", Shard)
def shard_dataset(input_dataset: Variant, num_shards: Count, index: Count, name: str | None = None) -> Tensor:
    """One of every few elements."""


@dataset_op("BatchDatasetV2", lambda inner, size, drops: Batch(inner, count_in(size, "Batch size", 1), drops))
def batch_dataset(
    input_dataset: Variant, batch_size: Count, drop_remainder: Yes, name: str | None = None
) -> Tensor:
    """Several elements as one."""


def _padded_batches(
    inner: Source, size: int, padded_shapes: Sequence[Any], padding_values: Sequence[Any], drops: bool
) -> PaddedBatch:
    count = count_in(size, "Batch size", 1)
    shapes = tuple([tuple([int(dim) for dim in each]) for each in padded_shapes])
    return PaddedBatch(inner, count, shapes, tuple([each[()] for each in padding_values]), drops)


@dataset_op("PaddedBatchDatasetV2", _padded_batches)
def padded_batch_dataset(
    input_dataset: Variant, batch_size: Count,
    padded_shapes: Annotated[Sequence[TensorLike], Operand("Tpad", bits_of(int64), many=True)],
    padding_values: Components, drop_remainder: Yes, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Several elements as one, padded."""


@dataset_op("UnbatchDataset", Unbatch)
def unbatch_dataset(input_dataset: Variant, name: str | None = None) -> Tensor:
    """The rows of elements."""


def _windows(inner: Source, *arguments: Any) -> WindowSource:
    *sizes, drops = arguments
    names = ("Window size", "Window shift", "Window stride")
    size, shift, stride = [count_in(value, name, 1) for value, name in zip(sizes, names, strict=True)]
    return WindowSource(inner, size, shift, stride, drops)


@dataset_op("WindowDataset", _windows)
def window_dataset(
    input_dataset: Variant, size: Count, shift: Count, stride: Count, drop_remainder: Yes, name: str | None = None
) -> Tensor:
    """Datasets of a few elements."""


@dataset_op("ShuffleDataset", lambda inner, size, *more: Shuffle(inner, count_in(size, "buffer_size", 1), *more))
def shuffle_dataset(
    input_dataset: Variant, buffer_size: Count, seed: Count, seed2: Count, reshuffle_each_iteration: Flag = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Elements in random order."""


@dataset_op("PrefetchDataset", lambda inner, size: Prefetch(inner, count_in(size, "buffer_size", -1)))
def prefetch_dataset(input_dataset: Variant, buffer_size: Count, name: str | None = None) -> Tensor:
    """Elements that are made ahead."""


def _cached(inner: Source, filename: Sequence[bytes], output_types: Sequence[DType]) -> Source:
    path = _text(filename)
    return FileCache(inner, path, tuple([each.np for each in output_types])) if path else Cache(inner)


@dataset_op("CacheDataset", _cached)
def cache_dataset(input_dataset: Variant, filename: Text, output_types: DTypes, name: str | None = None) -> Tensor:
    """Elements that are kept."""


@dataset_op("IgnoreErrorsDataset", IgnoreErrors)
def ignore_errors_dataset(input_dataset: Variant, name: str | None = None) -> Tensor:
    """The elements that can be had."""


@dataset_op("DirectedInterleaveDataset", Choose)
def directed_interleave_dataset(
    selector_input_dataset: Variant, data_input_datasets: Datasets, stop_on_empty_dataset: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Elements of several datasets, in the order that another one gives."""


# ---- files and generators -----------------------------------------------------------------------


@dataset_op(
    "TextLineDataset",
    lambda paths, kind, skip: FromFiles(paths, partial(lines_of, compression=_text(kind), skipped=skip)),
)
def text_line_dataset(filenames: Text, compression_type: Text, skip: Count, name: str | None = None) -> Tensor:
    """The lines of files."""


@dataset_op(
    "CsvLineDataset",
    lambda paths, kind, skip: FromFiles(paths, partial(csv_lines_of, compression=_text(kind), skipped=skip)),
)
def csv_line_dataset(filenames: Text, compression_type: Text, skip: Count, name: str | None = None) -> Tensor:
    """The lines of CSV files, where the ends of lines inside quotes are part of a line."""


@dataset_op("TFRecordDataset", lambda paths, kind: FromFiles(paths, partial(records_of, compression=_text(kind))))
def tf_record_dataset(filenames: Text, compression_type: Text, name: str | None = None) -> Tensor:
    """The records of files."""


def _fixed_records(
    paths: Sequence[bytes], header: int, length: int, footer: int, compression: Sequence[bytes]
) -> FromFiles:
    count_in(header, "`header_bytes`", 0)
    count_in(footer, "`footer_bytes`", 0)
    count_in(length, "`record_bytes`", 1)
    kind = _text(compression)
    return FromFiles(paths, lambda path: fixed_records_of(path, length, header, footer, kind))


@dataset_op("FixedLengthRecordDatasetV2", _fixed_records)
def fixed_length_record_dataset(
    filenames: Text, header_bytes: Count, record_bytes: Count, footer_bytes: Count, compression_type: Text,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The records of one length of files."""


@dataset_op("MatchingFilesDataset", ListedFiles)
def matching_files_dataset(patterns: Text, name: str | None = None) -> Tensor:
    """The files that match patterns."""


def _as_function(value: Any) -> PythonFunction:
    return value if isinstance(value, PythonFunction) else PythonFunction(value)


PyFunction = Annotated[Any, Attr(_as_function)]


def _generated(
    arguments: Sequence[Any], generator: PythonFunction, flatten: PythonFunction, dtypes: Any, shapes: Any
) -> Generated:
    return Generated(generator.function, arguments, dtypes, shapes, flatten.function)


@dataset_op("GeneratorDataset", _generated)
def generator_dataset(
    arguments: Components, generator: PyFunction, flatten: PyFunction, output_types: DTypes, output_shapes: Shapes,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """What a Python generator gives."""
