"""TensorFlow 1 programs run unchanged: the stand-in for its modules, the era of a program, what a check reports."""

from .stand_in import TensorFlowStandIn as TensorFlowStandIn
from .stand_in import tensorflow_stand_in as tensorflow_stand_in

__all__ = ["TensorFlowStandIn", "tensorflow_stand_in"]
