"""`tf.data`: datasets, whose elements flow in while the graph runs. The folder also has the table of the examples."""

from . import experimental as experimental
from .dataset import Dataset
from .file_datasets import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from .functions_of_iterators import (
    get_output_classes, get_output_shapes, get_output_types, make_initializable_iterator, make_one_shot_iterator,
)
from .iterators import Iterator

__all__ = [
    "Dataset", "FixedLengthRecordDataset", "Iterator", "TFRecordDataset", "TextLineDataset", "experimental",
    "get_output_classes", "get_output_shapes", "get_output_types", "make_initializable_iterator",
    "make_one_shot_iterator",
]  # fmt: skip
