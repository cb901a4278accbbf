"""How does a fused group run on a GPU?

Its elementwise part is one kernel, its reductions over trailing axes one each; what cannot be written as CUDA runs op
by op with CuPy's functions. Kernels are kept by program and layout, so that the same group on other arrays of the same
layout is one launch. Ints divided by zero are an error: the kernel leaves a mark, which the host waits for. It need not
where all divisors are constants of the plan, which are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.dtypes import DType
from ...graph.op_declaration import OPS
from ...ops.reduction_order import is_trailing, reduced, split_shape
from ..ir.fused_ir import Body, Value
from ..ir.scalar_ir import CannotLower, Scalar, lower, lower_function
from ..ir.strides import contiguous_strides
from ..numpy.bound_instruction import Tail, broadcast, tail_of
from ..planning.plan import Plan, Step
from ..planning.planner import TO_DEVICE
from .cuda_source import blocks_for, i64, launch
from .elementwise_source import Layout, elementwise, finished, layout, may_fail, used_inputs
from .reduction_source import Reduce, lanes_of, pieces_of, reduced_source

Shape = tuple[int, ...]
_STARTS: Final = {"add": 0, "multiply": 1, "logical_or": 0, "logical_and": 1}


class DividedByZero(Exception):
    """Some int was divided by zero; which, the ops say one by one."""


class CudaGroup:
    """One body on the GPU. It keeps nothing of a run.

    safe: inputs in which there is no zero. reason: why it runs op by op, if it does.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.safe: frozenset[int] = frozenset()
        self.reason = ""
        self._first = len(body.inputs)
        self._tails = {t.value: t for i, ins in enumerate(body.instructions) if (t := tail_of(body, i, ins))}
        self._divisors = [*_divisors(body)]
        self._programs: dict[tuple[tuple[int, DType], ...], Scalar] = {}

    @property
    def divisors(self) -> frozenset[int]:
        """The values in which a zero is an error."""
        return frozenset([int(a) for a in self._divisors if a is not None])

    @property
    def programs(self) -> list[Scalar]:
        """The scalar programs of its kernels so far."""
        return list(self._programs.values())

    def note_constants(self, plan: Plan, step: Step) -> None:
        """See in which inputs of the step that runs it there is no zero, as far as these are constants of the plan."""
        arrays = {slot: array for slot, array, _ in plan.constants}
        arrays |= {s.outputs[0]: arrays[s.inputs[0]] for s in plan.steps if s.op == TO_DEVICE and s.inputs[0] in arrays}
        held = [i for i in self.divisors if i < self._first and step.inputs[i] in arrays]
        self.safe = frozenset([i for i in held if arrays[step.inputs[i]].all()])

    @property
    def waits(self) -> bool:
        """Whether the host must look for errors after each run."""
        return any(a is None or int(a) not in self.safe for a in self._divisors)

    def __call__(self, xp: Any, inputs: Sequence[Any]) -> list[Any]:
        """The results on arrays of the device.

        Raises:
            CannotLower: some op of the group has no words in CUDA. DividedByZero: an int is.
        """
        failed: list[Any] = []
        results = self._results(xp, inputs, failed)
        if failed and int(xp.asnumpy(failed[0])[0]):
            raise DividedByZero
        return results

    def _results(self, xp: Any, inputs: Sequence[Any], failed: list[Any]) -> list[Any]:
        shapes = self._shapes([x.shape for x in inputs])
        wanted = [int(o) for o in dict.fromkeys(self.body.outputs)]
        found: dict[int, Any] = dict(enumerate(inputs))
        plain = [i for i in wanted if i >= self._first and i not in self._tails]
        ends = [i for i in wanted if i in self._tails]
        for i in ends:  # a reduction may take what another gives, which joins the list
            ends += [o for o in (self._tails[i].operand,) if o in self._tails and o not in ends]
        tails = [self._tails[i] for i in ends]
        late = [t for t in tails if t.operand in self._tails or not self._in_one(t, shapes)]
        plain += [t.operand for t in late if t.operand >= self._first and t.operand not in (*plain, *self._tails)]
        for shape in dict.fromkeys([shapes[i] for i in plain]):
            together = tuple([i for i in plain if shapes[i] == shape])
            found.update(zip(together, self._elementwise(xp, inputs, together, shape, failed), strict=True))
        for i in sorted(ends):
            tail = self._tails[i]
            found[i] = self._late(xp, tail, found) if tail in late else self._tail(xp, inputs, tail, shapes, failed)
        return [found[int(o)] for o in self.body.outputs]

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

    def _in_one(self, tail: Tail, shapes: list[Shape]) -> bool:
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
            raise DividedByZero  # or not: of what the kernel never sees the ops decide
        outs = [xp.empty(shape, self.body.dtype_of(i).np) for i in wanted]
        if prod(shape):
            plan = _layout(program, shape, inputs, outs)
            made, sizes = finished(elementwise(program, plan, self.safe), program, plan)
            pieces = -(-prod(shape) // plan.width)
            launch(xp, made, "fused", pieces, *outs, *inputs, *_mark(xp, fails, failed), i64(prod(shape)), *sizes)
        return outs

    def _tail(self, xp: Any, inputs: Sequence[Any], tail: Tail, shapes: list[Shape], failed: list[Any]) -> Any:
        shape = shapes[tail.operand]
        wide = tail.rule.wide(self.body.dtype_of(tail.operand))
        program = self._program(((tail.operand, wide),))
        fails = may_fail(program, self.safe)
        rows, count = split_shape(shape, tail.rule.axes(len(shape), *tail.args))
        plan = _layout(program, shape, inputs, [])
        if count % plan.width:
            plan = replace(plan, width=1)
        made_here, finish = self._finish(tail, wide, rows, count)
        how = Reduce(tail.rule.ufunc.__name__, wide, _start(tail, wide) or "", finish)
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

    def _finish(self, tail: Tail, wide: DType, rows: int, count: int) -> tuple[bool, Scalar]:
        """Whether results are made of totals in the kernel, and the program that makes them, or changes nothing.

        The number of elements is written into it. Where that is all there are, any number may come: one kernel for each
        would be compiled for ever.
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

    def _late(self, xp: Any, tail: Tail, found: dict[int, Any]) -> Any:
        """A reduction that is no part of a kernel: the op's own kernel on its complete operand."""
        instruction = self.body.instructions[tail.value - self._first]
        opdef = OPS[instruction.op]
        kernel = opdef.kernels.get("cupy") or opdef.kernels["*"]
        return kernel(xp, found[tail.operand], *instruction.args[1:])


def _divisors(body: Body) -> Iterator[Value | None]:
    """For each instruction that can fail the value that must not be zero; None where it fails in another way."""
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        if opdef.can_fail & body.dtype_of(instruction.operands[0]).bit:
            yield None if opdef.zero_fails is None else instruction.args[opdef.zero_fails]


def _start(tail: Tail, dtype: DType) -> str | None:
    """What a reduction starts from, in C; None if there is nothing that changes no total."""
    name = tail.rule.ufunc.__name__
    if dtype.is_complex:
        return None
    if name in _STARTS:
        # -0.0 + x is x for each x, 0.0 + -0.0 is not.
        return "-0.0" if name == "add" and dtype.is_floating else str(_STARTS[name])
    if name in ("maximum", "minimum"):
        if dtype.is_floating:
            return f"({'-' if name == 'maximum' else ''}ps_float(0x7f800000u))"
        if dtype.is_integer:
            value = int(dtype.min if name == "maximum" else dtype.max)
            return f"(-{-value - 1}LL - 1)" if value < 0 else f"{value}ULL"
    return None


def _layout(program: Scalar, shape: Shape, inputs: Sequence[Any], outs: Sequence[Any]) -> Layout:
    """How the operands of a program lie. An input it does not read counts as a single number."""
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
    """Where a kernel that may fail says so: one place for all kernels of a group."""
    if not fails:
        return []
    if not failed:
        failed.append(xp.zeros((1,), np.int32))
    return failed


def run_body(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    """The results of a group: by its kernels, or op by op where it has none; the reason is kept with the group."""
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
        opdef = OPS[instruction.op]
        kernel = opdef.kernels.get("cupy") or opdef.kernels["*"]
        found = kernel(xp, *[values[a] if isinstance(a, Value) else a for a in instruction.args])
        values.append(found.astype(body.dtype_of(len(values)).np, copy=False))  # CuPy makes float32 of some bfloat16
    return [values[int(o)] for o in body.outputs]
