"""Fast kernels, by op: the table that the binding of a step asks.

An op declares one plain kernel, which serves every array module. A fast kernel serves one: a function of the array
module and of the op's arguments, that gives the result or None where it does not apply (the dtype, the size, the
layout, code that is not ready). Then the plain kernel runs, which also words every error. Both give the same bits.

Modules are imported when a step of such an op is bound.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeAlias

from ...graph.lazy_import import load

Fast: TypeAlias = Callable[..., Any]

_ROOT: Final = __name__.rpartition(".")[0]

ON_NUMPY: Final = {
    "BooleanMask": "fast_gather:boolean_mask",
    "Cast": "fast_cast:cast",
    "Concat": "fast_join:concat",
    "DynamicPartition": "fast_partition:dynamic_partition",
    "DynamicStitch": "fast_partition:dynamic_stitch",
    "Gather": "fast_gather:gather",
    "GatherNd": "fast_gather:gather_nd",
    "Multiplex": "fast_select:multiplex",
    "Pack": "fast_join:pack",
    "Pad": "fast_join:pad",
    "ParallelDynamicStitch": "fast_partition:dynamic_stitch",
    "Range": "fast_range:range",
    "ReverseSequence": "fast_sequence:reverse_sequence",
    "ScatterNd": "fast_scatter:scatter_nd",
    "Select": "fast_select:select",
    "Stack": "fast_join:stack",
    "StringToNumber": "fast_strings:string_to_number",
    "TensorScatterUpdate": "fast_scatter:update",
    "Tile": "fast_join:tile",
    "Unique": "fast_unique:unique",
}
IN_PLACE: Final = {
    "TensorScatterUpdate": "fast_scatter:update_in_place",
}
"""Fast forms of the rules that change an operand into the result."""


@cache
def fast_kernel(op: str, table: str) -> Fast | None:
    """The fast kernel of an op type for "numpy", or in place of an operand ("in place"); None if it has none."""
    place = {"numpy": ON_NUMPY, "in place": IN_PLACE}.get(table, {}).get(op)
    if place is None:
        return None
    module, _, function = f"{_ROOT}.{place}".partition(":")
    load(module)
    found: Fast = getattr(sys.modules[module], function)
    return found
