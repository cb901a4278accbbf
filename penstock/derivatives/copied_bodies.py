"""Copies of bodies in which derivatives are built, and the graphs that are cut from them.

The gradient of a branch or a loop starts from a copy of the body, an `InnerGraph` of its own. The backward graph is
built there, so that rules find the tensors of the forward pass. Then two graphs are cut out of it: the forward part,
which gives more results than before, and the backward part, whose inputs are these results.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ..graph.building.capturing import InnerGraph
from ..graph.common.source_location import user_origins
from ..graph.declare.effects import effects_of
from ..graph.model.append import append_copy, append_placeholder
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import SubGraph, effects_within
from ..graph.shapes.shape import TensorShape
from .gradient_paths import has_rule, is_differentiable


class CopiedBody(InnerGraph):
    """A copy of a body, to which a backward graph can be added.

    Attributes:
        copies: tensor of the body -> its copy.
        inputs: the copies of the body's inputs, in their order; those of captures capture the same tensors.
    """

    def __init__(self, outer: Graph, name: str, body: SubGraph, operands: Sequence[Tensor], captured: int) -> None:
        """captured: how many of the last operands are captures. operands: those that the body's inputs stand for."""
        super().__init__(outer, outer.claim_scope(name))
        self._of = body.inputs[0].graph if body.inputs else body.operations[0].graph if body.operations else self
        self.copies: dict[Tensor, Tensor] = {}
        self._ops: dict[Operation, Operation] = {}
        own = len(body.inputs) - captured
        for i, inner in enumerate(body.inputs):
            self.copies[inner] = self._input(inner, None if i < own else operands[i])
        self.inputs = [self.copies[inner] for inner in body.inputs]
        for op in body.operations:
            self._copy(op)
        self.body = body
        self.forward_end = len(self)

    def _input(self, inner: Tensor, operand: Tensor | None) -> Tensor:
        """The copy of an input, under its name; `operand`: the tensor that it captures."""
        if operand is not None and operand in self.captured:
            return self.captured[operand]
        shape = inner.shape if operand is None else operand.shape
        made = append_placeholder(self, inner.dtype, shape, inner.op.name, inner.op.origins)
        if operand is not None:
            self.captured[operand] = made
            self.outside[made] = operand
        return made

    def given(self, like: Tensor, shape: TensorShape) -> Tensor:
        """A new input of the dtype of `like`."""
        with self.lock:
            name = self.names.unique(f"{self.scope}/{like.op.name.rpartition('/')[2]}")
            return append_placeholder(self, like.dtype, shape, name, user_origins())

    def admits(self, element: Tensor | Operation) -> bool:
        """As of any body; what belongs to the body that was copied has its copy here."""
        return element.graph is self._of or element in self.copies or super().admits(element)

    def admit(self, tensor: Tensor) -> Tensor:
        """The copy of a tensor of the body; else as of any body."""
        found = self.copies.get(tensor)
        return super().admit(tensor) if found is None else found

    def counterpart(self, tensor: Tensor) -> Tensor:
        """The copy of a tensor of the body."""
        return self.copies.get(tensor, tensor)

    def is_forward(self, op: Operation) -> bool:
        """Whether an operation can run in the forward pass: it is a copy, or extends one."""
        return op.index < self.forward_end or bool(op.opdef.facts.extends and op.get_attr("extends"))

    def _copy(self, op: Operation) -> None:
        stands = self.copies
        inputs = tuple([stands[t] for t in op.inputs])
        args = inputs if op.opdef.is_plain else tuple([_replaced(arg, stands) for arg in op.args])
        made = append_copy(self, op, args, inputs, tuple([self._ops[c] for c in op.control_inputs if c in self._ops]))
        self._ops[op] = made
        stands.update(zip(op.outputs, made.outputs, strict=True))
        own = op.graph.own_gradients.get(op)
        if own is not None:
            self.own_gradients[made] = own

    def cut(
        self,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        captures: Sequence[Tensor],
        like: SubGraph | None = None,
    ) -> SubGraph:
        """The graph that gives `outputs`, from inputs that may be computed tensors, and from captures.

        Args:
            inputs: where the graph starts.
            outputs: what it gives.
            captures: the outer tensors of which the stand-ins are inputs after the others.
            like: the body whose effects and claims it has; None for a backward graph.
        """
        stand_ins = [self.captured[t] for t in captures]
        kept = self._needed([*inputs, *stand_ins], outputs, () if like is None else like.targets, like is None)
        inside = {op.name for op in kept}
        pinned = () if like is None else tuple(zip(like.pinned, like.pinned_names, strict=True))
        equations = [(dim, size, op.name) for op, dim, size in self.equations if op.name in inside]
        return SubGraph(
            operations=tuple(kept),
            inputs=(*inputs, *stand_ins),
            outputs=tuple(outputs),
            effects=effects_within(kept),
            captures=tuple(captures),
            targets=() if like is None else tuple([self._ops[op] for op in like.targets]),
            pinned=tuple([self.copies[t] for t, _ in pinned]),
            pinned_names=tuple([name for _, name in pinned]),
            equations=(*(() if like is None else like.equations), *equations),
            name=self.scope if like is None else like.name,
        )

    def _needed(
        self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], targets: Sequence[Operation], is_backward: bool
    ) -> list[Operation]:
        """The operations of a cut graph, in order; what a backward graph waits for in the forward pass has run then."""
        given = set(inputs)
        needed: set[Operation] = {self._ops[op] for op in targets}
        waiting = [*needed, *[t.op for t in outputs if t not in given]]
        seen: set[Operation] = set()
        while waiting:
            op = waiting.pop()
            if op in seen:
                continue
            seen.add(op)
            waiting += [t.op for t in op.inputs if t not in given]
            waiting += [
                c for c in op.control_inputs
                if not c.opdef.facts.must_feed and not (is_backward and self.is_forward(c))
            ]  # fmt: skip
        return sorted(seen, key=lambda op: op.index)


