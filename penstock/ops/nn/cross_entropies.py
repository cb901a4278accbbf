"""Cross entropies of logits, with the arguments of TensorFlow 0.x: softmax, sparse softmax, sigmoid, weighted.

`compat.cross_entropy_calls` has the arguments of TensorFlow 1.x; both call `softmax_entropy` and so on below.
"""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import TensorLike, as_int
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bfloat16, float16, float32
from ..control.control import stop_gradient
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..create.range_linspace import range as range_op
from ..create.shape_size_rank import rank as rank_op
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.arithmetic import add, multiply, neg, subtract
from ..elementwise.casting import cast
from ..elementwise.comparison import greater_equal
from ..elementwise.select_where import select
from ..elementwise.transcendental import exp, log1p
from ..move.concat_stack import concat, pack
from ..move.reshaping import reshape
from ..move.transpose_reverse import transpose
from ..reduce.reductions import reduce_prod
from .activations import relu
from .softmax_cross_entropy import softmax_cross_entropy_with_logits_op, sparse_softmax_cross_entropy_with_logits_op

PUBLIC_NAMES = {"start_nn": "softmax_cross_entropy_with_logits_v2"}

# ---- softmax ------------------------------------------------------------------------------------


@composite("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, dim: int | None = None, name: str | None = None, axis: int | None = None
) -> Tensor:
    """The cross entropy of softmax(logits) and `labels` along an axis: sum(-labels * log(softmax(logits))).

    Gradients do not flow into the labels, as in TensorFlow 0.x; `softmax_cross_entropy_with_logits_v2` has them.

    Args:
        logits: floats, of rank 1 or higher.
        labels: numbers, which are cast to the dtype of `logits`; the shape of `logits`. Each row should sum to 1:
            otherwise the gradient by the logits, softmax(logits) - labels, is not the derivative.
        dim: the axis of the classes, a Python int. None (the default) means the last one.
        axis: another name for `dim`.

    Returns:
        A tensor with the dtype of `logits` and its shape without the axis. Where a logit is -inf or the logits hold
        inf, it is NaN, as in TensorFlow.

    Raises:
        TypeError: `logits` is not float, or the axis is not an int.
        ValueError: the shapes do not fit, the axis is out of range, or an argument is None.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.softmax_cross_entropy_with_logits([[0.0, 0.0], [1000.0, 0.0]], [[1, 0], [0, 1]])))
    [6.931472e-01 1.000000e+03]

    Source: TensorFlow 0.x, `tf.nn.softmax_cross_entropy_with_logits`.
    """
    require_both("softmax_cross_entropy_with_logits", labels, logits)
    return softmax_entropy(logits, stop_gradient(labels), either("axis", axis, "dim", dim), name_of_scope())


