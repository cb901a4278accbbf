"""Calls of `tf.nn` and `tf.losses` whose values, static shapes and gradients are recorded, and how they are evaluated.

A case is a call with its operands. `evaluate` builds and runs it with the functions of a namespace: TensorFlow's when
it records, Penstock's when it is tested.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Json = dict[str, Any]
FLOATS = ("float32", "float64", "float16")
EDGES = np.array([-np.inf, -1000, -3, -1, -0.5, -0.0, 0.0, 1e-3, 0.5, 1, 3, 6, 7, 1000, np.inf, np.nan])
RNG = np.random.default_rng(20261122)
START = RNG.bit_generator.state


@dataclass(frozen=True)
class Case:
    """A call.

    Attributes:
        name: what identifies it.
        call: a function of the namespace and the operands.
        operands: arrays; floats take each of the dtypes in turn, ints stay.
        dtypes: those of the floats.
        unknown: whether the shapes of the operands are not known before the run.
        second: whether second derivatives are recorded.
        in_float32: whether it is computed in float32, whatever the dtype.
    """

    name: str
    call: Callable[..., Any]
    operands: tuple[Any, ...]
    dtypes: tuple[str, ...] = FLOATS
    unknown: bool = False
    second: bool = True
    in_float32: bool = False


def cases() -> Iterator[Case]:
    """All of them, with the same operands each time."""
    RNG.bit_generator.state = START
    yield from _elementwise()
    yield from _softmax()
    yield from _sparse()
    yield from _sigmoid()
    yield from _biases()
    yield from _norms()
    yield from _normalizations()
    yield from _embeddings()
    yield from _predictions()
    yield from (replace(case, in_float32=True) for case in _losses())


def _normal(*shape: int) -> Any:
    return RNG.standard_normal(shape).round(2)


def _shares(*shape: int) -> Any:
    x = RNG.integers(1, 9, shape).astype(float)
    return x / x.sum(-1, keepdims=True)


def _elementwise() -> Iterator[Case]:
    for name in ("elu", "selu", "softsign", "leaky_relu", "relu6", "softplus", "relu", "crelu"):
        yield Case(name, lambda tf, x, name=name: getattr(tf.nn, name)(x), (EDGES,))
        yield Case(f"{name} of nothing", lambda tf, x, name=name: getattr(tf.nn, name)(x), (np.zeros((0, 2)),))
        yield Case(f"{name} of unknown shape", lambda tf, x, name=name: getattr(tf.nn, name)(x), (_normal(2, 3),),
                   unknown=True)  # fmt: skip
    yield Case("elu of a scalar", lambda tf, x: tf.nn.elu(x), (np.array(-0.5),))
    yield Case("elu of ints", lambda tf, x: tf.nn.elu(x), (np.array([1, 2], "i4"),), ("float32",))
    yield Case("log_sigmoid", lambda tf, x: tf.log_sigmoid(x), (EDGES,))
    yield Case("leaky_relu, 0.5", lambda tf, x: tf.nn.leaky_relu(x, 0.5), (EDGES,))
    yield Case("leaky_relu, 2", lambda tf, x: tf.nn.leaky_relu(x, alpha=2), (EDGES,))
    yield Case("leaky_relu, -0.3", lambda tf, x: tf.nn.leaky_relu(x, -0.3), (EDGES,))
    yield Case("leaky_relu of ints", lambda tf, x: tf.nn.leaky_relu(x), (np.array([-5, 0, 7], "i4"),), ("float32",))
    yield Case("crelu, axis 0", lambda tf, x: tf.nn.crelu(x, axis=0), (_normal(2, 3),))
    yield Case("crelu of ints", lambda tf, x: tf.nn.crelu(x), (np.array([[1, -2]], "i4"),), ("float32",))


def _softmax() -> Iterator[Case]:
    def v2(tf: Any, labels: Any, logits: Any, **more: Any) -> Any:
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, **more)

    def v1(tf: Any, labels: Any, logits: Any, **more: Any) -> Any:
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, **more)

    x, y = _normal(3, 4), _shares(3, 4)
    for name, function in (("v1", v1), ("v2", v2)):
        second = name == "v1"  # TensorFlow leaves out the mixed part of the second derivative by the labels
        yield Case(f"softmax {name}", function, (y, x), second=second)
        yield Case(f"softmax {name}, unknown", function, (y, x), unknown=True, second=second)
        yield Case(f"softmax {name}, dim 0", lambda tf, a, b, f=function: f(tf, a, b, dim=0), (x * 0 + 0.5, x),
                   second=second)  # fmt: skip
        yield Case(f"softmax {name}, dim -1", lambda tf, a, b, f=function: f(tf, a, b, dim=-1), (y, x), second=second)
        yield Case(f"softmax {name}, dim 1 of 3", lambda tf, a, b, f=function: f(tf, a, b, dim=1),
                   (_shares(2, 3, 4), _normal(2, 3, 4)), second=second)  # fmt: skip
        yield Case(f"softmax {name}, rank 3", function, (_shares(2, 3, 4), _normal(2, 3, 4)), second=second)
        yield Case(f"softmax {name}, rank 3, unknown", function, (_shares(2, 3, 4), _normal(2, 3, 4)), unknown=True,
                   second=second)  # fmt: skip
        yield Case(f"softmax {name}, a vector", function, (_shares(4), _normal(4)), second=second)
    yield Case("softmax, labels that do not sum to 1", v1, (_normal(2, 3), _normal(2, 3)))
    yield Case("softmax, large logits", v1, (_shares(2, 3), np.array([[1000.0, 0, -1000], [-3e4, 3e4, 3e4]])))
    yield Case("softmax, one class", v2, (np.ones((3, 1)), _normal(3, 1)), second=False)
    yield Case("softmax, a logit of -inf, label 0", v1, (np.array([[1.0, 0, 0]]), np.array([[1.0, -np.inf, 2]])))
    yield Case("softmax, a logit of inf", v1, (np.array([[1.0, 0, 0]]), np.array([[1.0, np.inf, 2]])))
    yield Case("softmax, a logit of NaN", v1, (_shares(2, 3), np.array([[1.0, np.nan, 2], [1, 2, 3]])))
    yield Case("softmax, all logits -inf", v1, (_shares(1, 3), np.full((1, 3), -np.inf)))
    yield Case("softmax, no rows", v1, (np.zeros((0, 3)), np.zeros((0, 3))))
    yield Case("softmax, int labels", v1, (np.array([[1, 0], [0, 1]], "i4"), _normal(2, 2)))
    yield Case("softmax, one row of labels", v1, (_shares(1, 3), _normal(4, 3)))
    yield Case("softmax, one row of labels, unknown", v1, (_shares(1, 3), _normal(4, 3)), unknown=True)
    yield Case("softmax, other classes", v1, (_shares(2, 4), _normal(2, 3)))
    yield Case("softmax, other classes, unknown", v1, (_shares(2, 4), _normal(2, 3)), unknown=True)
    yield Case("softmax, other rows, unknown", v1, (_shares(3, 3), _normal(2, 3)), unknown=True)
    yield Case("softmax, int logits", v1, (_shares(2, 2), np.array([[1, 2], [3, 4]], "i4")), ("float32",))
    yield Case("softmax, axis 2 of 2", lambda tf, a, b: v1(tf, a, b, dim=2), (y, x), ("float32",))
    yield Case("softmax, logits None", lambda tf, a: v1(tf, a, None), (y,), ("float32",))


def _sparse() -> Iterator[Case]:
    def sparse(tf: Any, labels: Any, logits: Any) -> Any:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    labels = np.array([3, 0, 1])
    x = _normal(3, 4)
    for kind in ("i4", "i8"):
        yield Case(f"sparse {kind}", sparse, (labels.astype(kind), x))
    yield Case("sparse, unknown", sparse, (labels.astype("i4"), x), unknown=True)
    yield Case("sparse, rank 3", sparse, (RNG.integers(0, 4, (2, 3)), _normal(2, 3, 4)))
    yield Case("sparse, rank 3, unknown", sparse, (RNG.integers(0, 4, (2, 3)), _normal(2, 3, 4)), unknown=True)
    yield Case("sparse, a vector", sparse, (np.array(2), _normal(4)))
    yield Case("sparse, no rows", sparse, (np.zeros(0, "i4"), np.zeros((0, 3))))
    yield Case("sparse, large logits", sparse, (np.array([1, 0]), np.array([[1000.0, 0, -1000], [-3e4, 3e4, 3e4]])))
    yield Case("sparse, label at -inf", sparse, (np.array([1]), np.array([[1.0, -np.inf, 2]])))
    yield Case("sparse, -inf elsewhere", sparse, (np.array([0]), np.array([[1.0, -np.inf, 2]])))
    yield Case("sparse, inf", sparse, (np.array([0]), np.array([[1.0, np.inf, 2]])))
    yield Case("sparse, NaN", sparse, (np.array([0, 1]), np.array([[1.0, np.nan, 2], [1, 2, 3]])))
    yield Case("sparse, label too large", sparse, (np.array([0, 4, 1]), x))
    yield Case("sparse, label below 0", sparse, (np.array([0, -1, 1]), x))
    yield Case("sparse, no classes", sparse, (np.array([0]), np.zeros((1, 0))), ("float32",))
    yield Case("sparse, other rank", sparse, (np.array([[0, 1, 2]]), x), ("float32",))
    yield Case("sparse, other rows", sparse, (np.array([0, 1]), x), ("float32",))
    yield Case("sparse, other rows, unknown", sparse, (np.array([0, 1]), x), ("float32",), unknown=True)
    yield Case("sparse, float labels", sparse, (np.array([0.0, 1, 2]), x), ("float32",))


def _sigmoid() -> Iterator[Case]:
    def sigmoid(tf: Any, labels: Any, logits: Any) -> Any:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def weighted(tf: Any, labels: Any, logits: Any, weight: Any = 2.5) -> Any:
        return tf.nn.weighted_cross_entropy_with_logits(labels, logits, weight)

    z = np.linspace(0, 1, EDGES.size).round(3)
    for name, function in (("sigmoid", sigmoid), ("weighted", weighted)):
        yield Case(name, function, (z, EDGES))
        yield Case(f"{name}, matrices", function, (_shares(2, 3), _normal(2, 3)))
        yield Case(f"{name}, unknown", function, (_shares(2, 3), _normal(2, 3)), unknown=True)
        yield Case(f"{name}, nothing", function, (np.zeros((0, 3)), np.zeros((0, 3))))
        yield Case(f"{name}, a scalar", function, (np.array(1.0), np.array(0.0)))
        yield Case(f"{name}, other shapes", function, (np.ones((1, 3)), np.ones((2, 3))), ("float32",))
    yield Case("weighted by a vector", weighted, (_shares(2, 3), _normal(2, 3), np.array([0.5, 1, 2])))


def _biases() -> Iterator[Case]:
    def add(tf: Any, x: Any, b: Any, layout: Any = None) -> Any:
        return tf.nn.bias_add(x, b, layout)

    yield Case("bias_add", add, (_normal(2, 3), _normal(3)))
    yield Case("bias_add, unknown", add, (_normal(2, 3), _normal(3)), unknown=True)
    yield Case("bias_add, rank 4", add, (_normal(2, 1, 2, 3), _normal(3)))
    yield Case("bias_add, NHWC", lambda tf, x, b: add(tf, x, b, "NHWC"), (_normal(2, 1, 2, 3), _normal(3)))
    yield Case("bias_add, NCHW", lambda tf, x, b: add(tf, x, b, "NCHW"), (_normal(2, 3, 2, 1), _normal(3)))
    yield Case("bias_add, NC", lambda tf, x, b: add(tf, x, b, "NCW"), (_normal(2, 3, 4), _normal(3)))
    yield Case("bias_add, ints", add, (np.array([[1, 2]], "i4"), np.array([3, 4], "i4")), ("float32",))
    yield Case("bias_add, nothing", add, (np.zeros((0, 3)), _normal(3)))
    yield Case("bias_add, other sizes", add, (_normal(2, 3), _normal(1)), ("float32",))
    yield Case("bias_add, other sizes, unknown", add, (_normal(2, 3), _normal(1)), ("float32",), unknown=True)
    yield Case("bias_add, a vector", add, (_normal(3), _normal(3)), ("float32",))
    yield Case("bias_add, a vector, unknown", add, (_normal(3), _normal(3)), ("float32",), unknown=True)
    yield Case("bias_add, a matrix of biases", add, (_normal(2, 3), _normal(1, 3)), ("float32",))
    yield Case("bias_add, another layout", lambda tf, x, b: add(tf, x, b, "HWC"), (_normal(2, 3), _normal(3)),
               ("float32",))  # fmt: skip
    for name in ("xw_plus_b", "relu_layer"):
        yield Case(name, lambda tf, *o, name=name: getattr(tf.nn, name)(*o), (_normal(2, 3), _normal(3, 2), _normal(2)))
        yield Case(f"{name}, unknown", lambda tf, *o, name=name: getattr(tf.nn, name)(*o),
                   (_normal(2, 3), _normal(3, 2), _normal(2)), unknown=True)  # fmt: skip


def _norms() -> Iterator[Case]:
    yield Case("l2_loss", lambda tf, x: tf.nn.l2_loss(x), (_normal(2, 3),))
    yield Case("l2_loss, nothing", lambda tf, x: tf.nn.l2_loss(x), (np.zeros((0, 3)),))
    yield Case("l2_loss, unknown", lambda tf, x: tf.nn.l2_loss(x), (_normal(2, 3),), unknown=True)
    yield Case("l2_loss, inf", lambda tf, x: tf.nn.l2_loss(x), (np.array([1, np.inf]),))
    for axis in (None, 0, 1, -1, [0, 1]):
        yield Case(f"l2_normalize, {axis}", lambda tf, x, axis=axis: tf.nn.l2_normalize(x, axis), (_normal(2, 3),))
    yield Case("l2_normalize, zeros", lambda tf, x: tf.nn.l2_normalize(x, 1), (np.zeros((2, 3)),), FLOATS[:2])
    yield Case("l2_normalize, epsilon", lambda tf, x: tf.nn.l2_normalize(x, 1, 0.5), (_normal(2, 3) / 4,))
    yield Case("l2_normalize, unknown", lambda tf, x: tf.nn.l2_normalize(x, 1), (_normal(2, 3),), unknown=True)
    yield Case("zero_fraction", lambda tf, x: tf.nn.zero_fraction(x), (np.array([[0, 1, -0.0], [np.nan, 0, 2]]),))
    yield Case("zero_fraction, nothing", lambda tf, x: tf.nn.zero_fraction(x), (np.zeros((0, 2)),))
    yield Case("zero_fraction, ints", lambda tf, x: tf.nn.zero_fraction(x), (np.array([0, 1], "i4"),), ("float32",))


def _normalizations() -> Iterator[Case]:
    x = _normal(4, 3)
    yield Case("sufficient_statistics", lambda tf, x: tf.nn.sufficient_statistics(x, [0]), (x,))
    yield Case("sufficient_statistics, shift", lambda tf, x, s: tf.nn.sufficient_statistics(x, [0, 1], s, True),
               (x, np.array(0.5)))  # fmt: skip
    yield Case("sufficient_statistics, unknown", lambda tf, x: tf.nn.sufficient_statistics(x, [0, -1]), (x,),
               unknown=True)  # fmt: skip
    yield Case("normalize_moments",
               lambda tf, x: tf.nn.normalize_moments(*tf.nn.sufficient_statistics(x, [0])), (x,))  # fmt: skip
    yield Case("normalize_moments, shift",
               lambda tf, x, s: tf.nn.normalize_moments(*tf.nn.sufficient_statistics(x, [0], s)),
               (x, np.array(0.5)))  # fmt: skip
    yield Case("weighted_moments", lambda tf, x, w: tf.nn.weighted_moments(x, [0], w),
               (x, np.array([[1.0], [0], [2], [3]])))  # fmt: skip
    yield Case("weighted_moments, kept", lambda tf, x, w: tf.nn.weighted_moments(x, [0, 1], w, keep_dims=True),
               (x, np.array([1.0, 2, 3])))  # fmt: skip
    yield Case("weighted_moments, no weight", lambda tf, x, w: tf.nn.weighted_moments(x, [0], w), (x, np.array(0.0)),
               second=False)  # fmt: skip
    parts = (x, _normal(3), _shares(3), _normal(3), _normal(3))
    yield Case("batch_normalization", lambda tf, x, m, v, o, s: tf.nn.batch_normalization(x, m, v, o, s, 0.01), parts)
    yield Case("batch_normalization, unknown",
               lambda tf, x, m, v, o, s: tf.nn.batch_normalization(x, m, v, o, s, 0.01), parts,
               unknown=True)  # fmt: skip
    yield Case("batch_normalization, no offset",
               lambda tf, x, m, v, s: tf.nn.batch_normalization(x, m, v, None, s, 0.01), parts[:4])  # fmt: skip
    yield Case("batch_normalization, no scale",
               lambda tf, x, m, v, o: tf.nn.batch_normalization(x, m, v, o, None, 0.01), parts[:4])  # fmt: skip
    for scaled in (True, False):
        yield Case(f"global normalization, {scaled}",
                   lambda tf, *o, scaled=scaled: tf.nn.batch_norm_with_global_normalization(*o, 0.01, scaled),
                   (_normal(2, 1, 2, 3), *parts[1:]))  # fmt: skip
    image = _normal(2, 3, 2, 3)
    yield Case("fused_batch_norm", lambda tf, x, s, o: tf.nn.fused_batch_norm(x, s, o)[0],
               (image, _normal(3), _normal(3)), ("float32",), second=False)  # fmt: skip
    yield Case("fused_batch_norm, moments", lambda tf, x, s, o: tf.nn.fused_batch_norm(x, s, o, epsilon=0.1)[1:3],
               (image, _normal(3), _normal(3)), ("float32",), second=False)  # fmt: skip
    yield Case("fused_batch_norm, inference",
               lambda tf, x, s, o, m, v: tf.nn.fused_batch_norm(x, s, o, m, v, is_training=False)[0],
               (image, _normal(3), _normal(3), _normal(3), _shares(3)), ("float32",), second=False)  # fmt: skip
    yield Case("fused_batch_norm, no mean", lambda tf, x, s, o: tf.nn.fused_batch_norm(x, s, o, is_training=False)[0],
               (image, _normal(3), _normal(3)), ("float32",))  # fmt: skip


def _embeddings() -> Iterator[Case]:
    table = _normal(7, 2)
    ids = np.array([[3, 0], [6, 3]])
    for kind in ("i4", "i8"):
        yield Case(f"embedding {kind}", lambda tf, t, i: tf.nn.embedding_lookup(t, i), (table, ids.astype(kind)))
    yield Case("embedding, unknown", lambda tf, t, i: tf.nn.embedding_lookup(t, i), (table, ids), unknown=True)
    yield Case("embedding, a scalar", lambda tf, t, i: tf.nn.embedding_lookup(t, i), (table, np.array(2)))
    yield Case("embedding, no ids", lambda tf, t, i: tf.nn.embedding_lookup(t, i), (table, np.zeros(0, "i4")))
    yield Case("embedding, max_norm", lambda tf, t, i: tf.nn.embedding_lookup(t, i, max_norm=0.5), (table, ids),
               FLOATS[:2], second=False)  # fmt: skip
    yield Case("embedding, id too large", lambda tf, t, i: tf.nn.embedding_lookup(t, i), (table, np.array([7])),
               ("float32",))  # fmt: skip
    parts = {"mod": [table[i::3] for i in range(3)], "div": [table[:3], table[3:5], table[5:]]}
    for how, three in parts.items():
        yield Case(f"embedding, three parts, {how}",
                   lambda tf, a, b, c, i, how=how: tf.nn.embedding_lookup([a, b, c], i, how),
                   (*three, ids))  # fmt: skip
        yield Case(f"embedding, three parts, {how}, max_norm",
                   lambda tf, a, b, c, i, how=how: tf.nn.embedding_lookup([a, b, c], i, how, max_norm=0.5),
                   (*three, ids), FLOATS[:2], second=False)  # fmt: skip
    yield Case("embedding, another strategy", lambda tf, a, b, i: tf.nn.embedding_lookup([a, b], i, "hash"),
               (*parts["mod"][:2], ids), ("float32",))  # fmt: skip
    yield Case("embedding, an empty list", lambda tf, i: tf.nn.embedding_lookup([], i), (ids,), ("float32",))
    places = [[0, 0], [0, 2], [1, 1], [3, 0]]

    def sums(tf: Any, tables: Any, weights: Any, **more: Any) -> Any:
        sparse = tf.SparseTensor(places, tf.constant([1, 3, 0, 6], tf.int64), [4, 3])
        given = None if weights is None else tf.SparseTensor(places, weights, [4, 3])
        return tf.nn.embedding_lookup_sparse(tables, sparse, given, **more)

    weights = np.array([0.5, 2, -1, 3])
    for combiner in ("sum", "mean", "sqrtn"):
        yield Case(f"embedding sums, {combiner}",
                   lambda tf, t, c=combiner: sums(tf, t, None, combiner=c), (table,), second=False)  # fmt: skip
        yield Case(f"embedding sums, {combiner}, weights",
                   lambda tf, t, w, c=combiner: sums(tf, t, w, combiner=c), (table, weights), second=False)  # fmt: skip
    yield Case("embedding sums, two parts", lambda tf, a, b: sums(tf, [a, b], None, combiner="sum"),
               (table[::2], table[1::2]), second=False)  # fmt: skip
    yield Case("embedding sums, another combiner", lambda tf, t: sums(tf, t, None, combiner="max"), (table,),
               ("float32",))  # fmt: skip


def _predictions() -> Iterator[Case]:
    x = np.array([[1, 2, 2], [3, np.nan, 1], [1, 2, np.inf], [1, 2, 3], [0.5, 0.25, 0.125]])
    targets = np.array([1, 0, 2, 7, 2], "i4")
    for k in (0, 1, 2, 3, 9, -1):
        yield Case(f"in_top_k, {k}", lambda tf, x, t, k=k: tf.nn.in_top_k(x, t, k), (x, targets), ("float32",))
    yield Case("in_top_k, int64", lambda tf, x, t: tf.nn.in_top_k(x, t, 2), (x, targets.astype("i8")), ("float32",))
    yield Case("in_top_k, unknown", lambda tf, x, t: tf.nn.in_top_k(x, t, 2), (x, targets), ("float32",), unknown=True)
    yield Case("in_top_k, other rows", lambda tf, x, t: tf.nn.in_top_k(x, t, 2), (x, targets[:2]), ("float32",))
    yield Case("in_top_k, float64", lambda tf, x, t: tf.nn.in_top_k(x, t, 2), (x, targets), ("float64",))


def _losses() -> Iterator[Case]:
    y, x = _normal(3, 4), _normal(3, 4)
    bits = RNG.integers(0, 2, (3, 4)).astype(float)
    shares = _shares(3, 4)
    some = np.array([[1.0], [0.0], [2.5]])
    operands = {
        "mean_squared_error": (y, x), "absolute_difference": (y, x), "huber_loss": (y, x), "hinge_loss": (bits, x),
        "log_loss": (bits, shares), "sigmoid_cross_entropy": (bits, x), "softmax_cross_entropy": (shares, x),
        "sparse_softmax_cross_entropy": (np.array([3, 0, 1]), x),
    }  # fmt: skip
    reductions = ("none", "weighted_sum", "weighted_sum_over_batch_size", "weighted_mean",
                  "weighted_sum_by_nonzero_weights")  # fmt: skip
    for name, pair in operands.items():
        rows = name in ("softmax_cross_entropy", "sparse_softmax_cross_entropy")

        def call(tf: Any, a: Any, b: Any, w: Any = 1.0, name: str = name, **more: Any) -> Any:
            return getattr(tf.losses, name)(a, b, w, **more)

        weights = some[:, 0] if rows else some
        yield Case(name, call, pair)
        yield Case(f"{name}, unknown", call, pair, ("float32",), unknown=True)
        yield Case(f"{name}, unknown, weights", call, (*pair, weights), ("float32",), unknown=True)
        yield Case(f"{name}, a factor", lambda tf, a, b, f=call: f(tf, a, b, 0.25), pair, ("float32",))
        yield Case(f"{name}, no weight", lambda tf, a, b, f=call: f(tf, a, b, 0.0), pair, ("float32",))
        yield Case(f"{name}, no weight of a run", call, (*pair, np.array(0.0)), ("float32",), unknown=True)
        for reduction in reductions:
            yield Case(f"{name}, {reduction}", lambda tf, a, b, w, f=call, r=reduction: f(tf, a, b, w, reduction=r),
                       (*pair, weights), ("float32",))  # fmt: skip
        yield Case(f"{name}, weights that do not fit", call, (*pair, np.ones(2)), ("float32",))
        yield Case(f"{name}, weights that do not fit, unknown", call, (*pair, np.ones((2, 4))), ("float32",),
                   unknown=True)  # fmt: skip
        yield Case(f"{name}, weights None", lambda tf, a, b, f=call: f(tf, a, b, None), pair, ("float32",))
        yield Case(f"{name}, labels None", lambda tf, b, f=call: f(tf, None, b), pair[1:], ("float32",))
        yield Case(f"{name}, another reduction", lambda tf, a, b, f=call: f(tf, a, b, reduction="mean"), pair,
                   ("float32",))  # fmt: skip
        if name.endswith("entropy") and not name.startswith("sparse"):
            yield Case(f"{name}, smooth", lambda tf, a, b, f=call: f(tf, a, b, label_smoothing=0.2), pair)
    yield Case("huber_loss, delta", lambda tf, a, b: tf.losses.huber_loss(a, b, delta=0.3), (y, x))
    yield Case("huber_loss at delta", lambda tf, a, b: tf.losses.huber_loss(a, b),
               (np.zeros(3), np.array([1.0, -1, 0])))  # fmt: skip
    yield Case("log_loss, epsilon", lambda tf, a, b: tf.losses.log_loss(a, b, epsilon=0.1), (bits, shares))
    yield Case("mean_squared_error, other shapes", lambda tf, a, b: tf.losses.mean_squared_error(a, b), (y, x[:2]),
               ("float32",))  # fmt: skip
    yield Case("mean_squared_error, ints", lambda tf, a, b: tf.losses.mean_squared_error(a, b),
               (np.array([1, 2]), np.array([2, 5])), ("float32",))  # fmt: skip
    yield Case("mean_squared_error, nothing", lambda tf, a, b: tf.losses.mean_squared_error(a, b),
               (np.zeros((0, 2)), np.zeros((0, 2))))  # fmt: skip
    for axis in (0, 1, -1):
        yield Case(f"cosine_distance, {axis}", lambda tf, a, b, axis=axis: tf.losses.cosine_distance(a, b, axis),
                   (shares, x))  # fmt: skip
    yield Case("cosine_distance, weights", lambda tf, a, b, w: tf.losses.cosine_distance(a, b, 1, w), (shares, x, some))
    yield Case("cosine_distance, no axis", lambda tf, a, b: tf.losses.cosine_distance(a, b), (shares, x), ("float32",))
    yield Case("pairwise", lambda tf, a, b: tf.losses.mean_pairwise_squared_error(a, b), (y, x))
    yield Case("pairwise, weights", lambda tf, a, b, w: tf.losses.mean_pairwise_squared_error(a, b, w), (y, x, some))
    yield Case("pairwise, rank 3", lambda tf, a, b: tf.losses.mean_pairwise_squared_error(a, b),
               (_normal(2, 3, 2), _normal(2, 3, 2)))  # fmt: skip
    yield Case("pairwise, one element", lambda tf, a, b: tf.losses.mean_pairwise_squared_error(a, b),
               (y[:, :1], x[:, :1]))  # fmt: skip
    yield Case("pairwise, unknown", lambda tf, a, b, w: tf.losses.mean_pairwise_squared_error(a, b, w), (y, x, some),
               unknown=True)  # fmt: skip
    yield Case("sparse labels of size 1", lambda tf, a, b: tf.losses.sparse_softmax_cross_entropy(a, b),
               (np.array([[3], [0], [1]]), x), ("float32",))  # fmt: skip
    yield Case("sparse labels and weights of size 1",
               lambda tf, a, b, w: tf.losses.sparse_softmax_cross_entropy(a, b, w),
               (np.array([[3], [0], [1]]), x, some), ("float32",))  # fmt: skip

    def total(tf: Any, a: Any, b: Any) -> Any:
        tf.losses.mean_squared_error(a, b)
        tf.losses.absolute_difference(a, b, scope="other")
        tf.losses.huber_loss(a, b, loss_collection=None)
        tf.losses.add_loss(tf.reduce_sum(a))
        count = len(tf.losses.get_losses())
        return tf.losses.get_total_loss(), tf.losses.get_total_loss(scope="other"), tf.constant(count)

    yield Case("the total loss", total, (y, x), ("float32",))
    yield Case("no total loss", lambda tf: tf.losses.get_total_loss(), (), ("float32",))
    yield Case("no regularization", lambda tf: tf.losses.get_regularization_loss(), (), ("float32",))


# ---- evaluation ---------------------------------------------------------------------------------


def evaluate(tf: Any, case: Case, dtype: str, session_of: Callable[[Any], Any]) -> Json:
    """What the call does: its error, or values, static shapes and gradients of its outputs."""
    arrays = [np.asarray(a, dtype if np.asarray(a).dtype.kind == "f" else None) for a in case.operands]
    with tf.Graph().as_default() as graph:
        xs = [tf.placeholder(a.dtype, None if case.unknown else a.shape) for a in arrays]
        feeds = dict(zip(xs, arrays, strict=True))
        try:
            made = case.call(tf, *xs)
        except (TypeError, ValueError, tf.errors.InvalidArgumentError) as error:
            return {"error": f"build {'TypeError' if isinstance(error, TypeError) else 'ValueError'}"}
        outputs = [each for each in (made if isinstance(made, (list, tuple)) else [made]) if each is not None]
        with session_of(graph) as session:
            try:
                values = [np.asarray(v) for v in session.run(outputs, feeds)]
            except tf.errors.InvalidArgumentError:
                return {"error": "run InvalidArgumentError"}
            found: Json = {"values": values, "static": [_shape(each) for each in outputs]}
            floats = [x for x in xs if x.dtype.is_floating]
            ys = [(t, v) for t, v in zip(outputs, values, strict=True) if t.dtype.is_floating]
            if not ys or not floats:
                return found
            # TensorFlow has some gradients not, or with a wrong shape: those of labels that are repeated.
            with contextlib.suppress(LookupError, ValueError, tf.errors.OpError):
                first = tf.gradients([t for t, _ in ys], floats, [_weights(v) for _, v in ys])
                found["gradients"] = _run(tf, session, first, feeds)
                dense = [tf.convert_to_tensor(g) for g in first if g is not None]
                if case.second and dense:
                    again = tf.gradients(dense, floats, [tf.ones_like(g) for g in dense])
                    found["second"] = _run(tf, session, again, feeds)
    return found


def _run(tf: Any, session: Any, gradients: list[Any], feeds: dict[Any, Any]) -> list[Any]:
    values = iter(session.run([tf.convert_to_tensor(g) for g in gradients if g is not None], feeds))
    return [None if g is None else next(values) for g in gradients]


def _shape(tensor: Any) -> list[int | None] | None:
    try:
        sizes: list[int | None] = tensor.shape.as_list()
    except ValueError:
        return None
    return sizes


def _weights(value: Any) -> Any:
    return ((np.arange(value.size) % 7 - 3) / 4 + 0.125).reshape(value.shape).astype(value.dtype)
