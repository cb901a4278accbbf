"""`tf.contrib.slim.learning`: the operation of a training step, and the loop that runs it."""

from .train_operations import add_gradients_summaries as add_gradients_summaries
from .train_operations import clip_gradient_norms as clip_gradient_norms
from .train_operations import create_train_op as create_train_op
from .train_operations import multiply_gradients as multiply_gradients
from .train_operations import train_loop as train

__all__ = ["add_gradients_summaries", "clip_gradient_norms", "create_train_op", "multiply_gradients", "train"]
