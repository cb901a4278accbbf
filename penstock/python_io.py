"""Record files: the names of `tf.python_io`."""

from .interchange.records.record_files import TFRecordWriter as TFRecordWriter
from .interchange.records.record_files import tf_record_iterator as tf_record_iterator
from .interchange.records.record_options import TFRecordCompressionType as TFRecordCompressionType
from .interchange.records.record_options import TFRecordOptions as TFRecordOptions
