"""The ops whose results are datasets, without functions: where elements come from, and how they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.function_attribute import PythonFunction
from ...graph.declare.signature import EVERYTHING, Attr, Flag, Operand, TensorLike, Variant
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, bits_of, int64
from ...graph.shapes.shape import TensorShape
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
from .streams import boxed_source, source_of

Components = Annotated[Sequence[TensorLike], Operand(None, EVERYTHING, many=True)]


def _own(value: Any) -> Any:
    """An array that nothing else writes. Constants and feeds stay what they are."""
    return value if isinstance(value, np.ndarray) else np.asarray(value)


@dataset_op("TensorDataset")
def tensor_dataset(components: Components, name: str | None = None) -> Tensor:
    """One element."""
    raise NotImplementedError


@tensor_dataset.kernel
def tensor_dataset_kernel(xp: Any, components: Sequence[Any]) -> Any:
    return boxed_source(Tensors(tuple([_own(each) for each in components])))


@dataset_op("TensorSliceDataset")
def tensor_slice_dataset(components: Components, name: str | None = None) -> Tensor:
    """The rows of tensors."""
    raise NotImplementedError


@tensor_slice_dataset.kernel
def tensor_slice_dataset_kernel(xp: Any, components: Sequence[Any]) -> Any:
    arrays = tuple([_own(each) for each in components])
    for each in arrays:
        if not each.ndim:
            raise InvalidArgumentError(message="All components must be at least 1-dimensional")
        if len(each) != len(arrays[0]):
            raise InvalidArgumentError(
                message="All components must have the same size in the 0th dimension: the first has "
                f"{len(arrays[0])} rows, another one {len(each)}"
            )
    return boxed_source(TensorSlices(arrays))


@dataset_op("RangeDataset")
def range_dataset(start: Count, stop: Count, step: Count, output_types: DTypes, name: str | None = None) -> Tensor:
    """Numbers."""
    raise NotImplementedError


@range_dataset.kernel
def range_dataset_kernel(xp: Any, start: Any, stop: Any, step: Any, output_types: Sequence[DType]) -> Any:
    if int(step) == 0:
        raise InvalidArgumentError(message="step must be a non-zero integer.")
    return boxed_source(Range(int(start), int(stop), int(step), output_types[0].np))


@dataset_op("ZipDataset")
def zip_dataset(input_datasets: Datasets, name: str | None = None) -> Tensor:
    """An element of each dataset."""
    raise NotImplementedError


@zip_dataset.kernel
def zip_dataset_kernel(xp: Any, input_datasets: Sequence[Any]) -> Any:
    return boxed_source(Zip([source_of(each) for each in input_datasets]))


@dataset_op("ConcatenateDataset")
def concatenate_dataset(input_dataset: Variant, another_dataset: Variant, name: str | None = None) -> Tensor:
    """One dataset after the other."""
    raise NotImplementedError


@concatenate_dataset.kernel
def concatenate_dataset_kernel(xp: Any, input_dataset: Any, another_dataset: Any) -> Any:
    return boxed_source(Concatenate([source_of(input_dataset), source_of(another_dataset)]))


@dataset_op("RepeatDataset")
def repeat_dataset(input_dataset: Variant, count: Count, name: str | None = None) -> Tensor:
    """Several passes."""
    raise NotImplementedError


@repeat_dataset.kernel
def repeat_dataset_kernel(xp: Any, input_dataset: Any, count: Any) -> Any:
    return boxed_source(Repeat(source_of(input_dataset), int(count)))


@dataset_op("TakeDataset")
def take_dataset(input_dataset: Variant, count: Count, name: str | None = None) -> Tensor:
    """The first elements."""
    raise NotImplementedError


@take_dataset.kernel
def take_dataset_kernel(xp: Any, input_dataset: Any, count: Any) -> Any:
    return boxed_source(Take(source_of(input_dataset), int(count)))


@dataset_op("SkipDataset")
def skip_dataset(input_dataset: Variant, count: Count, name: str | None = None) -> Tensor:
    """Without the first elements."""
    raise NotImplementedError


@skip_dataset.kernel
def skip_dataset_kernel(xp: Any, input_dataset: Any, count: Any) -> Any:
    return boxed_source(Skip(source_of(input_dataset), int(count)))


@dataset_op("ShardDataset")
def shard_dataset(input_dataset: Variant, num_shards: Count, index: Count, name: str | None = None) -> Tensor:
    """One of every few elements."""
    raise NotImplementedError


@shard_dataset.kernel
def shard_dataset_kernel(xp: Any, input_dataset: Any, num_shards: Any, index: Any) -> Any:
    return boxed_source(Shard(source_of(input_dataset), int(num_shards), int(index)))


@dataset_op("BatchDatasetV2")
def batch_dataset(
    input_dataset: Variant, batch_size: Count, drop_remainder: Yes, name: str | None = None
) -> Tensor:
    """Several elements as one."""
    raise NotImplementedError


@batch_dataset.kernel
def batch_dataset_kernel(xp: Any, input_dataset: Any, batch_size: Any, drop_remainder: Any) -> Any:
    size = count_in(batch_size, "Batch size", 1)
    return boxed_source(Batch(source_of(input_dataset), size, bool(drop_remainder)))


@dataset_op("PaddedBatchDatasetV2")
def padded_batch_dataset(
    input_dataset: Variant, batch_size: Count,
    padded_shapes: Annotated[Sequence[TensorLike], Operand("Tpad", bits_of(int64), many=True)],
    padding_values: Components, drop_remainder: Yes, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Several elements as one, padded."""
    raise NotImplementedError


