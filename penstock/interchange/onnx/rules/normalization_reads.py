"""Normalisations, dropout and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, float32, int64
from ....ops.random.random_api import random_uniform
from ..onnx_errors import known_size
from ..onnx_node import OnnxNode
from ..wire.onnx_types import dtype_of
from .convolution_reads import channels_first
from .onnx_row import OnnxOp
from .values import (  # fmt: skip
    as_dtype,
    axes_of,
    axis_of,
    bounded,
    constant,
    gather_elements,
    rank_of,
    reshaped,
    scalar,
    sizes,
    where,
    widened,
)


def _batch_norm(n: OnnxNode) -> Any:
    (x, dtype) = widened(n.tensor(0))
    rank = rank_of(x)
    scale, bias, mean, variance = [as_dtype(n.tensor(i), x.dtype) for i in range(1, 5)]
    epsilon = scalar(x, n.float("epsilon", 1e-5))
    if not n.int("training_mode", 0):
        factor = scale * ops.rsqrt(variance + epsilon)
        return as_dtype(x * channels_first(factor, rank) + channels_first(bias - mean * factor, rank), dtype)
    axes = [i for i in range(rank) if i != 1]
    own_mean, own_variance = ops.reduce_mean(x, axes), ops.reduce_variance(x, axes)
    momentum = scalar(x, n.float("momentum", 0.9))
    rest = scalar(x, 1) - momentum
    y = (x - channels_first(own_mean, rank)) * ops.rsqrt(channels_first(own_variance, rank) + epsilon)
    y = y * channels_first(scale, rank) + channels_first(bias, rank)
    return [as_dtype(y, dtype), mean * momentum + own_mean * rest, variance * momentum + own_variance * rest]


def _instance_norm(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    rank = rank_of(x)
    y = normalized(x, list(range(2, rank)), n.float("epsilon", 1e-5))
    return y * channels_first(n.tensor(1), rank) + channels_first(n.tensor(2), rank)


def normalized(x: Tensor, axes: list[int], epsilon: float) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon)."""
    mean = ops.reduce_mean(x, axes, True)
    centred = x - mean
    return centred / ops.sqrt(ops.reduce_mean(centred * centred, axes, True) + scalar(x, epsilon))


def _stash(n: OnnxNode, x: Tensor) -> Tensor:
    return as_dtype(x, dtype_of(n.int("stash_type", 1)))


def _layer_norm(n: OnnxNode) -> list[Tensor]:
    x = n.tensor(0)
    wide = _stash(n, x)
    rank = rank_of(x)
    axes = list(range(axis_of(n.int("axis", -1), rank), rank))
    mean = ops.reduce_mean(wide, axes, True)
    centred = wide - mean
    inverse = ops.reciprocal(ops.sqrt(ops.reduce_mean(centred * centred, axes, True) +
                                      scalar(wide, n.float("epsilon", 1e-5))))  # fmt: skip
    y = as_dtype(centred * inverse, x.dtype) * n.tensor(1)
    return [y + n.tensor(2) if n.has(2) else y, mean, inverse]


