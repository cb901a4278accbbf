"""`tf.contrib.distributions`: the names of `tf.distributions`, Independent and MultivariateNormalDiag."""

from ..distributions import Bernoulli as Bernoulli
from ..distributions import Beta as Beta
from ..distributions import Categorical as Categorical
from ..distributions import Distribution as Distribution
from ..distributions import Exponential as Exponential
from ..distributions import Gamma as Gamma
from ..distributions import Laplace as Laplace
from ..distributions import Normal as Normal
from ..distributions import Uniform as Uniform
from ..distributions import kl_divergence as kl_divergence
from ..distributions.independent import Independent as Independent
from ..distributions.multivariate import MultivariateNormalDiag as MultivariateNormalDiag

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Distribution", "Exponential", "Gamma", "Independent", "Laplace",
    "MultivariateNormalDiag", "Normal", "Uniform", "kl_divergence",
]  # fmt: skip
