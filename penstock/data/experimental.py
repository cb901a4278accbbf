"""`tf.data.experimental` and `tf.contrib.data`: further datasets, and transformations for `Dataset.apply`."""

from .bucketing import bucket_by_sequence_length as bucket_by_sequence_length
from .bucketing import group_by_window as group_by_window
from .choices import choose_from_datasets as choose_from_datasets
from .choices import sample_from_datasets as sample_from_datasets
from .csv_dataset import CsvDataset as CsvDataset
from .saved_positions import make_saveable_from_iterator as make_saveable_from_iterator
from .transformations import AUTOTUNE as AUTOTUNE
from .transformations import Counter as Counter
from .transformations import enumerate_dataset as enumerate_dataset
from .transformations import get_single_element as get_single_element
from .transformations import ignore_errors as ignore_errors
from .transformations import map_and_batch as map_and_batch
from .transformations import parallel_interleave as parallel_interleave
from .transformations import scan as scan
from .transformations import shuffle_and_repeat as shuffle_and_repeat
from .transformations import take_while as take_while
from .transformations import unbatch as unbatch

__all__ = [
    "AUTOTUNE", "Counter", "CsvDataset", "bucket_by_sequence_length", "choose_from_datasets", "enumerate_dataset",
    "get_single_element", "group_by_window", "ignore_errors", "make_saveable_from_iterator", "map_and_batch",
    "parallel_interleave", "sample_from_datasets", "scan", "shuffle_and_repeat", "take_while", "unbatch",
]  # fmt: skip
