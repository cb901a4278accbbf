"""Distribution of reshape: which axis of the result is cut if an axis of the operand is.

Elements stay in order. So if the sizes before the axis have the same product as those before an axis of the result,
the parts of one are the parts of the other:

    (batch, 4, 3) cut along 0 -> [-1, 12]       cut along 0
    (batch, time, 3) cut along 0 -> [-1, 3]     cut along 0, into parts of time rows for each row
    (time, batch, 3) cut along 1 -> [-1, 3]     refused: a part is no range of rows
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...graph.building.constant_evaluation import Entry, known_vector
from ...graph.declare.axis_labels import called, is_share, needs_all, symbols_of, without_cut
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.model.nodes import Operation
from ...graph.shapes.dimension import Dim, Dimension, multiplied, size_of_symbol
from .fill_tile_sharding import sized_axis

_Product = tuple[int, list[Dimension]]


def reshaped(operation: Operation, states: Sequence[State], name: str) -> Distributed | Refused:
    """The rule of reshape."""
    state, listed = states
    if isinstance(listed, Along):
        return needs_all(operation, 1, 0)
    if not isinstance(state, Along):
        return without_cut(operation, states, name)
    sizes = sized_axis(operation, 1, name) if listed is SIZES else None
    if isinstance(sizes, Refused):
        return sizes
    tensor, shape = operation.inputs
    dims, new_dims, entries = tensor.shape.raw, operation.outputs[0].shape.raw, known_vector(shape)
    if dims is None or new_dims is None or entries is None:
        return Refused("the shapes before and after are not known before a run")
    axis = _axis_after(dims, state.axis, new_dims, entries, sizes, name)
    if axis is None:
        return Refused(f"the parts of {called(operation, 0)} along axis {state.axis} are not known to be parts of the "
                       "result")  # fmt: skip
    return Distributed((Along(axis),), frozenset({1}) if listed is SIZES else frozenset())


def _axis_after(
    dims: Sequence[Dim], cut: int, new_dims: Sequence[Dim], entries: Sequence[Entry], sizes: int | None, name: str
) -> int | None:
    before = _product(dims[:cut])
    for axis, dim in enumerate(new_dims):
        if isinstance(dim, int) or not _equal(_product(new_dims[:axis]), before):
            continue
        if sizes is not None:
            return axis if axis == sizes and is_share(dims[cut], name) and is_share(dim, name) else None
        per_part = _product([_per_row(dims[cut], name), *dims[cut + 1 :]])
        return axis if entries[axis] == -1 and _divides(_product(new_dims[axis + 1 :]), per_part) else None
    return None


def _per_row(dim: Dim, name: str) -> Dim:
    """How many entries along a cut axis belong to one of the dimension; 1 where that is not known."""
    if isinstance(dim, int) or not is_share(dim, name):
        return 1
    others = [size_of_symbol(symbol) for symbol in symbols_of(dim) if symbol.name != name]
    return multiplied([dim.terms[0][1], *others], "it belongs to a shard")


def _product(dims: Iterable[Dim]) -> _Product:
    """A number and the other factors; a sum is a factor by itself."""
    number, factors = 1, []
    for dim in dims:
        if isinstance(dim, int) or not dim.terms:
            number *= dim if isinstance(dim, int) else dim.const
        elif dim.const or len(dim.terms) > 1:
            factors.append(dim)
        else:
            number *= dim.terms[0][1]
            factors += [size_of_symbol(symbol) for symbol in symbols_of(dim)]
    return number, factors


def _equal(a: _Product, b: _Product) -> bool:
    return a[0] == b[0] and len(a[1]) == len(b[1]) and _without(a[1], b[1]) == []


def _divides(a: _Product, b: _Product) -> bool:
    """Whether b is a multiple of a, whatever the sizes are."""
    return a[0] != 0 and b[0] % a[0] == 0 and len(_without(b[1], a[1])) == len(b[1]) - len(a[1])


def _without(dims: Sequence[Dimension], gone: Sequence[Dimension]) -> list[Dimension]:
    rest = list(dims)
    for dim in gone:
        if dim in rest:
            rest.remove(dim)
    return rest
