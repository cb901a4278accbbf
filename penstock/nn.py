"""`tf.nn`: functions of neural networks. The cross entropies have the arguments of TensorFlow 0.x, logits first.

>>> import penstock as tf
>>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
...     print(session.run(tf.nn.softmax_cross_entropy_with_logits([[0.0, 0.0]], [[1.0, 0.0]])))
[0.6931472]
"""

from .api.missing_names import add_hints as _add_hints
from .api.nn_common import *  # noqa: F403  # it holds nothing else
from .api.public_names import list_public_names as _list_public_names
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.candidates.sampled_losses import nce_loss as nce_loss
from .ops.candidates.sampled_losses import sampled_softmax_loss as sampled_softmax_loss
from .ops.nn.cross_entropies import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from .ops.nn.cross_entropies import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from .ops.nn.cross_entropies import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from .ops.nn.cross_entropies import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits

__all__: list[str]
_add_hints(__name__)
_list_public_names(__name__)
_show_public_names_only(__name__)
