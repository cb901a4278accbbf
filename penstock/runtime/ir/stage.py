"""`Stage`: the form of a graph between passes.

A stage is a list of operations in topological order, with the tensors that are fed and fetched. Passes never edit an
operation: a changed operation and everything after it are made anew, the rest is shared with the stage before.
Names and origins are kept, so that a stage can be printed and drawn like the graph it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from ...errors import BuildError
from ...graph.building.builder import flatten, infer
from ...graph.building.may_fail import must_run
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.source_location import Origin
from ...graph.declare.op_declaration import OpDef
from ...graph.model.append import append_copy, append_operation, append_placeholder
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim, Dimension, unknown
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank


@dataclass(frozen=True, slots=True)
class StateFeed:
    """An input of a stage that the session gives: the value of a variable at the start of the run.

    Attributes:
        resource: the variable.
        kind: "value"; "asks" for a bool that says whether the variable has a value; "maybe" for its value, or any
            array if it has none; "base" for the value that a write starts from, where a stage has these apart.
    """

    resource: str
    kind: Literal["value", "asks", "maybe", "base"] = "value"


@dataclass(frozen=True, slots=True)
class Stage:
    """The operations of a run after some pass.

    Attributes:
        operations: the operations, in an order in which they can run.
        feeds: the fed tensors; no operation makes them.
        fetches: the tensors to return.
        targets: operations to run for their effects.
        pinned: tensors with a `set_shape` claim; they are kept and checked, because passes rely on the claim.
        pinned_names: the names of these tensors in the user's graph.
        equations: (dimension, size or other dimension, node): relations of named dimensions that static shapes assume.
        state: what the last feeds are, which the session gives: see `passes.versions`.
        written: the variables whose new values the last fetches are.
        places: for each branch or loop of which the first stage leaves out results, by its name, which ones are left.
    """

    operations: tuple[Operation, ...]
    feeds: tuple[Tensor, ...]
    fetches: tuple[Tensor, ...]
    targets: tuple[Operation, ...] = ()
    pinned: tuple[Tensor, ...] = ()
    pinned_names: tuple[str, ...] = ()
    equations: tuple[tuple[Dimension, Dim, str], ...] = ()
    state: tuple[StateFeed, ...] = ()
    written: tuple[str, ...] = ()
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def without_claims(self, lost: Collection[str], is_left: Callable[[Tensor], bool]) -> Stage:
        """The stage without equations of lost nodes, and claims about tensors that are neither fed nor left."""
        fed = set(self.feeds)
        pairs = zip(self.pinned, self.pinned_names, strict=True)
        pinned = [(tensor, name) for tensor, name in pairs if tensor in fed or is_left(tensor)]
        return replace(
            self, pinned=tuple([tensor for tensor, _ in pinned]), pinned_names=tuple([name for _, name in pinned]),
            equations=tuple([each for each in self.equations if each[2] not in lost]),
        )  # fmt: skip

    def fed_fetches(self, count: int) -> frozenset[int]:
        """The places of the fetches that are among the first `count` feeds."""
        fed = set(self.feeds[:count])
        return frozenset([place for place, tensor in enumerate(self.fetches) if tensor in fed])


def held_operations(stage: Stage) -> set[Operation]:
    """The operations that others wait for, and those that run for their effects."""
    return {*stage.targets, *[control for op in stage.operations for control in op.control_inputs]}


class TensorReaders:
    """What reads the tensors of a stage, and what something else than an operand needs.

    Attributes:
        kept: the tensors that are fed, fetched, or claimed.
        held: see `held_operations`.
    """

    def __init__(self, stage: Stage) -> None:
        self._readers: dict[Tensor, list[Operation]] = {}
        for op in stage.operations:
            for tensor in op.inputs:
                self._readers.setdefault(tensor, []).append(op)
        self.kept: set[Tensor] = {*stage.fetches, *stage.pinned, *stage.feeds}
        self.held: set[Operation] = held_operations(stage)

    def of(self, tensor: Tensor) -> list[Operation]:
        """The readers, one for each operand."""
        return self._readers.get(tensor, [])

    def only(self, tensor: Tensor) -> Operation | None:
        """What reads the tensor, if nothing else needs it and it is read once."""
        readers = self.of(tensor)
        return readers[0] if len(readers) == 1 and tensor not in self.kept else None


@dataclass(slots=True)
class Note:
    """One action or refusal of a pass.

    Attributes:
        rule: the rule, or the pass.
        node: the node.
        applied: True for an action, False for a refusal.
        reason: why it was refused; of an action what was done with the node, where that is not one thing.
        into: the node into which `node` was merged.
    """

    rule: str
    node: str
    applied: bool
    reason: str = ""
    into: str = ""

    def __str__(self) -> str:
        if not self.applied:
            return f"{self.rule} not at {self.node}: {self.reason}"
        return f"{self.rule}: {self.node} with {self.into}" if self.into else f"{self.rule}: {self.node}"


@dataclass(slots=True)
class Notes:
    """The notes of one pass."""

    notes: list[Note] = field(default_factory=list)

    def applied(self, rule: str, node: str, into: str = "", action: str = "") -> None:
        """Note that `rule` changed `node`, or put it into the node `into`; `action` says what was done."""
        self.notes.append(Note(rule, node, True, action, into))

    def refused(self, rule: str, node: str, reason: str) -> None:
        """Note a near miss: `rule` matched `node` but was refused because of `reason`."""
        self.notes.append(Note(rule, node, False, reason))


def _of_feed(dim: Dim, tensor: Tensor) -> Dim:
    if isinstance(dim, int) or dim.is_named:
        return dim
    return unknown("it is fed", tensor)


class Rebuild:
    """A new stage under construction: nodes are copied with replaced inputs, or emitted anew.

    A node with unchanged inputs is shared with the stage before.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.graph = Graph()
        self.operations: list[Operation] = []
        self._tensors: dict[Tensor, Tensor] = {}
        self._ops: dict[Operation, Operation | None] = {}
        self._fed = frozenset(stage.feeds)
        self._settled = set(stage.feeds)  # a fed tensor stays what is fed, although its node may run for other results
        self._covered: set[Operation] = set()

    def new(self, old: Tensor) -> Tensor:
        """The tensor that replaces `old`."""
        return self._tensors.get(old, old)

    def replace(self, old: Tensor, new: Tensor, for_good: bool = False) -> None:
        """Replace `old` by `new` in nodes that follow; with `for_good` even after the node of `old` is copied."""
        if new is not old:
            self._tensors[old] = new
        if for_good:
            self._settled.add(old)

    def drop(self, op: Operation, instead: Operation | None = None) -> None:
        """Leave `op` out. Nodes that waited for it wait for `instead`, or else for what `op` itself waited for."""
        self._ops[op] = instead

    def drop_all(self, operations: Iterable[Operation], instead: Operation) -> None:
        """Leave `operations` out. Nodes that waited for one of them wait for `instead`."""
        self._ops.update(dict.fromkeys(operations, instead))

    def settle(
        self, op: Operation, results: Iterable[Tensor], instead: Operation | None = None,
        places: Sequence[Tensor] | None = None,
    ) -> None:  # fmt: skip
        """Let `results` stand for those of `op`, or for `places` among them, for good; `instead` as in `drop`."""
        self.drop(op, instead)
        for old, new in zip(op.outputs if places is None else places, results, strict=True):
            if old not in self._fed:
                self.replace(old, new, for_good=True)

    def cover(self, operations: Iterable[Operation]) -> None:
        """Note that `operations` need not run for their errors, because their replacements make the same checks."""
        self._covered.update(operations)

    def placeholder_for(self, tensor: Tensor) -> Tensor:
        """A placeholder with the dtype and shape of `tensor`. It is a feed, not an operation of the stage.

        Sizes without a name are unknown anew: a computed tensor may have the size of another one, a feed need not.
        """
        name = f"{tensor.op.name}.fed_{tensor.value_index}"
        dims = tensor.shape.raw
        shape = tensor.shape if dims is None else shape_of([_of_feed(dim, tensor) for dim in dims])
        return append_placeholder(self.graph, tensor.dtype, shape, name, tensor.op.origins)

    def copy(
        self,
        op: Operation,
        infer_again: bool = False,
        also: Sequence[Operation] = (),
        bodies: tuple[SubGraph, ...] | None = None,
    ) -> Operation:
        """A copy of `op` with replaced inputs; `op` itself if nothing changed.

        Args:
            op: the operation.
            infer_again: True to infer the shapes of a changed node from its new inputs.
            also: operations whose origins the copy carries too.
            bodies: graphs that replace those inside `op`.
        """
        stands = self._tensors
        inputs = tuple([stands.get(t, t) for t in op.inputs])
        controls = self.controls(op) if op.control_inputs else ()
        if not also and bodies is None and inputs == op.inputs and controls == op.control_inputs:
            self.operations.append(op)
            return op
        args = inputs if op.opdef.is_plain else tuple([self.argument(a) for a in op.args])
        if bodies is not None:
            held = dict(zip(op.opdef.bodies, bodies, strict=True))
            args = tuple([held.get(i, arg) for i, arg in enumerate(args)])
        if infer_again:
            outputs = _inferred(op, args)
            replacement = self._append(op.opdef, args, inputs, outputs, op.name, op.origins, controls, op.device)
        else:
            replacement = append_copy(self.graph, op, args, inputs, controls)
            self.operations.append(replacement)
        if also:
            replacement.origins = merged_origins((op, *also))
        for old, new in zip(op.outputs, replacement.outputs, strict=True):
            if old not in self._settled:
                self._tensors[old] = new
        self._ops[op] = replacement
        return replacement

    def emit(
        self,
        opdef: OpDef[Any, Any],
        args: Sequence[Any],
        like: Sequence[Operation],
        name: str | None = None,
        outputs: Sequence[tuple[DType, TensorShape]] | None = None,
        controls: tuple[Operation, ...] | None = None,
        device: str | None = None,
    ) -> tuple[Tensor, ...]:
        """A new node that replaces the operations `like` and carries all their origins.

        The op's rules infer its dtypes and shapes, unless `outputs` gives them. It waits for what those waited for,
        unless `controls` says otherwise, and has the device of the last one, unless `device` does.
        """
        bound = list(args)
        if outputs is None:
            inputs, outputs = infer(opdef, bound)
        else:
            inputs = flatten(opdef, bound)
        origins = merged_origins(like)
        if controls is None:
            controls = tuple(dict.fromkeys(c for op in like for c in self.controls(op)))
        made = self._append(opdef, inputs if opdef.is_plain else tuple(bound), inputs, outputs, name or like[-1].name,
                            origins, controls, like[-1].device if device is None else device)  # fmt: skip
        return made.outputs

    def finish(self, also: Sequence[Tensor] = ()) -> Stage:
        """The new stage without unused operations; `also` are fetches that it has in addition, after the others.

        An unused operation that may fail, or that has effects, becomes a target.
        """
        stage = self.stage
        fetches = (*[self.new(t) for t in stage.fetches], *also)
        targets = tuple(dict.fromkeys(t for t in (self._op(op) for op in stage.targets) if t is not None))
        pinned = tuple(self.new(t) for t in stage.pinned)
        kept = needed(self.operations, (*fetches, *pinned), targets, stage.feeds)
        lost = _unused_but_needed(self.operations, kept, self._covered) if len(kept) < len(self.operations) else ()
        if lost:
            targets += lost
            kept = needed(self.operations, (*fetches, *pinned), targets, stage.feeds)
        return replace(stage, operations=kept, fetches=fetches, targets=targets, pinned=pinned)

    def _append(
        self,
        opdef: OpDef[Any, Any],
        args: tuple[Any, ...],
        inputs: tuple[Tensor, ...],
        outputs: Any,
        name: str,
        origins: tuple[Origin, ...],
        controls: tuple[Operation, ...],
        device: str,
    ) -> Operation:
        op = append_operation(self.graph, opdef, args, inputs, outputs, name, origins)
        op.control_inputs = controls
        op.device = device
        self.operations.append(op)
        return op

    def argument(self, arg: Any) -> Any:
        """An argument of an operation with replaced tensors."""
        return with_tensors(arg, self.new)

    def controls(self, op: Operation) -> tuple[Operation, ...]:
        """What stands for the operations that `op` waits for."""
        if not op.control_inputs:
            return ()
        found: dict[Operation, None] = {}
        waiting = list(reversed(op.control_inputs))  # the next one last: an initialiser may have 100,000
        while waiting:
            control = waiting.pop()
            stands = self._ops.get(control, control)
            if stands is not None:
                found[stands] = None
            else:
                waiting.extend(reversed(control.control_inputs))
        return tuple(found)

    def _op(self, op: Operation) -> Operation | None:
        return self._ops.get(op, op)