def _rms_norm(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    wide = _stash(n, x)
    rank = rank_of(x)
    axes = list(range(axis_of(n.int("axis", -1), rank), rank))
    size = ops.sqrt(ops.reduce_mean(wide * wide, axes, True) + scalar(wide, n.float("epsilon", 1e-5)))
    return as_dtype(wide / size, x.dtype) * n.tensor(1)


def _group_norm(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    wide = _stash(n, x)
    groups, rank = n.int("num_groups"), rank_of(x)
    every = sizes(x)
    rows = reshaped(wide, [every[0], groups, -1])
    y = as_dtype(ops.reshape(normalized(rows, [2], n.float("epsilon", 1e-5)), ops.shape(x)), x.dtype)
    scale, bias = n.tensor(1), n.tensor(2)
    if n.opset < 21:  # one number for each group
        channels = known_size(every[1], "the number of its channels is")
        repeat = np.repeat(np.arange(groups), channels // groups)
        scale, bias = ops.gather(scale, constant(repeat)), ops.gather(bias, constant(repeat))
    return y * channels_first(scale, rank) + channels_first(bias, rank)


def _mean_variance(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    axes = axes_of(n.ints("axes", [0, 2, 3]), rank_of(x))
    mean = ops.reduce_mean(x, axes, True)
    variance = ops.reduce_mean(x * x, axes, True) - mean * mean
    return (x - mean) / (ops.sqrt(variance) + scalar(x, 1e-9))


def _lp_norm(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    axis = axis_of(n.int("axis", -1), rank_of(x))
    if n.int("p", 2) == 1:
        size = ops.reduce_sum(ops.abs(x), [axis], True)
    else:
        size = ops.sqrt(ops.reduce_sum(x * x, [axis], True))
    zero = ops.equal(size, scalar(size, 0))
    return where(zero, ops.zeros_like(x), x / where(zero, ops.ones_like(size), size))


def _lrn(n: OnnxNode) -> Tensor:
    x, size = n.tensor(0), n.int("size")
    square = x * x
    rank = rank_of(x)
    channels = known_size(sizes(x)[1], "the number of its channels is")
    before = min((size - 1) // 2, channels)
    after = min(size - 1 - (size - 1) // 2, channels)
    bounded(before + after, 1 << 12)
    wide = ops.pad(square, [[0, 0], [before, after], *[[0, 0]] * (rank - 2)])
    total = None
    for i in range(before + 1 + after):
        part = wide[:, i : i + channels]
        total = part if total is None else total + part
    assert total is not None
    base = scalar(x, n.float("bias", 1.0)) + scalar(x, n.float("alpha", 1e-4) / size) * total
    return x / ops.pow(base, scalar(x, n.float("beta", 0.75)))


def _dropout(n: OnnxNode) -> list[Tensor]:
    """As in inference, unless it is told to train."""
    x = n.tensor(0)
    training = n.opset >= 12 and n.has(2)
    if training:
        told = known_value(n.tensor(2))
        training = told is None or bool(told.all())
    if not training:
        return [ops.identity(x), ops.ones_like(x, dtype=bool_)]
    ratio = ops.cast(ops.reshape(n.tensor(1), []), float32) if n.has(1) else constant(0.5, float32)
    told_now = ops.reshape(n.tensor(2), [])
    keeps = random_uniform(ops.shape(x), seed=n.int("seed", None)) >= ratio
    keeps = ops.logical_or(keeps, ops.fill(ops.shape(x), ops.logical_not(told_now)))
    factor = ops.select(told_now, ops.reciprocal(scalar(ratio, 1) - ratio), scalar(ratio, 1))
    return [where(keeps, x * as_dtype(factor, x.dtype), ops.zeros_like(x)), keeps]


# ---- losses ------------------------------------------------------------------------------------


def _nll(logs: Tensor, n: OnnxNode) -> Tensor:
    """-weight[target] * logs[target], without the targets to ignore."""
    target = as_dtype(n.tensor(1), int64)
    ignored = n.int("ignore_index", None)
    skip = None if ignored is None else ops.equal(target, constant(ignored))
    safe = target if skip is None else where(skip, ops.zeros_like(target), target)
    chosen = ops.squeeze(gather_elements(logs, ops.expand_dims(safe, 1), 1), [1])
    if n.has(2):
        weight = take_vector(n.tensor(2), safe)
    else:
        weight = ops.ones_like(chosen)
    if skip is not None:
        weight = where(skip, ops.zeros_like(weight), weight)
    loss = -chosen * weight
    reduction = n.text("reduction", "mean")
    if reduction == "none":
        return loss
    total = ops.reduce_sum(loss)
    if reduction == "sum":
        return total
    return total / ops.reduce_sum(weight)


def take_vector(vector: Tensor, indices: Tensor) -> Tensor:
    """The entries of a vector at indices."""
    return ops.gather(vector, indices)


def _negative_log_likelihood(n: OnnxNode) -> Tensor:
    return _nll(n.tensor(0), n)


def _softmax_cross_entropy(n: OnnxNode) -> list[Tensor]:
    x = n.tensor(0)
    rank = rank_of(x)
    if rank == 2:
        logs = ops.log_softmax(x, 1)
    else:
        order = [0, *range(2, rank), 1]
        back = [0, rank - 1, *range(1, rank - 1)]
        logs = ops.transpose(ops.log_softmax(ops.transpose(x, order), rank - 1), back)
    return [_nll(logs, n), logs]


NORMALIZATIONS = (
    OnnxOp("BatchNormalization", _batch_norm, 6),
    OnnxOp("Dropout", _dropout, 7),
    OnnxOp("GroupNormalization", _group_norm, 18),
    OnnxOp("InstanceNormalization", _instance_norm, 6),
    OnnxOp("LRN", _lrn),
    OnnxOp("LayerNormalization", _layer_norm, 17),
    OnnxOp("LpNormalization", _lp_norm),
    OnnxOp("MeanVarianceNormalization", _mean_variance, 9),
    OnnxOp("NegativeLogLikelihoodLoss", _negative_log_likelihood, 12),
    OnnxOp("RMSNormalization", _rms_norm, 23),
    OnnxOp("SoftmaxCrossEntropyLoss", _softmax_cross_entropy, 12),
)

