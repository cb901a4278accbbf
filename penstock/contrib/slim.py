"""`tf.contrib.slim`: the layers of `tf.contrib.layers`, arg_scope, losses and lists of variables under one name."""

from .. import losses as losses
from .. import metrics as metrics
from . import layers as layers
from .framework import (
    add_arg_scope, arg_scope, assign_from_checkpoint_fn, filter_variables, get_global_step, get_local_variables,
    get_model_variables, get_or_create_global_step, get_trainable_variables, get_unique_variable, get_variables,
    get_variables_by_name, get_variables_by_suffix, get_variables_to_restore, has_arg_scope, model_variable,
    variable,
)
from .layer_functions import layer_utilities
from .layer_functions.repeated_layers import repeat, stack
from .layers import (
    apply_regularization, avg_pool2d, batch_norm, bias_add, conv2d, conv2d_transpose, convolution2d, dropout,
    embed_sequence, flatten, fully_connected, instance_norm, l1_l2_regularizer, l1_regularizer, l2_regularizer,
    layer_norm, linear, max_pool2d, one_hot_encoding, separable_conv2d, softmax, unit_norm,
    variance_scaling_initializer, xavier_initializer,
)
from .training_steps import model_analyzer, slim_learning

__all__ = [
    "add_arg_scope", "apply_regularization", "arg_scope", "assign_from_checkpoint_fn", "avg_pool2d", "batch_norm",
    "bias_add", "conv2d", "conv2d_transpose", "convolution2d", "dropout", "embed_sequence", "filter_variables",
    "flatten", "fully_connected", "get_global_step", "get_local_variables", "get_model_variables",
    "get_or_create_global_step", "get_trainable_variables", "get_unique_variable", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "has_arg_scope",
    "instance_norm", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm", "layer_utilities",
    "layers", "learning", "linear", "losses", "max_pool2d", "metrics", "model_analyzer", "model_variable",
    "one_hot_encoding", "repeat", "separable_conv2d", "slim_learning", "softmax", "stack", "unit_norm", "utils",
    "variable", "variance_scaling_initializer", "xavier_initializer",
]  # fmt: skip

utils = layer_utilities
learning = slim_learning
