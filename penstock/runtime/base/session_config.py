"""The choices of a session, `SessionConfig`, and of one run, `RunOptions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from ...graph.common.lazy_import import load
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.tracebacks import hides_frames_of_init
from .cluster_choices import check_choices_for_clusters
from .progress import ProgressHook, check_hook
from .watch import Watch, as_watch

_said: set[str] = set()


def say_once(owner: str, option: str, why: str) -> None:
    """Says, once in a process, that a program set an option that has no effect."""
    if f"{owner}.{option}" not in _said:
        _said.add(f"{owner}.{option}")
        load("logging")
        import logging  # loaded on demand

        logging.getLogger("penstock").warning("%s: %s has no effect: %s", owner, option, why)


def check_timeout(owner: str, milliseconds: int, name: str = "timeout_in_ms") -> None:
    """Check a timeout that a program gives.

    Raises:
        TypeError: it is not an int.
        ValueError: it is below 0.
    """
    if not isinstance(milliseconds, int) or isinstance(milliseconds, bool):
        raise TypeError(
            f"{owner}({name}={milliseconds!r}): a timeout is an int, a number of milliseconds, not "
            f"{type(milliseconds).__name__}; one second is 1000"
        )
    if milliseconds < 0:
        raise ValueError(f"{owner}({name}={milliseconds}): a timeout is at least 0; 0 is no limit")


@hides_frames_of_init
@dataclass(frozen=True, slots=True)
class SessionConfig:
    """Choices for a session.

    Args:
        device: where operations run that ask for no device: "cpu", "gpu", or the name of a registered backend. If the
            machine has none, operations run on the CPU, and a message says so once.
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
        specialise_after: after how many runs whose feeds had equal shapes the graph is planned once more for these
            shapes, if placeholders leave sizes open, and for the values of up to three bools that are fed; 0 for never.
            Three runs are enough once runs have taken as long as planning did, and the first is where there are loops
            and only numbers of rows are open. The results are the same.
        threads: how many threads may work on one run, the caller's included; None for one per core.
        arena: lay the values inside a run out in one block of memory, planned ahead; False gives each memory of its
            own.
        watch: a `Watch`, or True: end a run at the first NaN or infinity. The graph then runs as written, without
            passes.
        progress: a function called as `progress(done, steps, node)` before the first step and after each; see
            `progress_bar`.
        log_device_placement: print to the standard error where each operation runs when a run is planned;
            `session.placement` tells more.
        timeout_in_ms: how many milliseconds a run may take, unless its `RunOptions` say otherwise; 0 for no limit. See
            `RunOptions`.
        excluded_devices: kinds of devices that the session does not use, such as ("gpu",): what asks for one is treated
            as on a machine without it.
        shard: named dimensions that are cut into shards, such as {"batch": 4}: feeds are split along them, what does
            not combine elements along them runs on each shard, and the parts are joined. A number of shards, or the
            numbers of the workers that take them. Without a cluster the shards run one after the other.
        sums: how sums over shards are made: "ordered", one after the other as on one machine; or "tree", in pairs,
            which is faster with many workers and may differ in the last bits.
        jobs: names of groups of a cluster's workers, such as {"ps": [0], "worker": [1, 2]}: what "/job:ps/task:0" of a
            device means. Workers are their numbers, or names or addresses. None for one job called "worker".
        distribute: "always" to use a cluster's workers, or "auto" to run on this machine what is expected to be faster
            here.
        asynchronous: runs that update variables compute their updates from the values at their start while other runs,
            in other threads, update the variables too; then each updates what the variables hold by then. False lets
            such runs take turns.
        worker_timeout: after how many seconds without a sign of life a worker counts as lost.

    Raises:
        TypeError: `watch` is not a Watch or a bool, `progress` is not a function, `excluded_devices` is no tuple of
            texts, or `shard` or `jobs` is no mapping.
        ValueError: `threads` is below 1, or `plan_cache_size`, `specialise_after` or `timeout_in_ms` below 0, or the
            CPU is excluded; a number of shards below 1, or `sums` or `distribute` is another word.

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
    specialise_after: int = 20
    threads: int | None = None
    arena: bool = True
    watch: Watch | bool | None = None
    progress: ProgressHook | None = None
    log_device_placement: bool = False
    timeout_in_ms: int = 0
    excluded_devices: tuple[str, ...] = ()
    shard: Mapping[str, int | Sequence[int]] | None = None
    sums: Literal["ordered", "tree"] = "ordered"
    jobs: Mapping[str, Sequence[int | str]] | None = None
    distribute: Literal["always", "auto"] = "always"
    asynchronous: bool = False
    worker_timeout: float = 30.0

    def __post_init__(self) -> None:
        check_timeout("SessionConfig", self.timeout_in_ms)
        check_choices_for_clusters(self.shard, self.sums, self.jobs, self.distribute, self.worker_timeout)
        excluded = self.excluded_devices
        if not isinstance(excluded, tuple) or not all(isinstance(kind, str) for kind in excluded):
            raise TypeError(f"SessionConfig(excluded_devices={excluded!r}): give a tuple of kinds, such as ('gpu',)")
        if "cpu" in excluded:
            raise ValueError("SessionConfig(excluded_devices=...): the CPU cannot be excluded, as results come to it")
        object.__setattr__(self, "watch", as_watch(self.watch, "SessionConfig"))
        check_hook(self.progress, "SessionConfig")
        if not isinstance(self.asynchronous, bool):
            raise TypeError(f"SessionConfig(asynchronous={self.asynchronous!r}): give True or False")
        if not isinstance(self.device, str):
            raise TypeError(f"SessionConfig(device={self.device!r}): a device is a text such as 'cpu' or '/gpu:0'")
        numbers = {name: getattr(self, name) for name in ("threads", "plan_cache_size", "specialise_after")}
        for name, value in numbers.items():
            if not isinstance(value, int) and not (name == "threads" and value is None):
                raise TypeError(f"SessionConfig({name}={value!r}): a number is expected, not {type(value).__name__}")
        if self.threads is not None and self.threads < 1:
            raise ValueError(
                f"SessionConfig(threads={self.threads}): a run has at least 1 thread, the caller's; give 1 or more, or "
                "None for one per core"
            )
        if self.specialise_after < 0:
            raise ValueError(
                f"SessionConfig(specialise_after={self.specialise_after}): a number of runs is at least 0; give 0 to "
                "plan each graph once, for feeds of all shapes"
            )
        if self.plan_cache_size < 0:
            raise ValueError(
                f"SessionConfig(plan_cache_size={self.plan_cache_size}): a number of plans is at least 0; 0 keeps none"
            )

    @property
    def watching(self) -> Watch | None:
        """The `Watch` of this choice, or None."""
        return self.watch if isinstance(self.watch, Watch) else None

    def as_written(self) -> SessionConfig:
        """These choices for a run that shows every node as written: no passes, each value in memory of its own."""
        return replace(self, passes=(), arena=False)


