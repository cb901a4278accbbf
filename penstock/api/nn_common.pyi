"""The names that `penstock.nn` and `penstock.compat.v1.nn` share: functions of neural networks.

Those that their first use imports are in `public_names`."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

import builtins
from ..ops.convolution.convolution_arguments import Ints
from collections.abc import Sequence
from typing import Any
from ..graph.declare.signature import DTypeLike
from ..ops.convolution.convolution_arguments import PaddingLike
from ..graph.model.nodes import Tensor
from ..graph.declare.signature import TensorLike
from ..ops.candidates.candidate_samplers import compute_accidental_hits as compute_accidental_hits
from ..ops.candidates.candidate_samplers import uniform_candidate_sampler as uniform_candidate_sampler
from ..ops.index.top_k import top_k as top_k
from ..ops.nn.activations import softmax as softmax
from ..ops.nn.bias import bias_add as bias_add
from ..ops.nn.bias import xw_plus_b as xw_plus_b
from ..ops.nn.dropout import dropout as dropout
from ..ops.nn.embedding import embedding_lookup as embedding_lookup
from ..ops.nn.embedding import embedding_lookup_sparse as embedding_lookup_sparse
from ..ops.nn.normalization import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from ..ops.nn.normalization import batch_normalization as batch_normalization
from ..ops.nn.normalization import fused_batch_norm as fused_batch_norm
from ..ops.nn.normalization import normalize_moments as normalize_moments
from ..ops.nn.normalization import sufficient_statistics as sufficient_statistics
from ..ops.nn.normalization import weighted_moments as weighted_moments
from ..ops.nn.rectifiers import crelu as crelu
from ..ops.nn.rectifiers import leaky_relu as leaky_relu
from ..ops.nn.rectifiers import log_sigmoid as log_sigmoid
from ..ops.nn.rectifiers import swish as swish
from ..ops.nn.safe_embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from ..ops.reduce.moments import moments as moments
from ..ops.reduce.norms import l2_loss as l2_loss
from ..ops.reduce.norms import l2_normalize as l2_normalize
from ..ops.reduce.norms import zero_fraction as zero_fraction
from ..contrib import legacy_seq2seq as _legacy_seq2seq
from ..ops.convolution.atrous_convolutions import atrous_conv2d as atrous_conv2d
from ..ops.convolution.atrous_convolutions import atrous_conv2d_transpose as atrous_conv2d_transpose
from ..ops.convolution.atrous_convolutions import convolution as convolution
from ..ops.convolution.convolution_calls import conv1d as conv1d
from ..ops.convolution.convolution_calls import conv2d as conv2d
from ..ops.convolution.convolution_calls import conv2d_backprop_filter as conv2d_backprop_filter
from ..ops.convolution.convolution_calls import conv2d_backprop_input as conv2d_backprop_input
from ..ops.convolution.convolution_calls import conv3d as conv3d
from ..ops.convolution.convolution_calls import conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2
from ..ops.convolution.depthwise_calls import depthwise_conv2d_native as depthwise_conv2d_native
from ..ops.convolution.depthwise_calls import depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter
from ..ops.convolution.depthwise_calls import depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input
from ..ops.convolution.transposed_convolutions import conv1d_transpose as conv1d_transpose
from ..ops.convolution.transposed_convolutions import conv2d_transpose as conv2d_transpose
from ..ops.convolution.transposed_convolutions import conv_transpose as conv_transpose
from ..ops.images.batch_blocks import batch_to_space as batch_to_space
from ..ops.images.batch_blocks import space_to_batch as space_to_batch
from ..ops.pooling.fractional_pooling import fractional_avg_pool as fractional_avg_pool
from ..ops.pooling.fractional_pooling import fractional_max_pool as fractional_max_pool
from ..ops.pooling.general_pooling import pool as pool
from ..ops.pooling.pooling_calls import max_pool as max_pool
from ..ops.pooling.pooling_calls import max_pool1d as max_pool1d
from ..ops.pooling.pooling_calls import max_pool2d as max_pool2d
from ..ops.pooling.pooling_calls import max_pool3d as max_pool3d
from ..ops.pooling.pooling_calls import max_pool_with_argmax as max_pool_with_argmax
from ..ops.pooling.response_normalization import local_response_normalization as local_response_normalization
from ..ops.pooling.response_normalization import lrn as lrn
from ..ops.sparse.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from ..ops.sparse.ctc import ctc_loss as ctc_loss
from ..ops.sparse.ctc_beams import ctc_beam_search_decoder as ctc_beam_search_decoder
from ..ops.sparse.ctc_beams import ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2
from ..recurrent import rnn_cell as rnn_cell
from ..recurrent.dynamic_rnn import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from ..recurrent.dynamic_rnn import dynamic_rnn as dynamic_rnn
from ..recurrent.raw_rnn import raw_rnn as raw_rnn
from ..recurrent.static_rnn import static_bidirectional_rnn as static_bidirectional_rnn
from ..recurrent.static_rnn import static_rnn as static_rnn
from ..recurrent.static_rnn import static_state_saving_rnn as static_state_saving_rnn
seq2seq = _legacy_seq2seq

def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: builtins.bool,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Gives every class once, to compare a loss of sampled classes with that of all.

    Args:
        true_classes: int64 of shape (batch, num_true), the true classes of each example.
        num_true: how many true classes an example has, a Python int.
        num_sampled: how many classes there are; all are given.
        unique: accepted for TensorFlow's sake.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A list of three tensors. sampled_candidates, int64 of shape (num_sampled,): the classes. true_expected_count,
        float32 of shape (batch, num_true): how often each true class is expected among them. sampled_expected_count,
        float32 of shape (num_sampled,): how often each of them is.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.all_candidate_sampler([[3]], 1, 5, True)
    ...     print(session.run(sampled))
    [0 1 2 3 4]

    Source: TensorFlow 1.x, `tf.nn.all_candidate_sampler`.
    """

