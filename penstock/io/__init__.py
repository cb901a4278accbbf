"""`tf.io`: records, examples, image files and other files."""

from ..interchange.protos.written_graph import write_graph as write_graph
from ..interchange.records.record_files import TFRecordWriter as TFRecordWriter
from ..interchange.records.record_files import tf_record_iterator as tf_record_iterator
from ..interchange.records.record_options import TFRecordCompressionType as TFRecordCompressionType
from ..interchange.records.record_options import TFRecordOptions as TFRecordOptions
from ..ops.images.image_file_calls import decode_jpeg as decode_jpeg
from ..ops.images.image_file_calls import encode_jpeg as encode_jpeg
from ..ops.images.image_files import decode_bmp as decode_bmp
from ..ops.images.image_files import decode_gif as decode_gif
from ..ops.images.image_files import decode_image as decode_image
from ..ops.images.image_files import decode_png as decode_png
from ..ops.images.image_files import encode_png as encode_png
from ..ops.images.jpeg_quality import decode_and_crop_jpeg as decode_and_crop_jpeg
from ..ops.images.jpeg_shape import extract_jpeg_shape as extract_jpeg_shape
from ..ops.images.jpeg_shape import is_jpeg as is_jpeg
from ..ops.records.feature_specs import FixedLenFeature as FixedLenFeature
from ..ops.records.feature_specs import FixedLenSequenceFeature as FixedLenSequenceFeature
from ..ops.records.feature_specs import SparseFeature as SparseFeature
from ..ops.records.feature_specs import VarLenFeature as VarLenFeature
from ..ops.records.file_ops import matching_files as matching_files
from ..ops.records.file_ops import read_file as read_file
from ..ops.records.file_ops import write_file as write_file
from ..ops.records.parsing_calls import parse_example as parse_example
from ..ops.records.parsing_calls import parse_single_example as parse_single_example
from ..ops.records.parsing_calls import parse_single_sequence_example as parse_single_sequence_example
from ..ops.records.raw_bytes import decode_compressed as decode_compressed
from ..ops.records.raw_bytes import decode_raw as decode_raw
from ..ops.records.sequence_batches import parse_sequence_example as parse_sequence_example
from ..ops.records.tensor_bytes import parse_tensor as parse_tensor
from ..ops.records.tensor_bytes import serialize_tensor as serialize_tensor
from ..ops.sparse.serialized_sparse import deserialize_many_sparse as deserialize_many_sparse
from ..ops.sparse.serialized_sparse import serialize_many_sparse as serialize_many_sparse
from ..ops.sparse.serialized_sparse import serialize_sparse as serialize_sparse
from ..ops.text.decode_csv import decode_csv as decode_csv
from ..queues.matched_files import match_filenames_once as match_filenames_once
from ..queues.queue_classes import PaddingFIFOQueue as PaddingFIFOQueue
from ..queues.queue_classes import PriorityQueue as PriorityQueue
from ..queues.queue_classes import QueueBase as QueueBase
from ..queues.queue_classes import RandomShuffleQueue as RandomShuffleQueue
from . import local_files as gfile

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue", "QueueBase",
    "RandomShuffleQueue", "SparseFeature", "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter",
    "deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse",
    "VarLenFeature", "decode_and_crop_jpeg", "decode_bmp", "decode_compressed", "decode_csv", "decode_gif",
    "decode_image", "decode_jpeg", "decode_png", "decode_raw", "encode_jpeg", "encode_png", "extract_jpeg_shape",
    "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example", "parse_sequence_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_tensor",
    "tf_record_iterator", "write_file", "write_graph",
]  # fmt: skip
