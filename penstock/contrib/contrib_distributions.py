"""`tf.contrib.distributions`: the names of `tf.distributions`, Independent and MultivariateNormalDiag."""

from ..distributions import (
    Bernoulli, Beta, Categorical, Distribution, Exponential, Gamma, Laplace, Normal, Uniform, kl_divergence,
)
from ..distributions.independent import Independent
from ..distributions.multivariate import MultivariateNormalDiag

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Distribution", "Exponential", "Gamma", "Independent", "Laplace",
    "MultivariateNormalDiag", "Normal", "Uniform", "kl_divergence",
]  # fmt: skip
