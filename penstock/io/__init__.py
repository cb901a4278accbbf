"""`tf.io`: records, examples, image files and other files."""

from ..interchange.protos.written_graph import write_graph
from ..interchange.records.record_files import TFRecordWriter, tf_record_iterator
from ..interchange.records.record_options import TFRecordCompressionType, TFRecordOptions
from ..ops.images.image_file_calls import decode_jpeg, encode_jpeg
from ..ops.images.image_files import decode_bmp, decode_gif, decode_image, decode_png, encode_png
from ..ops.images.jpeg_quality import decode_and_crop_jpeg
from ..ops.images.jpeg_shape import extract_jpeg_shape, is_jpeg
from ..ops.records.feature_specs import FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature
from ..ops.records.file_ops import matching_files, read_file, write_file
from ..ops.records.parsing_calls import parse_example, parse_single_example, parse_single_sequence_example
from ..ops.records.raw_bytes import decode_compressed, decode_raw
from ..ops.records.sequence_batches import parse_sequence_example
from ..ops.records.tensor_bytes import parse_tensor, serialize_tensor
from ..ops.sparse.serialized_sparse import deserialize_many_sparse, serialize_many_sparse, serialize_sparse
from ..ops.text.decode_csv import decode_csv
from ..queues.matched_files import match_filenames_once
from ..queues.queue_classes import PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from . import local_files as gfile

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue", "QueueBase",
    "RandomShuffleQueue", "SparseFeature", "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter",
    "VarLenFeature", "decode_and_crop_jpeg", "decode_bmp", "decode_compressed", "decode_csv", "decode_gif",
    "decode_image", "decode_jpeg", "decode_png", "decode_raw", "deserialize_many_sparse", "encode_jpeg", "encode_png",
    "extract_jpeg_shape", "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example",
    "parse_sequence_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file",
    "serialize_many_sparse", "serialize_sparse", "serialize_tensor", "tf_record_iterator", "write_file", "write_graph",
]  # fmt: skip
