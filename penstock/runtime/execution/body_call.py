"""A body in a run: the function of arrays that the kernel of an op that holds graphs gets in place of a plan.

It runs a program of its own: memory, threads and kernels of a body are found as those of any run, once for each
program, however often the body runs. Its results may share memory with what it is given, or be constants of its plan;
what is given is never written (`runtime.planning.aliasing` counts both as memory from outside).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...errors import InternalError, InvalidArgumentError, OpError
from ...graph.dimension import Dimension
from ..numpy.writers import as_array
from ..planning.plan import Plan


class RunsPlan(Protocol):
    """What a body's program must do: `executor.Program` does."""

    @property
    def plan(self) -> Plan:
        """What it runs."""

    def run(self, feeds: Sequence[Any]) -> list[Any]:
        """The fetched arrays for `feeds`, in the order of the plan's."""


class InnerCall:
    """(arrays of the inputs) -> the list of the results."""

    __slots__ = ("_claims", "_dtypes", "_program")

    def __init__(self, program: RunsPlan) -> None:
        plan = program.plan
        self._program = program
        self._dtypes = [plan.slots[slot].dtype for _, slot in plan.feeds]
        places = {slot: i for i, (_, slot) in enumerate(plan.feeds)}
        self._claims = [(places[slot], name, shape) for slot, name, shape in plan.pinned if slot in places]

    def __call__(self, *arrays: Any) -> list[Any]:
        plan = self._program.plan
        if len(arrays) != len(self._dtypes):
            raise InternalError(message=f"a body of {len(self._dtypes)} inputs was called with {len(arrays)} arrays")
        given = [a if a.__class__ is np.ndarray else as_array(a, d) for a, d in zip(arrays, self._dtypes, strict=True)]
        try:
            if plan.equations:
                check_sizes(plan, given)
            for place, name, shape in self._claims:  # of a file about what it cannot know
                if not shape.is_compatible_with(given[place].shape):
                    raise InvalidArgumentError(message=f"{name} is said to have shape {shape}, but in this run of a "
                                               f"body it has {list(given[place].shape)}")  # fmt: skip
            return self._program.run(given)
        except OpError as error:
            error.is_inside = True
            raise


def check_sizes(plan: Plan, arrays: list[Any]) -> None:
    """The claims about sizes that the body's shapes rest on hold for these arrays.

    Raises:
        InvalidArgumentError: one does not.
    """
    sizes: dict[Any, int] = {}
    for (_, slot), array in zip(plan.feeds, arrays, strict=True):
        for dim, size in zip(plan.slots[slot].shape or (), array.shape, strict=False):
            if isinstance(dim, Dimension) and dim.const == 0 and len(dim.terms) == 1 and dim.terms[0][1] == 1:
                sizes.setdefault(dim.terms[0][0], size)
    for dim, claimed, node in plan.equations:
        found = dim.at(sizes)
        wanted = claimed.at(sizes) if isinstance(claimed, Dimension) else claimed
        if found is not None and wanted is not None and found != wanted:
            raise InvalidArgumentError(
                message=f"the size {dim} is {found} in this run of a body, but the shapes at its node {node!r} hold "
                f"only for {wanted}"
            )
