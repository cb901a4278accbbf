"""`While` at run time: iteration by iteration at first, then as one compiled function, from the middle of the loop on.

    iterations   0 1 2 ... plain path ... | native, a chunk at a time ... | plain: a division by zero | ...
                                          code is ready

When code is made decides `llvm.promotion`, from the time that the plain path has taken. A loop that cannot be compiled
stays on the plain path; the reason is in `session.explain` (`KernelTier.promotion`).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, Final

from ...graph.common.lazy_import import load
from ...graph.shapes.dtypes import of_numpy
from ...ops.control.loop_run import LoopRun
from ..base.observed_bodies import is_observed
from ..ir.kernel_protocol import Kernel, KernelTier
from ..ir.scalar_ir import CannotLower
from ..llvm import tier
from ..llvm.promotion import PATIENCE, Meter, Promotion, State
from ..llvm.tier import ModuleSource
from ..planning.plan import Plan
from .loop_form import LoopMemory, ShapedLoop
from .loop_values import NeedsValue
from .native_loop import NativeLoop

KEPT: Final = 32
"""The most forms of operands for which a loop keeps code."""
PINNED: Final = 64
"""The most elements of a capture whose value the code may depend on."""
TRIAL: Final = 16
"""Iterations of the plain path, in one run or in several, before code is asked for."""
BATCH: Final = 1e-3
"""Seconds of the plain path between two questions for code."""
MOST_BAILS: Final = 64
"""Iterations given back one after the other, after which a run stays on the plain path."""
OPS_PER_STEP: Final = 3


class _ShapedLoopCode:
    """A loop on operands of certain shapes: the promotion of its code."""

    def __init__(self, form: ShapedLoop, meter: Meter, captures: dict[int, Any]) -> None:
        self._form = form
        self._captures = captures
        self._layout: LoopMemory | None = None
        self._calls_blas = False
        self.pinned: dict[int, Any] = {}
        self.promotion: Promotion[NativeLoop] = Promotion(meter, self._written, self._finished)

    def fits(self, operands: Any) -> bool:
        """True if the values that the code depends on are those of these operands."""
        return all(operands[k].tobytes() == value.tobytes() for k, value in self.pinned.items())

    def _written(self) -> ModuleSource:
        load("penstock.runtime.loops.loop_module")
        from .loop_module import loop_module  # 3 ms that most programs never spend

        try:
            try:
                source, layout = loop_module(self._form, {})
            except NeedsValue:
                source, layout = loop_module(self._form, self._captures)
                self.pinned = self._captures
        except CannotLower:
            raise
        except Exception as error:  # of a kernel that computes a constant; the plain path raises it where it belongs
            raise CannotLower(f"{type(error).__name__}: {error}") from error
        self._layout = layout
        self._calls_blas = any("matmul" in name for name in source.imports)
        return source

    def _finished(self, library: Any) -> NativeLoop:
        assert self._layout is not None  # the source was written
        return NativeLoop(library, self._form, self._layout, self._calls_blas)


class PromotedLoop:
    """The kernel of one `While`. Thread-safe: a run keeps its state to itself."""

    def __init__(
        self, has_limit: bool, cond: Any, body: Any, variables: int, rows: int, reverse: bool
    ) -> None:
        self._has_limit = has_limit
        self._cond = cond
        self._body = body
        self._variables = variables
        self._rows = rows
        self._reverse = reverse
        self._meter = Meter(OPS_PER_STEP * (_steps(cond.plan) + _steps(body.plan)))
        self._forms: dict[Any, list[_ShapedLoopCode]] = {}
        self._last: _ShapedLoopCode | None = None
        self._interpreted = 0  # iterations on the plain path, of all runs
        self._usual = 0  # iterations of the last run

    @property
    def kernel(self) -> Kernel:
        """The kernel of the step."""
        return Kernel(self, tier=self._tier)

    def _tier(self) -> KernelTier:
        if self._last is None:
            return KernelTier("interpreted", State.INTERPRETED.value)
        promotion = self._last.promotion
        return KernelTier("compiled" if promotion.code is not None else "interpreted", str(promotion))

    def __call__(self, *arrays: Any) -> list[Any]:
        """The results of the op."""
        limit, operands = (arrays[0], arrays[1:]) if self._has_limit else (None, arrays)
        run = LoopRun(limit, operands, self._cond, self._body, self._variables, self._rows, self._reverse)
        if is_observed():
            run.advance()
            return run.results()
        form = self._form(operands) if self._forms else None
        if form is None or form.promotion.code is None:
            self._interpret(run, form, operands)
        bails = 0
        while not run.has_ended:
            code = None if self._last is None else self._last.promotion.code
            if code is None or code.is_too_slow or bails > MOST_BAILS or not tier.on():
                run.advance()
                break
            before = run.done
            code.advance(run)
            if not run.has_ended:
                run.advance(1)
                bails = bails + 1 if run.done <= before + 1 else 0
        self._usual = run.done
        return run.results()

    def _interpret(self, run: LoopRun, form: _ShapedLoopCode | None, operands: Any) -> None:
        """Run on the plain path until the loop ends or there is code, which is then that of `_last`."""
        meter = self._meter
        while not run.has_ended:
            count = TRIAL
            if self._interpreted >= TRIAL or tier.at_once():
                form = form or self._form(operands, makes=True)
                if form is None or form.promotion.state is State.REFUSED or not tier.on():
                    run.advance()
                    return
                each = meter.seconds / max(self._interpreted, 1)
                left = (run.done or self._usual) if run.most is None else run.most - run.done
                if form.promotion.code_for(PATIENCE * each * left) is not None:
                    if not form.fits(operands):
                        form = None
                        continue
                    self._last = form
                    return
                if tier.at_once():
                    run.advance()
                    return
                count = max(int(BATCH / each), 1) if each else TRIAL
            start, before = perf_counter(), run.done
            run.advance(count)
            meter.seconds += perf_counter() - start
            self._interpreted += run.done - before

    def _form(self, operands: Any, makes: bool = False) -> _ShapedLoopCode | None:
        """The form of these operands; None if there is none yet, or too many."""
        key = tuple([x.shape for x in operands])
        forms = self._forms.get(key)
        for form in forms or ():
            if form.fits(operands):
                self._last = form
                return form
        if not makes or (forms is None and len(self._forms) >= KEPT) or (forms is not None and len(forms) >= KEPT):
            return None
        first = self._variables + self._rows
        shapes = tuple([x.shape[1:] if self._variables <= k < first else x.shape for k, x in enumerate(operands)])
        dtypes = tuple([of_numpy(x.dtype) for x in operands])
        loop = ShapedLoop(self._cond.plan, self._body.plan, dtypes, shapes, self._variables, self._rows, self._reverse)
        few = [k for k, x in enumerate(operands) if k >= first and x.dtype.kind in "iu" and x.size <= PINNED]
        captures = {k: operands[k].copy() for k in few}
        made = _ShapedLoopCode(loop, self._meter, captures)
        self._forms.setdefault(key, []).append(made)
        self._last = made
        return made


def _steps(plan: Plan) -> int:
    """The number of steps, those of inner plans included."""
    inner = [arg for step in plan.steps for arg in step.args if isinstance(arg, Plan)]
    return len(plan.steps) + sum(map(_steps, inner))


def bind_while(
    limit: Any, operands: Any, cond: Any, body: Any, variables: int, rows: int, reverse: bool, *_: Any
) -> Kernel:
    """The kernel of a `While` step from its arguments, whose graphs are functions of arrays already."""
    return PromotedLoop(limit is not None, cond, body, variables, rows, reverse).kernel


