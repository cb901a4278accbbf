"""Optimizers, learning rates and moving averages: the names of `tf.train`."""

from .adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from .adagrad import AdagradDAOptimizer as AdagradDAOptimizer
from .adagrad import AdagradOptimizer as AdagradOptimizer
from .adagrad import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from .adam import AdamOptimizer as AdamOptimizer
from .ftrl import FtrlOptimizer as FtrlOptimizer
from .gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
from .gradient_descent import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from .learning_rates import cosine_decay as cosine_decay
from .learning_rates import cosine_decay_restarts as cosine_decay_restarts
from .learning_rates import exponential_decay as exponential_decay
from .learning_rates import inverse_time_decay as inverse_time_decay
from .learning_rates import linear_cosine_decay as linear_cosine_decay
from .learning_rates import natural_exp_decay as natural_exp_decay
from .learning_rates import piecewise_constant as piecewise_constant
from .learning_rates import piecewise_constant_decay as piecewise_constant_decay
from .learning_rates import polynomial_decay as polynomial_decay
from .momentum import MomentumOptimizer as MomentumOptimizer
from .moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from .optimizer import Optimizer as Optimizer
from .rms_prop import RMSPropOptimizer as RMSPropOptimizer
from .step_counter import assert_global_step as assert_global_step
from .step_counter import create_global_step as create_global_step
from .step_counter import get_global_step as get_global_step
from .step_counter import get_or_create_global_step as get_or_create_global_step
from .step_counter import global_step as global_step
