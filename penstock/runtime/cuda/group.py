"""How does a fused group run on a GPU?

Its elementwise part is one kernel, its reductions over trailing axes one each; what cannot be written as CUDA runs op
by op with CuPy's functions. Kernels are kept by program and layout, so that the same group on other arrays of the same
layout is one launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.dtypes import DType
from ...graph.opdef import OPS
from ...ops.blocks import is_trailing, reduced, split_shape
from ..body import Body, Value
from ..bound import Tail, broadcast, tail_of
from ..jit.scalar import CannotLower, Scalar, lower
from . import emit
from .source import Source, i64, launch

Shape = tuple[int, ...]
_STARTS: Final = {"add": 0, "multiply": 1, "logical_or": 0, "logical_and": 1}


class CudaGroup:
    """One body on the GPU. It keeps nothing of a run."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._first = len(body.inputs)
        self._tails = {t.value: t for i, ins in enumerate(body.instructions) if (t := tail_of(body, i, ins))}
        self._programs: dict[tuple[tuple[int, DType], ...], Scalar] = {}
        self.sources: dict[Any, Source] = {}

    def __call__(self, xp: Any, inputs: Sequence[Any]) -> list[Any]:
        """The results on arrays of the device.

        Raises:
            CannotLower: some op of the group has no words in CUDA.
        """
        shapes = self._shapes([x.shape for x in inputs])
        wanted = [int(o) for o in dict.fromkeys(self.body.outputs)]
        found: dict[int, Any] = dict(enumerate(inputs))
        plain = [i for i in wanted if i >= self._first and i not in self._tails]
        late = [t for i, t in self._tails.items() if i in wanted and not self._in_one(t, shapes)]
        plain += [t.operand for t in late if t.operand >= self._first and t.operand not in plain]
        for shape in dict.fromkeys([shapes[i] for i in plain]):
            together = tuple([i for i in plain if shapes[i] == shape])
            found.update(zip(together, self._elementwise(xp, inputs, together, shape), strict=True))
        for i in wanted:
            tail = self._tails.get(i)
            if tail is not None:
                found[i] = self._late(xp, tail, found) if tail in late else self._tail(xp, inputs, tail, shapes)
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
            program = self._programs[wanted] = lower(self.body, wanted)
        return program

    def _elementwise(self, xp: Any, inputs: Sequence[Any], wanted: tuple[int, ...], shape: Shape) -> list[Any]:
        program = self._program(tuple([(i, self.body.dtype_of(i)) for i in wanted]))
        outs = [xp.empty(shape, self.body.dtype_of(i).np) for i in wanted]
        if prod(shape):
            plan = _layout(program, shape, inputs, outs)
            made = emit.elementwise(program, plan)
            self.sources[wanted, plan] = made
            pieces = -(-prod(shape) // plan.width)
            launch(xp, made, "fused", pieces, *outs, *inputs, i64(prod(shape)))
        return outs

    def _tail(self, xp: Any, inputs: Sequence[Any], tail: Tail, shapes: list[Shape]) -> Any:
        shape = shapes[tail.operand]
        wide = tail.rule.wide(self.body.dtype_of(tail.operand))
        program = self._program(((tail.operand, wide),))
        rows, count = split_shape(shape, tail.rule.axes(len(shape), *tail.args))
        how = emit.Reduce(tail.rule.ufunc.__name__, 0, wide, _start(tail, wide) or "")
        plan = _layout(program, shape, inputs, [])
        if count % plan.width:
            plan = replace(plan, width=1)
        made = emit.reduced(program, plan, how)
        self.sources[tail.value, plan] = made
        pieces = -(-count // emit.SPAN)
        totals = xp.empty((rows,), wide.np)
        parts = xp.empty((rows * pieces if pieces > 1 else 0,), wide.np)
        done = xp.zeros((rows if pieces > 1 else 0,), np.int32)
        launch(xp, made, "fused", 0, totals, parts, done, *inputs, i64(count), i64(pieces), blocks=rows * pieces)
        return self._finished(tail, totals, count).reshape(shapes[tail.value])

    def _finished(self, tail: Tail, totals: Any, count: int) -> Any:
        dtype = self.body.dtype_of(tail.value)
        if tail.rule.finish is not None:
            return tail.rule.finish(totals, count, dtype)
        return totals.astype(dtype.np, copy=False)

    def _late(self, xp: Any, tail: Tail, found: dict[int, Any]) -> Any:
        """A reduction that is no part of a kernel: the op's own kernel on its complete operand."""
        instruction = self.body.instructions[tail.value - self._first]
        opdef = OPS[instruction.op]
        kernel = opdef.kernels.get("cupy") or opdef.kernels["*"]
        return kernel(xp, found[tail.operand], *instruction.args[1:])


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


def _layout(program: Scalar, shape: Shape, inputs: Sequence[Any], outs: Sequence[Any]) -> emit.Layout:
    """How the operands of a program lie. An input it does not read counts as a single number."""
    used = emit.used_inputs(program)
    shapes = [x.shape if i in used else () for i, x in enumerate(inputs)]
    strides = [tuple([s // x.dtype.itemsize for s in x.strides]) if i in used else () for i, x in enumerate(inputs)]
    dtypes = [program.inputs[i] for i in used] + [program.dtype_of(o) for o in program.outputs]
    aligned = all(x.data.ptr % 16 == 0 for x in (*[inputs[i] for i in used], *outs))
    full = tuple([prod(shape[i + 1 :]) for i in range(len(shape))])
    count = max(1, len(outs))
    return emit.layout(shape, [*shapes, *[shape] * count], [*strides, *[full] * count],
                       max([d.size for d in dtypes]), aligned and not any(d.is_complex for d in dtypes))  # fmt: skip


def run_body(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    """The results of a group: by its kernels, or op by op where it has none; the reason is kept with the group."""
    group = _groups.get(id(body))
    if group is None or group.body is not body:
        if len(_groups) >= KEPT:
            _groups.clear()
        group = _groups[id(body)] = CudaGroup(body)
    if id(body) not in _refused:
        try:
            return group(xp, inputs)
        except CannotLower as error:
            _refused[id(body)] = str(error)
    return _one_by_one(xp, inputs, body)


KEPT: Final = 1024
_groups: dict[int, CudaGroup] = {}
_refused: dict[int, str] = {}


def _one_by_one(xp: Any, inputs: Sequence[Any], body: Body) -> list[Any]:
    values = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        kernel = opdef.kernels.get("cupy") or opdef.kernels["*"]
        values.append(kernel(xp, *[values[a] if isinstance(a, Value) else a for a in instruction.args]))
    return [values[int(o)] for o in body.outputs]