def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: builtins.bool,
    range_max: int,
    vocab_file: str = '',
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes by weights that are given, such as how often each word is in a text.

    Class c has a probability proportional to weight(c) ** distortion.

    Args:
        true_classes: int64 of shape (batch, num_true), the true classes of each example.
        num_true: how many true classes an example has, a Python int.
        num_sampled: how many classes are drawn.
        unique: whether the classes of a batch differ. If so, a class that was drawn before is drawn again.
        range_max: how many classes there are.
        vocab_file: the path of a text file; the last comma-separated value of each line is the weight of a class.
        distortion: the exponent of the weights: 1 leaves them, 0 makes them equal.
        num_reserved_ids: how many classes come before those with weights; they are not drawn.
        num_shards: how many samplers share the classes. Of these one draws only from its own classes, with class c
            in shard c % num_shards.
        shard: the number of this one.
        unigrams: the weights, a list of Python numbers.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A list of three tensors. sampled_candidates, int64 of shape (num_sampled,): the classes. true_expected_count,
        float32 of shape (batch, num_true): how often each true class is expected among them. sampled_expected_count,
        float32 of shape (num_sampled,): how often each of them is.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1; or there are both of `vocab_file` and
            `unigrams`, or none.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.fixed_unigram_candidate_sampler(
    ...         [[3]], 1, 4, False, 5, unigrams=[1.0, 1.0, 0.0, 20.0, 1.0], seed=1)
    ...     print(session.run(sampled))
    [3 3 3 3]

    Source: TensorFlow 1.x, `tf.nn.fixed_unigram_candidate_sampler`.
    """

def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: builtins.bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes by how often they were true classes in the runs of the session before.

    Class c has a probability proportional to 1 + its count. `Session.random_state` holds the counts; each session
    begins without any.

    Args:
        true_classes: int64 of shape (batch, num_true), the true classes of each example.
        num_true: how many true classes an example has, a Python int.
        num_sampled: how many classes are drawn.
        unique: whether the classes of a batch differ. If so, a class that was drawn before is drawn again.
        range_max: how many classes there are.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A list of three tensors. sampled_candidates, int64 of shape (num_sampled,): the classes. true_expected_count,
        float32 of shape (batch, num_true): how often each true class is expected among them. sampled_expected_count,
        float32 of shape (num_sampled,): how often each of them is.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1, or `range_max` is 2**31 or more.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.learned_unigram_candidate_sampler([[3]], 1, 4, True, 100, seed=1)
    ...     print(session.run(sampled))
    [27 59 93 22]

    Source: TensorFlow 1.x, `tf.nn.learned_unigram_candidate_sampler`.
    """

