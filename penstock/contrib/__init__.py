"""The names of `tf.contrib` that Penstock has: `tf.contrib.training`."""

from . import training as training

__all__ = ["training"]
