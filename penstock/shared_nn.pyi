"""The names that `penstock.nn` and `penstock.compat.v1.nn` share: functions of neural networks."""

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

from .graph.nodes import Tensor
from .graph.signature import TensorLike
from .ops.activations import log_softmax as log_softmax
from .ops.activations import softmax as softmax
from .ops.bias import bias_add as bias_add
from .ops.bias import relu_layer as relu_layer
from .ops.bias import xw_plus_b as xw_plus_b
from .ops.cross_entropies import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from .ops.dropout import dropout as dropout
from .ops.embedding import embedding_lookup as embedding_lookup
from .ops.embedding import embedding_lookup_sparse as embedding_lookup_sparse
from .ops.moments import moments as moments
from .ops.normalization import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from .ops.normalization import batch_normalization as batch_normalization
from .ops.normalization import fused_batch_norm as fused_batch_norm
from .ops.normalization import normalize_moments as normalize_moments
from .ops.normalization import sufficient_statistics as sufficient_statistics
from .ops.normalization import weighted_moments as weighted_moments
from .ops.norms import l2_loss as l2_loss
from .ops.norms import l2_normalize as l2_normalize
from .ops.norms import zero_fraction as zero_fraction
from .ops.rectifiers import crelu as crelu
from .ops.rectifiers import leaky_relu as leaky_relu
from .ops.rectifiers import log_sigmoid as log_sigmoid
from .ops.sparse.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from .ops.sparse.ctc import ctc_loss as ctc_loss
from .ops.top_k import top_k as top_k

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