def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: builtins.bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Draws classes by Zipf's distribution, as words have it that are sorted by how frequent they are.

    Class c has the probability (log(c + 2) - log(c + 1)) / log(range_max + 1).

    Args:
        true_classes: int64 of shape (batch, num_true), the true classes of each example.
        num_true: how many true classes an example has, a Python int.
        num_sampled: how many classes are drawn.
        unique: whether the classes of a batch differ. If so, a class that was drawn before is drawn again.
        range_max: how many classes there are.
        seed: an op seed, see `set_random_seed`.

    Returns:
        A list of three tensors. sampled_candidates, int64 of shape (num_sampled,): the classes. true_expected_count,
        float32 of shape (batch, num_true): how often each true class is expected among them. sampled_expected_count,
        float32 of shape (num_sampled,): how often each of them is.

    Raises:
        TypeError: `true_classes` is not int64, or an argument is no Python int.
        ValueError: `true_classes` is not a matrix, or a number is below 1.
        InvalidArgumentError (when run): a class is out of range, the columns are not `num_true`, or fewer classes than
            `num_sampled` can differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     sampled, true_count, count = tf.nn.log_uniform_candidate_sampler([[3]], 1, 4, True, 100, seed=1)
    ...     print(session.run(sampled))
    [66  5 22 24]

    Source: TensorFlow 1.x, `tf.nn.log_uniform_candidate_sampler`.
    """

def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent: sinh(x) / cosh(x).

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.tanh([0.0, 100.0])))
    [0. 1.]

    Source: TensorFlow, `tf.tanh`.
    """

def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """log(softmax(x)) along `axis`, computed as x - log(sum(exp(x))) without overflow.

    Args:
        logits: floats, of rank 1 or higher.
        axis: the axis of the sum, a Python int. None (the default) means the last one.
        dim: another name for `axis`.

    Returns:
        A tensor with the shape and dtype of `logits`. A row that holds NaN or inf becomes NaN.

    Raises:
        TypeError: `logits` has another dtype, or `axis` is not an int.
        ValueError: `logits` is a scalar, `axis` is out of range, or both `axis` and `dim` are given.
        InvalidArgumentError (when run): `logits` is a scalar, or `axis` is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.log_softmax([0.0, -1000.0])))
    [    0. -1000.]

    Source: TensorFlow, `tf.nn.log_softmax`.
    """

def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0); NaN stays NaN.

    Args:
        features: ints and floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.relu([-1.5, 0.0, 2.5])))
    [0.  0.  2.5]

    Source: TensorFlow, `tf.relu`.
    """

def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6).

    Args:
        features: ints and floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.relu6([-1.5, 2.5, 7.0])))
    [0.  2.5 6. ]

    Source: TensorFlow, `tf.relu6`.
    """

def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    Args:
        x: floats and complex numbers; any shape.

    Returns:
        A tensor with the shape of `x` and its dtype.

    Raises:
        TypeError: `x` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.sigmoid([0.0, -1000.0])))
    [0.5 0. ]

    Source: TensorFlow, `tf.sigmoid`.
    """

def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(features)), close to max(features, 0) far from zero.

    Args:
        features: floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.softplus([0.0, 1000.0])))
    [6.931472e-01 1.000000e+03]

    Source: TensorFlow, `tf.softplus`.
    """