@padded_batch_dataset.kernel
def padded_batch_dataset_kernel(
    xp: Any, input_dataset: Any, batch_size: Any, padded_shapes: Sequence[Any], padding_values: Sequence[Any],
    drop_remainder: Any,
) -> Any:  # fmt: skip
    size = count_in(batch_size, "Batch size", 1)
    shapes = tuple([tuple([int(dim) for dim in each]) for each in padded_shapes])
    values = tuple([each[()] for each in padding_values])
    return boxed_source(PaddedBatch(source_of(input_dataset), size, shapes, values, bool(drop_remainder)))


@dataset_op("UnbatchDataset")
def unbatch_dataset(input_dataset: Variant, name: str | None = None) -> Tensor:
    """The rows of elements."""
    raise NotImplementedError


@unbatch_dataset.kernel
def unbatch_dataset_kernel(xp: Any, input_dataset: Any) -> Any:
    return boxed_source(Unbatch(source_of(input_dataset)))


@dataset_op("WindowDataset")
def window_dataset(
    input_dataset: Variant, size: Count, shift: Count, stride: Count, drop_remainder: Yes, name: str | None = None
) -> Tensor:
    """Datasets of a few elements."""
    raise NotImplementedError


@window_dataset.kernel
def window_dataset_kernel(
    xp: Any, input_dataset: Any, size: Any, shift: Any, stride: Any, drop_remainder: Any
) -> Any:
    sizes = (count_in(size, "Window size", 1), count_in(shift, "Window shift", 1), count_in(stride, "Window stride", 1))
    return boxed_source(WindowSource(source_of(input_dataset), *sizes, bool(drop_remainder)))


