"""The functions of `tf.nn` that Penstock has."""

from .. import log_softmax as log_softmax
from .. import relu as relu
from .. import relu6 as relu6
from .. import sigmoid as sigmoid
from .. import softmax as softmax
from .. import softplus as softplus
from .. import tanh as tanh
from ..missing_names import add_hints as _add_hints

__all__ = ["log_softmax", "relu", "relu6", "sigmoid", "softmax", "softplus", "tanh"]

_add_hints(__name__)
