"""`tf.io.parse_sequence_example`: several serialised SequenceExamples, whose feature lists become padded tensors."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from ...errors import DecodeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.declare.effects import AT_RUN_TIME
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Ints, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, float32, int64, string
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.constant_and_placeholder import constant, convert_to_tensor
from ..datasets.dataset_decl import DTypes, Shapes
from ..declare.composite import composite
from ..declare.shape_checks import dims_of, listed, require_rank
from ..declare.string_arguments import Strings
from .example_table import KINDS, Values
from .feature_lists_op import lists_of, of_kind, values_of
from .feature_specs import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from .parse_example_op import Keys
from .parsing_calls import Parsed, named_results, parsed_features, require_mapping, wanted_features

PUBLIC_NAMES = {"io": "parse_sequence_example"}

Lists = list[dict[bytes, list[Values]]]


def _dtypes(serialized: Any, names: Any, sparse_keys: Any, sparse_types: Any, dense_keys: Any, dense_types: Any,
            dense_shapes: Any, may_miss: Any) -> tuple[DType, ...]:  # fmt: skip
    many = len(sparse_types)
    return (*[int64] * many, *sparse_types, *[int64] * many, *dense_types, *[int64] * len(dense_types))


@op("ParseFeatureListBatch", out=_dtypes, host_only=True, effects=AT_RUN_TIME, no_gradient="it reads bytes")
def parse_feature_list_batch(
    serialized: Strings, names: Strings, sparse_keys: Keys, sparse_types: DTypes, dense_keys: Keys,
    dense_types: DTypes, dense_shapes: Shapes, may_miss: Ints, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """The indices, values and shapes of sparse feature lists, then the dense ones, and how many steps these have."""


@parse_feature_list_batch.shape
def parse_feature_list_batch_shape(serialized: Tensor, names: Tensor, *wanted: Any) -> list[TensorShape]:
    sparse_keys, dense_shapes = wanted[0], wanted[4]
    require_rank(serialized, 1, 0)
    (batch,) = dims_of(serialized, 1)
    count = unknown("the number of examples is not known", serialized) if batch is None else batch

    def open_size() -> Any:
        return unknown("how many steps and values there are is not known before the run", serialized)

    return [
        *[shape_of((open_size(), 3)) for _ in sparse_keys],
        *[shape_of((open_size(),)) for _ in sparse_keys],
        *[shape_of((3,)) for _ in sparse_keys],
        *[shape_of((count, open_size(), *(shape.raw or ()))) for shape in dense_shapes],
        *[shape_of((count,)) for _ in dense_shapes],
    ]


@parse_feature_list_batch.kernel
def parse_feature_list_batch_kernel(
    xp: Any, serialized: Any, names: Any, sparse_keys: Any, sparse_types: Any, dense_keys: Any, dense_types: Any,
    dense_shapes: Any, may_miss: Any,
) -> Any:  # fmt: skip
    if serialized.ndim != 1 or (names.size and names.shape != serialized.shape):
        raise InvalidArgumentError(message=f"serialized must be a vector, and has shape {listed(serialized.shape)}; "
                                           f"example_names have shape {listed(names.shape)}")  # fmt: skip
    called = [each.decode(errors="backslashreplace") for each in names] or ["<unknown>"] * len(serialized)
    every: Lists = []
    for text, label in zip(serialized, called, strict=True):
        try:
            every.append(lists_of(text, {*sparse_keys, *dense_keys}))
        except DecodeError as error:
            raise InvalidArgumentError(message=f"Name: {label}, Could not parse example input, value: "
                                               f"{text[:200]!r}: {error}") from None  # fmt: skip
    sparse = [_sparse(every, *each, called) for each in zip(sparse_keys, sparse_types, strict=True)]
    dense = [_dense(every, *each, called)
             for each in zip(dense_keys, dense_types, dense_shapes, may_miss, strict=True)]  # fmt: skip
    return [*(each[part] for part in range(3) for each in sparse), *(each[part] for part in range(2) for each in dense)]


def _sparse(every: Lists, key: bytes, dtype: DType, called: list[str]) -> tuple[Any, Any, Any]:
    rows, places, steps = [], [], 0
    for number, lists in enumerate(every):
        found = lists.get(key, [])
        steps = max(steps, len(found))
        for step, values in enumerate(found):
            row = of_kind(values, KINDS[dtype], dtype, key, step, called[number])
            places += [(number, step, place) for place in range(len(row))]
            rows.append(row)
    indices = np.array(places, np.int64).reshape(-1, 3)
    longest = max(map(len, rows), default=0)
    return indices, values_of(rows, KINDS[dtype]), np.array([len(every), steps, longest], np.int64)


def _dense(
    every: Lists, key: bytes, dtype: DType, shape: TensorShape, may_miss: int, called: list[str]
) -> tuple[Any, Any]:
    sizes = tuple([int(size) for size in shape.as_list() if size is not None])
    lengths = np.array([len(lists.get(key, [])) for lists in every], np.int64)
    out = np.full((len(every), int(lengths.max(initial=0)), *sizes), b"" if dtype is string else 0, dtype.np)
    for number, lists in enumerate(every):
        label, shown = called[number], key.decode(errors="backslashreplace")
        if key not in lists and not may_miss:
            raise InvalidArgumentError(message=f"Name: {label}, Key: {shown}, Feature list is required but could not "
                                               "be found. Did you mean to say allow_missing=True of its "
                                               "FixedLenSequenceFeature?")  # fmt: skip
        for step, values in enumerate(lists.get(key, [])):
            row = of_kind(values, KINDS[dtype], dtype, key, step, label)
            if len(row) != prod(sizes):
                numbers = f"{len(row)} values for the shape {listed(sizes)}"
                raise InvalidArgumentError(message=f"Name: {label}, Key: {shown}, Index: {step}. Number of values != "
                                                   f"expected: {numbers}")  # fmt: skip
            out[number, step] = values_of([row], KINDS[dtype]).reshape(sizes)
    return out, lengths


_SEQUENCE = bytes.fromhex(
    "12350a100a0177120b0a020a000a050a030a01610a210a0178121c0a0c120a0a08000000000000003f0a0c120a0a080000803f0000c03f"
)


@parse_feature_list_batch.samples
def parse_feature_list_batch_samples(rng: np.random.Generator) -> Samples:
    none, wanted = np.zeros(0, object), (["w"], [string], ["x"], [float32], [[2]])
    yield sample(np.array([_SEQUENCE, b"", _SEQUENCE], object), none, *wanted, [1])
    yield sample(none, none, *wanted, [0])


@composite("ParseSequenceExample")
def parse_sequence_example(
    serialized: TensorLike, context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None, example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Parsed, Parsed, Parsed]:  # fmt: skip
    """The contexts and the feature lists of several serialised `tf.train.SequenceExample`s.

    Args:
        serialized: a vector of serialised SequenceExamples.
        context_features: a dict from names to what is wanted of the contexts: `FixedLenFeature` or `VarLenFeature`.
        sequence_features: a dict from names to what is wanted of the feature lists: `FixedLenSequenceFeature` of the
            shape of one step, or `VarLenFeature`.
        example_names: a vector, what the examples are called in errors.

    Returns:
        Three dicts: of contexts, as `parse_example` gives them; of feature lists; and of how many steps dense ones
        have, int64 of shape [batch]. A FixedLenSequenceFeature gives a tensor of shape [batch, most steps, *shape],
        which zeros or empty strings fill, and a VarLenFeature a `SparseTensor` of shape [batch, most steps, most
        values].

    Raises:
        TypeError: a dtype is none of float32, int64 and string.
        ValueError: both dicts are empty, one holds something else, a shape is incomplete, or `serialized` is no vector.
        InvalidArgumentError (when run): an example is damaged; a feature has another dtype or number of values, or it
            is missing.

    >>> import penstock as tf
    >>> example = tf.train.SequenceExample()
    >>> for number in range(3):
    ...     example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(number)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     wanted = {"x": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    ...     _, lists, lengths = tf.io.parse_sequence_example([example.SerializeToString(), b""], {}, wanted)
    ...     print(session.run([lists["x"], lengths["x"]]))
    [array([[0, 1, 2],
           [0, 0, 0]]), array([3, 0])]

    Source: TensorFlow 1.15, `tf.io.parse_sequence_example`.
    """
    require_mapping("context_features", context_features)
    require_mapping("sequence_features", sequence_features)
    if not context_features and not sequence_features:
        raise ValueRuleError("Both `context_features` and `sequence_features` are None, but at least one should have "
                             "values.")  # fmt: skip
    texts = convert_to_tensor(serialized, string)
    if texts.shape.ndims != 1:
        raise ShapeError(f"serialized has shape {texts.shape}; it must be a vector, and "
                         "tf.io.parse_single_sequence_example reads one")  # fmt: skip
    context = parsed_features(texts, context_features or {}, example_names, (FixedLenFeature, VarLenFeature))
    if not sequence_features:
        return context, {}, {}
    wanted = wanted_features(sequence_features, (FixedLenSequenceFeature, VarLenFeature))
    sparse_keys, dense_keys = sorted(wanted.sparse), sorted(wanted.dense)
    dense = [wanted.dense[key] for key in dense_keys]
    results = list(parse_feature_list_batch(
        texts,
        constant(np.zeros(0, object), string) if example_names is None else convert_to_tensor(example_names, string),
        sparse_keys, [wanted.sparse[key] for key in sparse_keys], dense_keys, [each[0] for each in dense],
        [TensorShape(each[1].as_list()[1:]) for each in dense], [int(bool(each[2].allow_missing)) for each in dense],
        name="ParseFeatureLists",
    ))  # fmt: skip
    count = len(results) - len(dense_keys)
    lists = named_results(results[:count], sparse_keys, dense_keys)
    return context, lists, dict(zip(dense_keys, results[count:], strict=True))
