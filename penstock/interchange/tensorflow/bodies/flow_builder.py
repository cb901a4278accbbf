"""`If` and `While` from the tree of a graph's control flow (`interchange.foreign_flow`).

    cond/Switch ... cond/Merge     If "cond", and an Identity "cond/Merge" of its result
    while/Enter ... while/Exit     While "while", and an Identity "while/Exit" of the last value

So what programs fetch keeps its name. What is inside has a name only inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.serial.error_text import short
from ....graph.serial.loaded_origins import LoadedOrigin
from ....graph.shapes.dtypes import bool_, int32
from ....graph.shapes.shape import TensorShape
from ...foreign_flow.flow_tree import Conditional, FlowLoop, LoopVariable, Merged
from ...foreign_flow.loop_frames import ENTER
from ...foreign_flow.node_index import OutputUse
from ...foreign_flow.stack_roots import nodes_in, stacks_changed
from ..foreign_node import add_operation, outputs_of
from ..import_errors import naming
from ..import_scope import Handle, ImportScope, Kept, Made, Value
from ..wire.tensor_proto import Unsupported
from .body_builder import (
    arguments,
    finished,
    new_body,
    note_awaited,
    note_effects,
    read_block,
    settled_body,
)
from .choice_builder import Choice

FALSE, TRUE = 0, 1


def build_flow(scope: ImportScope, item: Conditional | FlowLoop) -> None:
    """Add a conditional or a loop.

    Raises:
        Unsupported: something inside has no counterpart here. GraphFormatError: something is damaged.
    """
    number = item.predicate.node if isinstance(item, Conditional) else item.variables[0].merge if item.variables else 0
    with naming(scope, number):
        if isinstance(item, Conditional):
            _Branches(scope, item).build()
        else:
            _Iterations(scope, item).build()


def is_plain(value: Value) -> bool:
    """Whether a value is an ordinary tensor, of which there may be an Identity."""
    return isinstance(value, Tensor) and not value.dtype.is_variant and value.op.opdef.facts.state != "holds"


def _identity(scope: ImportScope, node: int, value: Tensor) -> Made:
    """An Identity that has the name of a node; a variant itself."""
    if not is_plain(value):
        return Made(None, (value,))
    proto = scope.index.nodes[node]
    waits = [scope.operation(each) for each in scope.index.controls[node]]
    controls = tuple([op for op in waits if op is not None])
    name = scope.prefix + proto.name
    return outputs_of(add_operation(scope, name, "Identity", (value,), controls, proto.device, _origin(scope, node)))


def _origin(scope: ImportScope, node: int) -> LoadedOrigin:
    return LoadedOrigin(scope.state.file, node + 1, scope.index.nodes[node].op)


class _Branches:
    """The building of one conditional."""

    def __init__(self, scope: ImportScope, item: Conditional) -> None:
        self._scope = scope
        self._item = item
        first = item.results[0].node if item.results else item.predicate.node
        self._origin = _origin(scope, first)
        self._name = scope.prefix + (scope.index.nodes[first].name.rpartition("/")[0] or "cond")
        self._choice = Choice(self._name, self._origin, self._outputs)
        self._likes: dict[OutputUse, Any] = {}
        self._stacks = stacks_changed(item.branches, scope.stack_roots)
        # A Merge has a second output: which of its inputs it gives.
        self._numbers = [m for m in item.results if OutputUse(m.node, 1) in scope.index.second_outputs]

    def build(self) -> None:
        """Add an If, or several where there are more than two branches, and an Identity for each result."""
        scope, item = self._scope, self._item
        predicate = scope.tensor(item.predicate)
        if len(item.branches) == 2:
            op = self._choice.between(scope, predicate, [TRUE], [FALSE])
        else:
            op = self._choice.among(scope, predicate, len(item.branches))
        for block in item.branches:
            scope.holders.update(dict.fromkeys(nodes_in(block), op))
        rest = iter(op.outputs[len(item.results) :])
        for merged, value in zip(item.results, op.outputs, strict=False):
            made = _identity(scope, merged.node, value)
            place = next(rest) if merged in self._numbers else self._place(merged, predicate)
            scope.made[merged.node] = Made(made.op, (*made.outputs, place))
        for (_, use), value in zip(item.kept, rest, strict=False):
            before = scope.made.get(use.node, Made(None, ())).outputs
            outputs: list[Value] = [*before, *[None] * (use.output + 1 - len(before))]
            like = self._likes[use]
            outputs[use.output] = like if isinstance(like, Handle) else Kept(value, *like)
            scope.made[use.node] = Made(None, tuple(outputs))
        note_effects(scope, op, [scope.made[merged.node].op for merged in item.results])
        if self._stacks:
            scope.stacks.update(zip(self._stacks, op.outputs[-len(self._stacks) :], strict=True))

    def _place(self, merged: Merged, predicate: Tensor) -> Tensor | None:
        """Which input of its Merge a result is, where no node of the file asks, but a program may."""
        scope = self._scope
        if scope.is_inside or sorted(merged.places) != [FALSE, TRUE]:
            return None
        name = f"{scope.index.nodes[merged.node].name.removeprefix(self._name + '/')}/value_index"
        chosen = predicate
        if merged.places[TRUE] == 0:
            chosen = self._choice.add(scope, f"{name}/not", "LogicalNot", predicate)
        return self._choice.add(scope, name, "Cast", chosen, int32)

    def _outputs(self, inner: ImportScope, branch: int) -> list[Tensor]:
        """What a branch gives: results, then which input of its Merge each one is, then what is kept."""
        read_block(inner, self._item.branches[branch], build_flow)
        note_awaited(inner, self._item.branches[branch])
        outputs = [inner.tensor(merged.inputs[branch]) for merged in self._item.results]
        for merged in self._numbers:
            outputs.append(self._choice.constant(inner, np.array(merged.places[branch], np.int32)))
        for kept_in, use in self._item.kept:
            outputs.append(self._kept(inner, use, kept_in == branch))
        return [*outputs, *[inner.stack(root) for root in self._stacks]]

    def _kept(self, inner: ImportScope, use: OutputUse, is_here: bool) -> Tensor:
        """A value of this branch as a variant; an empty one for a value of another branch."""
        add = self._choice.add
        if not is_here:
            return add(inner, "kept", "NoVariant", TensorShape(()))
        value = inner.value(use)
        if isinstance(value, Kept):
            self._likes[use] = value.dtype, value.shape
            return inner.admitted(value.variant)
        if isinstance(value, Handle):
            self._likes[use] = value
            return add(inner, "kept", "NoVariant", TensorShape(()))
        tensor = inner.tensor(use)
        dims = tensor.shape.raw
        open_dims = None if dims is None else [d if isinstance(d, int) else None for d in dims]
        self._likes[use] = tensor.dtype, TensorShape(open_dims)
        return add(inner, "kept", "WrapVariant", tensor)


class _Iterations:
    """The building of one loop."""

    def __init__(self, scope: ImportScope, item: FlowLoop) -> None:
        self._scope = scope
        self._item = item
        frame = item.frame.removesuffix("/while_context").removesuffix("while_context") or "while"
        first = item.variables[0].merge if item.variables else item.predicate.node
        around = scope.index.nodes[first].name.rpartition("/")[0]
        self._name = scope.prefix + (around if around.endswith(frame.rpartition("/")[2]) else around or frame)
        self._origin = _origin(scope, first)
        self._stacks = stacks_changed([item.cond, item.body], scope.stack_roots)

    def build(self) -> None:
        """Add a While, and an Identity for each Exit."""
        scope, item = self._scope, self._item
        same = [v for v in item.variables if self._stays(v)]
        changing = [v for v in item.variables if not self._stays(v)]
        given = {n: Made(None, (scope.value(scope.index.data[n][0]),)) for n in item.invariants}
        for variable in same:
            made = Made(None, (scope.value(variable.first),) * 2)
            given |= dict.fromkeys([variable.merge, *([] if variable.switch is None else [variable.switch])], made)
        stacks = self._stacks
        first = [*[scope.tensor(v.first) for v in changing], *[scope.stack(root) for root in stacks]]
        names = [scope.index.nodes[n].name for n in [*[v.merge for v in changing], *stacks]]
        body = settled_body(names, first, lambda shapes: self._body(first, shapes, changing, given), self._empty)
        shapes = [t.shape for t in body.inputs[: len(first)]]
        cond = self._cond(first, shapes, changing, given)
        name = scope.free_name(self._name)
        args = arguments("While", limit=None, operands=first, cond=cond, body=body, variables=len(first))
        op = add_operation(scope, name, "While", tuple(args), (), "", self._origin)
        scope.holders.update(dict.fromkeys([*nodes_in(item.cond), *nodes_in(item.body)], op))
        for variable, value in zip(changing, op.outputs, strict=False):
            for node in variable.exits:
                scope.made[node] = _identity(scope, node, value)
        scope.stacks.update(zip(stacks, op.outputs[len(changing) : len(first)], strict=True))
        self._note_parts(op)
        for variable in same:
            before = scope.value(variable.first)
            for node in variable.exits:
                plain = _identity(scope, node, scope.tensor(variable.first)) if is_plain(before) else None
                scope.made[node] = plain or Made(op, (before,))
        note_effects(scope, op, [scope.made[node].op for variable in item.variables for node in variable.exits])

    def _note_parts(self, op: Operation) -> None:
        """Note what the parts of loop variables are outside of the loop, where programs may ask for them by name: an
        Enter is the first value, the first output of a Switch the last one.
        """
        scope, index = self._scope, self._scope.index
        for variable in self._item.variables:
            scope.holders[variable.merge] = op
            for use in index.data[variable.merge]:
                scope.holders[use.node] = op
                if index.type(use.node) in ENTER:
                    scope.made[use.node] = Made(None, (scope.value(variable.first),))
            if variable.switch is not None:
                last = [scope.made[node].outputs[0] for node in variable.exits if node in scope.made]
                scope.holders[variable.switch] = op
                scope.made[variable.switch] = Made(None, tuple(last[:1]))
        for node in self._item.invariants:
            scope.made[node] = Made(None, (scope.value(index.data[node][0]),))

    def _empty(self) -> Tensor:
        name = self._scope.free_name(f"{self._name}/empty")
        args = (TensorShape(()),)
        return add_operation(self._scope, name, "NoVariant", args, (), "", self._origin).outputs[0]

    def _stays(self, variable: LoopVariable) -> bool:
        """Whether an iteration gives a loop variable the value that it has."""
        use, index = variable.next, self._scope.index
        while index.type(use.node) in ("Identity", "RefIdentity") and index.data[use.node]:
            use = index.data[use.node][0]
        switch = -1 if variable.switch is None else variable.switch
        return use in (OutputUse(variable.merge, 0), OutputUse(switch, 1))

    def _start(
        self, label: str, first: Sequence[Tensor], shapes: Sequence[TensorShape], changing: Sequence[LoopVariable],
        given: dict[int, Made]
    ) -> Any:  # fmt: skip
        body = new_body(self._scope, f"{self._name}/{label}")
        index = self._scope.index
        labels = [index.nodes[n].name.rpartition("/")[2] for n in [*[v.merge for v in changing], *self._stacks]]
        inputs = [body.graph.stand_in(t, label, shape) for label, t, shape in zip(labels, first, shapes, strict=True)]
        body.scope.made.update(given)
        body.scope.stacks.update(zip(self._stacks, inputs[len(changing) :], strict=True))
        for variable, tensor in zip(changing, inputs, strict=False):
            body.scope.made[variable.merge] = Made(None, (tensor,))
            if variable.switch is not None:
                body.scope.made[variable.switch] = Made(None, (None, tensor))
        return body, inputs

    def _body(
        self, first: Sequence[Tensor], shapes: Sequence[TensorShape], changing: Sequence[LoopVariable],
        given: dict[int, Made]
    ) -> SubGraph:  # fmt: skip
        body, inputs = self._start("body", first, shapes, changing, given)
        read_block(body.scope, self._item.body, build_flow)
        note_awaited(body.scope, self._item.body)
        for node in self._item.both:
            made = body.scope.made.get(node)
            if made is not None and made.op is not None and made.op in body.scope.effectful:
                raise Unsupported(f"{short(self._scope.index.nodes[node].name)} has an effect, and both the condition "
                                  "and the body of the loop use it")  # fmt: skip
        after = [body.scope.stack(root) for root in self._stacks]
        return finished(body, inputs, [*[body.scope.tensor(v.next) for v in changing], *after])

    def _cond(
        self, first: Sequence[Tensor], shapes: Sequence[TensorShape], changing: Sequence[LoopVariable],
        given: dict[int, Made]
    ) -> SubGraph:  # fmt: skip
        body, inputs = self._start("cond", first, shapes, changing, given)
        read_block(body.scope, self._item.cond, build_flow)
        goes_on = body.scope.tensor(self._item.predicate)
        if goes_on.dtype is not bool_:
            raise Unsupported(f"the condition of the loop {short(self._name)} is {goes_on.dtype}, not a bool")
        return finished(body, inputs, [goes_on])
