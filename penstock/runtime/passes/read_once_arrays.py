"""Elements of TensorArrays that are used up: who reads them after a read that clears gets an array without them.

A read with `clear_after_read` leaves its operand as it is: the graph is one of values. In TensorFlow the array itself
changes, and a second read in the same run is an error. It is one here too, because the operations of a run that come
later in the order of creation get what the read has left:

    a = Read(t, 0)                a = Read(t, 0)
    b = Read(t, i)          ->    t' = Clear(t, [0])
    c = Stack(t)                  b = Read(t', i)
                                  t'' = Clear(t', i)
                                  c = Stack(t'')

Nothing is inserted where no element can be read twice: after the last use, and between reads at different constant
indices. So an array that one read consumes, as usual in a loop, costs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.building.constant_evaluation import known_value
from ...graph.model.nodes import Operation, Tensor
from ...ops.create.constant_and_placeholder import const
from ...ops.tensor_array.array_reading import array_clear
from ..ir.body_stages import with_bodies
from ..ir.stage import Rebuild, Stage


def with_cleared_elements(stage: Stage) -> Stage:
    """The stage in which elements that are used up are cleared; the same stage if that changes nothing."""
    stage = with_bodies(stage, with_cleared_elements)
    if not any(_uses_up(op) for op in stage.operations):
        return stage
    return _Clearing(stage).run()


def _uses_up(op: Operation) -> bool:
    return bool(op.opdef.facts.uses_up) and bool(op.get_attr("clear"))


class _Clearing:
    """The rewriting of one stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._copy = Rebuild(stage)
        self._known: dict[Tensor, set[int]] = {}
        """Array -> constant indices that were read from it since it was cleared."""
        self._open: dict[Tensor, tuple[Operation, Any]] = {}
        """Array -> a read at indices that are not known (None: all of them) since it was cleared."""
        self._changed = False

    def run(self) -> Stage:
        """The stage with what clears."""
        for op in self._stage.operations:
            indices = _constant_index(op)
            for tensor in dict.fromkeys(op.inputs):
                if not op.opdef.facts.moves:  # an identity passes the array on as it is
                    self._settle(tensor, indices)
            made = self._copy.copy(op)
            if _uses_up(op):
                array = op.inputs[0]
                if indices is None:
                    self._open[array] = (made, _which(made))
                else:
                    self._known.setdefault(array, set()).add(indices)
                    self._open.setdefault(array, (made, ()))
        for tensor in self._stage.fetches:
            self._settle(tensor, None)
        return self._copy.finish() if self._changed else self._stage

    def _settle(self, array: Tensor, index: int | None) -> None:
        """Clear what was read from `array`, before it is used at a constant index, or in another way."""
        if array not in self._open:
            return
        known = self._known.get(array, set())
        reader, which = self._open[array]
        if which == () and index is not None and index not in known:
            return
        del self._open[array]
        self._known.pop(array, None)
        copy = self._copy
        cleared = copy.new(array)
        name = f"{reader.name}/clear"
        if known:
            indices = np.array(sorted(known), np.int32)
            (places,) = copy.emit(const, (indices,), (reader,), f"{name}/indices", controls=())
            (cleared,) = copy.emit(array_clear, (cleared, places), (reader,), name, controls=())
        if which != ():
            (cleared,) = copy.emit(array_clear, (cleared, which), (reader,), name, controls=())
        copy.replace(array, cleared, for_good=True)
        self._changed = True


def _constant_index(op: Operation) -> int | None:
    """The element that a read at a constant index reads; None of all other operations."""
    if op.opdef.facts.uses_up != "index":
        return None
    value = known_value(op.args[1])
    return None if value is None or value.ndim else int(value)


def _which(op: Operation) -> Any:
    """The tensor of indices that an operation reads; None for all elements."""
    parameters = op.opdef.parameters
    name = op.opdef.facts.uses_up
    return op.args[parameters.index(name)] if name in parameters else None
