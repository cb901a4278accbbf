"""`tf.contrib.losses`: losses with the predictions before the labels, and losses of embeddings."""

from ..losses import add_loss, get_losses, get_regularization_losses, get_total_loss
from . import metric_learning as metric_learning
from .older_losses import (
    absolute_difference, compute_weighted_loss, cosine_distance, hinge_loss, log_loss, mean_pairwise_squared_error,
    mean_squared_error, sigmoid_cross_entropy, softmax_cross_entropy, sparse_softmax_cross_entropy,
)

__all__ = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss", "mean_pairwise_squared_error",
    "mean_squared_error", "metric_learning", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]  # fmt: skip
