"""`tf.lookup`: look-up tables that a session holds."""

from ..missing_names import add_hints as _add_hints
from ..public_names import show_public_names_only as _show_public_names_only
from ..variables.lookup_tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from ..variables.lookup_tables import StaticHashTable as StaticHashTable

__all__ = ["KeyValueTensorInitializer", "StaticHashTable"]

_add_hints(__name__)
_show_public_names_only(__name__)
