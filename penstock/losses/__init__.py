"""`tf.losses`: losses with weights, in the collection of the graph's losses."""

from .class_losses import hinge_loss as hinge_loss
from .class_losses import log_loss as log_loss
from .class_losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from .class_losses import softmax_cross_entropy as softmax_cross_entropy
from .class_losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from .distance_losses import absolute_difference as absolute_difference
from .distance_losses import cosine_distance as cosine_distance
from .distance_losses import huber_loss as huber_loss
from .distance_losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from .distance_losses import mean_squared_error as mean_squared_error
from .loss_collections import add_loss as add_loss
from .loss_collections import get_losses as get_losses
from .loss_collections import get_regularization_loss as get_regularization_loss
from .loss_collections import get_regularization_losses as get_regularization_losses
from .loss_collections import get_total_loss as get_total_loss
from .weighted_loss import Reduction as Reduction
from .weighted_loss import compute_weighted_loss as compute_weighted_loss
