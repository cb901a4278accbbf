"""What stands for each tensor of a stage in the stage with shards: the whole value, the parts, or both.

    cut         parts along an axis; the whole is joined where something needs it, once
    partial     parts of a sum, a mean ...; the whole is combined where something needs it, once
    sizes       a value of its own in each shard, and that of the whole
    otherwise   the whole; its parts are cut where something needs them, once

Fed tensors are there as a whole, and their parts are cut from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.declare.distribution import SIZES, WHOLE, Along, State
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, Dimension, Symbol
from ...ops.create.constant_and_placeholder import const
from ...ops.create.shape_size_rank import shape
from ...ops.elementwise.arithmetic import add, multiply
from ...ops.index.gathering import gather
from ...ops.move.concat_stack import concat, pack
from ...ops.sharding.shards import joined_shape, only_sizes, shard_of
from ..ir.stage import Rebuild, Stage
from .combined_parts import PartialResult, combined
from .shard_report import Join


@dataclass(frozen=True, slots=True)
class ShardParts:
    """The parts of a tensor along an axis."""

    axis: int
    parts: tuple[Tensor, ...]


class CutValues:
    """The tensors of a stage in the stage with shards.

    Args:
        stage: the stage.
        copy: the new stage under construction.
        name: the dimension that is cut.
        devices: the device of each shard.
        sums: the order in which parts are combined.
    """

    def __init__(self, stage: Stage, copy: Rebuild, name: str, devices: Sequence[str], sums: str) -> None:
        self._copy = copy
        self._name = name
        self.devices = devices
        self._sums = sums
        self.joins: dict[Tensor, Join] = {}
        """The joined value -> what was joined."""
        self._fed = stage.feeds
        self._names = {op.name for op in stage.operations} | {t.op.name for t in stage.feeds}
        self._cuts: dict[Tensor, ShardParts] = {}
        self._partial: dict[Tensor, PartialResult] = {}
        self._own: dict[Tensor, tuple[Tensor, ...]] = {}
        self._is_whole: set[Tensor] = set()
        self._cut_again: dict[tuple[Tensor, int], ShardParts] = {}
        self._sizes: dict[Symbol, Tensor] = {}
        self._stand_ins: dict[Tensor, Tensor] = {}

    # ---- what is known --------------------------------------------------------------------------

    def state(self, tensor: Tensor) -> State:
        """How a tensor of the old stage is there."""
        cut = self._cuts.get(tensor)
        if cut is not None:
            return Along(cut.axis)
        return SIZES if tensor in self._own else WHOLE

    def is_partial_sum(self, tensor: Tensor) -> bool:
        """Whether the shards have parts of a tensor whose sum it is."""
        partial = self._partial.get(tensor)
        return partial is not None and partial.how == "sum"

    def axis_in(self, tensor: Tensor) -> int | None:
        """The axis of a tensor along which it has the size of the dimension; None if there is none, or several."""
        axes = [i for i, dim in enumerate(tensor.shape.raw or ()) if not isinstance(dim, int) and dim == self._name]
        return axes[0] if len(axes) == 1 else None

    def is_there(self, tensor: Tensor) -> bool:
        """Whether the whole value is there without a join."""
        return (tensor not in self._cuts and tensor not in self._partial) or tensor in self._is_whole

    # ---- what shards make -----------------------------------------------------------------------

    def cut(self, tensor: Tensor, axis: int, parts: Sequence[Tensor]) -> None:
        """The shards make the parts of a tensor."""
        self._cuts[tensor] = ShardParts(axis, tuple(parts))

    def cut_feed(self, tensor: Tensor, axis: int) -> None:
        """A fed tensor is cut."""
        self._cuts[tensor] = self._parts_of(tensor, axis)
        self._is_whole.add(tensor)

    def combine(self, tensor: Tensor, partial: PartialResult) -> None:
        """The shards make parts that are combined where something needs the tensor."""
        self._partial[tensor] = partial

    def own(self, tensor: Tensor, values: Sequence[Tensor]) -> None:
        """Each shard has a value of its own; the whole's is made as well."""
        self._own[tensor] = tuple(values)

    # ---- what is read ---------------------------------------------------------------------------

    def whole(self, tensor: Tensor, why: str) -> Tensor:
        """The whole value in the new stage; `why` is what a join reports."""
        partial = self._partial.get(tensor)
        if tensor not in self._is_whole and (partial is not None or tensor in self._cuts):
            if partial is not None:
                joined = combined(self, partial, tensor, self._sums)
            else:
                joined = self._joined(tensor, self._cuts[tensor])
            self._copy.replace(tensor, joined, for_good=True)
            self._is_whole.add(tensor)
            self.joins[joined] = Join(tensor.name, "concat" if partial is None else partial.how, why)
        return self._copy.new(tensor)

    def sum_of(self, tensor: Tensor) -> PartialResult:
        """The parts of a partial sum."""
        return self._partial[tensor]

    def part(self, tensor: Tensor, axis: int, i: int) -> Tensor:
        """The part of shard i, cut along `axis`; what is whole is cut now."""
        cut = self._cuts.get(tensor)
        if cut is None:
            cut = self._cut_again.get((tensor, axis))
        if cut is None:
            cut = self._cut_again[tensor, axis] = self._parts_of(tensor, axis)
        return cut.parts[i]

    def own_of(self, tensor: Tensor, i: int) -> Tensor:
        """The value that shard i computes from its own sizes."""
        return self._own[tensor][i]

    def cut_of(self, tensor: Tensor, state: State) -> ShardParts:
        """The parts of a tensor that is cut, or cut again."""
        found = self._cuts.get(tensor)
        return self._cut_again[tensor, state.axis] if found is None and isinstance(state, Along) else self._cuts[tensor]

    def forget_parts(self, tensor: Tensor) -> None:
        """Nothing may read the parts any more; the whole has been joined."""
        del self._cuts[tensor]

    # ---- making nodes ---------------------------------------------------------------------------

    def emit(
        self, opdef: OpDef[Any, Any], args: Sequence[Any], like: Operation, suffix: str, device: str = "", **more: Any
    ) -> Tensor:
        """The result of a new node, called after `like`, which waits for nothing but its inputs."""
        name = self.named(f"{like.name}.{suffix}")
        return self._copy.emit(opdef, args, (like,), name, controls=(), device=device, **more)[0]

    def named(self, name: str) -> str:
        """A name that no other node has: this one, if it is free."""
        found, number = name, 1
        while found in self._names:
            found, number = f"{name}_{number}", number + 1
        self._names.add(found)
        return found

    def number(self, value: int, like: Operation) -> Tensor:
        """A constant."""
        return self.emit(const, (np.array(value, np.int32),), like, "number")

    def _parts_of(self, tensor: Tensor, axis: int) -> ShardParts:
        whole = self._copy.new(tensor)
        count = len(self.devices)
        return ShardParts(axis, tuple([
            self.emit(shard_of, (whole, axis, i, count), tensor.op, f"shard_{i}", device)
            for i, device in enumerate(self.devices)
        ]))  # fmt: skip

    def _joined(self, tensor: Tensor, cut: ShardParts) -> Tensor:
        if len(cut.parts) == 1:
            return cut.parts[0]
        args = self.number(cut.axis, tensor.op), cut.parts
        return self.emit(concat, args, tensor.op, "joined", outputs=[(tensor.dtype, tensor.shape)])

    # ---- sizes ----------------------------------------------------------------------------------

    def stand_in(self, tensor: Tensor, like: Operation) -> Tensor:
        """A tensor of the shape of the whole, for an op that reads only the shape."""
        if self.is_there(tensor):
            return self._copy.new(tensor)
        found = self._stand_ins.get(tensor)
        if found is None:
            sizes = self._shape_of(tensor, like)
            found = self._stand_ins[tensor] = self.emit(
                only_sizes, (sizes, tensor.dtype), like, "sizes", outputs=[(tensor.dtype, tensor.shape)]
            )
        return found

    def _shape_of(self, tensor: Tensor, like: Operation) -> Tensor:
        dims = tensor.shape.raw
        if dims and all(self._is_fed(dim) for dim in dims):
            return self.emit(pack, (tuple([self._size(dim, like) for dim in dims]),), like, "shape")
        cut = self._cuts[tensor]
        return self.emit(joined_shape, (self.shapes_of(cut.parts, like), cut.axis), like, "shape")

    def shapes_of(self, parts: Sequence[Tensor], like: Operation) -> tuple[Tensor, ...]:
        """The shapes of parts."""
        return tuple([
            self.emit(shape, (part,), like, f"shape_{i}", self.devices[i]) for i, part in enumerate(parts)
        ])  # fmt: skip

    def _is_fed(self, dim: Dim) -> bool:
        """Whether a size follows from the sizes of fed tensors."""
        return isinstance(dim, int) or all(self._feed_with(symbol) is not None for symbol, _ in dim.terms)

    def _feed_with(self, symbol: Symbol) -> tuple[Tensor, int] | None:
        for tensor in self._fed:
            for axis, dim in enumerate(tensor.shape.raw or ()):
                if isinstance(dim, Dimension) and dim.symbol is symbol:
                    return tensor, axis
        return None

    def _size(self, dim: Dim, like: Operation) -> Tensor:
        """A size of the whole, a scalar."""
        if isinstance(dim, int):
            return self.number(dim, like)
        total: Tensor | None = None
        for symbol, count in dim.terms:
            term = self._size_of(symbol, like)
            if count != 1:
                term = self.emit(multiply, (term, self.number(count, like)), like, "multiple")
            total = term if total is None else self.emit(add, (total, term), like, "total")
        assert total is not None
        return total if not dim.const else self.emit(add, (total, self.number(dim.const, like)), like, "total")

    def _size_of(self, symbol: Symbol, like: Operation) -> Tensor:
        found = self._sizes.get(symbol)
        if found is None:
            fed = self._feed_with(symbol)
            assert fed is not None
            tensor, axis = fed
            sizes = self.emit(shape, (tensor,), tensor.op, "shape")
            found = self._sizes[symbol] = self.emit(gather, (sizes, self.number(axis, like)), tensor.op, f"size_{axis}")
        return found
