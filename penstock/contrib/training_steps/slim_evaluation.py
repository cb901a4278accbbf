"""`tf.contrib.slim.evaluation`: a checkpoint evaluated, once or whenever a new one comes."""

from .evaluations import checkpoints_iterator as checkpoints_iterator
from .evaluations import evaluate_once_of_slim as evaluate_once
from .evaluations import evaluation_loop as evaluation_loop
from .evaluations import wait_for_new_checkpoint as wait_for_new_checkpoint

__all__ = ["checkpoints_iterator", "evaluate_once", "evaluation_loop", "wait_for_new_checkpoint"]
