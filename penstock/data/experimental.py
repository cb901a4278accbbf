"""`tf.data.experimental` and `tf.contrib.data`: further datasets, and transformations for `Dataset.apply`."""

from .bucketing import bucket_by_sequence_length, group_by_window
from .choices import choose_from_datasets, sample_from_datasets
from .file_datasets import CsvDataset
from .saved_positions import make_saveable_from_iterator
from .transformations import (
    AUTOTUNE, Counter, enumerate_dataset, get_single_element, ignore_errors, map_and_batch, parallel_interleave,
    scan, shuffle_and_repeat, take_while, unbatch,
)

__all__ = [
    "AUTOTUNE", "Counter", "CsvDataset", "bucket_by_sequence_length", "choose_from_datasets", "enumerate_dataset",
    "get_single_element", "group_by_window", "ignore_errors", "make_saveable_from_iterator", "map_and_batch",
    "parallel_interleave", "sample_from_datasets", "scan", "shuffle_and_repeat", "take_while", "unbatch",
]  # fmt: skip
