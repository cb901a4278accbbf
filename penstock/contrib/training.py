"""Strategies for `tf.train.replica_device_setter`: the names of `tf.contrib.training`."""

from ..train.distributed.placement_strategies import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
from ..train.distributed.placement_strategies import RandomStrategy as RandomStrategy
from ..train.distributed.placement_strategies import byte_size_load_fn as byte_size_load_fn
from .hyperparameters import HParams as HParams
