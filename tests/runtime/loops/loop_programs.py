"""Loops over plans: the same condition and body run by the plain path, iteration by iteration, and as machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.shapes.dtypes import of_numpy
from penstock.ops.control.loop_run import LoopRun
from penstock.runtime.execution.body_call import InnerCall
from penstock.runtime.execution.executor import Program
from penstock.runtime.llvm import tier
from penstock.runtime.loops.loop_form import LoopMemory, ShapedLoop
from penstock.runtime.loops.loop_module import loop_module
from penstock.runtime.loops.native_loop import NativeLoop
from penstock.runtime.planning.plan import Plan

Function = Callable[..., Any]


@dataclass
class Result:
    """Last values of the variables, rows of the stacks, the number of iterations; whether the loop ended by itself."""

    variables: list[Any]
    stacks: list[Any]
    iterations: int
    ended: bool = True


@dataclass
class LoopProgram:
    """A loop: plans, operands, and how many of these are variables and rows."""

    cond: Plan
    body: Plan
    operands: list[Any]
    variables: int
    rows: int = 0
    reverse: bool = False

    @property
    def form(self) -> ShapedLoop:
        split = range(self.variables, self.variables + self.rows)
        shapes = tuple([x.shape[1:] if k in split else x.shape for k, x in enumerate(self.operands)])
        dtypes = tuple([of_numpy(x.dtype) for x in self.operands])
        return ShapedLoop(self.cond, self.body, dtypes, shapes, self.variables, self.rows, self.reverse)

    @property
    def row_count(self) -> int:
        return len(self.operands[self.variables]) if self.rows else 0

    def plain(self, last: int | None = None) -> Result:
        """Run iteration by iteration."""
        cond, body = (InnerCall(Program(plan, lambda name: None)) for plan in (self.cond, self.body))
        values = list(self.operands[: self.variables])
        count = self.row_count if self.rows else last
        stacks: list[list[Any]] = []
        i = 0
        while count is None or i < count:
            place = count - 1 - i if self.reverse and count is not None else i
            rows = [x[place] for x in self.operands[self.variables : self.variables + self.rows]]
            feeds = [*values, *map(np.asarray, rows), *self.operands[self.variables + self.rows :]]
            if not cond(*feeds)[0]:
                break
            made = body(*feeds)
            values = [np.array(x) for x in made[: self.variables]]
            stacks = stacks or [[] for _ in made[self.variables :]]
            for stack, row in zip(stacks, made[self.variables :], strict=True):
                stack.append(np.array(row))
            i += 1
        return Result(values, [np.array(stack[::-1] if self.reverse else stack) for stack in stacks], i)

    def native(self, last: int | None = None, pinned: Sequence[int] = ()) -> Result:
        """Run as machine code from the first iteration."""
        loop, _ = self.compiled(pinned)
        limit = None if last is None else np.array(last)
        run = LoopRun(limit, self.operands, _unused, _unused, self.variables, self.rows, self.reverse)
        loop.advance(run)
        stacks = [stack.finished(run.done) for stack in run.stacks or ()]
        if self.reverse:
            most = run.most or 0
            stacks = [stack.finished(most)[most - run.done :] for stack in run.stacks or ()]
        return Result(run.values, stacks, run.done, run.has_ended)

    def compiled(self, pinned: Sequence[int] = ()) -> tuple[NativeLoop, LoopMemory]:
        """The code of the loop. CannotLower if it has none."""
        source, layout = loop_module(self.form, {k: self.operands[k] for k in pinned})
        calls_blas = any("matmul" in name for name in source.imports)
        return NativeLoop(tier.build_now(source), self.form, layout, calls_blas), layout


def _unused(*arrays: Any) -> list[Any]:
    raise AssertionError("machine code calls no Python")


def program(
    cond: Function, body: Function, operands: Sequence[Any], variables: int, rows: int = 0, reverse: bool = False
) -> LoopProgram:
    """A loop of two Python functions of tensors, one for each operand."""
    given = [np.asarray(x) for x in operands]
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [
            tf.placeholder(x.dtype, x.shape[1:] if variables <= k < variables + rows else x.shape)
            for k, x in enumerate(given)
        ]
        plans = session.plan([cond(*inputs)], inputs), session.plan(list(body(*inputs)), inputs)
    return LoopProgram(*plans, given, variables, rows, reverse)


def same_bits(a: Any, b: Any) -> bool:
    """True if two arrays agree in dtype, shape and bits; all NaNs count as one."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "fc":
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return False
        a, b = (np.where(np.isnan(x), np.zeros((), x.dtype), x) for x in (a, b))
    return bool(a.tobytes() == b.tobytes())


def agree(one: Result, other: Result) -> bool:
    """True if two runs gave the same bits."""
    if one.iterations != other.iterations:
        return False
    pairs = [*zip(one.variables, other.variables, strict=True)]
    if one.iterations:  # without any the plain run does not know the stacks
        pairs += zip(one.stacks, other.stacks, strict=True)
    return all(same_bits(a, b) for a, b in pairs)