@composite("softmax_cross_entropy_with_logits")
@documented_like(softmax_cross_entropy_with_logits)
def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike, logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The cross entropy of softmax(logits) and `labels` along an axis: sum(-labels * log(softmax(logits))).

    Gradients flow into the logits and into the labels.

    Args:
        axis: the axis of the classes, a Python int. None (the default) means the last one.
        dim: another name for `axis`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     labels, logits = tf.constant([[0.5, 0.5]]), tf.constant([[0.0, 2.0]])
    ...     loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    ...     print(session.run(loss), *session.run(tf.gradients(loss, [labels, logits])))
    [1.1269281] [[2.126928   0.12692805]] [[-0.3807971   0.38079703]]

    Source: TensorFlow 1.x, `tf.nn.softmax_cross_entropy_with_logits_v2`.
    """
    require_both("softmax_cross_entropy_with_logits_v2", labels, logits)
    return softmax_entropy(logits, labels, either("axis", axis, "dim", dim), name_of_scope())


def require_both(function: str, labels: Any, logits: Any) -> None:
    """ValueError if one of the two is None."""
    if labels is None or logits is None:
        raise ValueRuleError(f"Both `labels` and `logits` must be provided for {function}")


def softmax_entropy(logits: TensorLike, labels: TensorLike, axis: int | None, name: str) -> Tensor:
    """The nodes of a softmax cross entropy: matrices of the operands, the op `name`, and its loss in their shape."""
    scores = convert_to_tensor(logits)
    x = _precise(scores)
    y = _like(convert_to_tensor(labels), x)
    for each in (x, y):
        if each.shape.ndims == 0:
            raise ShapeError("logits and labels must have at least one dimension, the classes, but one is a scalar")
    along = -1 if axis is None else as_int(axis)
    rank = x.shape.ndims
    if rank is not None and not -rank <= along < rank:
        raise ShapeError(f"`axis` must be in the range [-{rank}, {rank}) of the {rank} dimensions of the logits. "
                         f"Received: axis={along}")  # fmt: skip
    if along not in (-1, None if rank is None else rank - 1):
        x, y = _with_axis_last(x, along), _with_axis_last(y, along)
    loss = softmax_cross_entropy_with_logits_op(_as_matrix(x), _as_matrix(y), name)[0]
    return _narrow(_in_shape_of_rows(loss, x), scores)


def _precise(x: Tensor) -> Tensor:
    return cast(x, float32) if x.dtype in (float16, bfloat16) else x


def _narrow(loss: Tensor, given: Tensor) -> Tensor:
    return loss if loss.dtype is given.dtype else cast(loss, given.dtype)


def _like(x: Tensor, other: Tensor) -> Tensor:
    return x if x.dtype is other.dtype else cast(x, other.dtype)


def _with_axis_last(x: Tensor, axis: int) -> Tensor:
    rank = x.shape.ndims
    if rank is not None:
        others = [d for d in range(rank) if d != axis % rank]
        return transpose(x, [*others, axis % rank])
    count = rank_op(x)
    place = axis if axis >= 0 else add(count, axis)
    return transpose(x, concat(0, [range_op(place), range_op(add(place, 1), count), pack([place])]))


def _as_matrix(x: Tensor) -> Tensor:
    """`x` with the dimensions but the last as one."""
    if x.shape.ndims == 2:
        return x
    sizes = shape_op(x)
    return reshape(x, pack([reduce_prod(sizes[:-1]), sizes[-1]]))


def _in_shape_of_rows(loss: Tensor, x: Tensor) -> Tensor:
    """`loss`, one for each row of `x`, in the shape of these rows."""
    if x.shape.ndims != 2:
        loss = reshape(loss, shape_op(x)[:-1])
    loss.set_shape(x.shape[:-1])
    return loss


# ---- classes ------------------------------------------------------------------------------------


@composite("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, name: str | None = None
) -> Tensor:
    """The cross entropy of softmax(logits) and the classes `labels`: -log(softmax(logits)[..., labels[...]]).

    Args:
        logits: floats, of rank 1 or higher; the last dimension is that of the classes.
        labels: int32 or int64, of the shape of `logits` without the last dimension, each in [0, number of classes).

    Returns:
        A tensor with the shape of `labels` and the dtype of `logits`.

    Raises:
        TypeError: `logits` is not float, or `labels` is not int32 or int64.
        ValueError: the shapes do not fit, `logits` is a scalar, or an argument is None.
        InvalidArgumentError (when run): a label is out of range, or the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     logits = tf.constant([[0.0, 0.0], [1000.0, 0.0]])
    ...     print(session.run(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, [0, 1])))
    [6.931472e-01 1.000000e+03]

    Source: TensorFlow 0.x, `tf.nn.sparse_softmax_cross_entropy_with_logits`.
    """
    return sparse_entropy(logits, labels, name_of_scope())


def sparse_entropy(logits: TensorLike, labels: TensorLike, name: str) -> Tensor:
    """The nodes of a softmax cross entropy with the numbers of classes, the op `name` among them."""
    require_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    classes = convert_to_tensor(labels)
    scores = convert_to_tensor(logits)
    ranks = scores.shape.ndims, classes.shape.ndims
    if ranks[0] == 0:
        raise ShapeError("`logits` cannot be a scalar")
    if None not in ranks and ranks[1] != ranks[0] - 1:  # type: ignore[operator]  # neither is None
        how = "tf.layers.flatten in front of the last layer gives each example one row of logits"
        if ranks[0] <= ranks[1]:  # type: ignore[operator]
            how = "Labels of the shape of the logits, probabilities, are those of softmax_cross_entropy_with_logits"
            if ranks[0] == ranks[1] and classes.shape[-1] == 1:
                how = "Without their last dimension, tf.squeeze(labels, [-1]), the labels have one class for each row"
        raise ShapeError("`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape="
                         f"{classes.shape} of rank {ranks[1]} and logits.shape={scores.shape} of rank {ranks[0]}. "
                         f"{how}")  # fmt: skip
    if not classes.shape.is_compatible_with(scores.shape[:-1]):
        raise ShapeError("`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
                         f"labels.shape={classes.shape} and logits.shape={scores.shape}")  # fmt: skip
    x = _precise(scores)
    if x.shape.ndims == 2:
        return _narrow(sparse_softmax_cross_entropy_with_logits_op(x, classes, name)[0], scores)
    # One line of the run's check of shapes: labels of another shape with as many entries are an error too.
    fitting = reshape(classes, shape_op(x)[:-1]) if None in ranks else classes
    loss = sparse_softmax_cross_entropy_with_logits_op(_as_matrix(x), reshape(fitting, [-1]), name)[0]
    shaped = reshape(loss, shape_op(classes))
    shaped.set_shape(classes.shape)
    return _narrow(shaped, scores)


# ---- sigmoid ------------------------------------------------------------------------------------


@composite("logistic_loss")
def sigmoid_cross_entropy_with_logits(
    logits: TensorLike, targets: TensorLike | None = None, name: str | None = None, labels: TensorLike | None = None
) -> Tensor:
    """The cross entropy of sigmoid(logits) and `targets`, element by element, without overflow.

    With x = logits and z = targets it is -z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x)), computed as
    max(x, 0) - x * z + log(1 + exp(-|x|)).

    Args:
        logits: floats, any shape.
        targets: the shape and dtype of `logits`, numbers between 0 and 1.
        labels: another name for `targets`.

    Returns:
        A tensor with the shape and dtype of `logits`.

    Raises:
        TypeError: the dtypes differ or are not floats.
        ValueError: the shapes are known to differ, or an argument is None.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1000.0, -1000.0], [1.0, 1.0, 1.0])))
    [6.931472e-01 0.000000e+00 1.000000e+03]

    Source: TensorFlow 0.x, `tf.nn.sigmoid_cross_entropy_with_logits`.
    """
    return sigmoid_entropy(logits, either("targets", targets, "labels", labels), name_of_scope())


def sigmoid_entropy(logits: TensorLike, labels: TensorLike, name: str) -> Tensor:
    """The nodes of a sigmoid cross entropy, the last of them called `name`."""
    require_both("sigmoid_cross_entropy_with_logits", labels, logits)
    x, z = _same_shapes(logits, labels)
    # The two choices have the right derivative at 0, where those of relu and abs are 0.
    zeros = zeros_like(x)
    is_right = greater_equal(x, zeros)
    positive, small = select(is_right, x, zeros), select(is_right, neg(x), x)
    return add(subtract(positive, multiply(x, z)), log1p(exp(small)), name)


def _same_shapes(logits: TensorLike, labels: TensorLike) -> tuple[Tensor, Tensor]:
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    if not x.shape.is_compatible_with(z.shape):
        raise ShapeError(f"`logits` and `labels` must have the same shape, received ({x.shape} vs {z.shape})")
    return x, z


@composite("logistic_loss")
@documented_like(sigmoid_cross_entropy_with_logits)
def weighted_cross_entropy_with_logits(
    logits: TensorLike,
    targets: TensorLike | None = None,
    pos_weight: TensorLike | None = None,
    name: str | None = None,
    labels: TensorLike | None = None,
) -> Tensor:
    """The sigmoid cross entropy with its positive part weighted.

    With x = logits and z = targets it is -z * log(sigmoid(x)) * pos_weight - (1 - z) * log(1 - sigmoid(x)).

    Args:
        pos_weight: the weight of the positive part, a number or a tensor of the dtype of `logits` that broadcasts.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.nn.weighted_cross_entropy_with_logits([0.0, 1000.0], [1.0, 0.0], 2.0)))
    [   1.3862944 1000.       ]
    """
    return weighted_entropy(logits, either("targets", targets, "labels", labels), pos_weight)


def weighted_entropy(logits: TensorLike, labels: TensorLike, pos_weight: TensorLike | None) -> Tensor:
    """The nodes of a weighted sigmoid cross entropy."""
    require_both("weighted_cross_entropy_with_logits", labels, logits)
    if pos_weight is None:
        raise ValueRuleError("`pos_weight` must be provided for weighted_cross_entropy_with_logits")
    x, z = _same_shapes(logits, labels)
    weight = 1.0 + (convert_to_tensor(pos_weight, x.dtype) - 1.0) * z
    return add(multiply(1.0 - z, x), multiply(weight, add(log1p(exp(neg(abs_op(x)))), relu(neg(x)))), name_of_scope())
