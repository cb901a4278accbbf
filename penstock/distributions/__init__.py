"""`tf.distributions`: random variables with samples, densities, entropies and divergences."""

from .continuous import Beta, Exponential, Gamma, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution_base import Distribution
from .divergence import kl_divergence

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Distribution", "Exponential", "Gamma", "Laplace", "Normal", "Uniform",
    "kl_divergence",
]  # fmt: skip
