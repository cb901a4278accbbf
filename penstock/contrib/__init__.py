"""The names of `tf.contrib` that Penstock has: crf, data, framework, layers, lookup, rnn, seq2seq, slim and more."""

from .. import signal as signal
from . import contrib_data as data
from . import contrib_distributions as distributions
from . import contrib_linalg as linalg
from . import contrib_lookup as lookup
from . import contrib_losses as losses
from . import contrib_metrics as metrics
from . import contrib_nn as nn
from . import crf as crf
from . import cudnn_rnn as cudnn_rnn
from . import framework as framework
from . import graph_editor as graph_editor
from . import image_transforms as image
from . import layers as layers
from . import learn as learn
from . import legacy_seq2seq as legacy_seq2seq
from . import opt as opt
from . import predictor as predictor
from . import resampler as resampler
from . import rnn as rnn
from . import seq2seq as seq2seq
from . import slim as slim
from . import sparsemax as sparsemax
from . import staging as staging
from . import tensorboard as tensorboard
from . import training as training

__all__ = [
    "crf", "cudnn_rnn", "data", "distributions", "framework", "graph_editor", "image", "layers", "learn",
    "legacy_seq2seq", "linalg",
    "lookup", "losses", "metrics", "nn", "opt", "predictor", "resampler", "rnn", "seq2seq", "signal", "slim",
    "sparsemax", "staging", "tensorboard", "training",
]  # fmt: skip
