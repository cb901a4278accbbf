"""Record files: the names of `tf.python_io`."""

from .summary.record_files import TFRecordCompressionType as TFRecordCompressionType
from .summary.record_files import TFRecordOptions as TFRecordOptions
from .summary.record_files import TFRecordWriter as TFRecordWriter
from .summary.record_files import tf_record_iterator as tf_record_iterator
