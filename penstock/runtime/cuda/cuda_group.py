"""Fused groups on a GPU.

The elementwise part of a group is one kernel, and each of its reductions over trailing axes another one; a group with
an op that has no expression in CUDA C runs op by op with CuPy. Kernels are kept by program and layout, so that the same
group on other arrays of the same layout is one launch. An int divided by zero is an error: the kernel sets a flag, for
which the host waits unless all divisors are constants of the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dtypes import DType
from ...ops.declare.reduction_order import is_trailing, reduced, split_shape
from ..ir.fused_ir import Body, Value, broadcast
from ..ir.scalar_ir import CannotLower, Literal, Scalar, lower, lower_function
from ..ir.shaped_rows import BodyPart, parts_of_rows
from ..ir.strides import contiguous_strides
from ..kernels.kernel_choice import kernel_of
from ..numpy.writers import TailReduction, tail_of
from ..planning.plan import Plan, Step
from ..planning.planner import TO_DEVICE
from .c_primitives import Operand, constant_operand
from .cuda_source import blocks_for, i64, launch
from .elementwise_source import OperandLayout, elementwise, finished, layout, may_fail, used_inputs
from .reduction_source import Reduce, lanes_of, pieces_of, reduced_source

Shape = tuple[int, ...]


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
        self._divisors = [*_divisors(body)]
        self._programs: dict[tuple[tuple[int, DType], ...], Scalar] = {}
        self._cuts: dict[tuple[Shape, ...], list[BodyPart]] = {}

    @property
    def divisors(self) -> frozenset[int]:
        """The values that must not contain a zero."""
        return frozenset([int(a) for a in self._divisors if a is not None])

    @property
    def programs(self) -> list[Scalar]:
        """The scalar programs of the kernels that have been made."""
        parts = dict.fromkeys([part.body for parts in self._cuts.values() for part in parts])
        return [*self._programs.values(), *[program for part in parts for program in group_of(part).programs]]

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
            return self._in_parts(xp, inputs)
        failed: list[Any] = []
        results = self._results(xp, inputs, failed)
        if failed and int(xp.asnumpy(failed[0])[0]):
            raise DividedByZero
        return results

    def _in_parts(self, xp: Any, inputs: Sequence[Any]) -> list[Any]:
        """The results of a group whose reductions are read within it: a kernel for each part."""
        shapes = tuple([x.shape for x in inputs])
        parts = self._cuts.get(shapes)
        if parts is None:
            if len(self._cuts) >= KEPT:
                self._cuts.clear()
            parts = self._cuts[shapes] = parts_of_rows(self.body, shapes)
        values: dict[int, Any] = dict(enumerate(inputs))
        for part in parts:
            made = run_body(xp, [values[v] for v in part.inputs], part.body)
            values.update(zip(part.outputs, made, strict=True))
        return [values[int(o)] for o in self.body.outputs]

    def _results(self, xp: Any, inputs: Sequence[Any], failed: list[Any]) -> list[Any]:
        shapes = self._shapes([x.shape for x in inputs])
        wanted = [int(o) for o in dict.fromkeys(self.body.outputs)]
        values: dict[int, Any] = dict(enumerate(inputs))
        plain = [i for i in wanted if i >= self._first and i not in self._tails]
        ends = [i for i in wanted if i in self._tails]
        for i in ends:  # the operand of a reduction may be the result of another one
            ends += [o for o in (self._tails[i].operand,) if o in self._tails and o not in ends]
        tails = [self._tails[i] for i in ends]
        late = [t for t in tails if t.operand in self._tails or not self._in_one(t, shapes)]
        plain += [t.operand for t in late if t.operand >= self._first and t.operand not in (*plain, *self._tails)]
        for shape in dict.fromkeys([shapes[i] for i in plain]):
            together = tuple([i for i in plain if shapes[i] == shape])
            values.update(zip(together, self._elementwise(xp, inputs, together, shape, failed), strict=True))
        for i in sorted(ends):
            tail = self._tails[i]
            values[i] = self._late(xp, tail, values) if tail in late else self._tail(xp, inputs, tail, shapes, failed)
        return [values[int(o)] for o in self.body.outputs]

    # ---- shapes -----------------------------------------------------------------------------

    def _shapes(self, shapes: list[Shape]) -> list[Shape]:
        for i, instruction in enumerate(self.body.instructions):
            tail = self._tails.get(self._first + i)
            if tail is None:
                shapes.append(broadcast([shapes[v] for v in instruction.operands]))
            else:
                rank = len(shapes[tail.operand])
                axes, keep = tail.rule.axes(rank, *tail.args), tail.rule.keepdims(rank, *tail.args)
                shapes.append(reduced(shapes[tail.operand], axes, keep))
        return shapes

    def _in_one(self, tail: TailReduction, shapes: list[Shape]) -> bool:
        shape = shapes[tail.operand]
        dtype = tail.rule.wide(self.body.dtype_of(tail.operand))
        axes = tail.rule.axes(len(shape), *tail.args)
        return is_trailing(axes, len(shape)) and prod(shape) > 0 and _start(tail, dtype) is not None

    # ---- kernels ----------------------------------------------------------------------------

    def _program(self, wanted: tuple[tuple[int, DType], ...]) -> Scalar:
        """The program of some values, each as a dtype."""
        program = self._programs.get(wanted)
        if program is None:
            program = self._programs[wanted] = lower(self.body, wanted, zeros_are_found=True)
        return program

    def _elementwise(
        self, xp: Any, inputs: Sequence[Any], wanted: tuple[int, ...], shape: Shape, failed: list[Any]
    ) -> list[Any]:
        program = self._program(tuple([(i, self.body.dtype_of(i)) for i in wanted]))
        fails = may_fail(program, self.safe)
        if fails and not prod(shape):
            raise DividedByZero  # the ops decide: divisors may have elements where the result has none
        outs = [xp.empty(shape, self.body.dtype_of(i).np) for i in wanted]
        if prod(shape):
            plan = _layout(program, shape, inputs, outs)
            made, sizes = finished(elementwise(program, plan, self.safe), program, plan)
            pieces = -(-prod(shape) // plan.width)
            launch(xp, made, "fused", pieces, *outs, *inputs, *_mark(xp, fails, failed), i64(prod(shape)), *sizes)
        return outs

    def _tail(self, xp: Any, inputs: Sequence[Any], tail: TailReduction, shapes: list[Shape], failed: list[Any]) -> Any:
        shape = shapes[tail.operand]
        wide = tail.rule.wide(self.body.dtype_of(tail.operand))
        program = self._program(((tail.operand, wide),))
        fails = may_fail(program, self.safe)
        rows, count = split_shape(shape, tail.rule.axes(len(shape), *tail.args))
        plan = _layout(program, shape, inputs, [])
        if count % plan.width:
            plan = replace(plan, width=1)
        made_here, finish = self._finish(tail, wide, rows, count)
        how = Reduce(tail.rule.ufunc.__name__, wide, str(_start(tail, wide)), finish)
        lanes = lanes_of(rows, count, plan.width)
        made, sizes = finished(reduced_source(program, plan, how, lanes, self.safe), program, plan)
        totals = xp.empty((rows,), finish.dtype_of(finish.outputs[0]).np)
        given = (totals, *inputs, *_mark(xp, fails, failed))
        if lanes:
            launch(xp, made, "fused", 0, *given, i64(rows), i64(count), *sizes, blocks=blocks_for(xp, rows * lanes))
        else:
            pieces = pieces_of(rows, count)
            parts = xp.empty((rows * pieces if pieces > 1 else 0,), wide.np)
            done = xp.zeros((rows if pieces > 1 else 0,), np.int32)
            launch(xp, made, "fused", 0, *given, parts, done, i64(count), i64(pieces), *sizes, blocks=rows * pieces)
        if not made_here and tail.rule.finish is not None:
            totals = tail.rule.finish(totals, count, self.body.dtype_of(tail.value))
        return totals.reshape(shapes[tail.value])

    def _finish(self, tail: TailReduction, wide: DType, rows: int, count: int) -> tuple[bool, Scalar]:
        """Whether the kernel makes results of totals, and the program that does so, or changes nothing.

        The number of elements is a constant of it. Where a total is of all elements that number may vary freely, and a
        kernel for each would be compiled, so the results are made outside.
        """
        dtype, finish = self.body.dtype_of(tail.value), tail.rule.finish
        if finish is None:
            return True, lower_function(lambda total: total.astype(dtype.np), wide)
        if rows > 1:
            try:
                return True, lower_function(lambda total: finish(total, count, dtype), wide)
            except CannotLower:
                pass
        return False, lower_function(lambda total: total, wide)

    def _late(self, xp: Any, tail: TailReduction, found: dict[int, Any]) -> Any:
        """A reduction by the op's own kernel, on its complete operand."""
        instruction = self.body.instructions[tail.value - self._first]
        kernel = kernel_of(OPS[instruction.op], "cupy")
        return kernel(xp, found[tail.operand], *instruction.args[1:])


