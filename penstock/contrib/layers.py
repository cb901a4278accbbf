"""`tf.contrib.layers`: layers with its defaults, its initializers and regularizers, optimize_loss."""

from .layer_functions import layer_utilities, optimized_loss, weight_initializers, weight_regularizers
from .layer_functions.further_layers import bias_add as bias_add
from .layer_functions.further_layers import instance_norm as instance_norm
from .layer_functions.further_layers import linear as linear
from .layer_functions.further_layers import maxout as maxout
from .layer_functions.further_layers import relu as relu
from .layer_functions.further_layers import relu6 as relu6
from .layer_functions.further_layers import softmax as softmax
from .layer_functions.further_layers import unit_norm as unit_norm
from .layer_functions.layer_summaries import apply_regularization as apply_regularization
from .layer_functions.layer_summaries import sum_regularizer as sum_regularizer
from .layer_functions.layer_summaries import summarize_activation as summarize_activation
from .layer_functions.layer_summaries import summarize_activations as summarize_activations
from .layer_functions.layer_summaries import summarize_collection as summarize_collection
from .layer_functions.layer_summaries import summarize_tensor as summarize_tensor
from .layer_functions.layer_summaries import summarize_tensors as summarize_tensors
from .layer_functions.normalizing_layers import batch_norm as batch_norm
from .layer_functions.normalizing_layers import layer_norm as layer_norm
from .layer_functions.optimized_loss import OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES
from .layer_functions.optimized_loss import OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES
from .layer_functions.optimized_loss import optimize_loss as optimize_loss
from .layer_functions.repeated_layers import repeat as repeat
from .layer_functions.repeated_layers import stack as stack
from .layer_functions.slim_layers import conv1d as conv1d
from .layer_functions.slim_layers import conv2d as conv2d
from .layer_functions.slim_layers import conv2d_transpose as conv2d_transpose
from .layer_functions.slim_layers import conv3d as conv3d
from .layer_functions.slim_layers import convolution as convolution
from .layer_functions.slim_layers import flatten as flatten
from .layer_functions.slim_layers import fully_connected as fully_connected
from .layer_functions.slim_layers import separable_conv2d as separable_conv2d
from .layer_functions.small_layers import avg_pool2d as avg_pool2d
from .layer_functions.small_layers import dropout as dropout
from .layer_functions.small_layers import embed_sequence as embed_sequence
from .layer_functions.small_layers import max_pool2d as max_pool2d
from .layer_functions.small_layers import one_hot_encoding as one_hot_encoding
from .layer_functions.weight_initializers import variance_scaling_initializer as variance_scaling_initializer
from .layer_functions.weight_initializers import xavier_initializer as xavier_initializer
from .layer_functions.weight_regularizers import l1_l2_regularizer as l1_l2_regularizer
from .layer_functions.weight_regularizers import l1_regularizer as l1_regularizer
from .layer_functions.weight_regularizers import l2_regularizer as l2_regularizer

utils = layer_utilities
optimizers = optimized_loss
initializers = weight_initializers
regularizers = weight_regularizers
convolution2d = conv2d
convolution2d_transpose = conv2d_transpose
separable_convolution2d = separable_conv2d
xavier_initializer_conv2d = xavier_initializer
