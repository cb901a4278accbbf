"""`PlannedCall`: from fed values to results that the caller owns.

The values of the feeds become arrays, the steps run, and the results are copied where the caller may not have their
memory. Everything that can be known before is computed with the plan: the usual class, dtype and shape of each feed,
and whether one tensor is fetched, which needs no structure. An addition of two fed arrays through a callable takes 2.9
us, of which 0.3 are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from time import perf_counter
from typing import Any

import numpy as np

from ...errors import ResourceExhaustedError
from ...graph.model.nodes import Tensor
from ...graph.shapes.literal import normal_bools
from ..arguments.feeds import check_equations, check_feeds
from ..execution.executor import Program
from ..execution.row_major import row_major_copies
from ..execution.step_listener import StepListener
from ..memory.buffer_pool import POOL, SMALL
from ..passes.known_sizes import Flags, Shapes
from ..planning.aliasing import aliases_of
from ..planning.device_feeds import on_expected_device
from ..planning.fixed_width_strings import fixed_width_feeds
from .asynchronous_run import AsynchronousRun
from .drawing_run import DrawingRun
from .shaped_calls import ShapedCalls
from .state_run import OtherShapes, StateRun
from .timed_run import TimedRun, Timeout

OfRun = StateRun | DrawingRun | AsynchronousRun | TimedRun
Repack = Callable[[Sequence[Any]], Any]
_Array = np.ndarray


class PlannedCall:
    """A program and the tensors that are fed to it. Thread-safe."""

    __slots__ = (
        "_bools", "_fixed_width", "_flags", "_general", "_holds", "_may_return", "_shaped", "_state", "_usual_arrays",
        "fed_results", "program", "tensors", "used",
    )  # fmt: skip

    fed_results: frozenset[int]
    """The places of fetches that are fed themselves: what comes back of a number is then an array, as it was fed."""

    def __init__(
        self,
        program: Program,
        tensors: tuple[Tensor, ...],
        state: OfRun | None = None,
        shaped: ShapedCalls[PlannedCall] | None = None,
        shapes: Shapes | None = None,
        holds: Callable[[], bool] | None = None,
        flags: Flags = (),
    ) -> None:
        """A call of `program`, to which values of `tensors` are fed.

        Args:
            program: what runs.
            tensors: the fed tensors, in its order.
            state: how the runs use variables, or end after a time; None if neither.
            shaped: the calls that serve runs with certain shapes instead; None if the tensors' sizes are known.
            shapes: the shapes of the feeds if the program serves no others.
            holds: whether the variables have the shapes now for which the program was planned; None if it serves all.
            flags: the values of the flags among the feeds for which it was planned; nothing if it serves all.
        """
        self.program = program
        self.tensors = tensors
        self._shaped = shaped
        self._holds = holds
        self._flags = flags
        self._general: PlannedCall | None = None
        self._usual_arrays = [_usual_array(tensor) for tensor in tensors]
        if shapes is not None:
            usual = zip(tensors, shapes, strict=True)
            self._usual_arrays = [(None if t.dtype.is_string else t.dtype.np, shape) for t, shape in usual]
        self._bools = [i for i, tensor in enumerate(tensors) if tensor.dtype.is_bool]
        has_strings = any(tensor.dtype.is_string for tensor in tensors)
        self._fixed_width = fixed_width_feeds(program.plan) if has_strings else frozenset()
        self.fed_results = frozenset()
        self.used = [0]  # the time of the last use, for the plan cache; shared by the calls of one program
        self._state = state
        plan = program.plan
        self._may_return = aliases_of(plan).returnable(plan.fetches) if state is None else state.may_return

    def __call__(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """The results for `values`, in the order of the fed tensors; `repack` makes the structure of the fetches."""
        arrays = values
        shaped = self._shaped
        call = self if shaped is None else shaped.latest or self
        for value, (dtype, shape) in zip(values, call._usual_arrays, strict=True):
            if value.__class__ is not _Array or value.dtype is not dtype or value.shape != shape:
                arrays = self.arrays(values, self._fixed_width)
                call = self.for_arrays(arrays)
                break
        else:
            if self._bools:
                arrays = list(values)
                for i in self._bools:
                    arrays[i] = normal_bools(arrays[i])
            if shaped is not None and (
                call is self or call._holds is not None or (call._flags and call._flags != shaped.flags(arrays))
            ):
                call = self.for_arrays(arrays)
        state = call._state
        if call._holds is not None:
            return call.owned_results(call.run_program(arrays), repack)
        if call is self and shaped is not None:
            start = perf_counter()
            results = self.program.run(arrays) if state is None else state.run(self.program, arrays)
            shaped.spend(perf_counter() - start)
        else:
            results = call.program.run(arrays) if state is None else state.run(call.program, arrays)
        return call.owned_results(results, repack)

    def reordered(self, tensors: tuple[Tensor, ...]) -> PlannedCall:
        """The same call, to which the values of the feeds are given in this order."""
        return self if self.tensors == tensors else ReorderedCall(self, tensors)

    def for_arrays(self, arrays: Sequence[Any]) -> PlannedCall:
        """The call that serves feeds of these shapes: this one, or the one that was planned for them."""
        shaped = self._shaped
        call = None if shaped is None else shaped.find(arrays)
        if call is None or shaped is None:
            return self
        if call._holds is not None:
            if not call._holds():
                shaped.drop(call)
                return self
            call._general = self
        return call

    @property
    def shaped(self) -> ShapedCalls[PlannedCall] | None:
        """The calls for feeds of certain shapes; None if all shapes are served by this one."""
        return self._shaped

    @property
    def state(self) -> StateRun | None:
        """How the runs use variables; None if they use none."""
        state = self._state
        while isinstance(state, (TimedRun, DrawingRun, AsynchronousRun)):
            state = state.state
        return state

    def run_program(
        self, arrays: Sequence[Any], trace: StepListener | None = None, timeout: Timeout | None = None
    ) -> list[Any]:
        """The results of the steps for `arrays`, which `owned_results` makes the caller's.

        timeout: that of this run; None for the session's.
        """
        state = self._state
        if timeout is not None:
            state = TimedRun(timeout, self.program.plan, state.state if isinstance(state, TimedRun) else state)
        if state is None:
            return self.program.run(arrays, trace)
        try:
            return state.run(self.program, arrays, trace)
        except OtherShapes:  # another thread changed a variable after `for_arrays` had looked
            assert self._general is not None  # who calls this one has asked `for_arrays` of that
            return row_major_copies(self._general.run_program(arrays, trace, timeout), self.program.threads)

    def run_on_device(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As `__call__`, but results on a GPU stay there, as row-major arrays that share no memory."""
        arrays = self.arrays(values)
        return self.owned_device_results(self.run_program(arrays), repack)

    def in_order(self, values: Sequence[Any]) -> Sequence[Any]:
        """The fed values in the order of the program."""
        return values

    def owned_device_results(self, results: Sequence[Any], repack: Repack | None) -> Any:
        """As `owned_results`, for a run whose results stay on their device."""
        owned = []
        for result, given in zip(results, self._may_return, strict=True):
            if result.__class__ is _Array:
                if not result.ndim:
                    owned.append(result[()])
                    continue
                kept = given and _is_whole(result)
                owned.append(result if kept else _copies([result], self.program.threads)[0])
            elif given and result.flags.c_contiguous and getattr(result, "base", None) is None:
                owned.append(result)
            else:
                owned.append(result.copy(order="C"))
        return owned[0] if repack is None else repack(owned)

    def arrays(self, values: Sequence[Any], fixed_width: frozenset[int] = frozenset()) -> list[Any]:
        """The fed values as arrays that fit the tensors; an array on a GPU stays there if no step reads it elsewhere.

        fixed_width: the positions of feeds that may stay arrays of fixed-width strings.

        Raises:
            FeedError: a value does not fit.
            UseError: a value is a tensor.
        """
        arrays, bindings = check_feeds(self.tensors, values, fixed_width)
        if self.program.plan.equations:
            check_equations(self.program.plan, bindings)
        if any(a.__class__ is not _Array for a in arrays):
            return on_expected_device(self.program.plan, arrays)
        return arrays

    def owned_results(self, results: Sequence[Any], repack: Repack | None) -> Any:
        """The results of a run for the caller: each is row-major, writable and shares no memory.

        Raises:
            ResourceExhaustedError: there is no memory for a copy.
        """
        if repack is None:
            (result,) = results
            if not result.ndim:
                return result.copy() if self.fed_results else result[()]
            return result if self._may_return[0] and _is_whole(result) else _copies(results, self.program.threads)[0]
        owned: list[Any] = []
        others: list[int] = []  # positions of results that are copied
        for i, (result, given) in enumerate(zip(results, self._may_return, strict=True)):
            if not result.ndim:
                owned.append(result.copy() if i in self.fed_results else result[()])
                continue
            owned.append(result)
            if not (given and _is_whole(result)):
                others.append(i)
        if others:
            copies = _copies([owned[i] for i in others], self.program.threads)
            for i, copy in zip(others, copies, strict=True):
                owned[i] = copy
        return repack(owned)


