"""`tf.contrib.tensorboard.plugins`: projector."""

from . import projector as projector

__all__ = ["projector"]
