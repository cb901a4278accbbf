"""`tf.contrib.distributions`: the names of `tf.distributions`, and distributions of vectors and of batches."""

from ..distributions import (
    Bernoulli, Beta, Categorical, Dirichlet, DirichletMultinomial, Distribution, Exponential, Gamma, Laplace,
    Multinomial, Normal, RegisterKL, StudentT, Uniform, kl_divergence,
)  # fmt: skip
from ..distributions.independent import Independent
from ..distributions.multivariate import (
    MultivariateNormalDiag, MultivariateNormalFullCovariance, MultivariateNormalTriL,
)  # fmt: skip
from ..distributions.one_hot_classes import OneHotCategorical, RelaxedOneHotCategorical

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution", "Exponential", "Gamma",
    "Independent", "Laplace", "Multinomial", "MultivariateNormalDiag", "MultivariateNormalFullCovariance",
    "MultivariateNormalTriL", "Normal", "OneHotCategorical", "RegisterKL", "RelaxedOneHotCategorical", "StudentT",
    "Uniform", "kl_divergence",
]  # fmt: skip