@dataset_op("ShuffleDataset")
def shuffle_dataset(
    input_dataset: Variant, buffer_size: Count, seed: Count, seed2: Count, reshuffle_each_iteration: Flag = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Elements in random order."""
    raise NotImplementedError


@shuffle_dataset.kernel
def shuffle_dataset_kernel(
    xp: Any, input_dataset: Any, buffer_size: Any, seed: Any, seed2: Any, reshuffle_each_iteration: bool
) -> Any:
    size = count_in(buffer_size, "buffer_size", 1)
    return boxed_source(Shuffle(source_of(input_dataset), size, int(seed), int(seed2), reshuffle_each_iteration))


@dataset_op("PrefetchDataset")
def prefetch_dataset(input_dataset: Variant, buffer_size: Count, name: str | None = None) -> Tensor:
    """Elements that are made ahead."""
    raise NotImplementedError


@prefetch_dataset.kernel
def prefetch_dataset_kernel(xp: Any, input_dataset: Any, buffer_size: Any) -> Any:
    return boxed_source(Prefetch(source_of(input_dataset), count_in(buffer_size, "buffer_size", -1)))


@dataset_op("CacheDataset")
def cache_dataset(input_dataset: Variant, filename: Text, output_types: DTypes, name: str | None = None) -> Tensor:
    """Elements that are kept."""
    raise NotImplementedError


@cache_dataset.kernel
def cache_dataset_kernel(xp: Any, input_dataset: Any, filename: Any, output_types: Sequence[DType]) -> Any:
    source, path = source_of(input_dataset), bytes(np.asarray(filename)[()]).decode()
    return boxed_source(FileCache(source, path, tuple([each.np for each in output_types])) if path else Cache(source))


@dataset_op("IgnoreErrorsDataset")
def ignore_errors_dataset(input_dataset: Variant, name: str | None = None) -> Tensor:
    """The elements that can be had."""
    raise NotImplementedError


@ignore_errors_dataset.kernel
def ignore_errors_dataset_kernel(xp: Any, input_dataset: Any) -> Any:
    return boxed_source(IgnoreErrors(source_of(input_dataset)))


@dataset_op("DirectedInterleaveDataset")
def directed_interleave_dataset(
    selector_input_dataset: Variant, data_input_datasets: Datasets, stop_on_empty_dataset: Flag = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Elements of several datasets, in the order that another one gives."""
    raise NotImplementedError


@directed_interleave_dataset.kernel
def directed_interleave_dataset_kernel(
    xp: Any, selector_input_dataset: Any, data_input_datasets: Sequence[Any], stop_on_empty_dataset: bool
) -> Any:
    inner = [source_of(each) for each in data_input_datasets]
    return boxed_source(Choose(source_of(selector_input_dataset), inner, stop_on_empty_dataset))


# ---- files and generators -----------------------------------------------------------------------


def _texts(value: Any) -> list[bytes]:
    return [bytes(each) for each in np.asarray(value).reshape(-1)]


def _compression(value: Any) -> str:
    return bytes(np.asarray(value)[()]).decode()


@dataset_op("TextLineDataset")
def text_line_dataset(filenames: Text, compression_type: Text, skip: Count, name: str | None = None) -> Tensor:
    """The lines of files."""
    raise NotImplementedError


@text_line_dataset.kernel
def text_line_dataset_kernel(xp: Any, filenames: Any, compression_type: Any, skip: Any) -> Any:
    kind, skipped = _compression(compression_type), int(skip)
    return boxed_source(FromFiles(_texts(filenames), lambda path: lines_of(path, kind, skipped)))


@dataset_op("CsvLineDataset")
def csv_line_dataset(filenames: Text, compression_type: Text, skip: Count, name: str | None = None) -> Tensor:
    """The lines of CSV files, where the ends of lines inside quotes are part of a line."""
    raise NotImplementedError


@csv_line_dataset.kernel
def csv_line_dataset_kernel(xp: Any, filenames: Any, compression_type: Any, skip: Any) -> Any:
    kind, skipped = _compression(compression_type), int(skip)
    return boxed_source(FromFiles(_texts(filenames), lambda path: csv_lines_of(path, kind, skipped)))


@dataset_op("TFRecordDataset")
def tf_record_dataset(filenames: Text, compression_type: Text, name: str | None = None) -> Tensor:
    """The records of files."""
    raise NotImplementedError


@tf_record_dataset.kernel
def tf_record_dataset_kernel(xp: Any, filenames: Any, compression_type: Any) -> Any:
    kind = _compression(compression_type)
    return boxed_source(FromFiles(_texts(filenames), lambda path: records_of(path, kind)))


@dataset_op("FixedLengthRecordDatasetV2")
def fixed_length_record_dataset(
    filenames: Text, header_bytes: Count, record_bytes: Count, footer_bytes: Count, compression_type: Text,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The records of one length of files."""
    raise NotImplementedError


@fixed_length_record_dataset.kernel
def fixed_length_record_dataset_kernel(
    xp: Any, filenames: Any, header_bytes: Any, record_bytes: Any, footer_bytes: Any, compression_type: Any
) -> Any:
    header, footer = (count_in(each, what, 0) for each, what in ((header_bytes, "`header_bytes`"),
                                                                 (footer_bytes, "`footer_bytes`")))  # fmt: skip
    length = count_in(record_bytes, "`record_bytes`", 1)
    kind = _compression(compression_type)
    return boxed_source(
        FromFiles(_texts(filenames), lambda path: fixed_records_of(path, length, header, footer, kind))
    )


@dataset_op("MatchingFilesDataset")
def matching_files_dataset(patterns: Text, name: str | None = None) -> Tensor:
    """The files that match patterns."""
    raise NotImplementedError


@matching_files_dataset.kernel
def matching_files_dataset_kernel(xp: Any, patterns: Any) -> Any:
    return boxed_source(ListedFiles(_texts(patterns)))


def _as_function(value: Any) -> PythonFunction:
    return value if isinstance(value, PythonFunction) else PythonFunction(value)


PyFunction = Annotated[Any, Attr(_as_function)]


@dataset_op("GeneratorDataset")
def generator_dataset(
    arguments: Components, generator: PyFunction, flatten: PyFunction, output_types: DTypes, output_shapes: Shapes,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """What a Python generator gives."""
    raise NotImplementedError


@generator_dataset.kernel
def generator_dataset_kernel(
    xp: Any, arguments: Sequence[Any], generator: PythonFunction, flatten: PythonFunction,
    output_types: Sequence[DType], output_shapes: Sequence[TensorShape],
) -> Any:  # fmt: skip
    return boxed_source(
        Generated(generator.function, arguments, output_types, output_shapes, flatten.function)
    )