@hides_frames_of_init
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
        trace_level: TensorFlow's form of `trace`: `RunOptions.NO_TRACE` is False, the other levels are True. None (the
            default) leaves it to `trace`.
        timeout_in_ms: how many milliseconds the run may take, waiting for variables included; 0 leaves it to the
            session's config. A run that takes longer is a `DeadlineExceededError`, after the step or loop iteration
            that is running then. Variables keep the values that they had before the run, except those that the error
            names.
        inter_op_thread_pool: accepted, without effect.
        output_partition_graphs: accepted, without effect: `RunMetadata.plan` is the plan.
        report_tensor_allocations_upon_oom: accepted, without effect.

    Raises:
        TypeError: `watch` is not a Watch or a bool, `progress` is not a function, or `timeout_in_ms` is not an int.
        ValueError: `timeout_in_ms` is below 0.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.constant(1) + 2, options=tf.RunOptions(trace=False)))
    3
    >>> tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE).trace
    True
    """

    NO_TRACE: ClassVar[int] = 0
    SOFTWARE_TRACE: ClassVar[int] = 1
    HARDWARE_TRACE: ClassVar[int] = 2
    FULL_TRACE: ClassVar[int] = 3

    trace: bool = True
    values: bool = False
    watch: Watch | bool | None = None
    progress: ProgressHook | None = None
    trace_level: int | None = None
    timeout_in_ms: int = 0
    inter_op_thread_pool: int = 0
    output_partition_graphs: bool = False
    report_tensor_allocations_upon_oom: bool = False

    def __post_init__(self) -> None:
        if self.trace_level is not None:
            object.__setattr__(self, "trace", self.trace_level > self.NO_TRACE)
        check_timeout("RunOptions", self.timeout_in_ms)
        if self.inter_op_thread_pool:
            say_once("RunOptions", "inter_op_thread_pool", "there is one pool of threads")
        object.__setattr__(self, "watch", as_watch(self.watch, "RunOptions"))
        check_hook(self.progress, "RunOptions")

    @property
    def watching(self) -> Watch | None:
        """The `Watch` of this choice, or None."""
        return self.watch if isinstance(self.watch, Watch) else None

