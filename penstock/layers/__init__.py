"""`tf.layers`: layers: dense, convolutions, pooling, batch_normalization, dropout, flatten."""

from .batch_normalization_layer import BatchNormalization, batch_normalization
from .convolving_layers import Conv1D, Conv2D, Conv3D, conv1d, conv2d, conv3d
from .dense_layer import Dense, dense
from .plain_layers import Dropout, Flatten, dropout, flatten
from .pooling_layers import (
    AveragePooling1D, AveragePooling2D, AveragePooling3D, MaxPooling1D, MaxPooling2D, MaxPooling3D,
    average_pooling1d, average_pooling2d, average_pooling3d, max_pooling1d, max_pooling2d, max_pooling3d,
)
from .separable_layers import SeparableConv1D, SeparableConv2D, separable_conv1d, separable_conv2d
from .transposing_layers import Conv2DTranspose, Conv3DTranspose, conv2d_transpose, conv3d_transpose
from .written_layer import Layer
