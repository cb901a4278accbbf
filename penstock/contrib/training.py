"""`tf.contrib.training`: HParams, create_train_op, evaluations, strategies for `tf.train.replica_device_setter`."""

from ..train.distributed.placement_strategies import GreedyLoadBalancingStrategy, RandomStrategy, byte_size_load_fn
from .training_steps.evaluations import (
    StopAfterNEvalsHook, SummaryAtEndHook, checkpoints_iterator, evaluate_once, evaluate_repeatedly,
    wait_for_new_checkpoint,
)
from .training_steps.hyperparameters import HParams
from .training_steps.train_operations import (
    add_gradients_summaries, clip_gradient_norms, create_train_op_of_training as create_train_op,
    multiply_gradients,
)

__all__ = [
    "GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "StopAfterNEvalsHook", "SummaryAtEndHook",
    "add_gradients_summaries", "byte_size_load_fn", "checkpoints_iterator", "clip_gradient_norms", "create_train_op",
    "evaluate_once", "evaluate_repeatedly", "multiply_gradients", "wait_for_new_checkpoint",
]  # fmt: skip
