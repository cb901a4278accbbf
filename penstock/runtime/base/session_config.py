"""What can be chosen for a session and for one run?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..observe.nan_watch import Watch, as_watch
from ..observe.value_summary import Summary
from .progress import ProgressHook, check_hook

if TYPE_CHECKING:
    from ..observe.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """Choices for a session.

    Args:
        device: where operations run that ask for no device: "cpu", "gpu", or the name of a registered backend.
        allow_soft_placement: run an operation on the CPU where the device that it asks for is missing or has no kernel
            for it; False makes that an InvalidArgumentError.
        fallback_to_cpu: run on the CPU, with a warning, if a GPU has not enough memory and nothing in the run changes a
            state.
        passes: the names of the passes to run, in their order; None for all, () for none.
        verify: check every stage after the pass that made it; for tests and for authors of passes.
        check: check in every run what ops declare of memory: an operand that changes, a result that shares memory
            without being declared to, and a value that is read after its memory was given up are InternalErrors. It is
            slow; for tests and for authors of kernels.
        plan_cache_size: how many plans the session keeps; the least recently used is dropped first.
        threads: how many threads may work on one run, the caller's included; None for one per core.
        arena: lay the values inside a run out in one block of memory, planned ahead; False gives each memory of its
            own.
        watch: a `Watch`, or True: end a run at the first NaN or infinity. The graph then runs as written, without
            passes.
        progress: a function called as `progress(done, steps, node)` before the first step and after each; see
            `progress_bar`.

    Raises:
        TypeError: `watch` is not a Watch or a bool, or `progress` is not a function.
        ValueError: `threads` is below 1.

    >>> import penstock as tf
    >>> config = tf.SessionConfig(threads=1, passes=())
    >>> with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
    ...     print(session.run(tf.constant(1) + 2))
    3
    """

    device: str = "cpu"
    allow_soft_placement: bool = True
    fallback_to_cpu: bool = False
    passes: tuple[str, ...] | None = None
    verify: bool = False
    check: bool = False
    plan_cache_size: int = 128
    threads: int | None = None
    arena: bool = True
    watch: Watch | bool | None = None
    progress: ProgressHook | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "watch", as_watch(self.watch, "SessionConfig"))
        check_hook(self.progress, "SessionConfig")
        if self.threads is not None and self.threads < 1:
            raise ValueError(
                f"SessionConfig(threads={self.threads}): a run has at least 1 thread, the caller's; None for all"
            )
        if self.plan_cache_size < 0:
            raise ValueError(f"SessionConfig(plan_cache_size={self.plan_cache_size}): at least 0, which keeps no plan")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Choices for one run.

    Args:
        trace: record every step in the run's `RunMetadata`.
        values: record a summary of every value, fed ones included: its first elements, range, mean and spread, how many
            elements are NaN, infinite or zero, a histogram, and a small image where its shape is that of one. It takes
            some passes over every value, which the times of the steps leave out.
        watch: a `Watch` or True, as in `SessionConfig`, for this run.
        progress: a function, as in `SessionConfig`, for this run.

    Raises:
        TypeError: `watch` is not a Watch or a bool, or `progress` is not a function.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.constant(1) + 2, options=tf.RunOptions(trace=False)))
    3
    """

    trace: bool = True
    values: bool = False
    watch: Watch | bool | None = None
    progress: ProgressHook | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "watch", as_watch(self.watch, "RunOptions"))
        check_hook(self.progress, "RunOptions")


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """One value of a recorded run: its name, dtype, the shape it had, its bytes.

    value: a `penstock.runtime.observe.value_summary.Summary`, if the run was asked for values.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    value: Summary | None = None

    @property
    def type(self) -> str:
        """Dtype and shape as they are printed everywhere: `float32 (150, 4)`."""
        comma = "," if len(self.shape) == 1 else ""
        return f"{self.dtype} ({', '.join(map(str, self.shape))}{comma})"


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of a recorded run: node, op type, device, start and duration in seconds, bytes of its results.

    held: bytes of all values that are held after it. results: what it made. kernel: how a fused group is run by the
    end of the run, "interpreted" or "compiled" (to machine code); "" for an op's own kernel. launches: kernels of the
    package that it started on a GPU, see `RunMetadata.launches`. promotion: how far it is on its way to machine code:
    "interpreted", "queued", "compiled", or "refused: " and the reason; "" where there is no such way.
    """

    node: str
    op: str
    device: str
    start: float
    duration: float
    bytes: int
    held: int = 0
    results: tuple[ResultRecord, ...] = ()
    kernel: str = ""
    launches: int = 0
    promotion: str = ""

    @property
    def is_healthy(self) -> bool | None:
        """False if a result has a NaN or an infinity; None if values were not recorded."""
        known = [r.value.is_healthy for r in self.results if r.value is not None]
        return all(known) if known else None


class RunMetadata:
    """A record of the last run it was given to: the plan that ran, and what happened in each step.

    `record` and what follows from it are worked out when they are asked for. After a failed run they end with the step
    before the one that failed.

    Attributes:
        plan: the plan that ran.
        launches: how many kernels of the package the run started on a GPU: one for each fused group, one or more for an
            op that moves elements. With `RunOptions(trace=False)` captured steps count as one. 0 on the CPU.

    >>> import penstock as tf
    >>> metadata = tf.RunMetadata()
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["n"], name="x")
    ...     options = tf.RunOptions(values=True)
    ...     _ = session.run(tf.cumsum(x, name="sums"), {x: [1.0, 2.0]}, options, metadata)
    >>> [(step.node, step.results[0].type, str(step.results[0].value)) for step in metadata.steps]
    [('sums', 'float32 (2,)', '1 to 3, mean 2')]

    Source: TensorFlow 1.x, `tf.RunMetadata`.
    """

    __slots__ = ("_record", "_tell", "launches", "plan")

    def __init__(self) -> None:
        self.plan: Any = None
        self.launches = 0
        self._tell: Callable[[], RunRecord] | None = None
        self._record: RunRecord | None = None

    def begin(self, plan: Any, tell: Callable[[], RunRecord] | None) -> None:
        """Called by a session before it runs `plan`; `tell` works out the record afterwards."""
        self.plan, self._tell, self._record, self.launches = plan, tell, None, 0

    @property
    def record(self) -> RunRecord | None:
        """The recorded run as data that prints, exports (`record.export("run.html")`) and shows itself in notebooks.

        None before a run, and after one with `RunOptions(trace=False)`.
        """
        if self._record is None and self._tell is not None:
            self._record, self._tell = self._tell(), None
        return self._record

    @property
    def steps(self) -> list[StepRecord]:
        """A record of each step in order; empty if the run was not traced."""
        return [] if self.record is None else list(self.record.steps)

    @property
    def peak_bytes(self) -> int:
        """The most memory that feeds, constants and values held together after any step (scratch not counted)."""
        return 0 if self.record is None else self.record.peak_bytes

    def __repr__(self) -> str:
        return f"<RunMetadata: {self.record!r}>" if self.record is not None else "<RunMetadata: nothing recorded>"
