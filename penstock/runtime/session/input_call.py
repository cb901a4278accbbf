"""`InputCall`: a run that begins with what it takes out of queues, iterators and readers.

See `passes.sources`. Such a run is two calls: one gives the elements, the other is fed with them. Runs that are
observed are made in one, with the plan that holds all operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from ...graph.model.nodes import Operation, Tensor
from ..base.coming_feeds import COMING_FEEDS
from ..base.stop_signal import limited_to
from ..execution.executor import Program
from ..execution.step_listener import StepListener
from ..passes.pipeline import prune
from ..passes.sources import handles_of, results_of
from .planned_call import PlannedCall, Repack
from .shaped_calls import ShapedCalls
from .state_run import StateRun
from .timed_run import Timeout

ComesNext: TypeAlias = Callable[[Sequence[Any]], dict[int, Any]]
"""(the handles) -> the elements that the next run will probably take, by the places of their feeds."""


class InputCall(PlannedCall):
    """A planned call whose elements are taken first. Thread-safe."""

    __slots__ = (
        "_coming", "_elements", "_find_hand", "_find_handles", "_find_whole", "_found", "_hand", "_handles", "_next",
        "_order", "_picked", "_rest", "_timeout",
    )  # fmt: skip

    def __init__(
        self,
        tensors: tuple[Tensor, ...],
        handles: PlannedCall | None,
        elements: PlannedCall,
        picked: Sequence[int],
        rest: PlannedCall,
        whole: Callable[[], PlannedCall],
        timeout: Timeout | None,
        coming: ComesNext | None = None,
        hand: Callable[[bytes], Callable[[], Any] | None] | None = None,
    ) -> None:
        """A call to which values of `tensors` are fed.

        Args:
            tensors: the fed tensors.
            handles: gives the handles that do not depend on what is fed, once; None if there are none.
            elements: gives the elements.
            picked: the places of the fed tensors that it is fed with, before the handles.
            rest: is fed with all fed tensors and the elements.
            whole: plans the call that does both in one.
            timeout: how long both together may take; None without a limit.
            coming: from the handles to the elements that the next run will probably take, for sessions that send them
                ahead.
            hand: from the only handle to what takes elements that lie at hand, if anything does.
        """
        self.tensors = tensors
        self._find_handles = handles
        self._handles: list[Any] | None = None if handles is not None else []
        self._elements = elements
        self._next: Callable[[], list[Any]] | None = None  # if only the handles count, once they are known
        self._picked = tuple(picked)
        self._rest = rest
        self._find_whole = whole
        self._found: PlannedCall | None = None
        self._timeout = timeout
        self._coming = coming
        self._find_hand, self._hand = hand, _nothing
        self._order: itemgetter[Any] | None = None
        self.used = rest.used
        self.fed_results = rest.fed_results

    def reordered(self, tensors: tuple[Tensor, ...]) -> InputCall:
        """See `PlannedCall`."""
        copy = InputCall(self.tensors, self._find_handles, self._elements, self._picked, self._rest,
                         lambda: self._whole, self._timeout, self._coming, self._find_hand)  # fmt: skip
        if tensors != self.tensors:
            at = {tensor: i for i, tensor in enumerate(tensors)}
            copy._order = itemgetter(*[at[tensor] for tensor in self.tensors])
        return copy

    def __call__(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """See `PlannedCall`."""
        if self._next is not None and not values:
            return self._rest(self._hand() or self._next(), repack)
        if self._timeout is None and self._coming is None:
            return self._rest(self._with_elements(values), repack)
        with self._in_time():
            every = self._with_elements(values)
            if self._coming is None:
                return self._rest(every, repack)
            token = COMING_FEEDS.set(partial(self._coming, self._handles or ()))
            try:
                return self._rest(every, repack)
            finally:
                COMING_FEEDS.reset(token)

    def run_on_device(self, values: Sequence[Any], repack: Repack | None = None) -> Any:
        """See `PlannedCall`."""
        with self._in_time():
            return self._rest.run_on_device(self._with_elements(values), repack)

    def _in_time(self) -> Any:
        timeout = self._timeout
        return nullcontext() if timeout is None else limited_to(timeout.milliseconds, timeout.option, timeout.fetches)

    def _with_elements(self, values: Sequence[Any]) -> list[Any]:
        """The fed values, followed by the elements."""
        if self._next is not None:
            elements = self._next()
            return [*values, *elements] if values else elements
        if self._order is not None:
            values = self._order(values)
        handles = self._handles
        if handles is None:
            assert self._find_handles is not None
            handles = self._handles = self._find_handles.run_program(())
        call = self._elements
        if self._picked:
            given = [*[values[i] for i in self._picked], *handles]
            return [*values, *call.run_program(call.arrays(given))]
        if self._order is None and call.state is None and self._timeout is None and self._coming is None:
            if self._find_hand is not None:
                self._hand = self._find_hand(bytes(handles[0][()])) or _nothing
            self._next = call.program.on(handles)
        return [*values, *call.run_program(handles)]

    # ---- runs in one, for those who observe them ----------------------------------------------

    @property
    def _whole(self) -> PlannedCall:
        if self._found is None:
            self._found = self._find_whole()
        return self._found

    @property
    def program(self) -> Program:  # type: ignore[override]  # planned when it is looked at
        """The program that does both in one."""
        return self._whole.program

    def for_arrays(self, arrays: Sequence[Any]) -> PlannedCall:
        """See `PlannedCall`."""
        return self._whole.for_arrays(arrays)

    @property
    def shaped(self) -> ShapedCalls[PlannedCall] | None:
        """See `PlannedCall`."""
        return self._whole.shaped

    @property
    def state(self) -> StateRun | None:
        """See `PlannedCall`."""
        return self._whole.state

    def run_program(
        self, arrays: Sequence[Any], trace: StepListener | None = None, timeout: Timeout | None = None
    ) -> list[Any]:
        """See `PlannedCall`."""
        return self._whole.run_program(arrays, trace, timeout)

    def in_order(self, values: Sequence[Any]) -> Sequence[Any]:
        """See `PlannedCall`."""
        return values if self._order is None else self._order(values)

    def arrays(self, values: Sequence[Any], fixed_width: frozenset[int] = frozenset()) -> list[Any]:
        """See `PlannedCall`."""
        return self._whole.arrays(values, fixed_width)

    def owned_device_results(self, results: Sequence[Any], repack: Repack | None) -> Any:
        """See `PlannedCall`."""
        return self._whole.owned_device_results(results, repack)

    def owned_results(self, results: Sequence[Any], repack: Repack | None) -> Any:
        """See `PlannedCall`."""
        return self._whole.owned_results(results, repack)


def _nothing() -> None:
    """What takes elements where none lie at hand."""


def call_with_sources(
    fed: tuple[Tensor, ...],
    sources: tuple[Operation, ...],
    at_hand: Callable[[tuple[Tensor, ...], tuple[Tensor, ...]], PlannedCall],
    with_them: Callable[[tuple[Tensor, ...]], PlannedCall],
    in_one: Callable[[], PlannedCall],
    timeout: Timeout | None,
    ahead: Callable[[bytes], Sequence[Any] | None] | None,
    hand: Callable[..., Callable[[], Any] | None],
) -> InputCall:
    """The call of runs that begin with what some operations give.

    Args:
        fed: the tensors that the user feeds.
        sources: the operations.
        at_hand: (fetched tensors, fed tensors) -> the call that gives these on this machine.
        with_them: from the results of the sources, which are fed behind the user's, to the call of the rest.
        in_one: plans the call that does all.
        timeout: how long a run may take.
        ahead: from a handle to the next element of what has it, if that is known; None if nothing is sent ahead.
        hand: from a handle, and the dtypes and shapes that an operation promises of an element, to what takes
            elements that lie at hand.
    """
    taken, handles = results_of(sources), handles_of(sources, fed)
    needed = {t for op in prune(taken, (), {*fed, *handles}) for t in op.inputs}
    picked = [i for i, tensor in enumerate(fed) if tensor in needed]
    elements = at_hand(taken, (*[fed[i] for i in picked], *handles))
    names = at_hand(handles, ()) if handles else None
    coming = None
    if ahead is not None:
        firsts = [len(fed) + taken.index(op.outputs[0]) for op in sources]
        asked = [(handles.index(op.inputs[0]), first) for op, first in zip(sources, firsts, strict=True)
                 if op.inputs[0] in handles]  # fmt: skip
        coming = partial(_coming, ahead, asked)
    at_once = None
    promise = ("output_types", "output_shapes")
    if len(sources) == 1 and handles == tuple(sources[0].inputs) and promise[1] in sources[0].opdef.parameters:
        at_once = partial(hand, promise=[sources[0].get_attr(each) for each in promise])
    return InputCall(fed, names, elements, picked, with_them(taken), in_one, timeout, coming, at_once)


def _coming(
    ahead: Callable[[bytes], Sequence[Any] | None], asked: Sequence[tuple[int, int]], handles: Sequence[Any]
) -> dict[int, Any]:
    """The elements that the next run will probably take, by the places of their feeds.

    asked: for each operation that takes an element, the place of its handle and of its first result.
    """
    if len({at for at, _ in asked}) < len(asked):  # the second one takes the element behind
        return {}
    elements = [(first, ahead(bytes(handles[at][()]))) for at, first in asked]
    return {first + i: part for first, element in elements for i, part in enumerate(element or ())}
