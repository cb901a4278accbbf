"""`tf.distributions`: random variables with samples, densities, entropies and divergences."""

from .continuous import Beta as Beta
from .continuous import Exponential as Exponential
from .continuous import Gamma as Gamma
from .continuous import Laplace as Laplace
from .continuous import Normal as Normal
from .continuous import Uniform as Uniform
from .discrete import Bernoulli as Bernoulli
from .discrete import Categorical as Categorical
from .distribution_base import Distribution as Distribution
from .divergence import kl_divergence as kl_divergence

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Distribution", "Exponential", "Gamma", "Laplace", "Normal", "Uniform",
    "kl_divergence",
]  # fmt: skip
