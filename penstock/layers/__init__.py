"""`tf.layers`: layers that make their variables: dense, convolutions, batch_normalization, dropout, flatten."""

from .batch_normalization_layer import BatchNormalization as BatchNormalization
from .batch_normalization_layer import batch_normalization as batch_normalization
from .convolving_layers import Conv1D as Conv1D
from .convolving_layers import Conv2D as Conv2D
from .convolving_layers import Conv3D as Conv3D
from .convolving_layers import conv1d as conv1d
from .convolving_layers import conv2d as conv2d
from .convolving_layers import conv3d as conv3d
from .dense_layer import Dense as Dense
from .dense_layer import dense as dense
from .plain_layers import Dropout as Dropout
from .plain_layers import Flatten as Flatten
from .plain_layers import dropout as dropout
from .plain_layers import flatten as flatten
from .separable_layers import SeparableConv1D as SeparableConv1D
from .separable_layers import SeparableConv2D as SeparableConv2D
from .separable_layers import separable_conv1d as separable_conv1d
from .separable_layers import separable_conv2d as separable_conv2d
from .transposing_layers import Conv2DTranspose as Conv2DTranspose
from .transposing_layers import Conv3DTranspose as Conv3DTranspose
from .transposing_layers import conv2d_transpose as conv2d_transpose
from .transposing_layers import conv3d_transpose as conv3d_transpose
