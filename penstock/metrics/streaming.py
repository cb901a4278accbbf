"""What all metrics share: their variables, scopes and collections, how weights fit values, the streamed mean.

A metric has local variables, such as a total and a count. Its update adds a batch to them; its value reads them. So a
program initializes local variables, runs the update for each batch, and fetches the value at the end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeAlias

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.building.context_functions import control_dependencies
from ..graph.declare.shared_docs import named, with_signature
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import DType, float32
from ..ops.declare.composite import all_or_nothing, reported_as_call
from ..variables.assigning import assign_add
from ..variables.graph_keys import GraphKeys
from ..variables.variable import Variable
from ..variables.variable_lists import add_to_collections

MetricPair: TypeAlias = tuple[Tensor, Any]
"""A value and its update."""


def _parameter(name: str, annotation: str) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=annotation)


_SHARED = [
    _parameter("metrics_collections", "Any"),
    _parameter("updates_collections", "Any"),
    _parameter("name", "str | None"),
]
"""The last parameters of every metric."""


def metric(
    default_scope: str, of_best: bool = False
) -> Callable[[Callable[..., MetricPair]], Callable[..., MetricPair]]:
    """A decorator for functions that compute a value and its update: the metric, with the parameters of all of them.

    It has one scope for all nodes, all of them or none; both results go into the collections. A function where the
    shared parameters are not the last declares them itself.

    of_best: whether it is one of the best k classes: then its scope has their number, as in "recall_at_5".
    """

    def decorate(function: Callable[..., MetricPair]) -> Callable[..., MetricPair]:
        own = signature(function)
        shared = [each for each in _SHARED if each.name not in own.parameters]
        form = own.replace(parameters=[*own.parameters.values(), *shared])

        @reported_as_call(default_scope)
        @with_signature(form)
        @functools.wraps(function)
        def build(*args: Any, **kwargs: Any) -> MetricPair:
            given = form.bind(*args, **kwargs)
            given.apply_defaults()
            arguments = given.arguments
            usual = default_scope
            if of_best:
                usual = at_k(default_scope, arguments["k"], arguments.get("class_id"))
            own_arguments = [arguments[name] for name in own.parameters]
            scope = arguments["name"] or usual
            value, update = all_or_nothing(arguments.values(), lambda: function(*own_arguments), scope=scope)
            _collect(arguments["metrics_collections"], value)
            _collect(arguments["updates_collections"], update)
            return value, update

        return build

    return decorate


def label_metric(
    default_scope: str, dtype: DType | None = None
) -> Callable[[Callable[..., MetricPair]], Callable[..., MetricPair]]:
    """A decorator for functions of labels, predictions and weights that fit: the metric, with all its arguments.

    dtype: what both are cast to, if anything.
    """

    def decorate(function: Callable[..., MetricPair]) -> Callable[..., MetricPair]:
        @metric(default_scope)
        @named(function.__name__)
        def compute(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None) -> MetricPair:
            if dtype is not None:
                predictions, labels = ops.cast(predictions, dtype), ops.cast(labels, dtype)
            predicted, wanted, weight = fitted(predictions, labels, weights)
            return function(wanted, predicted, weight)

        compute.__doc__, compute.__module__ = function.__doc__, function.__module__
        return compute

    return decorate


def at_k(name: str, k: Any, class_id: Any) -> str:
    """The name of a count among the best k classes."""
    return f"{name}_at_{'k' if k is None else k}{'' if class_id is None else f'_class{class_id}'}"


def _collect(collections: Any, value: Any) -> None:
    if collections:
        add_to_collections([collections] if isinstance(collections, str) else collections, value)


def metric_variable(shape: Any, dtype: DType, name: str) -> Variable:
    """A local variable that starts as zeros."""
    collections = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    return Variable(lambda: ops.zeros(shape, dtype), trainable=False, collections=collections, name=name)


def fitted(predictions: TensorLike, labels: TensorLike, weights: Any = None) -> tuple[Tensor, Tensor, Any]:
    """Predictions, labels and weights of one rank: a last dimension of size 1 that one of them has alone is dropped."""
    predicted, wanted = ops.convert_to_tensor(predictions), ops.convert_to_tensor(labels)
    first, second = predicted.shape.ndims, wanted.shape.ndims
    if first is not None and second is not None:
        if first - second == 1 and predicted.shape[-1].value in (1, None):
            predicted = ops.squeeze(predicted, [-1])
        elif second - first == 1 and wanted.shape[-1].value in (1, None):
            wanted = ops.squeeze(wanted, [-1])
    if not predicted.shape.is_compatible_with(wanted.shape):
        raise ValueRuleError(f"Shapes {predicted.shape} and {wanted.shape} are incompatible: predictions and labels "
                             "have one shape")  # fmt: skip
    return predicted, wanted, None if weights is None else _of_rank(weights, predicted)


def _of_rank(weights: Any, values: Tensor) -> Tensor:
    """Weights of the rank of the values, or a scalar."""
    given = ops.convert_to_tensor(weights)
    rank, wanted = given.shape.ndims, values.shape.ndims
    if rank in (0, None) or wanted is None or rank is None:
        return given
    if rank - wanted == 1:
        return ops.squeeze(given, [-1])
    return ops.expand_dims(given, -1) if wanted - rank == 1 else given


def matched(predictions: Tensor, labels: Tensor) -> Tensor:
    """1.0 where a prediction is the label, 0.0 elsewhere."""
    same = predictions if predictions.dtype == labels.dtype else ops.cast(predictions, labels.dtype)
    return ops.cast(ops.equal(same, labels), float32)


def weighted(weights: Any, values: Tensor) -> Tensor:
    """Weights in the shape of the values and with their dtype; ValueError if they do not fit."""
    given = ops.cast(_of_rank(weights, values), values.dtype)
    rank, wanted = given.shape.ndims, values.shape.ndims
    if rank not in (0, None) and wanted is not None:
        pairs = zip(given.shape.as_list(), values.shape.as_list(), strict=rank == wanted)
        if rank != wanted or any(a not in (1, b, None) and b is not None for a, b in pairs):
            raise ValueRuleError(f"weights can not be broadcast to values: they have shape {given.shape} and the "
                                 f"values {values.shape}; they are a scalar, or have the rank of values and in each "
                                 "dimension its size or 1")  # fmt: skip
    return ops.multiply(given, ops.ones_like(values))


def streamed_mean(values: Tensor, weights: Any = None) -> MetricPair:
    """The mean of all values so far, and its update."""
    numbers = ops.cast(values, float32)
    total, count = metric_variable([], float32, "total"), metric_variable([], float32, "count")
    if weights is None:
        number = ops.cast(ops.size(numbers), float32)
    else:
        weight = weighted(weights, numbers)
        numbers, number = ops.multiply(numbers, weight), ops.reduce_sum(weight)
    with control_dependencies([numbers]):
        sums = assign_add(total, ops.reduce_sum(numbers)), assign_add(count, number)
    return ops.div_no_nan(total, count, name="value"), ops.div_no_nan(*sums, name="update_op")
