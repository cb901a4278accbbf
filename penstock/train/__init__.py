"""Optimizers, learning rates and moving averages: the names of `tf.train`."""

from .learning_rates import cosine_decay as cosine_decay
from .learning_rates import cosine_decay_restarts as cosine_decay_restarts
from .learning_rates import exponential_decay as exponential_decay
from .learning_rates import inverse_time_decay as inverse_time_decay
from .learning_rates import linear_cosine_decay as linear_cosine_decay
from .learning_rates import natural_exp_decay as natural_exp_decay
from .learning_rates import piecewise_constant as piecewise_constant
from .learning_rates import piecewise_constant_decay as piecewise_constant_decay
from .learning_rates import polynomial_decay as polynomial_decay