def _divisors(body: Body) -> Iterator[Value | None]:
    """For each instruction that can fail the value that must not be zero, None if it fails for another reason."""
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        if opdef.facts.can_fail & body.dtype_of(instruction.operands[0]).bit:
            yield None if opdef.facts.zero_fails is None else instruction.args[opdef.facts.zero_fails]


def _start(tail: TailReduction, dtype: DType) -> Operand | None:
    """The first total of a reduction, in C; None if it has no neutral element."""
    ufunc = tail.rule.ufunc
    if ufunc in (np.maximum, np.minimum) and not dtype.is_bool:
        ends = (-np.inf, np.inf) if dtype.is_floating else (dtype.min, dtype.max)
        value = ends[ufunc is np.minimum]
    elif ufunc is np.add and dtype.is_floating:
        value = -0.0  # -0.0 + x is x for each x, 0.0 + -0.0 is not
    else:
        value = ufunc.identity
    if value is None or dtype.is_complex:
        return None
    return constant_operand(Literal(dtype, np.asarray(value, dtype.np).tobytes()))


def _layout(program: Scalar, shape: Shape, inputs: Sequence[Any], outs: Sequence[Any]) -> OperandLayout:
    """The layout of the operands of a program. An input that it does not read counts as a single number."""
    used = used_inputs(program)
    shapes = [x.shape if i in used else () for i, x in enumerate(inputs)]
    strides = [tuple([s // x.dtype.itemsize for s in x.strides]) if i in used else () for i, x in enumerate(inputs)]
    dtypes = [program.inputs[i] for i in used] + [program.dtype_of(o) for o in program.outputs]
    aligned = all(x.data.ptr % 16 == 0 for x in (*[inputs[i] for i in used], *outs))
    full = tuple(contiguous_strides(shape, 1))
    count = max(1, len(outs))
    paired = all(x.data.ptr % x.dtype.itemsize == 0 for x in (*[inputs[i] for i in used], *outs))
    plan = layout(shape, [*shapes, *[shape] * count], [*strides, *[full] * count],
                       max([d.size for d in dtypes]), aligned)  # fmt: skip
    return plan if paired else replace(plan, paired=False)


def _mark(xp: Any, fails: bool, failed: list[Any]) -> list[Any]:
    """The flag of a kernel that may fail, one for all kernels of a group; [] for other kernels."""
    if not fails:
        return []
    if not failed:
        failed.append(xp.zeros((1,), np.int32))
    return failed


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
