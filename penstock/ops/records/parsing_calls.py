"""`parse_example`, `parse_single_example` and `parse_single_sequence_example`: examples as dictionaries of tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ...errors import ShapeError, UseError, ValueRuleError
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dtypes import DType, int64, string
from ...graph.shapes.literal import literal
from ...graph.shapes.shape import TensorShape, as_shape
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..declare.composite import composite
from ..move.reshaping import reshape
from ..sparse.sparse_to_dense_op import sparse_merge
from .feature_lists_op import parse_feature_lists
from .feature_specs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    dense_shape,
    index_keys,
    row_shape,
    value_dtype,
)
from .parse_example_op import parse_example_op

PUBLIC_NAMES = {"tf io": "parse_example parse_single_example parse_single_sequence_example"}

Parsed = dict[str, Any]


@dataclass(slots=True)
class WantedFeature:
    """The features that a call asks for, as the op takes them."""

    sparse: dict[str, DType] = field(default_factory=dict)
    dense: dict[str, tuple[DType, TensorShape, Any]] = field(default_factory=dict)
    merged: dict[str, SparseFeature] = field(default_factory=dict)

    def add_sparse(self, key: str, dtype: DType) -> None:
        """Asks for the values of a feature, which a SparseFeature may do for a second time."""
        if self.sparse.setdefault(key, dtype) != dtype:
            raise ValueRuleError(f"Conflicting type {dtype!r} vs {self.sparse[key]!r} for feature {key}")


def wanted_features(features: Any, allowed: tuple[type, ...]) -> WantedFeature:
    """What a dictionary of features asks for.

    Raises:
        ValueRuleError (a ValueError): a feature is of another kind, or incomplete.
        DTypeError (a TypeError): a dtype is none that examples hold.
    """
    wanted = WantedFeature()
    for key in sorted(features):
        spec = features[key]
        if not isinstance(spec, (FixedLenFeature, VarLenFeature, SparseFeature, FixedLenSequenceFeature)):
            raise ValueRuleError(f"the feature {key!r} is {spec!r:.80}; write tf.FixedLenFeature(shape, dtype), "
                                 "tf.VarLenFeature(dtype) or another of these")  # fmt: skip
        if not isinstance(spec, allowed):
            names = " and ".join(each.__name__ for each in allowed)
            raise ValueRuleError(f"Unsupported {type(spec).__name__} {spec!r} for key {key!r}; only {names} may stand "
                                 "here")  # fmt: skip
        _add(wanted, key, spec, value_dtype(spec, key))
    both = sorted(wanted.sparse.keys() & wanted.dense.keys())
    if both:
        raise ValueRuleError(f"Dense and sparse keys must not intersect; intersection: {both}")
    return wanted


def _add(wanted: WantedFeature, key: str, spec: Any, dtype: DType) -> None:
    if isinstance(spec, VarLenFeature):
        wanted.add_sparse(key, dtype)
    elif isinstance(spec, SparseFeature):
        for index_key in sorted(index_keys(spec, key)[0]):
            wanted.add_sparse(index_key, int64)
        wanted.add_sparse(str(spec.value_key), dtype)
        wanted.merged[key] = spec
    elif isinstance(spec, FixedLenSequenceFeature):
        rows = as_shape([None, *row_shape(spec, key).as_list()])
        wanted.dense[key] = (dtype, rows, spec)
    else:
        wanted.dense[key] = (dtype, dense_shape(spec, key), spec)


def _default(key: str, dtype: DType, shape: TensorShape, spec: Any) -> Tensor:
    value = spec.default_value
    if value is None:
        return constant(np.zeros(0, dtype.np), dtype)
    dims = [] if isinstance(spec, FixedLenSequenceFeature) else shape.as_list()
    if isinstance(value, Tensor):
        return reshape(convert_to_tensor(value, dtype), dims)
    array = literal(value, dtype)
    size = prod(each for each in dims if each is not None)
    if array.size != size:
        raise ValueRuleError(f"the default_value of feature {key} has {array.size} values, and its shape {shape!s} "
                             f"{size}")  # fmt: skip
    return constant(array.reshape(dims), dtype)


def parsed_features(serialized: Tensor, features: Any, names: Any, allowed: tuple[type, ...]) -> Parsed:
    """The features of examples, or of the contexts of sequence examples."""
    wanted = wanted_features(features, allowed)
    if not features:
        return {}
    sparse_keys, dense_keys = sorted(wanted.sparse), sorted(wanted.dense)
    dense = [wanted.dense[key] for key in dense_keys]
    called = constant(np.zeros(0, object), string) if names is None else convert_to_tensor(names, string)
    results = parse_example_op(
        serialized,
        called,
        [_default(key, *wanted.dense[key]) for key in dense_keys],
        sparse_keys,
        [wanted.sparse[key] for key in sparse_keys],
        dense_keys,
        [each[0] for each in dense],
        [each[1] for each in dense],
        name="ParseExample",
    )
    parsed = named_results(results, sparse_keys, dense_keys)
    for key, spec in wanted.merged.items():
        keys, sizes = index_keys(spec, key)
        parsed[key] = sparse_merge(
            [parsed[each] for each in keys],
            parsed[str(spec.value_key)],
            sizes,
            already_sorted=bool(spec.already_sorted),
        )
    for key in sparse_keys:
        if not isinstance(features.get(key), VarLenFeature) and key not in wanted.merged:
            del parsed[key]
    return parsed


def named_results(results: Any, sparse_keys: list[str], dense_keys: list[str]) -> Parsed:
    """The results of a node that parses, by the names of the features."""
    tensors = list(results) if isinstance(results, (list, tuple)) else list(getattr(results, "outputs", [results]))
    many = len(sparse_keys)
    parsed: Parsed = {
        key: SparseTensor(tensors[i], tensors[many + i], tensors[2 * many + i]) for i, key in enumerate(sparse_keys)
    }
    return parsed | dict(zip(dense_keys, tensors[3 * many :], strict=True))


_OF_EXAMPLES = (FixedLenFeature, VarLenFeature, SparseFeature, FixedLenSequenceFeature)


def require_mapping(parameter: str, features: Any) -> None:
    """UseError where `features` is no dict."""
    if features is not None and not isinstance(features, Mapping):
        raise UseError(f"{parameter} is {features!r:.60}; it must be a dict from names to what is wanted of them, such "
                       "as tf.FixedLenFeature([], tf.float32)")  # fmt: skip


def _require_missing_allowed(features: Any) -> None:
    require_mapping("features", features)
    if not features:
        raise ValueRuleError(f"Argument `features` cannot be None or falsy. Got {features!r}")
    for key, spec in features.items():
        if isinstance(spec, FixedLenSequenceFeature) and not spec.allow_missing:
            raise ValueRuleError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True. Feature "
                                 f"{key!r} is {spec!r}")  # fmt: skip


@composite("ParseExample")
def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> Parsed:
    """The features of serialised `tf.train.Example` messages.

    Args:
        serialized: a vector of strings, each a serialised Example; or a scalar, whose tensors then have no batch
            dimension.
        features: a dict from names to what is wanted of these features: `FixedLenFeature`, `VarLenFeature`,
            `SparseFeature` or `FixedLenSequenceFeature`.
        example_names: a vector of what the examples are called in errors; None: "<unknown>".

    Returns:
        A dict with the same names. A FixedLenFeature gives a tensor of shape [batch, *shape], a
        FixedLenSequenceFeature one of [batch, rows, *shape], padded to the greatest number of rows, and the two others
        a `SparseTensor` of shape [batch, longest] or [batch, *size].

    Raises:
        TypeError: a dtype is none of float32, int64 and string.
        ValueError: `features` is empty or holds something else, or a shape or a default is incomplete.
        InvalidArgumentError (when run): an example is damaged; a feature has another dtype or number of values, or it
            is missing and has no default.

    >>> import penstock as tf
    >>> example = tf.train.Example()
    >>> example.features.feature["age"].int64_list.value.append(29)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     parsed = tf.parse_example([example.SerializeToString()], {"age": tf.FixedLenFeature([], tf.int64)})
    ...     print(session.run(parsed["age"]))
    [29]

    Source: TensorFlow 1.x, `tf.parse_example`.
    """
    _require_missing_allowed(features)
    return parsed_features(convert_to_tensor(serialized, string), features, example_names, _OF_EXAMPLES)


@composite("ParseSingleExample")
def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> Parsed:
    """The features of one serialised `tf.train.Example`, without a batch dimension.

    Args:
        serialized: a scalar string, a serialised Example.
        features: a dict from names to what is wanted of these features, as for `parse_example`.
        example_names: a scalar, what the example is called in errors.

    Returns:
        A dict with the same names: of a FixedLenFeature a tensor of its shape, of a VarLenFeature a `SparseTensor` of
        rank 1.

    Raises:
        TypeError: a dtype is none of float32, int64 and string.
        ValueError: `serialized` is no scalar, `features` is empty or holds something else, or a shape is incomplete.
        InvalidArgumentError (when run): as for `parse_example`.

    >>> import penstock as tf
    >>> example = tf.train.Example()
    >>> example.features.feature["x"].float_list.value.extend([0.5, 1.5])
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     text = tf.constant(example.SerializeToString())
    ...     print(session.run(tf.parse_single_example(text, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]))
    [0.5 1.5]

    Source: TensorFlow 1.x, `tf.parse_single_example`.
    """
    _require_missing_allowed(features)
    return parsed_features(_one(serialized), features, example_names, _OF_EXAMPLES)


def _one(serialized: TensorLike) -> Tensor:
    text = convert_to_tensor(serialized, string)
    if text.shape.ndims not in (None, 0):
        raise ShapeError(
            f"Input serialized must be a scalar, and has shape {text.shape}; tf.parse_example reads several"
        )
    if text.shape.ndims is None:
        text = reshape(text, [])
    return text


@composite("ParseSingleSequenceExample")
def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Parsed, Parsed]:
    """The context and the feature lists of one serialised `tf.train.SequenceExample`.

    Args:
        serialized: a scalar string, a serialised SequenceExample.
        context_features: a dict from names to what is wanted of the context: `FixedLenFeature` or `VarLenFeature`.
        sequence_features: a dict from names to what is wanted of the feature lists: `FixedLenSequenceFeature` of the
            shape of one step, or `VarLenFeature`.
        example_name: a scalar, what the example is called in errors.

    Returns:
        Two dicts. In the second, a FixedLenSequenceFeature gives a tensor of shape [steps, *shape], and a VarLenFeature
        a `SparseTensor` of shape [steps, longest].

    Raises:
        TypeError: a dtype is none of float32, int64 and string.
        ValueError: both dicts are empty, one holds something else, or a shape is incomplete.
        InvalidArgumentError (when run): the example is damaged; a feature has another dtype or number of values, or it
            is missing.

    >>> import penstock as tf
    >>> example = tf.train.SequenceExample()
    >>> for number in range(3):
    ...     example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(number)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     wanted = {"x": tf.FixedLenSequenceFeature([], tf.int64)}
    ...     _, steps = tf.parse_single_sequence_example(example.SerializeToString(), sequence_features=wanted)
    ...     print(session.run(steps["x"]))
    [0 1 2]

    Source: TensorFlow 1.x, `tf.parse_single_sequence_example`.
    """
    require_mapping("context_features", context_features)
    require_mapping("sequence_features", sequence_features)
    if not context_features and not sequence_features:
        raise ValueRuleError(
            "Both context_features and sequence_features are None, but at least one should have values."
        )
    text = _one(serialized)
    context = parsed_features(text, context_features or {}, example_name, (FixedLenFeature, VarLenFeature))
    if not sequence_features:
        return context, {}
    wanted = wanted_features(sequence_features, (FixedLenSequenceFeature, VarLenFeature))
    sparse_keys, dense_keys = sorted(wanted.sparse), sorted(wanted.dense)
    dense = [wanted.dense[key] for key in dense_keys]
    results = parse_feature_lists(
        text,
        constant(np.zeros(0, object), string) if example_name is None else convert_to_tensor(example_name, string),
        sparse_keys,
        [wanted.sparse[key] for key in sparse_keys],
        dense_keys,
        [each[0] for each in dense],
        [TensorShape(each[1].as_list()[1:]) for each in dense],
        [int(bool(each[2].allow_missing)) for each in dense],
        name="ParseFeatureLists",
    )
    return context, named_results(results, sparse_keys, dense_keys)
