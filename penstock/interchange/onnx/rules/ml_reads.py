"""The domain ai.onnx.ml: tables, linear models and trees over arrays; and steps of training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....derivatives.backward import gradients
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float32, int64, string
from ..onnx_errors import UnsupportedOnnx
from ..onnx_node import OnnxNode
from .onnx_row import OnnxOp
from .values import as_dtype, constant, rank_of, scalar, take, where

ML = "ai.onnx.ml"


def _array_features(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    found = take(x, ops.reshape(n.tensor(1), [-1]), rank_of(x) - 1)
    return ops.expand_dims(found, 0) if rank_of(x) == 1 else found


def _binarizer(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    return ops.cast(x > scalar(x, n.float("threshold", 0.0)), x.dtype)


def _scaler(n: OnnxNode) -> Tensor:
    x = as_dtype(n.tensor(0), float32)
    return (x - constant(n.floats("offset"), float32)) * constant(n.floats("scale"), float32)


def _normalizer(n: OnnxNode) -> Tensor:
    x = as_dtype(n.tensor(0), float32)
    norm = n.text("norm", "MAX")
    size = {"MAX": lambda: ops.reduce_max(ops.abs(x), [-1], True), "L1": lambda: ops.reduce_sum(ops.abs(x), [-1], True),
            "L2": lambda: ops.sqrt(ops.reduce_sum(x * x, [-1], True))}[norm]()  # fmt: skip
    return x / where(ops.equal(size, scalar(size, 0)), ops.ones_like(size), size)


def _feature_vectorizer(n: OnnxNode) -> Tensor:
    return ops.concat(1, [as_dtype(t, float32) for t in n.tensors()])


def _imputer(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    values = n.floats("imputed_value_floats", None) or n.ints("imputed_value_int64s", None)
    wanted = n.float("replaced_value_float", 0.0) if x.dtype.is_floating else n.int("replaced_value_int64", 0)
    missing = ops.is_nan(x) if x.dtype.is_floating and np.isnan(wanted) else ops.equal(x, scalar(x, wanted))
    return where(missing, constant(values, x.dtype), x)


_LISTS = (("strings", np.object_), ("int64s", np.int64), ("floats", np.float32))


def _label_encoder(n: OnnxNode) -> Tensor:
    """A table from keys to values: each element is compared with every key."""
    x = n.tensor(0)
    keys, values = _table(n, "keys"), _table(n, "values")
    if n.opset < 2:
        keys, values = _strings(n.strings("classes_strings")), np.arange(len(n.strings("classes_strings")))
        if x.dtype is not string:
            keys, values = values, keys
    if values.dtype == object:
        told_text = n.attributes.get("default_string")
        default: Any = np.array(b"_Unused" if told_text is None else told_text.s, object)
    elif values.dtype == np.int64:
        default = np.array(n.int("default_int64", -1))
    else:
        default = np.array(n.float("default_float", -0.0), values.dtype)
    told = n.array("default_tensor", None)
    default = default if told is None else told.reshape(())
    key_tensor = ops.constant(keys) if keys.dtype == object else constant(keys, x.dtype)
    same = ops.equal(ops.expand_dims(x, rank_of(x)), key_tensor)
    if keys.dtype.kind == "f" and np.isnan(keys).any():
        same = ops.logical_or(same, ops.logical_and(ops.expand_dims(ops.is_nan(x), rank_of(x)), ops.is_nan(key_tensor)))
    place = ops.argmax(ops.cast(same, float32), rank_of(x))
    known = ops.reduce_any(same, [rank_of(x)])
    table = np.concatenate([values, default.astype(values.dtype)[None]])
    return ops.gather(ops.constant(table), where(known, ops.cast(place, int64), constant(len(values))))


def _strings(values: Sequence[bytes]) -> Any:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _table(n: OnnxNode, side: str) -> Any:
    for suffix, dtype in _LISTS:
        name = f"{side}_{suffix}"
        if name in n.attributes:
            found = n.attributes[name]
            if suffix == "strings":
                return _strings(found.strings)
            return np.array(found.ints if suffix == "int64s" else found.floats, dtype)
    if f"{side}_tensor" in n.attributes:
        return n.array(f"{side}_tensor").reshape(-1)
    return np.zeros(0)


# ---- linear models -----------------------------------------------------------------------------


def transformed_scores(scores: Tensor, kind: str) -> Tensor:
    """Scores after `post_transform`."""
    if kind == "NONE":
        return scores
    if kind == "LOGISTIC":
        return ops.sigmoid(scores)
    if kind == "SOFTMAX":
        return ops.softmax(scores, 1)
    if kind == "SOFTMAX_ZERO":
        zero = ops.equal(scores, scalar(scores, 0))
        return where(zero, ops.zeros_like(scores), ops.softmax(scores, 1))
    raise UnsupportedOnnx(f"its post_transform is {kind!r}")


def _linear_regressor(n: OnnxNode) -> Tensor:
    x = as_dtype(n.tensor(0), float32)
    targets = n.int("targets", 1)
    weights = np.array(n.floats("coefficients"), np.float32).reshape(targets, -1)
    found = ops.matmul(x, ops.constant(np.ascontiguousarray(weights.T)))
    if "intercepts" in n.attributes:
        found = found + constant(n.floats("intercepts"), float32)
    return transformed_scores(found, n.text("post_transform", "NONE"))


def _linear_classifier(n: OnnxNode) -> list[Tensor]:
    x = as_dtype(n.tensor(0), float32)
    rows = np.array(n.floats("coefficients"), np.float32)
    labels = class_labels(n, "classlabels_ints")
    count = len(n.floats("intercepts", [])) or len(labels)
    scores = ops.matmul(x, ops.constant(np.ascontiguousarray(rows.reshape(count, -1).T)))
    if "intercepts" in n.attributes:
        scores = scores + constant(n.floats("intercepts"), float32)
    kind = n.text("post_transform", "NONE")
    if count == 1 and len(labels) == 2:
        return binary_result(scores, labels, kind)
    chances = transformed_scores(scores, kind)
    return [ops.gather(ops.constant(labels), ops.argmax(scores, 1)), chances]


def binary_result(scores: Tensor, labels: Any, kind: str) -> list[Tensor]:
    """Labels and scores of two classes from one score."""
    positive = ops.sigmoid(scores) if kind == "LOGISTIC" else scores
    other = scalar(scores, 1) - positive if kind == "LOGISTIC" else -positive
    both = ops.concat(1, [other, positive])
    chosen = ops.cast(ops.squeeze(scores, [1]) > scalar(scores, 0), int64)
    return [ops.gather(ops.constant(labels), chosen), both]


def class_labels(n: OnnxNode, ints: str) -> Any:
    """The labels of a classifier: strings or ints."""
    found = n.strings("classlabels_strings", None)
    return _strings(found) if found else np.array(n.ints(ints), np.int64)


def _zip_map(n: OnnxNode) -> Any:
    raise UnsupportedOnnx("it makes dictionaries; export without it (skl2onnx: options={'zipmap': False})")


# ---- steps of training -------------------------------------------------------------------------


def _groups(n: OnnxNode, each: int) -> tuple[Tensor, Tensor, list[list[Tensor]]]:
    rest = [n.tensor(i) for i in range(2, len(n.inputs))]
    count = len(rest) // each
    return n.tensor(0), n.tensor(1), [[rest[k * count + i] for k in range(each)] for i in range(count)]


def _flattened(made: list[list[Tensor]]) -> list[Tensor]:
    return [each[k] for k in range(len(made[0])) for each in made]


def _momentum(n: OnnxNode) -> list[Tensor]:
    rate, t, groups = _groups(n, 3)
    alpha, nesterov = n.float("alpha"), n.text("mode") == "nesterov"
    made = []
    for x, g, v in groups:
        g = g + scalar(x, n.float("norm_coefficient")) * x
        beta = where(t > scalar(t, 0), scalar(x, n.float("beta")), scalar(x, 1))
        after = scalar(x, alpha) * v + beta * g
        step = g + scalar(x, alpha) * after if nesterov else after
        made.append([x - as_dtype(rate, x.dtype) * step, after])
    return _flattened(made)


def _adagrad(n: OnnxNode) -> list[Tensor]:
    rate, t, groups = _groups(n, 3)
    made = []
    for x, g, h in groups:
        decay = scalar(x, n.float("decay_factor", 0.0))
        slower = as_dtype(rate, x.dtype) / (scalar(x, 1) + as_dtype(t, x.dtype) * decay)
        g = g + scalar(x, n.float("norm_coefficient", 0.0)) * x
        after = h + g * g
        made.append([x - slower * g / (ops.sqrt(after) + scalar(x, n.float("epsilon", 1e-6))), after])
    return _flattened(made)


def _adam(n: OnnxNode) -> list[Tensor]:
    rate, t, groups = _groups(n, 4)
    alpha, beta = n.float("alpha", 0.9), n.float("beta", 0.999)
    updates = []
    for x, g, v, h in groups:
        one, times = scalar(x, 1), as_dtype(t, x.dtype)
        g = g + scalar(x, n.float("norm_coefficient", 0.0)) * x
        v_new = scalar(x, alpha) * v + scalar(x, 1 - alpha) * g
        h_new = scalar(x, beta) * h + scalar(x, 1 - beta) * g * g
        corrected = ops.sqrt(one - ops.pow(scalar(x, beta), times)) / (one - ops.pow(scalar(x, alpha), times))
        factor = where(times > scalar(x, 0), corrected, one)
        step = as_dtype(rate, x.dtype) * factor * v_new / (ops.sqrt(h_new) + scalar(x, n.float("epsilon", 1e-6)))
        updates.append([(one - scalar(x, n.float("norm_coefficient_post", 0.0))) * (x - step), v_new, h_new])
    return _flattened(updates)


def _gradient(n: OnnxNode) -> list[Tensor]:
    """The derivatives of a value of the graph by others: the backward graph."""
    y = n.scope.find(n.text("y"))
    if not isinstance(y, Tensor):
        raise UnsupportedOnnx("it differentiates what is not a tensor")
    xs = [n.scope.find(name.decode()) for name in n.strings("xs")]
    found = gradients(y, xs, unconnected_gradients="zero")
    return list(found)


TRAINING = "ai.onnx.preview.training"

MACHINE_LEARNING = (
    OnnxOp("ArrayFeatureExtractor", _array_features, 1, ML),
    OnnxOp("Binarizer", _binarizer, 1, ML),
    OnnxOp("FeatureVectorizer", _feature_vectorizer, 1, ML),
    OnnxOp("Imputer", _imputer, 1, ML),
    OnnxOp("LabelEncoder", _label_encoder, 1, ML),
    OnnxOp("LinearClassifier", _linear_classifier, 1, ML),
    OnnxOp("LinearRegressor", _linear_regressor, 1, ML),
    OnnxOp("Normalizer", _normalizer, 1, ML),
    OnnxOp("Scaler", _scaler, 1, ML),
    OnnxOp("ZipMap", _zip_map, 1, ML, differs="dictionaries are not values here: an error says what to do"),
    OnnxOp("Adagrad", _adagrad, 1, TRAINING),
    OnnxOp("Adam", _adam, 1, TRAINING),
    OnnxOp("Gradient", _gradient, 1, TRAINING),
    OnnxOp("Momentum", _momentum, 1, TRAINING),
)

