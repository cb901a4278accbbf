"""Moves before elementwise operations: slice(f(x)) becomes f(slice(x)), where that saves a pass over many elements.

A slice, a reverse, a transpose or a split of what a group computes is a second pass, and what it leaves out is
computed in vain. Groups read such views of their operands where they lie, so the move costs nothing in front of the
group. The same holds for rows that are gathered.

A split or an unpack with parts that are not read is the gradient of a concat or stack of which only some values
have a gradient. Only the parts that are read are computed then: whatever reads what, if all of it ends in the split.
Where the operand is a join of such parts itself, they are read where they come from.

Law: an elementwise operation computes each element from the elements at its own place, so moving the operands is moving
the result. Operations are moved past that nothing else reads, and that cannot fail for elements which are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...graph.building.may_fail import why_it_may_fail
from ...graph.declare.effects import effects_of
from ...graph.model.nodes import Operation, Tensor
from ..ir.stage import Notes, Rebuild, Stage, TensorReaders, free_name
from .rules.cuts import CutOfConcat
from .rules.join_split import SplitConcat, SplitSizesConcat, UnpackPack
from .simplify import Simplify

FEWEST: Final = 1 << 17
"""The fewest bytes of what is moved: below, the second pass finds it in the cache."""
MOST_OPERANDS: Final = 4
"""The most operands that are moved instead of one result."""
MOST_SHARED: Final = 64
"""The most operations that are looked at for a split with parts that are not needed."""
_OF_JOINS: Final = Simplify((SplitConcat(), SplitSizesConcat(), UnpackPack(), CutOfConcat()))


def with_moves_first(stage: Stage, notes: Notes) -> Stage:
    """The stage with moves of many computed elements before the computation."""
    if not any(_may_be_first(op) for op in stage.operations):
        return stage
    search = _MoveSearch(stage)
    chains = {op: chain for op in stage.operations if _may_be_first(op) and (chain := search.chain(op)) is not None}
    if not chains:
        return stage
    copy = Rebuild(stage)
    names = {op.name for op in stage.operations}
    for op in stage.operations:
        chain = chains.get(op)
        if chain is None:
            copy.copy(op)
            continue
        _emit(copy, names, op, chain, search.used(op))
        notes.applied("moves-first", op.name)
    return _OF_JOINS.run(copy.finish(), Notes())


def _may_be_first(op: Operation) -> bool:
    """Whether an operation moves many elements of one operand to results of known sizes."""
    if not op.opdef.facts.moves or _place(op) is None:
        return False
    moved = _moved(op)
    sizes = [_elements(t) for t in (moved, *op.outputs)]
    if None in sizes or moved.dtype.holds_objects or (sizes[0] or 0) * moved.dtype.size < FEWEST:
        return False
    return sum([size or 0 for size in sizes[1:]]) <= (sizes[0] or 0)


def _place(op: Operation) -> int | None:
    """The place in the signature of the operand of which the results are views, or rows; None if it is not one tensor.
    """
    facts = op.opdef.facts
    if facts.picks:
        return 0 if op.opdef.boxes_rule is not None else None
    places = {place for number in range(len(op.outputs)) for place in facts.sharing.viewed_by(number)}
    if len(places) != 1:
        return None
    (place,) = places
    return place if isinstance(op.args[place], Tensor) else None


def _moved(op: Operation) -> Tensor:
    place = _place(op)
    assert place is not None  # the caller looked
    tensor: Tensor = op.args[place]
    return tensor


def _elements(tensor: Tensor) -> int | None:
    return tensor.shape.num_elements() if tensor.shape.is_known else None


class _MoveSearch:
    """What may be moved past what."""

    def __init__(self, stage: Stage) -> None:
        self._readers = TensorReaders(stage)
        self._fetched = set(stage.fetches)

    def chain(self, op: Operation) -> dict[Operation, None] | None:
        """The operations that `op` is moved past, the last one first; None if it stays where it is."""
        if not self._is_alone(op) or not (op.opdef.facts.picks or why_it_may_fail(op) is None):
            return None
        used = self.used(op)
        if not used:
            return None
        start = _moved(op)
        if len(used) < len(op.outputs):
            return self._shared_chain(op, start)
        if not op.opdef.facts.picks and not all(map(self._is_copied, op.outputs)):
            return None
        chain: dict[Operation, None] = {}
        operands: dict[Tensor, None] = {}
        waiting = [start]
        while waiting:
            tensor = waiting.pop()
            source = tensor.op
            if self._readers.only(tensor) is not None and self._computes(source, start):
                chain[source] = None
                waiting += [t for t in source.inputs if t.shape.raw]
            elif tensor.shape.raw == start.shape.raw:
                operands[tensor] = None
            elif not op.opdef.facts.picks or (tensor.shape.ndims or 0) >= (start.shape.ndims or 0):
                return None
        return chain if chain and len(operands) <= MOST_OPERANDS else None

    def used(self, op: Operation) -> list[int]:
        """The results of an operation that are needed."""
        return [i for i, tensor in enumerate(op.outputs) if tensor in self._fetched or self._readers.of(tensor)]

    def _shared_chain(self, op: Operation, start: Tensor) -> dict[Operation, None] | None:
        """As `chain`, but several operations of it may read one result, since all of it is computed for a part only."""
        chain: dict[Operation, None] = {}
        waiting = [start]
        while waiting:
            tensor = waiting.pop()
            if tensor in self._readers.kept or tensor.op in chain or not self._computes(tensor.op, start):
                continue
            chain[tensor.op] = None
            waiting += [t for t in tensor.op.inputs if t.shape.raw]
            if len(chain) > MOST_SHARED:
                return None
        while True:
            inside = {op, *chain}
            outside = [each for each in chain if not inside.issuperset(self._readers.of(each.outputs[0]))]
            if not outside:
                break
            for each in outside:
                del chain[each]
        if start.op not in chain:
            return None
        operands = {t: None for each in chain for t in each.inputs if t.shape.raw and t.op not in chain}
        fit = all(t.shape.raw == start.shape.raw for t in operands)
        return chain if fit and len(operands) <= MOST_OPERANDS else None

    def _is_alone(self, op: Operation) -> bool:
        """Whether nothing fixes the place of an operation but its operands."""
        pure = effects_of(op).is_pure and not op.control_inputs and not op.device
        return pure and op not in self._readers.held and self._readers.kept.isdisjoint({*op.outputs} - self._fetched)

    def _is_copied(self, tensor: Tensor) -> bool:
        """Whether a view is copied for the caller, or read by elementwise operations only."""
        readers = self._readers.of(tensor)
        return (tensor in self._fetched or bool(readers)) and all(each.opdef.facts.elementwise for each in readers)

    def _computes(self, op: Operation, like: Tensor) -> bool:
        """Whether an operation computes one result of that shape element by element, and cannot fail."""
        opdef = op.opdef
        if not opdef.facts.elementwise or not opdef.is_tensorwise or not op.inputs or not self._is_alone(op):
            return False
        if opdef.fuse_rule is not None and opdef.fuse_rule(*op.args) is not None:
            return False
        known = all(_elements(t) is not None for t in op.inputs)
        return known and op.outputs[0].shape.raw == like.shape.raw and why_it_may_fail(op) is None


def _emit(
    copy: Rebuild, names: set[str], op: Operation, chain: Mapping[Operation, None], used: Sequence[int]
) -> None:
    """Add `op` on the operands of the chain, and the chain on its used results, once for each."""
    place, start = _place(op), _moved(op)
    moved: dict[Tensor, tuple[Tensor, ...]] = {}
    known: dict[tuple[Tensor, int], Tensor] = {}

    def computed(tensor: Tensor, number: int) -> Tensor:
        key = tensor, number
        if key not in known:
            known[key] = made(tensor, number)
        return known[key]

    def made(tensor: Tensor, number: int) -> Tensor:
        if tensor.op in chain:
            source = tensor.op
            args = [computed(arg, number) if isinstance(arg, Tensor) else arg for arg in source.args]
            if tensor is not start:
                return copy.emit(source.opdef, args, (source,), free_name(names, source.name))[0]
            result = op.outputs[number]
            name = op.name if number == used[0] else free_name(names, f"{op.name}.{number}")
            return copy.emit(source.opdef, args, (source, op), name, [(tensor.dtype, result.shape)])[0]
        if tensor.shape.raw != start.shape.raw:
            return copy.new(tensor)
        if tensor not in moved:
            args = [copy.argument(arg) for arg in op.args]
            args[place or 0] = copy.new(tensor)
            moved[tensor] = copy.emit(op.opdef, args, (op,), free_name(names, f"{op.name}.{op.opdef.default_name}"))
        return moved[tensor][number]

    results = [(op.outputs[number], computed(start, number)) for number in used]
    copy.drop(op)
    for old, new in results:
        copy.replace(old, new)
