"""`tf.contrib.slim`: the layers of `tf.contrib.layers`, arg_scope, losses and lists of variables under one name."""

from . import contrib_losses as losses
from . import contrib_metrics as metrics
from . import layers as layers, prefetch_queues, slim_nets
from .framework import (
    VariableDeviceChooser, add_arg_scope, add_model_variable, arg_scope, assert_global_step, assign_from_checkpoint,
    assign_from_checkpoint_fn, assign_from_values, assign_from_values_fn, get_variable_full_name, global_variable,
    create_global_step, filter_variables, get_global_step, get_local_variables,
    get_model_variables, get_or_create_global_step, get_trainable_variables, get_unique_variable, get_variables,
    get_variables_by_name, get_variables_by_suffix, get_variables_to_restore, has_arg_scope, local_variable,
    model_variable, variable, zero_initializer,
)
from .layer_functions import layer_utilities
from .layer_functions.repeated_layers import repeat, stack
from .layers import *  # noqa: F403  # as slim itself did
from .slim_data import dataset_data_provider, parallel_reader, slim_dataset, tfexample_decoder
from .training_steps import model_analyzer, slim_evaluation, slim_learning

__all__ = [
    "VariableDeviceChooser", "add_model_variable", "assign_from_values", "assign_from_values_fn",
    "get_variable_full_name", "global_variable",
    "add_arg_scope", "arg_scope", "assign_from_checkpoint", "assign_from_checkpoint_fn", "dataset",
    "dataset_data_provider", "evaluation", "filter_variables", "get_global_step", "parallel_reader",
    "slim_dataset", "slim_evaluation", "tfexample_decoder",
    "get_local_variables", "get_model_variables", "get_or_create_global_step", "get_trainable_variables",
    "get_unique_variable", "get_variables", "get_variables_by_name", "get_variables_by_suffix",
    "get_variables_to_restore", "has_arg_scope", "layer_utilities", "layers", "learning", "losses", "metrics",
    "model_analyzer", "model_variable", "nets", "prefetch_queue", "repeat", "slim_learning", "stack", "utils",
    "variable", "assert_global_step", "create_global_step", "local_variable", "zero_initializer",
]  # fmt: skip
__all__ += layers.__all__

utils = layer_utilities
nets = slim_nets
prefetch_queue = prefetch_queues
learning = slim_learning
evaluation = slim_evaluation
dataset = slim_dataset
