"""Fused groups on a GPU.

A group is one nest, and so one kernel, if its values are about the same elements or the same rows: elementwise results
and reductions of them over trailing axes, or rows whose reductions are read within the group. Otherwise it is a kernel
for each shape of results, or for each of its parts. A group with an op that has no expression in CUDA C runs op by op
with CuPy. Nests are kept with the group, so that on other arrays of the same layout it is one launch. An int divided by
zero is an error: the kernel sets a flag, for which the host waits unless all divisors are constants of the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final, TypeAlias

from ...graph.declare.op_declaration import OPS
from ...ops.declare.reduction_order import is_trailing, split_shape
from ..compiled.flat_nest import nest_of_program
from ..ir.fused_ir import Body, Value, shapes_of
from ..ir.nest_ir import ROW, Load, Nest, Store
from ..ir.nest_of_body import nest_of
from ..ir.scalar_ir import CannotLower, Scalar, lower, lower_function
from ..ir.shaped_rows import BodyPart, ShapedRows, columns_apart, parts_of_rows, shaped_rows
from ..kernels.kernel_choice import kernel_of
from ..numpy.writers import TailReduction, tail_of
from ..planning.plan import Plan, Step
from ..planning.planner import TO_DEVICE
from .nest_facts import first_total, may_fail
from .nest_launch import run_nest, serves

Shape: TypeAlias = tuple[int, ...]


class DividedByZero(Exception):
    """An int was divided by zero; running the group op by op raises the error of the op."""


class CudaGroup:
    """A body on the GPU. It keeps nothing of a run.

    safe: inputs without a zero.
    reason: why it runs op by op, "" if it does not.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.safe: frozenset[int] = frozenset()
        self.reason = ""
        self._first = len(body.inputs)
        self._tails = {t.value: t for i, ins in enumerate(body.instructions) if (t := tail_of(body, i, ins))}
        self._divisors = [divisor for _, divisor in body.failing()]
        self._nests: dict[tuple[tuple[int, ...], tuple[Any, ...]], Nest] = {}
        self._rows: dict[tuple[Shape, ...], tuple[ShapedRows, Nest] | None] = {}
        self._cuts: dict[tuple[Shape, ...], list[BodyPart]] = {}

    @property
    def divisors(self) -> frozenset[int]:
        """The values that must not contain a zero."""
        return frozenset([int(a) for a in self._divisors if a is not None])

    @property
    def nests(self) -> list[Nest]:
        """The nests of the kernels that have been made."""
        found = [*self._nests.values(), *[rows[1] for rows in self._rows.values() if rows is not None]]
        return found + [nest for parts in self._cuts.values() for part in parts for nest in group_of(part.body).nests]

    def note_constants(self, plan: Plan, step: Step) -> None:
        """Note the inputs of its step that are constants of the plan without a zero."""
        arrays = {slot: array for slot, array, _ in plan.constants}
        arrays |= {s.outputs[0]: arrays[s.inputs[0]] for s in plan.steps if s.op == TO_DEVICE and s.inputs[0] in arrays}
        held = [i for i in self.divisors if i < self._first and step.inputs[i] in arrays]
        self.safe = frozenset([i for i in held if arrays[step.inputs[i]].all()])

    @property
    def waits(self) -> bool:
        """Whether the host must read the flag after each run."""
        return any(a is None or int(a) not in self.safe for a in self._divisors)

    def __call__(self, xp: Any, inputs: Sequence[Any]) -> list[Any]:
        """The results on arrays of the device.

        Raises:
            CannotLower: an op of the group has no expression in CUDA C.
            DividedByZero: an int was divided by zero.
        """
        if self.body.is_nest:
            return self.in_one_launch(xp, inputs) or self._in_parts(xp, inputs)
        failed: list[Any] = []
        results = self._results(xp, inputs, failed)
        if failed and int(xp.asnumpy(failed[0])[0]):
            raise DividedByZero
        return results

    # ---- groups whose reductions are read within them -----------------------------------------

    def in_one_launch(self, xp: Any, inputs: Sequence[Any], places: int | None = None) -> list[Any] | None:
        """The results of a body about rows; None if one kernel cannot compute it. places: as in `run_nest`."""
        shapes = tuple([x.shape for x in inputs])
        try:
            rows = self._rows[shapes]
        except KeyError:
            if len(self._rows) >= KEPT:
                self._rows.clear()
            rows = self._rows[shapes] = self._one_nest(shapes)
        if rows is None:
            return None
        try:
            return _run_rows(xp, self.body, *rows, inputs, places)
        except CannotLower:
            self._rows[shapes] = None
            return None

    def _in_parts(self, xp: Any, inputs: Sequence[Any]) -> list[Any]:
        """The results by parts, some of which may have no expression in CUDA C."""
        shapes = tuple([x.shape for x in inputs])
        parts = self._cuts.get(shapes)
        if parts is None:
            if len(self._cuts) >= KEPT:
                self._cuts.clear()
            parts = self._cuts[shapes] = self._parts(shapes)
        values: dict[int, Any] = dict(enumerate(inputs))
        for part in parts:
            made = run_body(xp, [values[v] for v in part.inputs], part.body)
            values.update(zip(part.outputs, made, strict=True))
        return [values[int(o)] for o in self.body.outputs]

    def _one_nest(self, shapes: tuple[Shape, ...]) -> tuple[ShapedRows, Nest] | None:
        """The whole body as a nest; None if it runs in parts."""
        form = shaped_rows(self.body, shapes)
        if isinstance(form, str) or "column" in form.kinds:
            return None
        try:
            nest = nest_of(self.body, form)
        except CannotLower:
            return None
        return (form, nest) if serves(nest, form.rows, form.count) else None

    def _parts(self, shapes: tuple[Shape, ...]) -> list[BodyPart]:
        """The parts, each of which runs by itself: rows without the sums over them, or a kernel for each reduction."""
        form = shaped_rows(self.body, shapes)
        apart = [] if isinstance(form, str) else columns_apart(self.body, form)
        if apart:
            rest, *columns = apart
            return [replace(rest, body=replace(rest.body, is_nest=True)), *columns]
        return parts_of_rows(self.body, shapes)

    # ---- other groups -------------------------------------------------------------------------

    def _results(self, xp: Any, inputs: Sequence[Any], failed: list[Any]) -> list[Any]:
        shapes = shapes_of(self.body, [x.shape for x in inputs])
        wanted = [int(o) for o in dict.fromkeys(self.body.outputs)]
        values: dict[int, Any] = dict(enumerate(inputs))
        plain = [i for i in wanted if i >= self._first and i not in self._tails]
        ends = [i for i in wanted if i in self._tails]
        for i in ends:  # the operand of a reduction may be the result of another one
            ends += [o for o in (self._tails[i].operand,) if o in self._tails and o not in ends]
        tails = [self._tails[i] for i in ends]
        late = [t for t in tails if t.operand in self._tails or not self._in_one(t, shapes)]
        plain += [t.operand for t in late if t.operand >= self._first and t.operand not in (*plain, *self._tails)]
        spaces: dict[tuple[Shape, int], list[TailReduction]] = {}
        for tail in tails:
            if tail not in late:
                spaces.setdefault((shapes[tail.operand], len(self._axes(tail, shapes))), []).append(tail)
        for shape in dict.fromkeys([shapes[i] for i in plain]):
            if not any(shape == space for space, _ in spaces):
                spaces[shape, 0] = []
        for (shape, axes), own in spaces.items():
            together = [i for i in plain if shapes[i] == shape and i not in values]
            values.update(self._space(xp, inputs, together, own, shapes, shape, axes, failed))
        for tail in sorted(late, key=lambda t: t.value):
            values[tail.value] = self._late(xp, tail, values)
        return [values[int(o)] for o in self.body.outputs]

    # ---- shapes -----------------------------------------------------------------------------

    def _axes(self, tail: TailReduction, shapes: list[Shape]) -> tuple[int, ...]:
        return tail.rule.axes(len(shapes[tail.operand]), *tail.args)

    def _in_one(self, tail: TailReduction, shapes: list[Shape]) -> bool:
        """Whether a kernel may compute a reduction together with its operand."""
        shape = shapes[tail.operand]
        try:
            first_total(tail.rule.ufunc.__name__, tail.rule.wide(self.body.dtype_of(tail.operand)))
        except CannotLower:
            return False
        return is_trailing(self._axes(tail, shapes), len(shape)) and prod(shape) > 0

    # ---- kernels ----------------------------------------------------------------------------

    def _space(
        self, xp: Any, inputs: Sequence[Any], plain: list[int], tails: list[TailReduction], shapes: list[Shape],
        shape: Shape, axes: int, failed: list[Any],
    ) -> dict[int, Any]:  # fmt: skip
        """Values of one shape and reductions over its last axes, in one launch."""
        rows, count = split_shape(shape, tuple(range(len(shape) - axes, len(shape))))
        finishing = [self._finishing(tail, rows, count) for tail in tails]
        counts = tuple([count if program is not None and tail.rule.finish is not None else 0
                        for tail, program in zip(tails, finishing, strict=True)])  # fmt: skip
        key = (*plain, -1, *[tail.value for tail in tails]), counts
        nest = self._nests.get(key)
        if nest is None:
            if len(self._nests) >= KEPT:
                self._nests.clear()
            nest = self._nests[key] = self._nest(plain, tails, finishing)
        if may_fail(nest, self.safe) and not prod(shape):
            raise DividedByZero  # the ops decide: divisors may have elements where the result has none
        outs = [xp.empty(shape, self.body.dtype_of(i).np) for i in plain]
        outs += [xp.empty((rows,), nest.dtype_of(store.value).np) for store in nest.stores[len(plain) :]]
        if prod(shape):
            run_nest(xp, nest, inputs, outs, shape, axes, self.safe, failed)
        for k, (tail, program) in enumerate(zip(tails, finishing, strict=True), len(plain)):
            if program is None and tail.rule.finish is not None:
                outs[k] = tail.rule.finish(outs[k], count, self.body.dtype_of(tail.value))
            outs[k] = outs[k].reshape(shapes[tail.value])
        return dict(zip([*plain, *[tail.value for tail in tails]], outs, strict=True))

    def _finishing(self, tail: TailReduction, rows: int, count: int) -> Scalar | None:
        """The program that makes results of totals; None if that is done outside of the kernel.

        The number of elements is a constant of it. Where a total is of all elements that number may vary freely, and a
        kernel for each would be compiled, so the results are made outside.
        """
        wide, dtype = tail.rule.wide(self.body.dtype_of(tail.operand)), self.body.dtype_of(tail.value)
        finish = tail.rule.finish
        if finish is None:
            return lower_function(lambda total: total.astype(dtype.np), wide)
        try:
            return lower_function(lambda total: finish(total, count, dtype), wide) if rows > 1 else None
        except CannotLower:
            return None

    def _nest(self, plain: list[int], tails: list[TailReduction], finishing: Sequence[Scalar | None]) -> Nest:
        wanted = [(i, self.body.dtype_of(i)) for i in plain]
        wanted += [(t.operand, t.rule.wide(self.body.dtype_of(t.operand))) for t in tails]
        program = lower(self.body, wanted, zeros_are_found=True)
        nest = nest_of_program(program, [t.rule.ufunc.__name__ for t in tails])
        nodes, stores = list(nest.nodes), list(nest.stores)
        for k, finish in enumerate(finishing, len(plain)):
            if finish is not None and finish.steps:
                values = [stores[k].value, *[Value(len(nodes) + i) for i in range(len(finish.steps))]]
                for step in finish.steps:
                    args = tuple([values[a] if isinstance(a, Value) else a for a in step.args])
                    nodes.append(replace(step, args=args))
                made = finish.outputs[0]
                stores[k] = Store(k, ROW, values[made] if isinstance(made, Value) else made)
        return Nest(tuple(nodes), tuple(stores))

    def _late(self, xp: Any, tail: TailReduction, found: dict[int, Any]) -> Any:
        """A reduction by the op's own kernel, on its complete operand."""
        instruction = self.body.instructions[tail.value - self._first]
        kernel = kernel_of(OPS[instruction.op], "cupy")
        return kernel(xp, found[tail.operand], *instruction.args[1:])


