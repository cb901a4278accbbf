"""A partition at a worker: planned and compiled there once by a session of its own, then run any number of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any
from weakref import ref

from ...graph.shapes.literal import Array
from ...runtime.base.random_counters import RandomState, StreamState
from ...runtime.base.session_config import SessionConfig
from ...runtime.base.stop_signal import StopSignal, working_for
from ...runtime.execution.step_listener import StepListener
from ...runtime.ir.kernel_protocol import KernelTier
from ...runtime.planning.plan import Plan
from ...runtime.session.plan_cache import PlanCache
from ...runtime.session.session import Session
from ..placing.partition_graph import read_partition

_FOREVER = 1e9
"""Seconds. A signal with an end is asked after each step (0.3 us); a run on a cluster takes a millisecond at least."""


class WorkerPartition:
    """A partition that is ready to run. One thread at a time uses it."""

    def __init__(
        self, text: str, constants: Mapping[str, Array], modules: Sequence[str], config: SessionConfig
    ) -> None:
        made = read_partition(text, constants, modules)
        self._session = Session(graph=made.graph, config=config)
        plans = PlanCache(made.graph, self._session.config, ref(self._session), self._session.variables)
        self._program = plans.find([*made.fetches, *made.targets], made.feeds)[0].program

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self._program.plan

    def kernels(self) -> Sequence[KernelTier]:
        """How each of its steps runs now."""
        return self._program.kernels()

    def run(
        self,
        arrays: Sequence[Any],
        streams: Mapping[str, Sequence[int]],
        signal: StopSignal,
        listener: StepListener | None = None,
    ) -> list[Any]:
        """The results.

        Args:
            arrays: its inputs.
            streams: for each random op (seed, seed2, blocks drawn before).
            signal: what ends it.
            listener: what follows its steps.

        Raises:
            OpError: an operation failed.
            RunInterrupted: the run was ended.
        """
        if streams:
            kept = {name: each.memory for name, each in self._session.random_state().items()}  # it stays at the worker
            self._session.set_random_state(RandomState({
                name: StreamState(seed, seed2, drawn, kept.get(name)) for name, (seed, seed2, drawn) in streams.items()
            }))  # fmt: skip
        signal.until = min(signal.until, monotonic() + _FOREVER)
        signal.check()  # it may have been ended while the thread was busy with another run
        with working_for(signal):
            return self._program.run(arrays, listener)

    def drawn(self) -> dict[str, int]:
        """How many blocks each random stream has drawn, after the last run, which may have failed."""
        return {name: each.drawn for name, each in self._session.random_state().items()}

    def close(self) -> None:
        """Free its plans and memory."""
        self._session.close()
