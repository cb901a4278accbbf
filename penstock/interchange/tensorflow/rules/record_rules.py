"""Nodes that parse `tf.train.Example`s in files: the rules that read them, and the one that writes ours.

TensorFlow has three: ParseExample with an input for each key, ParseExampleV2 with vectors of keys and ragged features,
ParseSingleExample with the keys as attributes. Our ParseExample has the keys as attributes, and takes one example or
several. All have the same outputs: the indices, the values and the shapes of sparse features, then the dense ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation, Tensor
from ..foreign_node import ForeignNode
from ..node_writer import ExportRule, NodeWriter
from ..wire.tensor_proto import Unsupported
from .queue_rules import dtypes_at, shapes_at

Keys = tuple[bytes, ...]


def _keys_in(tensors: Sequence[Tensor]) -> Keys:
    """The keys that constants hold."""
    keys: list[bytes] = []
    for tensor in tensors:
        value = known_value(tensor)
        if value is None:
            raise Unsupported(f"{tensor.name!r} gives keys, and is no constant")
        keys += value.reshape(-1).tolist()
    return tuple(keys)


def _keys_at(s: ForeignNode, name: str) -> Keys:
    return tuple(s.listed(name).s)


def _added(
    s: ForeignNode, serialized: Tensor, names: Tensor, sparse_keys: Keys, dense_keys: Keys, defaults: Sequence[Tensor]
) -> Operation:
    sparse, dense, shapes = dtypes_at(s, "sparse_types"), dtypes_at(s, "Tdense"), shapes_at(s, "dense_shapes")
    if len(sparse) != len(sparse_keys) or not len(dense) == len(shapes) == len(dense_keys) == len(defaults):
        raise GraphFormatError(
            f"it has {len(sparse_keys)} sparse keys with {len(sparse)} types, and {len(dense_keys)} dense keys with "
            f"{len(dense)} types, {len(shapes)} shapes and {len(defaults)} defaults"
        )
    return s.add("ParseExample", serialized, names, tuple(defaults), sparse_keys, sparse, dense_keys, dense, shapes)


def _parse_example(s: ForeignNode) -> Operation:
    many, dense = s.attr("Nsparse", "i", 0), s.attr("Ndense", "i", 0)
    inputs = s.take(2 + many + 2 * dense)
    keys, defaults = inputs[2 : 2 + many + dense], inputs[2 + many + dense :]
    return _added(s, inputs[0], inputs[1], _keys_in(keys[:many]), _keys_in(keys[many:]), defaults)


def _parse_example_v2(s: ForeignNode) -> Operation:
    if dtypes_at(s, "ragged_value_types"):
        raise Unsupported("it has ragged features")
    inputs = s.inputs
    if len(inputs) < 5:
        raise GraphFormatError(f"it has {len(inputs)} inputs; examples, names, three vectors of keys, defaults")
    return _added(s, inputs[0], inputs[1], _keys_in(inputs[2:3]), _keys_in(inputs[3:4]), inputs[5:])


def _parse_single_example(s: ForeignNode) -> Operation:
    if not s.inputs:
        raise GraphFormatError("it has no inputs; the first one is the example")
    names = s.constant("names", np.zeros(0, object))
    return _added(s, s.inputs[0], names, _keys_at(s, "sparse_keys"), _keys_at(s, "dense_keys"), s.inputs[1:])


RECORD_NODES: dict[str, Callable[[ForeignNode], Operation]] = {
    "ParseExample": _parse_example,
    "ParseExampleV2": _parse_example_v2,
    "ParseSingleExample": _parse_single_example,
}
"""TensorFlow's node -> the rule that reads it."""


def _write(w: NodeWriter, op: Operation) -> bool:
    serialized, names, defaults, sparse_keys, sparse_types, dense_keys, dense_types, shapes = op.args[:8]
    if serialized.shape.ndims is None:
        return False  # whether it is one example or several is not known, and TensorFlow's node takes several
    listed: dict[str, Any] = {"sparse_types": sparse_types, "Tdense": dense_types, "dense_shapes": shapes}
    if not serialized.shape.ndims:
        if known_value(names) is None or known_value(names).size:  # type: ignore[union-attr]  # it is known
            return False  # a single example has no name there
        w.node("ParseSingleExample", [w.ref(t) for t in (serialized, *defaults)], num_sparse=len(sparse_keys),
               sparse_keys=sparse_keys, dense_keys=dense_keys, **listed)  # fmt: skip
        return True
    keys = [w.constant(f"key_{i}", np.array(key, object)) for i, key in enumerate((*sparse_keys, *dense_keys))]
    w.node("ParseExample", [w.ref(serialized), w.ref(names), *keys, *[w.ref(t) for t in defaults]],
           Nsparse=len(sparse_keys), Ndense=len(dense_keys), **listed)  # fmt: skip
    return True


OF_RECORDS: dict[str, ExportRule] = {"ParseExample": _write}
"""Our op -> the rule that writes it."""
