"""`tf.contrib.slim.parallel_reader`."""

from .providers import get_data_files as get_data_files
from .providers import parallel_read as parallel_read

__all__ = ["get_data_files", "parallel_read"]
