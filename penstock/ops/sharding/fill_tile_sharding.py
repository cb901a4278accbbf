"""Distribution of ops whose result has the sizes that an operand lists: fill, broadcast_to, tile.

Where the vector of sizes is computed from the shape of something cut, one entry of it is the shard's own size. The
result is then cut along that axis.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.axis_labels import called, depends_on, is_fixed, is_share, needs_all, without_cut
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.model.nodes import Operation


def sized_axis(operation: Operation, place: int, name: str) -> int | Refused | None:
    """Which entry of a vector of sizes, a `SIZES` input, is a multiple of a dimension; None if none depends on it."""
    vector = operation.inputs[place]
    entries = known_vector(vector)
    if entries is None:
        return Refused(f"the length of {called(operation, place)} is not known before a run")
    # In shape(x) a size without a name is the size of an axis that is not cut: otherwise it were no `SIZES`.
    is_shape = vector.op.opdef.facts.reads_shape_only
    found: list[int] = []
    for i, entry in enumerate(entries):
        if entry is not None and (is_fixed(entry, name) or (is_shape and not depends_on(entry, name))):
            continue
        if entry is None or not is_share(entry, name):
            return Refused(f"entry {i} of {called(operation, place)} is not known to be a multiple of {name}")
        found.append(i)
    if len(found) > 1:
        return Refused(f"entries {found[0]} and {found[1]} of {called(operation, place)} depend on {name}")
    return found[0] if found else None


def repeated(
    operation: Operation, states: Sequence[State], name: str, data: int, sizes: int
) -> Distributed | Refused:
    """The rule of ops that repeat the input `data` until it has the sizes that the input `sizes` lists."""
    data_state, listed = states[data], states[sizes]
    if isinstance(listed, Along):
        return needs_all(operation, sizes, 0)
    axis = sized_axis(operation, sizes, name) if listed is SIZES else None
    if isinstance(axis, Refused):
        return axis
    dims, rank = operation.inputs[data].shape.raw, operation.outputs[0].shape.ndims
    if dims is None or rank is None:
        return Refused(f"the rank of {called(operation, data)} is not known before a run")
    new = rank - len(dims)
    if isinstance(data_state, Along) and axis != data_state.axis + new:
        return Refused(f"{called(operation, sizes)} does not have the size of the shard")
    if axis is None:
        return without_cut(operation, states, name)
    if not isinstance(data_state, Along) and axis >= new and dims[axis - new] != 1:
        return Refused(f"{called(operation, data)} is not cut, and not of size 1 along axis {axis - new}")
    return Distributed((Along(axis),), frozenset({sizes}))