def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases).

    Args:
        x: a matrix of numbers that are not complex.
        weights: a matrix of the same dtype, with a row for each column of `x`.
        biases: a vector of the same dtype, with an entry for each column of `weights`.

    Returns:
        A matrix of shape [rows of x, columns of weights] with their dtype.

    Raises:
        TypeError: the dtypes differ, or are not numbers.
        ValueError: the shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.relu_layer([[1.0, 2.0]], [[1.0, 0.0], [0.0, 10.0]], [0.5, -30.0])))
    [[1.5 0. ]]

    Source: TensorFlow 1.x, `tf.nn.relu_layer`.
    """

def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and `labels` along an axis: sum(-labels * log(softmax(logits))).

    Gradients flow into the logits and into the labels.

    Args:
        labels: numbers, which are cast to the dtype of `logits`; the shape of `logits`. Each row should sum to 1:
            otherwise the gradient by the logits, softmax(logits) - labels, is not the derivative.
        logits: floats, of rank 1 or higher.
        axis: the axis of the classes, a Python int. None (the default) means the last one.
        dim: another name for `axis`.

    Returns:
        A tensor with the dtype of `logits` and its shape without the axis. Where a logit is -inf or the logits hold
        inf, it is NaN, as in TensorFlow.

    Raises:
        TypeError: `logits` is not float, or the axis is not an int.
        ValueError: the shapes do not fit, the axis is out of range, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     labels, logits = tf.constant([[0.5, 0.5]]), tf.constant([[0.0, 2.0]])
    ...     loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    ...     print(session.run(loss), *session.run(tf.gradients(loss, [labels, logits])))
    [1.1269281] [[2.126928   0.12692805]] [[-0.3807971   0.38079703]]

    Source: TensorFlow 1.x, `tf.nn.softmax_cross_entropy_with_logits_v2`.
    """

def in_top_k(predictions: TensorLike, targets: TensorLike, k: TensorLike, name: str | None = None) -> Tensor:
    """Whether the prediction for each target is among the `k` largest of its row.

    Predictions that are equal to the k-th largest are among them. A row that holds NaN or an infinity gives False,
    and so does a target that is not the number of a class.

    Args:
        predictions: a float32 matrix, a row for each example and a column for each class.
        targets: an int32 or int64 vector, the number of a class for each example.
        k: how many predictions are looked at, a scalar of the dtype of `targets`.

    Returns:
        A bool vector of the length of `targets`.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: ranks or sizes do not fit.
        InvalidArgumentError (when run): ranks or sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     predictions = tf.constant([[0.1, 0.7, 0.2], [0.8, 0.15, 0.05]])
    ...     print(session.run(tf.nn.in_top_k(predictions, [1, 2], 1)))
    [ True False]

    Source: TensorFlow 1.x, `tf.nn.in_top_k`.
    """

def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """x where x >= 0, else exp(x) - 1.

    Args:
        features: floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.elu([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]

    Source: TensorFlow, `tf.nn.elu`.
    """

def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """1.0507 * x where x >= 0, else 1.7581 * (exp(x) - 1).

    Args:
        features: floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.selu([-1.0, 0.0, 2.0])))
    [-1.1113307  0.         2.101402 ]

    Source: TensorFlow, `tf.nn.selu`.
    """

def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """features / (1 + |features|), between -1 and 1.

    Args:
        features: floats; any shape.

    Returns:
        A tensor with the shape of `features` and its dtype.

    Raises:
        TypeError: `features` has another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.softsign([-3.0, 0.0, 1.0])))
    [-0.75  0.    0.5 ]

    Source: TensorFlow, `tf.nn.softsign`.
    """

