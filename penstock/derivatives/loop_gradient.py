"""The gradient of `While`: a loop that goes back through the iterations.

Its loop variables are the gradients of the loop variables and, for each capture, the sum of the gradients of all
iterations. A gradient of rows of a capture is stacked instead, so that it stays an `IndexedSlices`. What an iteration
needs from the forward pass it gets by rows: an extended copy of the loop stacks these values. Rows of the forward loop
are given by rows again; gradients of rows are stacked.

    forward     (h, rows x)             -> h,  stacks of h before each iteration
    backward    (dh, dw, rows h, x)     -> dh, dw, stacks of dx          in the reverse order
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from ..graph.building.capturing import InnerGraph, subgraph
from ..graph.model.default_graph import target_graph
from ..graph.model.indexed_slices import IndexedSlices
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import SubGraph
from ..ops.control.while_op import always_goes_on, keeps_shape, while_op
from ..ops.create.constant_and_placeholder import constant
from ..ops.declare.held_graphs import means_the_same, outer_symbols
from ..ops.tensor_array.variant_boxing import unwrap, wrap
from ..ops.tensor_array.variant_sums import summed
from . import rule_namespace as vocabulary
from .backward import Backward
from .copied_bodies import CopiedBody, needed_forward, rewired, sources, with_own_inputs
from .gradient_paths import is_differentiable
from .gradient_sums import Gradient, dense


def gradient_of_loop(op: Operation, gs: Sequence[Any], wanted: Collection[Tensor]) -> list[Any]:
    """The gradients of the inputs of a loop, from those of its outputs; None where there is none, or it is not wanted.
    """
    if not op.get_attr("back_prop"):
        return [None] * len(op.inputs)
    return _LoopGradient(op, gs, wanted).built()


def latest(op: Operation) -> Operation:
    """The last extended copy of an operation, itself if there is none."""
    found = op
    for other in op.graph.operations_since(op.index + 1):
        if other.opdef.facts.extends and op.name in other.get_attr("extends"):
            found = other
    return found


class _LoopGradient:
    """The gradient of one loop."""

    def __init__(self, op: Operation, gs: Sequence[Gradient | None], wanted: Collection[Tensor]) -> None:
        self._op = op
        base = latest(op)
        self._base = base
        self._limit, self._operands, self._cond, self._body = base.args[:4]
        self._count, self._rows, self._reverse = base.args[4:7]
        self._stacks = len(op.outputs) - 1 - self._count
        self._gs = gs
        self._wanted = [t in wanted and is_differentiable(t.dtype) for t in self._operands]
        self._captured = len(self._operands) - self._count - self._rows

    def built(self) -> list[Any]:
        """A gradient for each input of the operation, or None."""
        op, count, rows = self._op, self._count, self._rows
        carried = self._carried()
        stacked = [i for i in range(self._stacks) if self._gs[count + i] is not None]
        reached = sources(
            [*[self._body.outputs[i] for i in carried], *[self._body.outputs[count + i] for i in stacked]],
            {t for t in self._body.inputs if is_differentiable(t.dtype)},
        )
        inputs = self._body.inputs
        of_rows = [i for i in range(count, count + rows) if self._wanted[i] and inputs[i] in reached]
        of_captures = [i for i in range(count + rows, len(inputs)) if self._wanted[i] and inputs[i] in reached]
        none = [None] * (len(op.inputs) - len(self._operands))
        if not carried and not of_rows and not of_captures:
            return [*none, *[None] * len(self._operands)]
        found = self._backward_loop(carried, stacked, of_rows, of_captures)
        return [*none, *[found.get(i) for i in range(len(self._operands))]]

    def _carried(self) -> list[int]:
        """The loop variables whose gradients the backward loop carries: some result depends on them, and they depend
        on something whose gradient is wanted."""
        count, body = self._count, self._body
        inputs, outputs = body.inputs, body.outputs
        differentiable = {t for t in inputs if is_differentiable(t.dtype)}
        deps = {i: sources([outputs[i]], differentiable) for i in range(len(outputs))}
        used = {i for i, t in enumerate(outputs) if self._has_gradient(i) and is_differentiable(t.dtype)}
        while True:
            more = {j for j in range(count) if j not in used and any(inputs[j] in deps[i] for i in used)}
            if not more:
                break
            used |= more
        wanted = {inputs[i] for i in range(len(inputs)) if self._wanted[i]}
        useful: set[int] = set()
        while True:
            aims = wanted | {inputs[j] for j in useful}
            more = {j for j in range(count) if j not in useful and deps[j] & aims}
            if not more:
                break
            useful |= more
        return [j for j in range(count) if j in used and (j in useful or self._wanted[j])]

    def _has_gradient(self, output: int) -> bool:
        return output < self._count + self._stacks and self._gs[output] is not None

    def _backward_loop(
        self, carried: Sequence[int], stacked: Sequence[int], of_rows: Sequence[int], of_captures: Sequence[int]
    ) -> dict[int, Any]:
        ops, count, rows, body = vocabulary, self._count, self._rows, self._body
        graph = target_graph(self._op.outputs[0])
        copied = CopiedBody(graph, "backward/body", body, self._operands, self._captured)
        outputs = [copied.copies[t] for t in body.outputs]
        with copied.as_default():
            output_gradients = [copied.given(outputs[i], outputs[i].shape) for i in carried]
            of_stacks = [copied.given(outputs[count + i], outputs[count + i].shape) for i in stacked]
            xs = [copied.inputs[i] for i in (*carried, *of_rows, *of_captures)]
            ys = [*[outputs[i] for i in carried], *[outputs[count + i] for i in stacked]]
            x_gradients = Backward(copied, xs, inside=f"{body.name}/").run(ys, [*output_gradients, *of_stacks], ())
            parts = iter(zip(xs, x_gradients, strict=True))
            results = [_or_zeros(*next(parts), output_gradients[k]) for k in range(len(carried))]
            row_gradients = [_or_zeros(*next(parts), None) for _ in of_rows]
            of_sums = dict(zip(of_captures, [gradient for _, gradient in parts], strict=True))
            slices = {i: g for i, g in of_sums.items() if isinstance(g, IndexedSlices) and self._stays_sparse(g)}
            of_sums = {i: g for i, g in of_sums.items() if i not in slices}
            sums = [copied.given(self._operands[i], self._operands[i].shape) for i in of_sums]
            results += [_added(total, of_sums[i]) for total, i in zip(sums, of_sums, strict=True)]
            starts = [*[self._op.outputs[i] for i in carried], *[self._operands[i] for i in of_sums]]
            known = outer_symbols(starts, [*output_gradients, *sums])
            results = [_shaped(x, result, known) for x, result in zip([*output_gradients, *sums], results, strict=True)]
            results += [*row_gradients, *[t for each in slices.values() for t in (each.values, each.indices)]]
        own = {*output_gradients, *of_stacks, *sums}
        saved, captures = needed_forward(copied, results, own)
        row_places = {copied.inputs[i]: i for i in range(count, count + rows)}
        boxes = self._boxed(copied, [t for t in saved if t not in row_places])
        copied.finalize()
        forward, places = self._extended(copied, [boxes.get(t, t) for t in saved if t not in row_places])
        n = forward.outputs[-1]
        row_operands = [self._gs[count + i] for i in stacked]
        for tensor in saved:
            if tensor in row_places:
                row_operands.append(self._some_rows(self._operands[row_places[tensor]], n))
            else:
                row_operands.append(forward.outputs[places[boxes.get(tensor, tensor)]])
        initial = [dense(g) if (g := self._gs[i]) is not None else ops.zeros_like(self._op.outputs[i]) for i in carried]
        initial += [ops.zeros_like(self._operands[i]) for i in of_sums]
        order = [*output_gradients, *sums, *of_stacks, *saved]
        backward = copied.cut(order, results, captures)
        if boxes:
            backward, order = _unboxed(graph, backward, order, boxes)
        backward = with_own_inputs(backward)
        operands = [*initial, *row_operands]
        always = subgraph(lambda *values: constant(True), operands, "backward/cond", [t.shape for t in order])
        made = while_op(n if not row_operands else None, operands, always, backward, len(initial), len(row_operands),
                        not self._reverse, name="backward")  # fmt: skip
        gradients: dict[int, Any] = dict(zip([*carried, *of_sums], made, strict=False))
        stacks = iter(made[len(initial) : -1])
        for i in of_rows:
            gradients[i] = self._all_rows(next(stacks), self._operands[i])
        for i in slices:
            gradients[i] = _of_all_iterations(next(stacks), next(stacks), self._operands[i])
        return gradients

    def _stays_sparse(self, gradient: IndexedSlices) -> bool:
        """Whether the rows of all iterations can be stacked: each iteration gives equally many."""
        known = outer_symbols(self._operands, self._body.inputs)
        shapes = (gradient.values.shape.raw, gradient.indices.shape.raw)
        return all(dims is not None and all(means_the_same(dim, known) for dim in dims) for dims in shapes)

    def _boxed(self, copied: CopiedBody, saved: Sequence[Tensor]) -> dict[Tensor, Tensor]:
        """For values whose shape changes from one iteration to the next: each as an element of dtype variant."""
        known = outer_symbols(self._operands, self._body.inputs)
        found: dict[Tensor, Tensor] = {}
        with copied.as_default():
            for tensor in saved:
                dims = tensor.shape.raw
                if tensor.dtype.is_variant or dims is None or not all(means_the_same(dim, known) for dim in dims):
                    found[tensor] = wrap(tensor)
        return found

    def _extended(self, copied: CopiedBody, saved: Sequence[Tensor]) -> tuple[Operation, dict[Tensor, int]]:
        """A loop that stacks `saved` too, and at which outputs the stacks are.

        Never the user's own loop where something is saved: a run may feed its results, and the gradient reads what the
        loop computed.
        """
        base, count = self._base, self._count
        known = {copied.copies[t]: i for i, t in reversed(list(enumerate(self._body.outputs))) if i >= count}
        new = [t for t in saved if t not in known]
        if not new and (base is not self._op or not saved):
            return base, {t: known[t] for t in saved}
        outputs = [*[copied.copies[t] for t in self._body.outputs], *new]
        own = copied.inputs[: count + self._rows]
        captures = self._operands[count + self._rows :]
        body = copied.cut(own, outputs, captures, like=self._body)
        cond = replace(self._cond, captures=tuple(captures))  # a copied loop has the condition of the first
        extends = (*base.get_attr("extends"), base.name)
        graph = base.graph
        with graph.control_dependencies(None), graph.control_dependencies(base.control_inputs):
            made = while_op(self._limit, self._operands[: count + self._rows], cond, body, count, self._rows,
                            self._reverse, True, extends, name="forward")  # fmt: skip
        places = known | {t: len(self._body.outputs) + i for i, t in enumerate(new)}
        return made[0].op, {t: places[t] for t in saved}

    def _ends_early(self) -> bool:
        return self._limit is not None or not always_goes_on(self._cond)

    def _some_rows(self, rows: Tensor, n: Tensor) -> Tensor:
        """The rows that the forward loop took."""
        return rows[:n] if self._ends_early() else rows

    def _all_rows(self, stack: Tensor, like: Tensor) -> Tensor:
        """Gradients of rows, zero for those that the forward loop did not take."""
        if not self._ends_early():
            return stack
        count = vocabulary.shape(stack)[0]
        return vocabulary.concat(0, [stack, vocabulary.zeros_like(like)[count:]])


def _unboxed(
    graph: Graph, body: SubGraph, order: Sequence[Tensor], boxes: dict[Tensor, Tensor]
) -> tuple[SubGraph, list[Tensor]]:
    """A backward graph and its inputs, of which some are variants that hold the values."""
    outside = InnerGraph(graph, body.name)
    stands: dict[Tensor, Tensor] = {}
    given: dict[Tensor, Tensor] = {}
    with outside.as_default():
        for tensor, box in boxes.items():
            name = tensor.op.name.rpartition("/")[2]
            given[tensor] = outside.stand_in(box, f"{name}_box")
            stands[tensor] = unwrap(given[tensor], tensor.dtype, tensor.shape, name=name)
    made = rewired(body, stands, [t.op for t in stands.values()])
    inputs = tuple([given.get(t, t) for t in made.inputs])
    return replace(made, inputs=inputs), [given.get(t, t) for t in order]


def _or_zeros(x: Tensor, gradient: Gradient | None, g: Tensor | None) -> Tensor:
    """The gradient of an input of the body; zeros if it has none, of the shape of `g` if that is the same."""
    if gradient is not None:
        return dense(gradient)
    is_like = g is not None and g.shape.raw is not None and g.shape.raw == x.shape.raw
    return vocabulary.zeros_like(g if is_like and g is not None else x)


def _shaped(before: Tensor, after: Tensor, known: Collection[Any]) -> Tensor:
    """A gradient after one more iteration, with the static shape that it had before: this has an unknown size more."""
    if after.dtype.is_variant or keeps_shape(before.shape, after.shape, known):
        return after
    if after.shape.ndims is None:
        return vocabulary.reshape(after, vocabulary.shape(before))
    made: Tensor = vocabulary.identity(after)
    made.op.graph.refine(made, before.shape, [])
    return made


def _of_all_iterations(values: Tensor, indices: Tensor, like: Tensor) -> IndexedSlices:
    """The rows that the iterations give, one after the other, as a gradient of `like`."""
    shape = vocabulary.shape(like)
    rows = vocabulary.reshape(values, vocabulary.concat(0, [vocabulary.constant([-1]), shape[1:]]))
    return IndexedSlices(rows, vocabulary.reshape(indices, [-1]), shape)


def _added(total: Tensor, gradient: Gradient | None) -> Tensor:
    """The sum over the iterations with that of one more."""
    if gradient is None:
        return total
    if total.dtype.is_variant:
        return summed([total, dense(gradient)])
    return vocabulary.add(total, dense(gradient))


