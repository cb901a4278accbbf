"""`tf.contrib.lookup`: look-up tables under the names of TensorFlow 1."""

from ..variables.changing_tables import MutableDenseHashTable, MutableHashTable
from ..variables.lookup_tables import (
    HashTable, KeyValueTensorInitializer, index_table_from_file, index_table_from_tensor,
    index_to_string_table_from_file, index_to_string_table_from_tensor,
)

__all__ = [
    "HashTable", "KeyValueTensorInitializer", "MutableDenseHashTable", "MutableHashTable", "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file", "index_to_string_table_from_tensor",
]  # fmt: skip
