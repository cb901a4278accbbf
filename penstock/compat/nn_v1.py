"""`tf.nn` of TensorFlow 1.x: the names of `penstock.nn`; the cross entropies and sampled losses are its own."""

from ..api.missing_names import add_hints as _add_hints
from ..api.nn_common import *  # noqa: F403  # it holds nothing else
from ..api.public_names import list_public_names as _list_public_names
from ..api.public_names import show_public_names_only as _show_public_names_only
from .cross_entropy_calls import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from .cross_entropy_calls import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from .cross_entropy_calls import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from .cross_entropy_calls import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from .sampled_loss_calls import nce_loss as nce_loss
from .sampled_loss_calls import sampled_softmax_loss as sampled_softmax_loss

__all__: list[str]
_add_hints(__name__)
_list_public_names(__name__)
_show_public_names_only(__name__)