def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The convolution of each channel with filters of its own, as `depthwise_conv2d_native`.

    Args:
        input: images of floats of shape (batch, height, width, channels), or (batch, channels, height, width) for
            "NCHW".
        filter: of shape (height, width, channels, m) and the same dtype.
        strides: the steps of the filter, one for each dimension; all 1 if a rate is larger than 1.
        padding: "SAME" or "VALID"; or a list of [before, after] for each dimension.
        rate: the steps between taps of the filter along height and width: two ints, or one for both.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        dilations: another name of `rate`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, channels * m), with the layout and the
        dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks, channels, strides or paddings do not fit, or a rate and a stride are larger than 1.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     images = tf.placeholder(tf.float32, ["n", 8, 8, 3])
    ...     tf.nn.depthwise_conv2d(images, tf.zeros([3, 3, 3, 2]), [1, 2, 2, 1], "SAME").shape
    TensorShape((n, 4, 4, 6))

    Source: TensorFlow 1.x, `tf.nn.depthwise_conv2d`.
    """

def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """A depthwise convolution, then one of 1x1 taps, which mixes channels.

    Args:
        input: images of floats of shape (batch, height, width, channels), or (batch, channels, height, width) for
            "NCHW".
        depthwise_filter: of shape (height, width, channels, m) and the same dtype.
        pointwise_filter: of shape (1, 1, channels * m, output channels) and the same dtype.
        strides: the steps of the depthwise filter, one for each dimension; all 1 if a rate is larger than 1.
        padding: "SAME" or "VALID"; or a list of [before, after] for each dimension.
        rate: the steps between taps of the depthwise filter along height and width: two ints, or one for both.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        dilations: another name of `rate`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, output channels), with the layout and
        the dtype of `input`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: ranks, channels, strides or paddings do not fit, `pointwise_filter` does not have 1x1 taps, or a
            rate and a stride are larger than 1.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     images = tf.placeholder(tf.float32, ["n", 8, 8, 3])
    ...     y = tf.nn.separable_conv2d(images, tf.zeros([3, 3, 3, 2]), tf.zeros([1, 1, 6, 16]), [1, 1, 1, 1], "SAME")
    ...     print(y.name, y.shape)
    separable_conv2d:0 (n, 8, 8, 16)

    Source: TensorFlow 1.x, `tf.nn.separable_conv2d`.
    """

def conv3d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: Ints | None = None,
    padding: str = 'SAME',
    data_format: str | None = 'NDHWC',
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The transpose of `conv3d`: the gradient by volumes of shape `output_shape` of their convolution, with the
    incoming gradient `value`.

    Args:
        value: volumes of floats.
        filter: of shape (depth, height, width, output channels, input channels) and the same dtype.
        output_shape: the shape of the result, an int32 or int64 vector. A convolution of such volumes must have the
            shape of `value`.
        strides: the steps of the filter: an int, three of them, or one for each dimension.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW"; None means "NDHWC".
        input: another name of `value`.
        filters: another name of `filter`.
        dilations: the steps between taps of the filter, in the forms of `strides`.

    Returns:
        A tensor of shape `output_shape` with the dtype of `value`.

    Raises:
        TypeError: the dtypes differ or are not float.
        ValueError: an argument is missing, or ranks, channels or strides do not fit.
        InvalidArgumentError (when run): `output_shape` does not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     value, weights = tf.zeros([2, 4, 4, 4, 16]), tf.zeros([3, 3, 3, 8, 16])
    ...     tf.nn.conv3d_transpose(value, weights, [2, 8, 8, 8, 8], 2).shape
    TensorShape((2, 8, 8, 8, 8))

    Source: TensorFlow 1.x, `tf.nn.conv3d_transpose`.
    """

def depth_to_space(input: TensorLike, block_size: int, name: str | None = None, data_format: str = 'NHWC') -> Tensor:
    """The channels of each pixel as a block of pixels, row by row: the inverse of `space_to_depth`.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW"; any
            dtype. Its channels are a multiple of `block_size` ** 2.
        block_size: the height and width of a block, at least 2.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape (batch, height * block_size, width * block_size, channels / block_size ** 2), in the layout
        and with the dtype of `input`.

    Raises:
        TypeError: `block_size` is not an int.
        ValueError: the rank is another, or the channels are known to be no multiple of `block_size` ** 2.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.depth_to_space([[[[1, 2, 3, 4]]]], 2))[0, :, :, 0])
    [[1 2]
     [3 4]]

    Source: TensorFlow 1.x, `tf.depth_to_space`.
    """

