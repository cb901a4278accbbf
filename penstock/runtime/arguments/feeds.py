"""Feeds: the fed tensors, the check of their arrays' shapes, and the sizes of named dimensions in a run.

`split_feed_dict` separates tensors from values. `check_feeds` makes arrays of the values (`feed_values` converts values
that are not arrays of the tensor's dtype; other arrays are used as they are, and never written). It compares their
shapes with the static shapes and binds each named dimension to one size. Feeds that give one name two sizes are refused
before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import FeedError, FeedTypeError, GraphError
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dimension import Dimension, Symbol, broken_equations
from ...graph.shapes.literal import Array
from ..base.values_elsewhere import is_elsewhere
from ..planning.fixed_width_strings import is_fixed_width
from ..planning.plan import Plan
from .feed_values import declared, feed_array

Bindings = dict[Symbol, tuple[int, Tensor]]


def several_fetches(second: Any) -> TypeError:
    """The error of `run(a, b)`, where b is a node."""
    return TypeError(f"Session.run: the second argument is feed_dict, a dict of tensor -> value, not {second.name!r}. "
                     "Several fetches are one list: run([a, b])")  # fmt: skip


def split_feed_dict(graph: Graph, feed_dict: Mapping[Any, Any]) -> tuple[tuple[Tensor, ...], Sequence[Any]]:
    """The fed tensors of `graph`, and their values in the same order.

    Raises:
        TypeError: `feed_dict` is not a mapping, or a key names no tensor.
    """
    if feed_dict.__class__ is not dict and not isinstance(feed_dict, Mapping):  # the test for Mapping takes 0.2 us
        kind = type(feed_dict).__name__
        if isinstance(feed_dict, Operation):
            raise several_fetches(feed_dict)
        raise TypeError(f"feed_dict must be a dict of tensor -> value, not {kind}: a run needs values. Write "
                        "{x: value}; plan, explain, memory and placement take a list of tensors too")  # fmt: skip
    if graph.unfeedable:
        _refuse_unfeedable(graph, feed_dict)
    for key in feed_dict:
        if key.__class__ is not Tensor or key.op.graph is not graph:
            break
    else:  # the usual case: the keys are tensors, so none occurs twice
        return tuple(feed_dict), tuple(feed_dict.values())
    tensors: list[Tensor] = []
    values: list[Any] = []
    for key, value in feed_dict.items():
        if isinstance(key, tuple):
            for one, part in _tuple_parts(key, value, key):
                tensors.append(feed_tensor(graph, one))
                values.append(part)
        elif isinstance(key, SparseTensor):
            tensors += (feed_tensor(graph, t) for t in (key.indices, key.values, key.dense_shape))
            values += _sparse_parts(key, value)
        else:
            tensors.append(feed_tensor(graph, key))
            values.append(value)
    last = dict(zip(tensors, values, strict=True))  # of a tensor that is named twice the last value counts
    return tuple(last), list(last.values())


def _tuple_parts(key: Any, value: Any, whole: Any) -> list[tuple[Any, Any]]:
    """The tensors of a tuple, such as the state of a cell, each with its value."""
    if not isinstance(key, tuple):
        return [(key, value)]
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != len(key):
        given = f"{len(value)} long" if isinstance(value, tuple | list | np.ndarray) else f"a {type(value).__name__}"
        raise FeedTypeError(f"Cannot feed the tuple {whole!r}: it has {len(key)} parts, and the value is {given}; a "
                            "tuple of tensors is fed a tuple of as many values")  # fmt: skip
    return [pair for one, part in zip(key, value, strict=True) for pair in _tuple_parts(one, part, whole)]


def _refuse_unfeedable(graph: Graph, feed_dict: Mapping[Any, Any]) -> None:
    """Raise FeedError for a tensor that `graph.prevent_feeding` named."""
    for key in [one for given in feed_dict for one, _ in _tuple_parts(given, given, given)]:
        if not isinstance(key, SparseTensor) and not graph.is_feedable(tensor := feed_tensor(graph, key)):
            raise FeedError(f"Tensor {tensor} may not be fed: graph.prevent_feeding named it")


def feed_tensor(graph: Graph, key: Any) -> Tensor:
    """The tensor of `graph` that a key of a feed_dict names.

    Raises:
        FeedTypeError: it names none.
    """
    try:
        element = graph.as_graph_element(key, allow_operation=False)
    except (KeyError, GraphError, TypeError) as error:
        words = str(error.args[0]) if error.args else str(error)
        raise FeedTypeError(f"Cannot interpret feed_dict key {key!r} as Tensor: {words}") from None
    assert isinstance(element, Tensor)
    return element


def _sparse_parts(key: SparseTensor, value: Any) -> Sequence[Any]:
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        raise TypeError(
            f"a SparseTensor is fed a SparseTensorValue or a triple (indices, values, dense_shape), not {value!r}"
        )
    return value


def check_shape(tensor: Tensor, array: Array) -> bool:
    """Raise FeedError unless the array fits the static shape; True if the shape has named dimensions to bind."""
    dims = tensor.shape.raw
    if dims is None:
        return False
    shape = array.shape
    named = False
    fits = len(dims) == len(shape)
    if fits:
        for dim, size in zip(dims, shape, strict=True):
            if dim.__class__ is int:
                if dim != size:
                    fits = False
                    break
            elif dim.is_named:  # type: ignore[union-attr]  # it is a Dimension if not an int
                named = True
    if not fits:
        raise FeedError(
            f"Cannot feed value of shape {shape} for Tensor {tensor.name}, which has shape {tensor.shape}\n"
            f"{declared(tensor)}\n"
            f"  {_shape_cure(shape, dims)}"
        )
    return named


def _shape_cure(shape: tuple[int, ...], dims: tuple[int | Dimension, ...]) -> str:
    if len(shape) != len(dims):
        wanted = f"an array of {len(dims)} dimension{'' if len(dims) == 1 else 's'}" if dims else "a single value"
        return f"Feed {wanted}; this has {len(shape)} dimension{'' if len(shape) == 1 else 's'}."
    wrong = [i for i, (d, size) in enumerate(zip(dims, shape, strict=True)) if isinstance(d, int) and d != size]
    return "; ".join(f"dimension {i} must be {dims[i]}, not {shape[i]}" for i in wrong).capitalize() + "."


def bind(tensor: Tensor, array: Array, bindings: Bindings, waiting: list[tuple[Dimension, int, Tensor]]) -> None:
    """Bind the names in the tensor's shape to sizes; a dimension with several unbound names is added to `waiting`."""
    for dim, size in zip(tensor.shape.raw or (), array.shape, strict=True):
        if isinstance(dim, Dimension) and dim.is_named and not _bind_one(dim, size, tensor, bindings):
            waiting.append((dim, size, tensor))


