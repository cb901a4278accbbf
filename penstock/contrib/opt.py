"""`tf.contrib.opt`: further optimizers, and wrappers around optimizers."""

from .further_optimizers.decoupled_decay import (
    AdamWOptimizer, DecoupledWeightDecayExtension, MomentumWOptimizer, extend_with_decoupled_weight_decay,
)
from .further_optimizers.external_optimizers import ExternalOptimizerInterface, ScipyOptimizerInterface
from .further_optimizers.kinds_of_adam import AdaMaxOptimizer, LazyAdamOptimizer, NadamOptimizer
from .further_optimizers.layerwise_rates import LARSOptimizer
from .further_optimizers.optimizers_around_others import MovingAverageOptimizer, VariableClippingOptimizer
from .further_optimizers.sign_optimizers import (
    AddSignOptimizer, PowerSignOptimizer, get_cosine_decay_fn, get_linear_decay_fn, get_restart_decay_fn,
)

__all__ = [
    "AdaMaxOptimizer", "AdamWOptimizer", "AddSignOptimizer", "DecoupledWeightDecayExtension",
    "ExternalOptimizerInterface", "LARSOptimizer", "LazyAdamOptimizer", "MomentumWOptimizer", "MovingAverageOptimizer",
    "NadamOptimizer", "PowerSignOptimizer", "ScipyOptimizerInterface", "VariableClippingOptimizer",
    "extend_with_decoupled_weight_decay", "get_cosine_decay_fn", "get_linear_decay_fn", "get_restart_decay_fn",
]  # fmt: skip
