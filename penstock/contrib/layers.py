"""`tf.contrib.layers`: convolutions and dense layers with its defaults, its initializers and regularizers."""

from .slim_layers import conv1d as conv1d
from .slim_layers import conv2d as conv2d
from .slim_layers import conv2d_transpose as conv2d_transpose
from .slim_layers import conv3d as conv3d
from .slim_layers import convolution as convolution
from .slim_layers import flatten as flatten
from .slim_layers import fully_connected as fully_connected
from .slim_layers import separable_conv2d as separable_conv2d
from .weight_initializers import variance_scaling_initializer as variance_scaling_initializer
from .weight_initializers import xavier_initializer as xavier_initializer
from .weight_regularizers import l1_l2_regularizer as l1_l2_regularizer
from .weight_regularizers import l1_regularizer as l1_regularizer
from .weight_regularizers import l2_regularizer as l2_regularizer

convolution2d = conv2d
convolution2d_transpose = conv2d_transpose
separable_convolution2d = separable_conv2d
xavier_initializer_conv2d = xavier_initializer
