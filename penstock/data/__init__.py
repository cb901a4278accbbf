"""`tf.data`: datasets, whose elements flow in while the graph runs. The folder also has the table of the examples."""

from . import experimental as experimental
from .dataset import Dataset as Dataset
from .file_datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from .file_datasets import TextLineDataset as TextLineDataset
from .file_datasets import TFRecordDataset as TFRecordDataset
from .functions_of_iterators import get_output_classes as get_output_classes
from .functions_of_iterators import get_output_shapes as get_output_shapes
from .functions_of_iterators import get_output_types as get_output_types
from .functions_of_iterators import make_initializable_iterator as make_initializable_iterator
from .functions_of_iterators import make_one_shot_iterator as make_one_shot_iterator
from .iterators import Iterator as Iterator

__all__ = [
    "Dataset", "FixedLengthRecordDataset", "Iterator", "TFRecordDataset", "TextLineDataset", "experimental",
    "get_output_classes", "get_output_shapes", "get_output_types", "make_initializable_iterator",
    "make_one_shot_iterator",
]  # fmt: skip
