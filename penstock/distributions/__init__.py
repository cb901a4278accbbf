"""`tf.distributions`: random variables with samples, densities, entropies and divergences."""

from .continuous import Beta, Exponential, Gamma, Laplace, Normal, StudentT, Uniform
from .discrete import Bernoulli, Categorical
from .distribution_base import Distribution
from .divergence import RegisterKL, kl_divergence
from .proportions import Dirichlet, DirichletMultinomial, Multinomial

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential", "Gamma",
    "Laplace", "Multinomial", "Normal", "RegisterKL", "StudentT", "Uniform", "kl_divergence",
]  # fmt: skip
