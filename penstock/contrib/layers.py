"""`tf.contrib.layers`: layers with its defaults, its initializers and regularizers, optimize_loss."""

from .normalizing_layers import batch_norm as batch_norm
from .normalizing_layers import layer_norm as layer_norm
from .optimized_loss import OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES
from .optimized_loss import OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES
from .optimized_loss import optimize_loss as optimize_loss
from .repeated_layers import repeat as repeat
from .repeated_layers import stack as stack
from .slim_layers import conv1d as conv1d
from .slim_layers import conv2d as conv2d
from .slim_layers import conv2d_transpose as conv2d_transpose
from .slim_layers import conv3d as conv3d
from .slim_layers import convolution as convolution
from .slim_layers import flatten as flatten
from .slim_layers import fully_connected as fully_connected
from .slim_layers import separable_conv2d as separable_conv2d
from .small_layers import avg_pool2d as avg_pool2d
from .small_layers import dropout as dropout
from .small_layers import embed_sequence as embed_sequence
from .small_layers import max_pool2d as max_pool2d
from .small_layers import one_hot_encoding as one_hot_encoding
from .weight_initializers import variance_scaling_initializer as variance_scaling_initializer
from .weight_initializers import xavier_initializer as xavier_initializer
from .weight_regularizers import l1_l2_regularizer as l1_l2_regularizer
from .weight_regularizers import l1_regularizer as l1_regularizer
from .weight_regularizers import l2_regularizer as l2_regularizer

convolution2d = conv2d
convolution2d_transpose = conv2d_transpose
separable_convolution2d = separable_conv2d
xavier_initializer_conv2d = xavier_initializer
