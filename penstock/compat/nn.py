"""The functions of `tf.nn` that Penstock has."""

from .. import log_softmax as log_softmax
from .. import moments as moments
from .. import relu as relu
from .. import relu6 as relu6
from .. import sigmoid as sigmoid
from .. import softmax as softmax
from .. import softplus as softplus
from .. import tanh as tanh
from .. import top_k as top_k
from ..missing_names import add_hints as _add_hints
from ..public_names import show_public_names_only as _show_public_names_only

__all__ = ["log_softmax", "moments", "relu", "relu6", "sigmoid", "softmax", "softplus", "tanh", "top_k"]

_add_hints(__name__)
_show_public_names_only(__name__)
