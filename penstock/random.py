"""`tf.random`: the random functions under their short names, `categorical` and those whose seed decides alone."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .graph.model.seed_functions import get_seed, set_random_seed
from .ops.random.multinomial import categorical, multinomial
from .ops.random.random_api import random_normal as normal, truncated_normal, random_uniform as uniform
from .ops.random.random_gamma import random_gamma as gamma
from .ops.random.random_poisson import random_poisson as poisson
from .ops.random.random_shuffle import random_shuffle as shuffle
from .ops.random.stateless_random import (
    stateless_categorical, stateless_multinomial, stateless_normal, stateless_truncated_normal, stateless_uniform,
)

__all__ = [
    "categorical", "gamma", "get_seed", "multinomial", "normal", "poisson", "set_random_seed", "shuffle",
    "stateless_categorical", "stateless_multinomial", "stateless_normal", "stateless_truncated_normal",
    "stateless_uniform", "truncated_normal", "uniform",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
