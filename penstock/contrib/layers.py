"""`tf.contrib.layers`: layers with its defaults, its initializers and regularizers, optimize_loss."""

from .. import nn as _nn
from .layer_functions import layer_utilities, optimized_loss, weight_initializers, weight_regularizers
from .layer_functions.further_layers import bias_add, instance_norm, linear, maxout, relu, relu6, softmax, unit_norm
from .layer_functions.group_normalization import group_norm, spatial_softmax
from .layer_functions.layer_summaries import (
    apply_regularization, sum_regularizer, summarize_activation, summarize_activations, summarize_collection,
    summarize_tensor, summarize_tensors,
)
from .layer_functions.normalizing_layers import batch_norm, layer_norm
from .layer_functions.optimized_loss import OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss
from .layer_functions.repeated_layers import repeat, stack
from .layer_functions.slim_layers import (
    conv1d, conv2d, conv2d_transpose, conv3d, convolution, flatten, fully_connected, separable_conv2d,
)
from .layer_functions.small_layers import avg_pool2d, dropout, embed_sequence, max_pool2d, one_hot_encoding
from .layer_functions.weight_initializers import variance_scaling_initializer, xavier_initializer
from .layer_functions.weight_regularizers import l1_l2_regularizer, l1_regularizer, l2_regularizer

__all__ = [
    "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "apply_regularization", "avg_pool2d", "batch_norm", "bias_add",
    "conv1d", "conv2d", "conv2d_transpose", "conv3d", "convolution", "convolution2d", "convolution2d_transpose",
    "dropout", "embed_sequence", "flatten", "fully_connected", "group_norm", "initializers", "instance_norm",
    "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm", "layer_utilities", "linear", "max_pool2d",
    "maxout", "one_hot_encoding", "optimize_loss", "optimized_loss", "optimizers", "regularizers", "relu", "relu6",
    "repeat", "safe_embedding_lookup_sparse", "separable_conv2d", "separable_convolution2d", "softmax",
    "spatial_softmax", "stack", "sum_regularizer", "summarize_activation",
    "summarize_activations", "summarize_collection", "summarize_tensor", "summarize_tensors", "unit_norm", "utils",
    "variance_scaling_initializer", "weight_initializers", "weight_regularizers", "xavier_initializer",
    "xavier_initializer_conv2d",
]  # fmt: skip

safe_embedding_lookup_sparse = _nn.safe_embedding_lookup_sparse
utils = layer_utilities
optimizers = optimized_loss
initializers = weight_initializers
regularizers = weight_regularizers
convolution2d = conv2d
convolution2d_transpose = conv2d_transpose
separable_convolution2d = separable_conv2d
xavier_initializer_conv2d = xavier_initializer
