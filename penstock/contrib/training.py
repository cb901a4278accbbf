"""`tf.contrib.training`: HParams, create_train_op, and strategies for `tf.train.replica_device_setter`."""

from ..train.distributed.placement_strategies import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
from ..train.distributed.placement_strategies import RandomStrategy as RandomStrategy
from ..train.distributed.placement_strategies import byte_size_load_fn as byte_size_load_fn
from .training_steps.hyperparameters import HParams as HParams
from .training_steps.train_operations import add_gradients_summaries as add_gradients_summaries
from .training_steps.train_operations import clip_gradient_norms as clip_gradient_norms
from .training_steps.train_operations import create_train_op_of_training as create_train_op
from .training_steps.train_operations import multiply_gradients as multiply_gradients

__all__ = [
    "GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "add_gradients_summaries", "byte_size_load_fn",
    "clip_gradient_norms", "create_train_op", "multiply_gradients",
]  # fmt: skip