def with_tensors(arg: Any, new: Callable[[Tensor], Tensor]) -> Any:
    """An argument of an operation with `new(t)` for each tensor t in it."""
    if isinstance(arg, Tensor):
        return new(arg)
    return tuple([new(t) for t in arg]) if isinstance(arg, tuple) and arg and isinstance(arg[0], Tensor) else arg


def free_name(names: set[str], base: str, mark: str = "_") -> str:
    """A name that no node has, which is then taken: `base`, or with the mark and a number behind it."""
    name, number = base, 1
    while name in names:
        name, number = f"{base}{mark}{number}", number + 1
    names.add(name)
    return name


def _unused_but_needed(
    operations: Sequence[Operation], kept: Sequence[Operation], covered: set[Operation]
) -> tuple[Operation, ...]:
    """The unused operations that must run all the same; operations that they need are not listed."""
    needed_anyway = set(kept)
    lost: list[Operation] = []
    for op in reversed(operations):
        if op not in needed_anyway:
            if op in covered or not must_run(op):
                continue
            lost.append(op)
        needed_anyway.update([t.op for t in op.inputs])
        needed_anyway.update(op.control_inputs)
    return tuple(reversed(lost))


def _inferred(op: Operation, args: Sequence[Any]) -> Sequence[tuple[DType, TensorShape]]:
    try:
        return infer(op.opdef, list(args))[1]
    except BuildError:  # with less known a rule may refuse what it allowed before; the run decides
        return [(t.dtype, unknown_rank("a tensor before it is fed in this run")) for t in op.outputs]


def merged_origins(operations: Iterable[Operation]) -> tuple[Origin, ...]:
    """The origins of all, each once."""
    tuples = {id(op.origins): op.origins for op in operations}  # nodes made at one line share their origins
    return tuple(dict.fromkeys([origin for origins in tuples.values() for origin in origins]))


def needed(
    operations: Sequence[Operation], fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]
) -> tuple[Operation, ...]:
    """The operations that fetches and targets need, in the same order."""
    fed = set(feeds)
    wanted: set[Operation] = set(targets)
    wanted.update(t.op for t in fetches if t not in fed)
    kept: list[Operation] = []
    for op in reversed(operations):
        if op in wanted:
            kept.append(op)
            wanted.update([t.op for t in op.inputs if t not in fed])
            wanted.update(op.control_inputs)
    kept.reverse()
    return tuple(kept)


def needed_as_operands(stage: Stage) -> set[Operation]:
    """The operations whose values the fetches need."""
    fed = set(stage.feeds)
    wanted = {t.op for t in stage.fetches if t not in fed}
    for op in reversed(stage.operations):
        if op in wanted:
            wanted.update([t.op for t in op.inputs if t not in fed])
    return wanted
