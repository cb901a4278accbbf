"""`tf.contrib.losses`: losses with the predictions before the labels, and losses of embeddings."""

from ..losses import add_loss as add_loss
from ..losses import get_losses as get_losses
from ..losses import get_regularization_losses as get_regularization_losses
from ..losses import get_total_loss as get_total_loss
from . import metric_learning as metric_learning
from .older_losses import absolute_difference as absolute_difference
from .older_losses import compute_weighted_loss as compute_weighted_loss
from .older_losses import cosine_distance as cosine_distance
from .older_losses import hinge_loss as hinge_loss
from .older_losses import log_loss as log_loss
from .older_losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from .older_losses import mean_squared_error as mean_squared_error
from .older_losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from .older_losses import softmax_cross_entropy as softmax_cross_entropy
from .older_losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy

__all__ = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss", "mean_pairwise_squared_error",
    "mean_squared_error", "metric_learning", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]  # fmt: skip