def space_to_depth(input: TensorLike, block_size: int, name: str | None = None, data_format: str = 'NHWC') -> Tensor:
    """The pixels of each block of images as channels, row by row.

    Args:
        input: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW"; any
            dtype.
        block_size: the height and width of a block, at least 2. It divides those of `input`.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor of shape (batch, height / block_size, width / block_size, channels * block_size ** 2), in the layout
        and with the dtype of `input`.

    Raises:
        TypeError: `block_size` is not an int.
        ValueError: the rank is another, or a known size is no multiple of `block_size`.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2)))
    [[[[1 2 3 4]]]]

    Source: TensorFlow 1.x, `tf.space_to_depth`.
    """

def avg_pool(
    value: TensorLike | None = None,
    ksize: Ints | None = None,
    strides: Ints | None = None,
    padding: str | None = None,
    data_format: str | None = 'NHWC',
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The mean of each window of images, channel by channel: of its elements that lie inside.

    Args:
        value: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW": floats.
        ksize: the size of the window: an int, two of them, or one for each dimension of `value`.
        strides: its steps, in the same forms.
        padding: "SAME" gives ceil(size / stride) positions, where windows are cut at the edges; "VALID" keeps windows
            inside.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        input: another name of `value`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, channels), with the layout and the dtype
        of `value`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is missing, its length does not fit, or the window is larger than the images.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     print(session.run(tf.nn.avg_pool(image, 2, 2, "SAME"))[0, :, :, 0])
    [[2.  3.5]
     [6.5 8. ]]

    Source: TensorFlow 1.x, `tf.nn.avg_pool`.
    """

def avg_pool1d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str | None = 'NWC',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences.

    Args:
        input: sequences of shape (batch, length, channels), or (batch, channels, length) for "NCW": floats.
        ksize: the size of the window: an int, or one for each dimension of `input`.
        strides: its steps, in the same forms.
        padding: "SAME" or "VALID".
        data_format: "NWC" or "NCW"; None means "NWC".

    Returns:
        A tensor of shape (batch, positions, channels), with the layout and the dtype of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or the window is larger than the sequence.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")).tolist())
    [[[2.0], [2.5]]]

    Source: TensorFlow 1.x, `tf.nn.avg_pool1d`.
    """

