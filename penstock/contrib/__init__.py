"""The names of `tf.contrib` that Penstock has: `tf.contrib.layers`, `tf.contrib.rnn` and `tf.contrib.training`."""

from . import layers as layers
from . import rnn as rnn
from . import training as training

__all__ = ["layers", "rnn", "training"]