def bind_waiting(bindings: Bindings, waiting: list[tuple[Dimension, int, Tensor]]) -> None:
    """Bind the waiting dimensions whose other names are bound now, repeatedly."""
    while waiting:
        left = [item for item in waiting if not _bind_one(*item, bindings)]
        if len(left) == len(waiting):
            return
        waiting = left


def _bind_one(dim: Dimension, size: int, tensor: Tensor, bindings: Bindings) -> bool:
    rest = size - dim.const
    open_terms = []
    others: list[tuple[Symbol, Tensor]] = []
    for symbol, count in dim.terms:
        bound = bindings.get(symbol)
        if bound is None:
            open_terms.append((symbol, count))
        else:
            rest -= count * bound[0]
            others.append((symbol, bound[1]))
    if len(open_terms) > 1:
        return False
    if open_terms:
        symbol, count = open_terms[0]
        if rest % count or rest // count < 0:
            raise FeedError(
                f"Cannot feed {size} elements in dimension {dim} of Tensor {tensor.name} {tensor.shape}: "
                f"no size of {symbol} gives {size}"
            )
        bindings[symbol] = (rest // count, tensor)
        return True
    if rest:
        raise FeedError(_two_sizes(dim, size, tensor, bindings, others))
    return True


def _two_sizes(
    dim: Dimension, size: int, tensor: Tensor, bindings: Bindings, others: list[tuple[Symbol, Tensor]]
) -> str:
    wanted = dim.at(_sizes(bindings))
    lines = [
        f"Dimension {dim} cannot have two sizes in one run: Tensor {tensor.name} is fed {size}, but {dim} is {wanted}",
        _line(tensor),
    ]
    for symbol, other in others:
        lines.append(_line(other) + f"   bound {symbol} to {bindings[symbol][0]}")
    lines.append("  Feed arrays of one size, or give the placeholders' dimensions different names.")
    return "\n".join(lines)


def _line(tensor: Tensor) -> str:
    return f"  {tensor.name}  {tensor.shape}  {tensor.op.origin.place}  {tensor.op.origin.code}"


def check_feeds(
    tensors: Sequence[Tensor], values: Sequence[Any], fixed_width: frozenset[int] = frozenset()
) -> tuple[list[Any], Bindings]:
    """The values as arrays that fit their tensors, and the sizes they give to named dimensions.

    fixed_width: the positions of feeds that may stay arrays of fixed-width strings.
    """
    arrays: list[Any] = []
    named: list[int] = []
    for i, (tensor, value) in enumerate(zip(tensors, values, strict=True)):
        # Fast path for an array of the same dtype and shape, the usual case: 0.4 us instead of 1.4.
        dtype = tensor.dtype
        usual = value.__class__ is np.ndarray and value.dtype is dtype.np and dtype.kind not in "sb"
        stays = usual or (i in fixed_width and is_fixed_width(value))
        array = value if stays or is_elsewhere(value) else feed_array(tensor, value)
        if tensor.shape.raw != array.shape and check_shape(tensor, array):
            named.append(i)
        arrays.append(array)
    bindings: Bindings = {}
    if named:
        waiting: list[Any] = []
        for i in named:
            bind(tensors[i], arrays[i], bindings, waiting)
        if waiting:
            bind_waiting(bindings, waiting)
    return arrays, bindings


def check_equations(plan: Plan, bindings: Bindings) -> None:
    """Check relations such as `batch = 3`, which static shapes assume, for the sizes of this run."""
    for dim, bound, size, wanted, node in broken_equations(plan.equations, _sizes(bindings)):
        fed = _feed_of(dim, bindings)
        found = f"Dimension {dim} is {bound} in this run because of the feed of {fed.name}, but the shapes at "
        where = _line_of(node, fed)
        if isinstance(size, Dimension):
            raise FeedError(
                f"{found}node {node!r} fit only if it equals {size}, which is {wanted} because of the feed of "
                f"{_feed_of(size, bindings).name}; feed equal sizes, or remove the set_shape that says they are equal"
                f"{where}"
            )
        raise FeedError(
            f"{found}node {node!r} fit only if it is {size}; feed that size, or build the graph without "
            f"the number {size}"
            f"{where}"
        )


def _sizes(bindings: Bindings) -> dict[Symbol, int]:
    return {symbol: size for symbol, (size, _) in bindings.items()}


def _feed_of(dim: Dimension, bindings: Bindings) -> Tensor:
    return next(bindings[symbol][1] for symbol, _ in dim.terms)


def _line_of(node: str, fed: Tensor) -> str:
    """The line that made the node of this name in the graph of a fed tensor, as a line of an error."""
    op = fed.graph.find_anywhere(node)
    return "" if op is None else f"\n  {node!r}  {op.origin.place}  {op.origin.code}".rstrip()
