"""The names of `tf.contrib` that Penstock has: `tf.contrib.rnn` and `tf.contrib.training`."""

from . import rnn as rnn
from . import training as training

__all__ = ["rnn", "training"]