def rewired(
    body: SubGraph,
    stands: dict[Tensor, Tensor],
    before: Sequence[Operation],
    names: Mapping[Operation, str] = MappingProxyType({}),
) -> SubGraph:
    """A cut graph in which other tensors stand for some; the operations `before` make them. `names`: new names.

    Its operations wait for those inside only.
    """
    graph = Graph()
    inside = {*before, *body.operations}
    changed = dict(stands)
    ops: dict[Operation, Operation] = {}
    operations: list[Operation] = list(before)
    for op in body.operations:
        controls = tuple([ops.get(c, c) for c in op.control_inputs if c in inside])
        is_same = not any(t in changed for t in op.inputs) and controls == op.control_inputs
        if is_same and op not in names:
            operations.append(op)
            continue
        inputs = tuple([changed.get(t, t) for t in op.inputs])
        full = {t: changed.get(t, t) for t in op.inputs}
        args = inputs if op.opdef.is_plain else tuple([_replaced(arg, full) for arg in op.args])
        made = ops[op] = append_copy(graph, op, args, inputs, controls)
        made.name = names.get(op, op.name)
        changed.update(zip(op.outputs, made.outputs, strict=True))
        operations.append(made)
    outputs = tuple([changed.get(t, t) for t in body.outputs])
    return replace(body, operations=tuple(operations), outputs=outputs)


def with_own_inputs(body: SubGraph) -> SubGraph:
    """A cut graph whose inputs are placeholders, and whose operations have names of its own scope.

    What made one of the inputs is not seen from inside. The body that was copied has the old names.
    """
    graph = Graph()
    prefix = f"{body.name}/"
    taken = {op.name for op in (*body.operations, *[t.op for t in body.inputs]) if op.name.startswith(prefix)}
    stands: dict[Tensor, Tensor] = {}
    inputs = []
    for tensor in body.inputs:
        found = tensor
        if not tensor.op.opdef.facts.must_feed or not tensor.op.name.startswith(prefix):
            name = _own_name(tensor.op.name, prefix, taken)
            found = append_placeholder(graph, tensor.dtype, tensor.shape, name, tensor.op.origins)
        if found is not tensor:
            stands[tensor] = found
        inputs.append(found)
    renamed = {op: _own_name(op.name, prefix, taken) for op in body.operations if not op.name.startswith(prefix)}
    return replace(rewired(body, stands, (), renamed), inputs=tuple(inputs))


def _own_name(name: str, prefix: str, taken: set[str]) -> str:
    """A name in the scope `prefix`, ending as `name` does."""
    base = found = prefix + name.rpartition("/")[2]
    number = 1
    while found in taken:
        found, number = f"{base}_{number}", number + 1
    taken.add(found)
    return found


def _replaced(arg: object, stands: dict[Tensor, Tensor]) -> object:
    if isinstance(arg, Tensor):
        return stands[arg]
    if isinstance(arg, tuple) and arg and isinstance(arg[0], Tensor):
        return tuple([stands[t] for t in arg])
    return arg


def sources(ys: Sequence[Tensor], xs: Collection[Tensor]) -> set[Tensor]:
    """Those of `xs` on which `ys` depend through operations with gradients."""
    x_sources: set[Tensor] = set()
    seen: set[Tensor] = set()
    waiting = [y for y in ys if is_differentiable(y.dtype)]
    while waiting:
        tensor = waiting.pop()
        if tensor in seen:
            continue
        seen.add(tensor)
        if tensor in xs:
            x_sources.add(tensor)
        elif has_rule(tensor.op):
            waiting += [t for t in tensor.op.inputs if is_differentiable(t.dtype)]
    return x_sources


def needed_forward(
    copied: CopiedBody, outputs: Sequence[Tensor], own: Collection[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """What a backward graph needs: (values of the forward pass to save, outer tensors that it captures).

    A constant is made again, and so is what is computed from captures alone, unless it waits for something: then its
    value is saved, so that what it waits for runs once, in the forward pass, whenever the gradient needs the value.

    Args:
        copied: the graph.
        outputs: the results of the backward graph.
        own: its inputs.
    """
    outer = {inner: outside for outside, inner in copied.captured.items()}
    again = _from_captures(copied, set(outer))
    saved: dict[Tensor, None] = {}
    captures: dict[Tensor, None] = {}
    seen: set[Tensor] = set()
    waiting = list(reversed(outputs))
    while waiting:
        tensor = waiting.pop()
        if tensor in seen or tensor in own:
            continue
        seen.add(tensor)
        if tensor in outer:
            captures[outer[tensor]] = None
        elif copied.is_forward(tensor.op) and tensor.op not in again:
            saved[tensor] = None
        else:
            waiting += reversed(tensor.op.inputs)
    return list(saved), list(captures)


def _from_captures(copied: CopiedBody, captured: Collection[Tensor]) -> set[Operation]:
    """The operations of the forward pass that depend on captures and constants alone, and give the same again."""
    found: set[Operation] = set()
    placeholders = {t.op for t in copied.inputs if t not in captured}
    for op in copied.get_operations():
        if op in placeholders or op.opdef.facts.must_feed or not copied.is_forward(op):
            continue
        if op.control_inputs or op.opdef.bodies or not effects_of(op).is_pure:
            continue
        if all(t in captured or t.op in found for t in op.inputs):
            found.add(op)
    return found


