"""`tf.layers`: layers: dense, convolutions, pooling, batch_normalization, dropout, flatten."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

import builtins
from .layer import Activation
from .layer import Window
from typing import Any
from ..graph.model.nodes import Tensor
from ..graph.declare.signature import TensorLike
from .batch_normalization_layer import BatchNormalization as BatchNormalization
from .convolving_layers import Conv1D as Conv1D
from .convolving_layers import Conv2D as Conv2D
from .convolving_layers import Conv3D as Conv3D
from .dense_layer import Dense as Dense
from .plain_layers import Dropout as Dropout
from .plain_layers import Flatten as Flatten
from .plain_layers import dropout as dropout
from .plain_layers import flatten as flatten
from .pooling_layers import AveragePooling1D as AveragePooling1D
from .pooling_layers import AveragePooling2D as AveragePooling2D
from .pooling_layers import AveragePooling3D as AveragePooling3D
from .pooling_layers import MaxPooling1D as MaxPooling1D
from .pooling_layers import MaxPooling2D as MaxPooling2D
from .pooling_layers import MaxPooling3D as MaxPooling3D
from .separable_layers import SeparableConv1D as SeparableConv1D
from .separable_layers import SeparableConv2D as SeparableConv2D
from .transposing_layers import Conv2DTranspose as Conv2DTranspose
from .transposing_layers import Conv3DTranspose as Conv3DTranspose
from .written_layer import Layer as Layer

def batch_normalization(
    inputs: TensorLike,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 0.001,
    center: builtins.bool = True,
    scale: builtins.bool = True,
    beta_initializer: Any = None,
    gamma_initializer: Any = None,
    moving_mean_initializer: Any = None,
    moving_variance_initializer: Any = None,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: builtins.bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: builtins.bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Tensor:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, for each index along `axis`.

    In training the mean and the variance are those of `inputs`, and the moving averages come nearer to them where a
    step runs the operations in `tf.GraphKeys.UPDATE_OPS`:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss)

    Otherwise they are the moving averages.

    Args:
        inputs: floats, of which the size along `axis` is known.
        axis: the axis of the channels, a Python int; the last one by default.
        momentum: how much of a moving average stays in an update.
        epsilon: a small number that is added to the variance.
        center: whether there is a variable beta that is added.
        scale: whether there is a variable gamma that is the factor.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: how the variables
            start; by default zeros, ones, zeros and ones.
        beta_regularizer, gamma_regularizer: functions of a variable whose results are regularization losses.
        beta_constraint, gamma_constraint: functions from a new value to the one that an optimizer keeps.
        training: whether this is a step of training: True, False, or a bool scalar such as a placeholder.
        trainable: whether optimizers change beta and gamma.
        name: the name of the variable scope; by default "batch_normalization", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.
        renorm: whether inputs are normalized in training by the moving averages, and gradients flow as by those of the
            inputs (batch renormalization: Ioffe, 2017).
        renorm_clipping: a dictionary of "rmin", "rmax" and "dmax", numbers or scalar tensors: bounds of the factor and
            of the shift that this needs.
        renorm_momentum: how much of the moving averages of renorm stays in an update.
        fused: False lets the moving variance of inputs of rank 4 follow the variance of all elements; by default it
            follows that of a sample, which is divided by n - 1, as TensorFlow's kernel for images.
        virtual_batch_size: how many rows are normalized together in training, a divisor of their number; then gamma,
            beta and the averages have a dimension more than the inputs, of sizes 1 but for the channels.
        adjustment: a function of the shape of the inputs that gives the factor and the shift of normalized inputs in
            training, before gamma and beta; each broadcasts to the inputs.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or `axis` is not an int.
        ValueError: the rank or the size along `axis` is not known, or the variables exist without `reuse`, or not with
            it.
        UnimplementedError: an argument that is not supported is given.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.layers.batch_normalization([[1.0], [3.0]], epsilon=0.0, training=True)
    ...     updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y).tolist(), len(updates))
    [[-1.0], [1.0]] 2

    Source: TensorFlow 1.x, `tf.layers.batch_normalization`.
    """

