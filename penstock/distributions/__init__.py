"""`tf.distributions`: random variables with samples, densities, entropies and divergences."""

from .continuous import Exponential, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution_base import Distribution
from .divergence import RegisterKL, kl_divergence
from .of_gamma_numbers import Beta, Gamma, StudentT
from .proportions import Dirichlet, DirichletMultinomial, Multinomial

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential", "Gamma",
    "Laplace", "Multinomial", "Normal", "RegisterKL", "StudentT", "Uniform", "kl_divergence",
]  # fmt: skip
