"""The names of `tf.contrib` that Penstock has: `tf.contrib.lookup` and `tf.contrib.training`."""

from . import contrib_lookup as lookup
from . import training as training

__all__ = ["lookup", "training"]
