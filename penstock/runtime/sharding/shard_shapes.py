"""Static shapes of shards: what is inferred for the first shard holds for the others, with symbols of their own.

    the whole       (batch, ?7)
    shard 0         (batch_shard_0_of_2, ?7)
    shard 1         (batch_shard_1_of_2, ?7)

A size without a name that a node of the first shard introduces, such as the number of rows that a mask leaves, is
another one in each shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim, Dimension, Symbol, raw, size_of_symbol, unknown
from ...graph.shapes.shape import TensorShape, shape_of
from ...ops.sharding.shards import shard_size


class ShardShapes:
    """The symbols of one dimension in each shard."""

    def __init__(self, name: str, count: int) -> None:
        self._whole = Dimension(name)
        self.symbol = _symbol(self._whole)
        self.sizes = [Dimension(shard_size(self._whole, i, count)) for i in range(count)]
        first = _symbol(self.sizes[0])
        self._of_first: dict[Symbol, list[Dimension]] = {first: self.sizes}

    def first_of(self, dim: Dim) -> Dim:
        """The size in the first shard of what has the size `dim` in the whole."""
        return _replaced(dim, {self.symbol: self.sizes}, 0)

    def mentions_first(self, dim: Dim) -> bool:
        """Whether a size is an expression in the size of the first shard."""
        return isinstance(dim, Dimension) and any(s is _symbol(self.sizes[0]) for s, _ in dim.terms)

    def learn(self, inputs: Iterable[Tensor], outputs: Sequence[TensorShape]) -> None:
        """Note the sizes without a name that a node of the first shard introduces."""
        made = {symbol for shape in outputs for symbol in _without_name(shape)}
        if made:
            made -= {symbol for tensor in inputs for symbol in _without_name(tensor.shape)}
        for symbol in made - self._of_first.keys():
            others = [unknown(symbol.reason or "", symbol.operand) for _ in self.sizes[1:]]
            self._of_first[symbol] = [size_of_symbol(symbol), *others]

    def of_shard(self, shape: TensorShape, i: int) -> TensorShape:
        """The shape in shard i of what has a shape in the first."""
        dims = shape.raw
        if dims is None or not any(isinstance(dim, Dimension) for dim in dims):
            return shape
        return shape_of([_replaced(dim, self._of_first, i) for dim in dims])


def _symbol(dim: Dimension) -> Symbol:
    symbol = dim.symbol
    assert symbol is not None
    return symbol


def _without_name(shape: TensorShape) -> set[Symbol]:
    dims = [dim for dim in shape.raw or () if isinstance(dim, Dimension)]
    return {symbol for dim in dims for symbol, _ in dim.terms if symbol.name is None}


def _replaced(dim: Dim, stands: Mapping[Symbol, Sequence[Dimension]], i: int) -> Dim:
    """The size with symbols replaced by entry i of what stands for them."""
    if isinstance(dim, int):
        return dim
    if dim.symbol is not None:  # the usual case: 2 us instead of 40
        return stands[dim.symbol][i] if dim.symbol in stands else dim
    total = Dimension(0)
    for symbol, count in dim.terms:
        total = total + (stands[symbol][i] if symbol in stands else size_of_symbol(symbol)).scaled(count)
    return raw(total + dim.const)
