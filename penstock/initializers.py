"""`tf.initializers`: the initializers under their short names."""

from .api.missing_names import add_hints as _add_hints
from .variables.constant_initializers import (
    ConstantInitializer as constant, IdentityInitializer as identity, OnesInitializer as ones, ZerosInitializer as
    zeros,
)
from .variables.random_initializers import (
    GlorotNormalInitializer as glorot_normal, GlorotUniformInitializer as glorot_uniform, OrthogonalInitializer as
    orthogonal, RandomNormalInitializer as random_normal, RandomUniformInitializer as random_uniform,
    TruncatedNormalInitializer as truncated_normal, UniformUnitScalingInitializer as uniform_unit_scaling,
    VarianceScalingInitializer as variance_scaling, he_normal, he_uniform, lecun_normal, lecun_uniform,
)
from .variables.variable_lists import (
    global_variables_initializer as global_variables, local_variables_initializer as local_variables,
    tables_initializer, variables_initializer as variables,
)

__all__ = [
    "constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
    "lecun_normal", "lecun_uniform", "local_variables", "ones", "orthogonal", "random_normal", "random_uniform",
    "tables_initializer", "truncated_normal", "uniform_unit_scaling", "variables", "variance_scaling", "zeros",
]  # fmt: skip

_add_hints(__name__)