def avg_pool2d(
    value: TensorLike | None = None,
    ksize: Ints | None = None,
    strides: Ints | None = None,
    padding: str | None = None,
    data_format: str | None = 'NHWC',
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """The mean of each window of images, channel by channel: of its elements that lie inside.

    Args:
        value: images of shape (batch, height, width, channels), or (batch, channels, height, width) for "NCHW": floats.
        ksize: the size of the window: an int, two of them, or one for each dimension of `value`.
        strides: its steps, in the same forms.
        padding: "SAME" gives ceil(size / stride) positions, where windows are cut at the edges; "VALID" keeps windows
            inside.
        data_format: "NHWC" or "NCHW"; None means "NHWC".
        input: another name of `value`.

    Returns:
        A tensor of shape (batch, positions along the height, along the width, channels), with the layout and the dtype
        of `value`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument is missing, its length does not fit, or the window is larger than the images.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    ...     print(session.run(tf.nn.avg_pool(image, 2, 2, "SAME"))[0, :, :, 0])
    [[2.  3.5]
     [6.5 8. ]]

    Source: TensorFlow 1.x, `tf.nn.avg_pool`.
    """

def avg_pool3d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str | None = 'NDHWC',
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes: of its elements that lie inside.

    Args:
        input: volumes of shape (batch, depth, height, width, channels), or (batch, channels, depth, height, width) for
            "NCDHW": floats.
        ksize: the size of the window: an int, three of them, or one for each dimension of `input`.
        strides: its steps, in the same forms.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW"; None means "NDHWC".

    Returns:
        A tensor of shape (batch, positions along the depth, along the height, along the width, channels), with the
        layout and the dtype of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit, or the window is larger than the volume.
        InvalidArgumentError (when run): the same for sizes that only the run knows.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    ...     print(session.run(tf.nn.avg_pool3d(volume, [1, 2, 2], 1, "VALID")).ravel())
    [1.5 5.5]

    Source: TensorFlow 1.x, `tf.nn.avg_pool3d`.
    """

def bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> builtins.tuple[list[Any], Any, Any]:
    """`static_bidirectional_rnn` under its older name, with the variable scope "BiRNN".

    Args:
        cell_fw, cell_bw: the cells of the two directions; their variables are below "fw" and "bw".
        inputs: a list with a tensor of shape [batch, size] for each time.
        initial_state_fw, initial_state_bw: the states before the first step; zeros by default.
        dtype: the dtype of the states; needed where there is no initial state.
        sequence_length: an int vector with the length of each sequence; each is read backward from its own end.
        scope: the variable scope, or its name; by default "BiRNN".

    Returns:
        Three values: a list with the outputs of both cells side by side for each time, the last state forward, and the
        last state backward.

    Raises:
        TypeError: a cell is none, `inputs` is no list, or a state and `dtype` are missing.
        ValueError: `inputs` is empty, sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cells = [tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4)]
    ...     outputs, fw, bw = tf.nn.bidirectional_rnn(*cells, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     print(len(outputs), outputs[0].shape, bw.shape)
    5 (2, 8) (2, 4)

    Source: TensorFlow 0.x, `tf.nn.bidirectional_rnn`.
    """

def rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> builtins.tuple[list[Any], Any]:
    """`static_rnn` under its older name, with the variable scope "RNN".

    Args:
        cell: an `RNNCell`, or an object like one.
        inputs: a list with a tensor of shape [batch, size], or a structure of such tensors, for each time.
        initial_state: the state before the first step, a structure like `cell.state_size`; zeros by default.
        dtype: the dtype of the state; needed where there is no `initial_state`.
        sequence_length: an int vector with the length of each sequence of the batch. After its end the outputs of a
            sequence are zero and its state stays.
        scope: the variable scope, or its name; by default "RNN".

    Returns:
        A pair: a list with an output for each time, and the last state.

    Raises:
        TypeError: `cell` is no cell, `inputs` is no list, or neither `initial_state` nor `dtype` is given.
        ValueError: `inputs` is empty, sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     steps = tf.unpack(tf.zeros([5, 2, 3]))
    ...     outputs, state = tf.nn.rnn(tf.nn.rnn_cell.GRUCell(4), steps, dtype=tf.float32)
    ...     print(len(outputs), outputs[0].shape, state.shape)
    5 (2, 4) (2, 4)

    Source: TensorFlow 0.x, `tf.nn.rnn`.
    """

def state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> builtins.tuple[list[Any], Any]:
    """`static_state_saving_rnn` under its older name, with the variable scope "RNN".

    Args:
        cell: an `RNNCell`.
        inputs: a list with a tensor of shape [batch, size] for each time.
        state_saver: an object with the methods `state(name)` and `save_state(name, value)`.
        state_name: the name of the state, or a tuple of names like `cell.state_size`.
        sequence_length: an int vector with the length of each sequence of the batch.
        scope: the variable scope, or its name; by default "RNN".

    Returns:
        A pair: a list with an output for each time, the last of which waits for the state to be saved, and the state.

    Raises:
        TypeError: `cell` is no cell, or `inputs` is no list.
        ValueError: there are not as many names as states, or sizes do not fit.

    >>> import penstock as tf
    >>> class Saver:
    ...     def __init__(self): self.kept = tf.Variable(tf.zeros([2, 4]))
    ...     def state(self, name): return self.kept.value()
    ...     def save_state(self, name, value): return self.kept.assign(value)
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(4)
    ...     outputs, state = tf.nn.state_saving_rnn(cell, [tf.zeros([2, 3])] * 2, Saver(), "state")
    ...     print(len(outputs), state.shape)
    2 (2, 4)

    Source: TensorFlow 0.x, `tf.nn.state_saving_rnn`.
    """
