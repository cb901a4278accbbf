"""`tf.contrib.data`: what TensorFlow 1.13 and later call `tf.data.experimental`."""

from ..data.experimental import AUTOTUNE as AUTOTUNE
from ..data.experimental import Counter as Counter
from ..data.experimental import CsvDataset as CsvDataset
from ..data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from ..data.experimental import choose_from_datasets as choose_from_datasets
from ..data.experimental import enumerate_dataset as enumerate_dataset
from ..data.experimental import get_single_element as get_single_element
from ..data.experimental import group_by_window as group_by_window
from ..data.experimental import ignore_errors as ignore_errors
from ..data.experimental import make_saveable_from_iterator as make_saveable_from_iterator
from ..data.experimental import map_and_batch as map_and_batch
from ..data.experimental import parallel_interleave as parallel_interleave
from ..data.experimental import sample_from_datasets as sample_from_datasets
from ..data.experimental import scan as scan
from ..data.experimental import shuffle_and_repeat as shuffle_and_repeat
from ..data.experimental import unbatch as unbatch

__all__ = [
    "AUTOTUNE", "Counter", "CsvDataset", "bucket_by_sequence_length", "choose_from_datasets",
    "enumerate_dataset", "get_single_element", "group_by_window", "ignore_errors",
    "make_saveable_from_iterator", "map_and_batch", "parallel_interleave", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "unbatch",
]  # fmt: skip
