"""Optimizers, learning rates, moving averages and checkpoints: the names of `tf.train`.

A program that trains needs an optimizer. The files, queues, hooks and servers wait for their first use: importing them
takes longer than the first hundred steps of a small program.
"""

from . import later_names as _later_names  # it lists names that are imported later
from .monitored.step_counter import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step,
)
from .optimizers.adam import AdamOptimizer
from .optimizers.formula_optimizer import (
    AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer, GradientDescentOptimizer, MomentumOptimizer,
    ProximalAdagradOptimizer, ProximalGradientDescentOptimizer, RMSPropOptimizer,
)
from .optimizers.ftrl import FtrlOptimizer
from .optimizers.learning_rates import (
    cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay, linear_cosine_decay,
    natural_exp_decay, noisy_linear_cosine_decay, piecewise_constant, piecewise_constant_decay, polynomial_decay,
)
from .optimizers.moving_averages import ExponentialMovingAverage
from .optimizers.optimizer import Optimizer