class ReorderedCall(PlannedCall):
    """A planned call that takes the values of the feeds in another order than its plan."""

    __slots__ = ("_order",)

    def __init__(self, call: PlannedCall, tensors: tuple[Tensor, ...]) -> None:
        super().__init__(call.program, call.tensors, call._state, call.shaped)
        self.used, self.fed_results = call.used, call.fed_results
        at = {tensor: i for i, tensor in enumerate(tensors)}
        self._order = itemgetter(*[at[tensor] for tensor in call.tensors])

    def __call__(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As of `PlannedCall`."""
        return super().__call__(self._order(values), repack)

    def run_on_device(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """As of `PlannedCall`."""
        return super().run_on_device(self._order(values), repack)

    def in_order(self, values: Sequence[Any]) -> Sequence[Any]:
        """As of `PlannedCall`."""
        return self._order(values)  # type: ignore[no-any-return]  # a tuple, since there are at least two feeds


def _usual_array(tensor: Tensor) -> tuple[Any, Any]:
    """The (dtype, shape) of arrays that need no conversion or check; (None, None), which no array has, if there is
    none.

    It exists if all sizes are known, because such a shape binds no named dimension.
    """
    dims = tensor.shape.raw
    if tensor.dtype.is_string or dims is None or not all(isinstance(d, int) for d in dims):
        return None, None
    return tensor.dtype.np, tuple([int(d) for d in dims if isinstance(d, int)])


def _is_whole(result: Any) -> bool:
    """True if an array is row-major, writable, and not a part of a larger block, which it would keep alive."""
    flags = result.flags
    return bool(flags.carray) and (flags.owndata or POOL.owns(result))


def _copies(results: Sequence[Any], threads: int | None) -> list[Any]:
    try:
        if len(results) == 1 and results[0].nbytes < SMALL:
            return [results[0].copy()]
        return row_major_copies(results, threads)
    except MemoryError as error:
        shapes = ", ".join([f"{result.dtype} {list(result.shape)}" for result in results])
        raise ResourceExhaustedError(
            message=f"Session.run: there is no memory to copy the results ({shapes}), "
            f"{sum([result.nbytes for result in results])} bytes: {error}. Fetched results own their memory; drop "
            "earlier results, or fetch less"
        ) from None
