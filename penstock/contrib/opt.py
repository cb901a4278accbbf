"""`tf.contrib.opt`: further optimizers, and wrappers around optimizers."""

from .further_optimizers.decoupled_decay import AdamWOptimizer as AdamWOptimizer
from .further_optimizers.decoupled_decay import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from .further_optimizers.decoupled_decay import MomentumWOptimizer as MomentumWOptimizer
from .further_optimizers.decoupled_decay import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
from .further_optimizers.external_optimizers import ExternalOptimizerInterface as ExternalOptimizerInterface
from .further_optimizers.external_optimizers import ScipyOptimizerInterface as ScipyOptimizerInterface
from .further_optimizers.kinds_of_adam import AdaMaxOptimizer as AdaMaxOptimizer
from .further_optimizers.kinds_of_adam import LazyAdamOptimizer as LazyAdamOptimizer
from .further_optimizers.kinds_of_adam import NadamOptimizer as NadamOptimizer
from .further_optimizers.optimizers_around_others import MovingAverageOptimizer as MovingAverageOptimizer
from .further_optimizers.optimizers_around_others import VariableClippingOptimizer as VariableClippingOptimizer
from .further_optimizers.sign_optimizers import AddSignOptimizer as AddSignOptimizer
from .further_optimizers.sign_optimizers import PowerSignOptimizer as PowerSignOptimizer
from .further_optimizers.sign_optimizers import get_cosine_decay_fn as get_cosine_decay_fn
from .further_optimizers.sign_optimizers import get_linear_decay_fn as get_linear_decay_fn
from .further_optimizers.sign_optimizers import get_restart_decay_fn as get_restart_decay_fn

__all__ = [
    "AdaMaxOptimizer", "AdamWOptimizer", "AddSignOptimizer", "DecoupledWeightDecayExtension",
    "ExternalOptimizerInterface", "LazyAdamOptimizer", "MomentumWOptimizer", "MovingAverageOptimizer",
    "NadamOptimizer", "PowerSignOptimizer", "ScipyOptimizerInterface", "VariableClippingOptimizer",
    "extend_with_decoupled_weight_decay", "get_cosine_decay_fn", "get_linear_decay_fn", "get_restart_decay_fn",
]  # fmt: skip
