"""The names of `tf.contrib` that Penstock has: `tf.contrib.layers`, `tf.contrib.training`."""

from . import layers as layers
from . import training as training

__all__ = ["layers", "training"]