def conv1d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = 1,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    dilation_rate: Window = 1,
    activation: Activation = None,
    use_bias: builtins.bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(convolution of sequences + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, width, channels), of which the number of channels is known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: an int, or a list of one.
        strides: the steps of the filter: an int, or a list of one.
        padding: "valid", or "same": zeros around the inputs, or "causal": zeros before the inputs only.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        dilation_rate: the steps between taps of the filter, in the forms of `strides`; larger than 1 only with
            strides of 1.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "conv1d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions, filters),
        with the layout and the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none
            of the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.conv1d(tf.zeros([4, 10, 3]), 5, 3, activation=tf.nn.relu)
    ...     print(y.name, y.shape)
    conv1d/Relu:0 (4, 8, 5)

    Source: TensorFlow 1.x, `tf.layers.conv1d`.
    """

def conv2d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = (1, 1),
    padding: str = 'valid',
    data_format: str = 'channels_last',
    dilation_rate: Window = (1, 1),
    activation: Activation = None,
    use_bias: builtins.bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(convolution of images + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, height, width, channels), of which the number of channels is known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        dilation_rate: the steps between taps of the filter, in the forms of `strides`; larger than 1 only with
            strides of 1.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "conv2d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, filters),
        with the layout and the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none
            of the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.conv2d(tf.zeros([4, 9, 9, 3]), 5, 3, activation=tf.nn.relu)
    ...     print(y.name, y.shape)
    conv2d/Relu:0 (4, 7, 7, 5)

    Source: TensorFlow 1.x, `tf.layers.conv2d`.
    """

def conv3d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = (1, 1, 1),
    padding: str = 'valid',
    data_format: str = 'channels_last',
    dilation_rate: Window = (1, 1, 1),
    activation: Activation = None,
    use_bias: builtins.bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(convolution of volumes + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, depth, height, width, channels), of which the number of channels is known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: three ints, or one for all.
        strides: the steps of the filter: three ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        dilation_rate: the steps between taps of the filter, in the forms of `strides`; larger than 1 only with
            strides of 1.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "conv3d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the three dimensions, filters),
        with the layout and the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none
            of the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.conv3d(tf.zeros([4, 9, 9, 9, 3]), 5, 3, activation=tf.nn.relu)
    ...     print(y.name, y.shape)
    conv3d/Relu:0 (4, 7, 7, 7, 5)

    Source: TensorFlow 1.x, `tf.layers.conv3d`.
    """

def dense(
    inputs: TensorLike,
    units: int,
    activation: Activation = None,
    use_bias: builtins.bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(inputs @ kernel + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of rank 2 or higher, of which the last size is known.
        units: the size of the outputs' last dimension, a Python int.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default `tf.glorot_uniform_initializer()` (or
            the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a regularization
            loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "dense", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape inputs.shape[:-1] + [units] with the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or `units` is not an int.
        ValueError: `inputs` has a lower rank, its last size is not known, `units` is negative, or the variables exist
            without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     y = tf.layers.dense([[1.0, 2.0]], 3, tf.nn.relu, kernel_initializer=tf.ones_initializer())
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(y), y.name, [v.name for v in tf.trainable_variables()])
    [[3. 3. 3.]] dense/Relu:0 ['dense/kernel:0', 'dense/bias:0']

    Source: TensorFlow 1.x, `tf.layers.dense`.
    """

