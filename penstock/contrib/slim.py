"""`tf.contrib.slim`: the layers of `tf.contrib.layers`, arg_scope, losses and lists of variables under one name."""

from .. import losses as losses
from .. import metrics as metrics
from . import layers as layers
from .framework import add_arg_scope as add_arg_scope
from .framework import arg_scope as arg_scope
from .framework import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from .framework import filter_variables as filter_variables
from .framework import get_global_step as get_global_step
from .framework import get_local_variables as get_local_variables
from .framework import get_model_variables as get_model_variables
from .framework import get_or_create_global_step as get_or_create_global_step
from .framework import get_trainable_variables as get_trainable_variables
from .framework import get_unique_variable as get_unique_variable
from .framework import get_variables as get_variables
from .framework import get_variables_by_name as get_variables_by_name
from .framework import get_variables_by_suffix as get_variables_by_suffix
from .framework import get_variables_to_restore as get_variables_to_restore
from .framework import has_arg_scope as has_arg_scope
from .framework import model_variable as model_variable
from .framework import variable as variable
from .layer_functions import layer_utilities
from .layer_functions.repeated_layers import repeat as repeat
from .layer_functions.repeated_layers import stack as stack
from .layers import apply_regularization as apply_regularization
from .layers import avg_pool2d as avg_pool2d
from .layers import batch_norm as batch_norm
from .layers import bias_add as bias_add
from .layers import conv2d as conv2d
from .layers import conv2d_transpose as conv2d_transpose
from .layers import convolution2d as convolution2d
from .layers import dropout as dropout
from .layers import embed_sequence as embed_sequence
from .layers import flatten as flatten
from .layers import fully_connected as fully_connected
from .layers import instance_norm as instance_norm
from .layers import l1_l2_regularizer as l1_l2_regularizer
from .layers import l1_regularizer as l1_regularizer
from .layers import l2_regularizer as l2_regularizer
from .layers import layer_norm as layer_norm
from .layers import linear as linear
from .layers import max_pool2d as max_pool2d
from .layers import one_hot_encoding as one_hot_encoding
from .layers import separable_conv2d as separable_conv2d
from .layers import softmax as softmax
from .layers import unit_norm as unit_norm
from .layers import variance_scaling_initializer as variance_scaling_initializer
from .layers import xavier_initializer as xavier_initializer
from .training_steps import model_analyzer as model_analyzer
from .training_steps import slim_learning

utils = layer_utilities
learning = slim_learning
