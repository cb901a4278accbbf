"""The names that `penstock.nn` and `penstock.compat.v1.nn` share: functions of neural networks."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

from ..graph.model.nodes import Tensor
from ..graph.declare.signature import TensorLike
from typing import TYPE_CHECKING as _TYPE_CHECKING
from ..ops.candidates.candidate_samplers import all_candidate_sampler as all_candidate_sampler
from ..ops.candidates.candidate_samplers import compute_accidental_hits as compute_accidental_hits
from ..ops.candidates.candidate_samplers import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from ..ops.candidates.candidate_samplers import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from ..ops.candidates.candidate_samplers import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from ..ops.candidates.candidate_samplers import uniform_candidate_sampler as uniform_candidate_sampler
from ..ops.index.top_k import top_k as top_k
from ..ops.nn.activations import log_softmax as log_softmax
from ..ops.nn.activations import softmax as softmax
from ..ops.nn.bias import bias_add as bias_add
from ..ops.nn.bias import relu_layer as relu_layer
from ..ops.nn.bias import xw_plus_b as xw_plus_b
from ..ops.nn.cross_entropies import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
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
from ..ops.nn.safe_embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from ..ops.reduce.moments import moments as moments
from ..ops.reduce.norms import l2_loss as l2_loss
from ..ops.reduce.norms import l2_normalize as l2_normalize
from ..ops.reduce.norms import zero_fraction as zero_fraction
if _TYPE_CHECKING:
    from ..ops.convolution.atrous_convolutions import atrous_conv2d as atrous_conv2d
    from ..ops.convolution.atrous_convolutions import atrous_conv2d_transpose as atrous_conv2d_transpose
    from ..ops.convolution.atrous_convolutions import convolution as convolution
    from ..ops.convolution.convolution_calls import conv1d as conv1d
    from ..ops.convolution.convolution_calls import conv2d as conv2d
    from ..ops.convolution.convolution_calls import conv2d_backprop_filter as conv2d_backprop_filter
    from ..ops.convolution.convolution_calls import conv2d_backprop_input as conv2d_backprop_input
    from ..ops.convolution.convolution_calls import conv3d as conv3d
    from ..ops.convolution.convolution_calls import conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2
    from ..ops.convolution.depthwise_calls import depthwise_conv2d as depthwise_conv2d
    from ..ops.convolution.depthwise_calls import depthwise_conv2d_native as depthwise_conv2d_native
    from ..ops.convolution.depthwise_calls import depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter
    from ..ops.convolution.depthwise_calls import depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input
    from ..ops.convolution.depthwise_calls import separable_conv2d as separable_conv2d
    from ..ops.convolution.transposed_convolutions import conv1d_transpose as conv1d_transpose
    from ..ops.convolution.transposed_convolutions import conv2d_transpose as conv2d_transpose
    from ..ops.convolution.transposed_convolutions import conv3d_transpose as conv3d_transpose
    from ..ops.convolution.transposed_convolutions import conv_transpose as conv_transpose
    from ..ops.images.batch_blocks import batch_to_space as batch_to_space
    from ..ops.images.batch_blocks import space_to_batch as space_to_batch
    from ..ops.images.depth_blocks import depth_to_space as depth_to_space
    from ..ops.images.depth_blocks import space_to_depth as space_to_depth
    from ..ops.pooling.fractional_pooling import fractional_avg_pool as fractional_avg_pool
    from ..ops.pooling.fractional_pooling import fractional_max_pool as fractional_max_pool
    from ..ops.pooling.general_pooling import pool as pool
    from ..ops.pooling.pooling_calls import avg_pool as avg_pool
    from ..ops.pooling.pooling_calls import avg_pool1d as avg_pool1d
    from ..ops.pooling.pooling_calls import avg_pool2d as avg_pool2d
    from ..ops.pooling.pooling_calls import avg_pool3d as avg_pool3d
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
    from ..recurrent.legacy_rnn import bidirectional_rnn as bidirectional_rnn
    from ..recurrent.legacy_rnn import rnn as rnn
    from ..recurrent.legacy_rnn import state_saving_rnn as state_saving_rnn
    from ..recurrent.raw_rnn import raw_rnn as raw_rnn
    from ..recurrent.static_rnn import static_bidirectional_rnn as static_bidirectional_rnn
    from ..recurrent.static_rnn import static_rnn as static_rnn
    from ..recurrent.static_rnn import static_state_saving_rnn as static_state_saving_rnn

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
