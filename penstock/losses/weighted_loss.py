"""The weighted loss behind all losses: `compute_weighted_loss`, its rules for weights, and how it is reduced."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_value
from ..graph.building.context_functions import control_dependencies
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import float32
from ..ops.declare.composite import all_or_nothing, reported_as_call
from .loss_collections import LOSSES, add_loss

P = ParamSpec("P")
R = TypeVar("R")

_RULE = (
    "weights can not be broadcast to values: they are a scalar, or have the rank of values and in each dimension its "
    "size or 1."
)


class Reduction:
    """How a loss is made of the losses of the elements.

    NONE keeps them. SUM adds them up. MEAN divides the sum by that of the weights, SUM_OVER_BATCH_SIZE by the number of
    elements, and SUM_BY_NONZERO_WEIGHTS (SUM_OVER_NONZERO_WEIGHTS, the default of losses) by the number of elements
    whose weight is not 0. A sum divided by 0 is 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     loss = tf.losses.absolute_difference([1.0, 2.0], [3.0, 6.0], reduction=tf.losses.Reduction.NONE)
    ...     print(session.run(loss))
    [2. 4.]
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them.

        Returns:
            A tuple of strings.

        >>> import penstock as tf
        >>> len(tf.losses.Reduction.all())
        6
        """
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS,
                cls.SUM_BY_NONZERO_WEIGHTS)  # fmt: skip

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises an error unless `key` is one of them.

        Args:
            key: a string.

        Raises:
            ValueError: it is another one.

        >>> import penstock as tf
        >>> tf.losses.Reduction.validate("none")
        """
        if key not in cls.all():
            raise ValueRuleError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def loss(default_scope: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for losses: their nodes are in one scope, named by the argument `scope`, and all or none are made."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @reported_as_call(default_scope)
        @functools.wraps(function)
        def build(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            for parameter, value in given.arguments.items():
                if value is None and parameter not in ("scope", "loss_collection", "axis", "dim"):
                    raise ValueRuleError(f"Argument `{parameter}` must not be None.")
            scope = given.arguments["scope"] or default_scope
            return all_or_nothing(given.arguments.values(), lambda: function(*args, **kwargs), scope=scope)

        return build

    return decorate


@loss("weighted_loss")
def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The losses of the elements, multiplied by weights and reduced. It is computed in float32.

    Args:
        losses: numbers, any shape.
        weights: a scalar, or numbers of the rank of `losses` that in each dimension have its size or 1.
        scope: the name of the scope of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        A scalar with the dtype of `losses`; with `Reduction.NONE` a tensor of its shape.

    Raises:
        ValueError: the weights do not fit, `reduction` is another text, or an argument is None.
        InvalidArgumentError (when run): the weights do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.losses.compute_weighted_loss([1.0, 2.0, 6.0], [1.0, 0.0, 0.5])))
    2.0

    Source: TensorFlow 1.x, `tf.losses.compute_weighted_loss`.
    """
    return weighted(ops.convert_to_tensor(losses), weights, loss_collection, reduction)


def weighted(losses: Tensor, weights: TensorLike, collection: str | None, reduction: str) -> Tensor:
    """The nodes of `compute_weighted_loss`."""
    Reduction.validate(reduction)
    values = as_float32(losses)
    factors = fitting(as_float32(weights), values)
    products = ops.multiply(values, factors)
    if reduction == Reduction.NONE:
        made = products
    elif reduction == Reduction.SUM:
        made = ops.reduce_sum(products)
    else:
        made = ops.div_no_nan(ops.reduce_sum(products), _divisor(values, factors, reduction), name="value")
    made = made if made.dtype is losses.dtype else ops.cast(made, losses.dtype)
    add_loss(made, collection)
    return made


def as_float32(value: TensorLike) -> Tensor:
    """The tensor in float32, in which losses are computed."""
    tensor = ops.convert_to_tensor(value)
    return tensor if tensor.dtype is float32 else ops.cast(tensor, float32)


def _divisor(values: Tensor, weights: Tensor, reduction: str) -> Tensor:
    if reduction == Reduction.MEAN:
        return ops.reduce_sum(ops.multiply(ops.ones_like(values), weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return ops.cast(ops.size(values), float32)
    return count_present(values, weights)


def count_present(values: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    """The number of elements of `values` whose weight is not 0; per batch, that of each slice along the first axis."""
    known = known_value(weights) if weights.shape.ndims == 0 else None
    if known is not None and known != 0 and not per_batch:
        return ops.cast(ops.size(values), float32)
    present = ops.broadcast_to(ops.cast(ops.not_equal(weights, 0.0), float32), ops.shape(values))
    return ops.reduce_sum(present, ops.range(1, ops.rank(values)), True) if per_batch else ops.reduce_sum(present)


def fitting(weights: Tensor, values: Tensor) -> Tensor:
    """`weights`, if they are a scalar or have the rank of `values` and in each dimension its size or 1.

    What only the run knows is checked by the run.
    """
    if weights.shape.ndims == 0:
        return weights
    if weights.shape.raw is None or values.shape.raw is None:
        fits = ops.logical_or(ops.equal(ops.rank(weights), 0), ops.equal(ops.rank(weights), ops.rank(values)))
        with control_dependencies([ops.Assert(fits, [_RULE, ops.shape(weights), ops.shape(values)])]):
            return ops.broadcast_to(ops.identity(weights), ops.shape(values))
    found, wanted = weights.shape.raw, values.shape.raw
    if len(found) != len(wanted):
        raise ShapeError(f"{_RULE} values.rank={len(wanted)}. weights.rank={len(found)}. values.shape={values.shape}. "
                         f"weights.shape={weights.shape}.")  # fmt: skip
    for i, (weight, value) in enumerate(zip(found, wanted, strict=True)):
        if isinstance(weight, int) and isinstance(value, int) and weight not in (1, value):
            raise ShapeError(f"{_RULE} Mismatch at dim {i}. values.shape={values.shape}, "
                             f"weights.shape={weights.shape}.")  # fmt: skip
    is_certain = all(weight == 1 or weight == value for weight, value in zip(found, wanted, strict=True))
    return weights if is_certain else ops.broadcast_to(weights, ops.shape(values))


def same_shapes(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """Both in float32; ShapeError where their shapes are known to differ."""
    a, b = as_float32(predictions), as_float32(labels)
    require_one_shape(a, b)
    return a, b


def require_one_shape(a: Tensor, b: Tensor) -> None:
    """ShapeError where the shapes are known to differ."""
    if not a.shape.is_compatible_with(b.shape):
        raise ShapeError(f"Shapes {a.shape} and {b.shape} are incompatible: predictions and labels have one shape")