def average_pooling1d(
    inputs: TensorLike,
    pool_size: Window,
    strides: Window,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences.

    Args:
        inputs: sequences of shape (batch, length, channels): floats.
        pool_size: the size of the window, an int.
        strides: the steps of the window, in the same form.
        padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last", or "channels_first" for (batch, channels, length).
        name: the name of the scope; by default "average_pooling1d", made unique.

    Returns:
        A tensor with a position for each window, the layout and the dtype of `inputs`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is another, or the window is larger than the inputs.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.average_pooling1d(tf.zeros([2, 6, 3]), 2, 2).shape
    TensorShape((2, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.average_pooling1d`.
    """

def average_pooling2d(
    inputs: TensorLike,
    pool_size: Window,
    strides: Window,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of images.

    Args:
        inputs: images of shape (batch, height, width, channels): floats.
        pool_size: the size of the window, an int or two of them.
        strides: the steps of the window, in the same form.
        padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last", or "channels_first" for (batch, channels, height, width).
        name: the name of the scope; by default "average_pooling2d", made unique.

    Returns:
        A tensor with a position for each window, the layout and the dtype of `inputs`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is another, or the window is larger than the inputs.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.average_pooling2d(tf.zeros([2, 6, 6, 3]), 2, 2).shape
    TensorShape((2, 3, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.average_pooling2d`.
    """

def average_pooling3d(
    inputs: TensorLike,
    pool_size: Window,
    strides: Window,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes.

    Args:
        inputs: volumes of shape (batch, depth, height, width, channels): floats.
        pool_size: the size of the window, an int or three of them.
        strides: the steps of the window, in the same form.
        padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last", or "channels_first" for (batch, channels, depth, height, width).
        name: the name of the scope; by default "average_pooling3d", made unique.

    Returns:
        A tensor with a position for each window, the layout and the dtype of `inputs`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is another, or the window is larger than the inputs.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.average_pooling3d(tf.zeros([2, 6, 6, 6, 3]), 2, 2).shape
    TensorShape((2, 3, 3, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.average_pooling3d`.
    """

def max_pooling1d(
    inputs: TensorLike,
    pool_size: Window,
    strides: Window,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of sequences.

    Args:
        inputs: sequences of shape (batch, length, channels): numbers.
        pool_size: the size of the window, an int.
        strides: the steps of the window, in the same form.
        padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last", or "channels_first" for (batch, channels, length).
        name: the name of the scope; by default "max_pooling1d", made unique.

    Returns:
        A tensor with a position for each window, the layout and the dtype of `inputs`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is another, or the window is larger than the inputs.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.max_pooling1d(tf.zeros([2, 6, 3]), 2, 2).shape
    TensorShape((2, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.max_pooling1d`.
    """

def max_pooling2d(
    inputs: TensorLike,
    pool_size: Window,
    strides: Window,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of images.

    Args:
        inputs: images of shape (batch, height, width, channels): numbers.
        pool_size: the size of the window, an int or two of them.
        strides: the steps of the window, in the same form.
        padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last", or "channels_first" for (batch, channels, height, width).
        name: the name of the scope; by default "max_pooling2d", made unique.

    Returns:
        A tensor with a position for each window, the layout and the dtype of `inputs`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is another, or the window is larger than the inputs.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.max_pooling2d(tf.zeros([2, 6, 6, 3]), 2, 2).shape
    TensorShape((2, 3, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.max_pooling2d`.
    """

def max_pooling3d(
    inputs: TensorLike,
    pool_size: Window,
    strides: Window,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of volumes.

    Args:
        inputs: volumes of shape (batch, depth, height, width, channels): numbers.
        pool_size: the size of the window, an int or three of them.
        strides: the steps of the window, in the same form.
        padding: "valid" keeps windows inside, "same" gives ceil(size / stride) positions.
        data_format: "channels_last", or "channels_first" for (batch, channels, depth, height, width).
        name: the name of the scope; by default "max_pooling3d", made unique.

    Returns:
        A tensor with a position for each window, the layout and the dtype of `inputs`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is another, or the window is larger than the inputs.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.max_pooling3d(tf.zeros([2, 6, 6, 6, 3]), 2, 2).shape
    TensorShape((2, 3, 3, 3, 3))

    Source: TensorFlow 1.x, `tf.layers.max_pooling3d`.
    """

def separable_conv1d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = 1,
    padding: str = 'valid',
    data_format: str = 'channels_last',
    dilation_rate: Window = 1,
    depth_multiplier: int = 1,
    activation: Activation = None,
    use_bias: builtins.bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = None,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(separable convolution of sequences + bias), with new variables or those of `name`.

    Args:
        inputs: floats of shape (batch, width, channels), of which the number of channels is known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: an int, or a list of one.
        strides: the steps of the filter: an int, or a list of one.
        padding: "valid", or "same": zeros around the inputs.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        dilation_rate: the steps between taps of the filter, in the forms of `strides`; larger than 1 only with
            strides of 1.
        depth_multiplier: the filters of the depthwise convolution for each channel.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        depthwise_initializer, pointwise_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        depthwise_regularizer, pointwise_regularizer, bias_regularizer: functions of a variable whose results
            are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        depthwise_constraint, pointwise_constraint, bias_constraint: functions from a new value to the one that
            an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "separable_conv1d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions, filters), with the layout and the dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.separable_conv1d(tf.zeros([4, 10, 3]), 5, 3).shape
    TensorShape((4, 8, 5))

    Source: TensorFlow 1.x, `tf.layers.separable_conv1d`.
    """

def separable_conv2d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = (1, 1),
    padding: str = 'valid',
    data_format: str = 'channels_last',
    dilation_rate: Window = (1, 1),
    depth_multiplier: int = 1,
    activation: Activation = None,
    use_bias: builtins.bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = None,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(separable convolution of images + bias), with new variables or those of `name`.

    Args:
        inputs: floats of shape (batch, height, width, channels), of which the number of channels is known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        dilation_rate: the steps between taps of the filter, in the forms of `strides`; larger than 1 only with
            strides of 1.
        depth_multiplier: the filters of the depthwise convolution for each channel.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        depthwise_initializer, pointwise_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        depthwise_regularizer, pointwise_regularizer, bias_regularizer: functions of a variable whose results
            are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        depthwise_constraint, pointwise_constraint, bias_constraint: functions from a new value to the one that
            an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "separable_conv2d", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, filters), with the layout and the
        dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.separable_conv2d(tf.zeros([4, 9, 9, 3]), 5, 3).shape
    TensorShape((4, 7, 7, 5))

    Source: TensorFlow 1.x, `tf.layers.separable_conv2d`.
    """

def conv2d_transpose(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = (1, 1),
    padding: str = 'valid',
    data_format: str = 'channels_last',
    activation: Activation = None,
    use_bias: builtins.bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(transposed convolution of images + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, height, width, channels), of which the number of channels is known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: two ints, or one for all.
        strides: the steps of the filter: two ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "conv2d_transpose", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, filters), with the layout and the
        dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.conv2d_transpose(tf.zeros([4, 9, 9, 3]), 5, 3, 2, "same")
    ...     print(y.name, y.shape)
    conv2d_transpose/BiasAdd:0 (4, 18, 18, 5)

    Source: TensorFlow 1.x, `tf.layers.conv2d_transpose`.
    """

def conv3d_transpose(
    inputs: TensorLike,
    filters: int,
    kernel_size: Window,
    strides: Window = (1, 1, 1),
    padding: str = 'valid',
    data_format: str = 'channels_last',
    activation: Activation = None,
    use_bias: builtins.bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: builtins.bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(transposed convolution of volumes + bias), with a new kernel and bias or those of `name`.

    Args:
        inputs: floats of shape (batch, depth, height, width, channels), of which the number of channels is
            known.
        filters: the number of filters, which is that of the channels of the result.
        kernel_size: the sizes of a filter: three ints, or one for all.
        strides: the steps of the filter: three ints, or one for all.
        padding: "valid", or "same": zeros around the inputs.
        data_format: "channels_last", or "channels_first": dimension 1 are the channels.
        activation: a function of the result, such as `tf.nn.relu`; None leaves it.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer: how the variables start; by default
            `tf.glorot_uniform_initializer()` (or the initializer of the variable scope) and zeros.
        kernel_regularizer, bias_regularizer: functions of a variable whose results are regularization losses.
        activity_regularizer: a function of the outputs; its result, divided by their first size, is a
            regularization loss.
        kernel_constraint, bias_constraint: functions from a new value to the one that an optimizer keeps.
        trainable: whether optimizers change the variables.
        name: the name of the variable scope; by default "conv3d_transpose", made unique.
        reuse: True takes the variables that `name` has, `tf.AUTO_REUSE` takes or makes them.

    Returns:
        A tensor of shape (batch, positions along the three dimensions, filters), with the layout and the dtype
        of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or an argument is not an int.
        ValueError: `inputs` has another rank, its channels are not known, an argument has another length or is none of
            the words, or the variables exist without `reuse`, or not with it.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.conv3d_transpose(tf.zeros([4, 9, 9, 9, 3]), 5, 3, 2, "same")
    ...     print(y.name, y.shape)
    conv3d_transpose/BiasAdd:0 (4, 18, 18, 18, 5)

    Source: TensorFlow 1.x, `tf.layers.conv3d_transpose`.
    """
