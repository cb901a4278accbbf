"""`tf.contrib.slim.dataset`."""

from .providers import Dataset as Dataset

__all__ = ["Dataset"]
