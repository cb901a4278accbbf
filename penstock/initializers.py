"""`tf.initializers`: the initializers under their short names."""

from .api.missing_names import add_hints as _add_hints
from .variables.constant_initializers import ConstantInitializer as constant
from .variables.constant_initializers import IdentityInitializer as identity
from .variables.constant_initializers import OnesInitializer as ones
from .variables.constant_initializers import ZerosInitializer as zeros
from .variables.fan_in_initializers import he_normal as he_normal
from .variables.fan_in_initializers import he_uniform as he_uniform
from .variables.fan_in_initializers import lecun_normal as lecun_normal
from .variables.fan_in_initializers import lecun_uniform as lecun_uniform
from .variables.random_initializers import GlorotNormalInitializer as glorot_normal
from .variables.random_initializers import GlorotUniformInitializer as glorot_uniform
from .variables.random_initializers import OrthogonalInitializer as orthogonal
from .variables.random_initializers import RandomNormalInitializer as random_normal
from .variables.random_initializers import RandomUniformInitializer as random_uniform
from .variables.random_initializers import TruncatedNormalInitializer as truncated_normal
from .variables.random_initializers import UniformUnitScalingInitializer as uniform_unit_scaling
from .variables.random_initializers import VarianceScalingInitializer as variance_scaling
from .variables.variable_lists import global_variables_initializer as global_variables
from .variables.variable_lists import local_variables_initializer as local_variables
from .variables.variable_lists import tables_initializer as tables_initializer
from .variables.variable_lists import variables_initializer as variables

__all__ = [
    "constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
    "lecun_normal", "lecun_uniform", "local_variables", "ones", "orthogonal", "random_normal", "random_uniform",
    "tables_initializer", "truncated_normal", "uniform_unit_scaling", "variables", "variance_scaling", "zeros",
]  # fmt: skip

_add_hints(__name__)
