"""The names of `tf.contrib` that Penstock has: `rnn`, `seq2seq`, `legacy_seq2seq`, `training`."""

from . import legacy_seq2seq as legacy_seq2seq
from . import rnn as rnn
from . import seq2seq as seq2seq
from . import training as training

__all__ = ["legacy_seq2seq", "rnn", "seq2seq", "training"]
