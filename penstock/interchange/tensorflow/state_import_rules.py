"""Import rules of nodes about state: those that write and read checkpoints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...graph.literal import Array
from ...graph.nodes import Operation
from .import_rules import ForeignNode
from .tensor_proto import dtype_of

# ---- checkpoints --------------------------------------------------------------------------------


def _restore_v2(s: ForeignNode) -> Operation:
    return s.add("RestoreV2", *s.take(3), tuple(dtype_of(number) for number in s.attr("dtypes", "list").type))


def _restore_one(s: ForeignNode) -> Operation:
    """Nodes of version 1 restore one tensor, whose name is a scalar."""
    path, *texts = s.inputs
    vectors = [s.helper(f"name_{i}", "Pack", (text,))[0] for i, text in enumerate(texts)]
    if len(vectors) == 1:
        vectors.append(s.constant("slice", np.array([b""], object)))
    return s.add("RestoreV2", path, *vectors, (s.attr("dt", "type"),))


def _save(s: ForeignNode) -> Operation:
    """Save has no parts of variables."""
    path, names, *data = s.inputs
    parts: Array = np.empty(len(data), object)
    parts[:] = b""
    return s.add("SaveSlices", path, names, s.constant("parts", parts), tuple(data))


STATE_NODES: dict[str, Callable[[ForeignNode], Operation]] = {
    "Restore": _restore_one,
    "RestoreSlice": _restore_one,
    "RestoreV2": _restore_v2,
    "Save": _save,
}
