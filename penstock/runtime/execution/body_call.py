"""Calls of graphs inside ops: the function of arrays that an op's kernel receives in place of a plan.

It runs a program of its own. Memory, threads and kernels of a body work as in any run; they are prepared once per
program, however often the body runs. Results may share memory with the operands, or be constants of the plan. Operands
are never written (`runtime.planning.aliasing` treats both as memory from outside), with one exception: what a body of a
loop has given as the next value of a loop variable, its next run may overwrite (`InnerCall.overwrites`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ...errors import InternalError, InvalidArgumentError, OpError
from ...graph.shapes.dimension import Dim, Symbol, broken_equations
from ..base.observed_bodies import OBSERVED
from ..numpy.writers import as_array
from ..planning.memory_plan import sizes_of_feeds
from ..planning.plan import Plan
from .repeated_run import RepeatedRun
from .step_listener import StepListener


class RunsPlan(Protocol):
    """The part of a program that a body needs; `executor.Program` has it."""

    @property
    def plan(self) -> Plan:
        """The plan it runs."""

    def run(self, feeds: Sequence[Any], trace: StepListener | None = None) -> list[Any]:
        """The fetched arrays for `feeds`, which are in the order of the plan."""

    def repeated(self) -> RepeatedRun | None:
        """For many runs of one thread, one after the other; None if a run may use several threads."""


class InnerCall:
    """A function from the input arrays to the list of results."""

    __slots__ = ("_claims", "_dtypes", "_is_quiet", "_program", "overwrites")

    def __init__(self, program: RunsPlan, is_quiet: bool = False) -> None:
        """is_quiet: it is only called where NumPy's warnings are off, and calls no user code."""
        plan = program.plan
        self._is_quiet = is_quiet
        self._program = program
        self._dtypes = [plan.slots[slot].dtype for _, slot in plan.feeds]
        places = {slot: i for i, (_, slot) in enumerate(plan.feeds)}
        self.overwrites = tuple([places[step.donor] for step in plan.steps if step.donor in places])
        """The places of arrays that a run overwrites, unless they are read-only."""
        self._claims = [(places[slot], name, shape) for slot, name, shape in plan.pinned if slot in places]

    @property
    def plan(self) -> Plan:
        """The plan of the body."""
        return self._program.plan

    def results(self, arrays: Sequence[Any]) -> list[tuple[Any, tuple[int, ...]]]:
        """(NumPy dtype, shape) of each result for these input arrays, without a run.

        A size that only a run can find counts as 0.
        """
        plan = self._program.plan
        sizes = sizes_of_feeds(plan, tuple([array.shape for array in arrays]))
        infos = [plan.slots[slot] for slot in plan.fetches]
        return [(each.dtype.np, tuple([_size(dim, sizes) for dim in each.shape or ()])) for each in infos]

    def repeated(self) -> Callable[..., list[Any]]:
        """The same function for many calls by one thread, one after the other, with less work for each."""
        plan = self._program.plan
        if OBSERVED.run is not None:
            return self
        lean = self._program.repeated() if self._is_quiet and not plan.equations and not self._claims else None
        if lean is None:
            return self
        run, dtypes = lean.run, self._dtypes
        ndarray = np.ndarray

        def call(*arrays: Any) -> list[Any]:
            for a in arrays:
                if a.__class__ is not ndarray:
                    arrays = tuple([as_array(a, d) for a, d in zip(arrays, dtypes, strict=True)])
                    break
            try:
                return run(arrays)
            except OpError as error:
                error.is_inside = True
                raise

        return call

    def __call__(self, *arrays: Any) -> list[Any]:
        try:
            given = self.checked(arrays)
            if OBSERVED.run is not None:
                return self._observed(given)
            return self._program.run(given)
        except OpError as error:
            error.is_inside = True
            raise

    def checked(self, arrays: Sequence[Any]) -> list[Any]:
        """The inputs of a run, as arrays.

        Raises:
            InvalidArgumentError: a size breaks a relation that the shapes of the body assume, or a claim about a shape.
        """
        plan = self._program.plan
        if len(arrays) != len(self._dtypes):
            raise InternalError(message=f"a body of {len(self._dtypes)} inputs was called with {len(arrays)} arrays")
        given = [a if a.__class__ is np.ndarray else as_array(a, d) for a, d in zip(arrays, self._dtypes, strict=True)]
        if plan.equations:
            check_sizes(plan, given)
        for place, name, shape in self._claims:  # claims of a loaded file, which may be wrong
            if not shape.is_compatible_with(given[place].shape):
                raise InvalidArgumentError(message=f"{name} is declared with shape {shape}, but in this run of a "
                                           f"body it has {list(given[place].shape)}")  # fmt: skip
        return given

    def _observed(self, given: Sequence[Any]) -> list[Any]:
        """A run with the listener that the listener of the step around has for it."""
        listen = OBSERVED.run
        assert listen is not None  # the caller looked
        OBSERVED.run = None  # of the steps inside, only that listener knows what listens
        try:
            return self._program.run(given, listen(self._program.plan))
        finally:
            OBSERVED.run = listen


def _size(dim: Dim, sizes: Mapping[Symbol, int]) -> int:
    return dim if isinstance(dim, int) else dim.at(sizes) or 0


def check_sizes(plan: Plan, arrays: list[Any]) -> None:
    """Check the relations between sizes that the shapes of the body assume.

    Raises:
        InvalidArgumentError: one does not hold for these arrays.
    """
    sizes = sizes_of_feeds(plan, tuple([array.shape for array in arrays]))
    for dim, found, _, wanted, node in broken_equations(plan.equations, sizes):
        raise InvalidArgumentError(
            message=f"the size {dim} is {found} in this run of a body, but the shapes at its node {node!r} hold "
            f"only for {wanted}"
        )
