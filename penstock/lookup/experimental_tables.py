"""`tf.lookup.experimental`: look-up tables that runs change."""

from ..variables.changing_tables import MutableDenseHashTable as DenseHashTable
from ..variables.changing_tables import MutableHashTable as MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]
