"""`tf.contrib.framework`: arg_scope, lists of variables, the global step, checkpoints."""

from .. import get_variable as variable
from .. import is_tensor as is_tensor
from ..train import assert_global_step as assert_global_step
from ..train import create_global_step as create_global_step
from ..train import get_global_step as get_global_step
from ..train import get_or_create_global_step as get_or_create_global_step
from ..train import init_from_checkpoint as init_from_checkpoint
from ..train import list_variables as list_variables
from ..train import load_checkpoint as load_checkpoint
from ..train import load_variable as load_variable
from .argument_scope import add_arg_scope as add_arg_scope
from .argument_scope import arg_scope as arg_scope
from .argument_scope import arg_scope_func_key as arg_scope_func_key
from .argument_scope import current_arg_scope as current_arg_scope
from .argument_scope import has_arg_scope as has_arg_scope
from .listed_variables import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from .listed_variables import filter_variables as filter_variables
from .listed_variables import get_local_variables as get_local_variables
from .listed_variables import get_model_variables as get_model_variables
from .listed_variables import get_trainable_variables as get_trainable_variables
from .listed_variables import get_unique_variable as get_unique_variable
from .listed_variables import get_variables as get_variables
from .listed_variables import get_variables_by_name as get_variables_by_name
from .listed_variables import get_variables_by_suffix as get_variables_by_suffix
from .listed_variables import get_variables_to_restore as get_variables_to_restore
from .listed_variables import model_variable as model_variable

__all__ = [
    "add_arg_scope", "arg_scope", "arg_scope_func_key", "assert_global_step", "assign_from_checkpoint_fn",
    "create_global_step", "current_arg_scope", "filter_variables", "get_global_step", "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step", "get_trainable_variables", "get_unique_variable", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "has_arg_scope",
    "init_from_checkpoint", "is_tensor", "list_variables", "load_checkpoint", "load_variable", "model_variable",
    "variable",
]  # fmt: skip