def _run_rows(
    xp: Any, body: Body, form: ShapedRows, nest: Nest, inputs: Sequence[Any], places: int | None
) -> list[Any]:
    """The results of a body whose nest is about rows. places: as in `run_nest`."""
    outs = [xp.empty(form.shapes[int(o)], body.dtype_of(o).np) for o in body.outputs]
    loads = [node for node in nest.nodes if isinstance(node, Load)]
    last = (..., *[None] * form.axes)  # what has no axes for the elements of a row gets them, of size 1
    arrays = [inputs[load.operand][last] if load.rank < len(form.whole) else inputs[load.operand] for load in loads]
    run_nest(xp, nest, arrays, outs, form.whole, form.axes, places=places)
    return outs


def run_body(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    """The results of a group, by its kernels or op by op; the reason for the latter is kept with the group."""
    group = group_of(body)
    if not group.reason:
        try:
            return group(xp, inputs)
        except CannotLower as error:
            group.reason = str(error)
        except DividedByZero:
            pass
    return _one_by_one(xp, inputs, body)


def group_of(body: Body) -> CudaGroup:
    """The group of a body, the same for all its runs."""
    group = _groups.get(id(body))
    if group is None or group.body is not body:
        if len(_groups) >= KEPT:
            _groups.clear()
        group = _groups[id(body)] = CudaGroup(body)
    return group


KEPT: Final = 1024
_groups: dict[int, CudaGroup] = {}


def _one_by_one(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    values = list(inputs)
    for instruction in body.instructions:
        kernel = kernel_of(OPS[instruction.op], "cupy")
        found = kernel(xp, *[values[a] if isinstance(a, Value) else a for a in instruction.args])
        values.append(found.astype(body.dtype_of(len(values)).np, copy=False))  # CuPy makes float32 of some bfloat16
    return [values[int(o)] for o in body.outputs]
