"""`tf.contrib.training`: HParams, create_train_op, and strategies for `tf.train.replica_device_setter`."""

from ..train.distributed.placement_strategies import GreedyLoadBalancingStrategy, RandomStrategy, byte_size_load_fn
from .training_steps.hyperparameters import HParams
from .training_steps.train_operations import (
    add_gradients_summaries, clip_gradient_norms, create_train_op_of_training as create_train_op,
    multiply_gradients,
)

__all__ = [
    "GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "add_gradients_summaries", "byte_size_load_fn",
    "clip_gradient_norms", "create_train_op", "multiply_gradients",
]  # fmt: skip
