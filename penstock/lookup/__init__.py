"""`tf.lookup`: look-up tables that a session holds."""

from ..variables.lookup_tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from ..variables.lookup_tables import StaticHashTable as StaticHashTable
from . import experimental_tables as experimental

__all__ = ["KeyValueTensorInitializer", "StaticHashTable", "experimental"]
