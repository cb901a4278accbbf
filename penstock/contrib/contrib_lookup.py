"""`tf.contrib.lookup`: look-up tables under the names of TensorFlow 1."""

from ..variables.changing_tables import MutableDenseHashTable as MutableDenseHashTable
from ..variables.changing_tables import MutableHashTable as MutableHashTable
from ..variables.lookup_tables import HashTable as HashTable
from ..variables.lookup_tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from ..variables.lookup_tables import index_table_from_file as index_table_from_file
from ..variables.lookup_tables import index_table_from_tensor as index_table_from_tensor
from ..variables.lookup_tables import index_to_string_table_from_file as index_to_string_table_from_file
from ..variables.lookup_tables import index_to_string_table_from_tensor as index_to_string_table_from_tensor

__all__ = [
    "HashTable", "KeyValueTensorInitializer", "MutableDenseHashTable", "MutableHashTable", "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file", "index_to_string_table_from_tensor",
]  # fmt: skip
