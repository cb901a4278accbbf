"""`ConfigProto` and its parts: the options of a TensorFlow 1.x session, as programs write them.

Options that have a meaning here act: the numbers of threads, soft placement, the report of devices, the level of the
passes. The others are accepted. If a program sets one of them, a message says once that it has no effect, and why.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from ...graph.common.near_names import did_you_mean
from .session_config import SessionConfig, check_timeout, say_once

_NO_EFFECT = {
    "gpu_options.allow_growth": "memory on a GPU is taken when it is needed",
    "gpu_options.per_process_gpu_memory_fraction": "memory on a GPU is taken when it is needed; penstock.config.memory "
    "limits the pool on the CPU",
    "gpu_options.visible_device_list": "there is one GPU; set CUDA_VISIBLE_DEVICES before the program starts",
    "gpu_options.allocator_type": "the memory pool is always used",
    "gpu_options.force_gpu_compatible": "arrays on the host are ordinary NumPy arrays",
    "graph_options.optimizer_options.global_jit_level": "what pays is always compiled; see penstock.config.jit",
    "graph_options.rewrite_options": "Penstock has its own passes; tf.SessionConfig(passes=()) leaves them out",
    "device_count": "a run uses one CPU and at most one GPU; only 0 for a kind of device excludes it",
    "use_per_session_threads": "sessions share one pool of threads, and threads limits each of them",
    "isolate_session_state": "each session has its own values",
    "placement_period": "devices are chosen when a run is planned",
    "device_filters": "there are only the devices of this machine",
    "share_cluster_devices_in_session": "there are only the devices of this machine",
}
"""Options that have no effect, and why; other options have none because Penstock has nothing like them."""


@dataclass(slots=True)
class _Options:
    """What all options can do. An option that does not exist is an AttributeError that names the nearest."""

    def __setattr__(self, name: str, value: Any) -> None:
        names = [each.name for each in fields(self)]
        if name not in names:
            raise AttributeError(f"{type(self).__name__} has no option {name!r}{did_you_mean(name, names)}")
        object.__setattr__(self, name, value)

    def CopyFrom(self, other: Self) -> None:
        """Takes the options of `other`.

        Args:
            other: options of the same class.

        Raises:
            TypeError: it is of another class.

        >>> import penstock as tf
        >>> options = tf.GPUOptions()
        >>> options.CopyFrom(tf.GPUOptions(allow_growth=True))
        >>> options.allow_growth
        True
        """
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.CopyFrom takes a {type(self).__name__}, not {other!r:.60}")
        for each in fields(self):
            object.__setattr__(self, each.name, deepcopy(getattr(other, each.name)))

    def _given(self, prefix: str = "") -> list[str]:
        """The paths of the options that differ from their defaults."""
        usual, found = type(self)(), []
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, _Options):
                found += value._given(f"{prefix}{each.name}.")
            elif value != getattr(usual, each.name):
                found.append(prefix + each.name)
        return found


@dataclass(slots=True)
class GPUOptions(_Options):
    """Options of TensorFlow's memory on a GPU. They have no effect: memory is taken when it is needed.

    Args:
        per_process_gpu_memory_fraction: the share of the memory that TensorFlow takes.
        allow_growth: whether TensorFlow begins with little memory.
        allocator_type: TensorFlow's allocator.
        deferred_deletion_bytes: how much TensorFlow frees later.
        visible_device_list: the GPUs that TensorFlow uses.
        polling_active_delay_usecs: how often TensorFlow asks a GPU.
        force_gpu_compatible: whether TensorFlow pins the memory of the host.

    >>> import penstock as tf
    >>> config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
    >>> config.gpu_options.allow_growth
    True
    """

    per_process_gpu_memory_fraction: float = 0.0
    allow_growth: bool = False
    allocator_type: str = ""
    deferred_deletion_bytes: int = 0
    visible_device_list: str = ""
    polling_active_delay_usecs: int = 0
    force_gpu_compatible: bool = False


@dataclass(slots=True)
class OptimizerOptions(_Options):
    """Options of TensorFlow's passes over a graph.

    Args:
        do_common_subexpression_elimination: with `L0`: whether equal nodes are merged all the same.
        do_constant_folding: with `L0`: whether constants are computed while planning all the same.
        do_function_inlining: has no effect.
        opt_level: `L1` (the default): all passes; `L0`: none.
        global_jit_level: has no effect: what pays is always compiled.
        max_folded_constant_in_bytes: has no effect.

    >>> import penstock as tf
    >>> tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0).opt_level
    -1
    """

    L1: ClassVar[int] = 0
    L0: ClassVar[int] = -1
    DEFAULT: ClassVar[int] = 0
    OFF: ClassVar[int] = -1
    ON_1: ClassVar[int] = 1
    ON_2: ClassVar[int] = 2

    do_common_subexpression_elimination: bool = False
    do_constant_folding: bool = False
    do_function_inlining: bool = False
    opt_level: int = 0
    global_jit_level: int = 0
    max_folded_constant_in_bytes: int = 0


@dataclass(slots=True)
class RewriterConfig(_Options):
    """Options of TensorFlow's rewrites of a graph. They have no effect: `SessionConfig` chooses Penstock's passes.

    >>> import penstock as tf
    >>> config = tf.ConfigProto()
    >>> config.graph_options.rewrite_options.disable_meta_optimizer = True
    >>> config.graph_options.rewrite_options.disable_meta_optimizer
    True
    """

    DEFAULT: ClassVar[int] = 0
    ON: ClassVar[int] = 1
    OFF: ClassVar[int] = 2
    AGGRESSIVE: ClassVar[int] = 3
    DEFAULT_MEM_OPT: ClassVar[int] = 0
    NO_MEM_OPT: ClassVar[int] = 1
    MANUAL: ClassVar[int] = 2
    HEURISTICS: ClassVar[int] = 3
    SWAPPING_HEURISTICS: ClassVar[int] = 4
    RECOMPUTATION_HEURISTICS: ClassVar[int] = 5
    SCHEDULING_HEURISTICS: ClassVar[int] = 6
    DEFAULT_NUM_ITERS: ClassVar[int] = 0
    ONE: ClassVar[int] = 1
    TWO: ClassVar[int] = 2

    layout_optimizer: int = 0
    constant_folding: int = 0
    shape_optimization: int = 0
    remapping: int = 0
    arithmetic_optimization: int = 0
    dependency_optimization: int = 0
    loop_optimization: int = 0
    function_optimization: int = 0
    debug_stripper: int = 0
    disable_model_pruning: bool = False
    scoped_allocator_optimization: int = 0
    pin_to_host_optimization: int = 0
    implementation_selector: int = 0
    auto_mixed_precision: int = 0
    disable_meta_optimizer: bool = False
    meta_optimizer_iterations: int = 0
    min_graph_nodes: int = 0
    memory_optimization: int = 0
    memory_optimizer_target_node_name_scope: str = ""
    meta_optimizer_timeout_ms: int = 0
    fail_on_optimizer_errors: bool = False
    optimizers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ExperimentalOptions(_Options):
    """`ConfigProto.experimental`: options without effect."""

    collective_group_leader: str = ""
    executor_type: str = ""
    recv_buf_max_chunk: int = 0
    use_numa_affinity: bool = False
    collective_deterministic_sequential_execution: bool = False
    collective_nccl: bool = False
    share_session_state_in_clusterspec_propagation: bool = False
    disable_thread_spinning: bool = False
    share_cluster_devices_in_session: bool = False
    optimize_for_static_graph: bool = False
    enable_mlir_bridge: bool = False
    disable_output_partition_graphs: bool = False


@dataclass(slots=True)
class GraphOptions(_Options):
    """Options of how TensorFlow prepares a graph.

    Args:
        optimizer_options: an `OptimizerOptions`.
        enable_recv_scheduling: has no effect.
        build_cost_model: has no effect; `graph.cost` tells costs.
        build_cost_model_after: has no effect.
        infer_shapes: has no effect: shapes are always inferred.
        place_pruned_graph: has no effect.
        enable_bfloat16_sendrecv: has no effect.
        timeline_step: has no effect; pass a `RunMetadata` to a run.
        rewrite_options: a `RewriterConfig`; has no effect.

    >>> import penstock as tf
    >>> config = tf.ConfigProto()
    >>> config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    >>> config.graph_options.optimizer_options.opt_level
    -1
    """

    optimizer_options: OptimizerOptions = field(default_factory=OptimizerOptions)
    enable_recv_scheduling: bool = False
    build_cost_model: int = 0
    build_cost_model_after: int = 0
    infer_shapes: bool = False
    place_pruned_graph: bool = False
    enable_bfloat16_sendrecv: bool = False
    timeline_step: int = 0
    rewrite_options: RewriterConfig = field(default_factory=RewriterConfig)


@dataclass(slots=True)
class ConfigProto(_Options):
    """The options of a session, as programs for TensorFlow 1.x write them. `SessionConfig` has those of Penstock.

    An option without effect is accepted; a message says once that a program set it, and why it has none.

    Args:
        device_count: 0 for a kind of device, as in `{"GPU": 0}`, excludes it: what asks for one runs on the CPU, or is
            an error without soft placement. Other numbers have no effect.
        intra_op_parallelism_threads: how many threads may work on one operation; 0 for one per core.
        inter_op_parallelism_threads: how many operations may run at once; 0 for one per core. A run uses as many
            threads as the larger of the two numbers that are given.
        use_per_session_threads: has no effect.
        placement_period: has no effect.
        device_filters: has no effect.
        gpu_options: a `GPUOptions`.
        allow_soft_placement: run an operation on the CPU where the device that it asks for is missing; False (the
            default) makes that an error.
        log_device_placement: print the device of each operation when a run is planned.
        graph_options: a `GraphOptions`.
        operation_timeout_in_ms: how many milliseconds a run may take, unless its `RunOptions` say otherwise; 0 for no
            limit.
        rpc_options: has no effect.
        cluster_def: has no effect.
        session_inter_op_thread_pool: has no effect.
        isolate_session_state: has no effect.
        share_cluster_devices_in_session: has no effect.
        experimental: has no effect.

    >>> import penstock as tf
    >>> config = tf.ConfigProto(intra_op_parallelism_threads=1, allow_soft_placement=True)
    >>> with tf.Session(graph=tf.Graph(), config=config) as session:
    ...     print(session.config.threads)
    1

    Source: TensorFlow 1.x, `tf.ConfigProto`.
    """

    device_count: dict[str, int] = field(default_factory=dict)
    intra_op_parallelism_threads: int = 0
    inter_op_parallelism_threads: int = 0
    use_per_session_threads: bool = False
    placement_period: int = 0
    device_filters: list[str] = field(default_factory=list)
    gpu_options: GPUOptions = field(default_factory=GPUOptions)
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    graph_options: GraphOptions = field(default_factory=GraphOptions)
    operation_timeout_in_ms: int = 0
    rpc_options: Any = None
    cluster_def: Any = None
    session_inter_op_thread_pool: list[Any] = field(default_factory=list)
    isolate_session_state: bool = False
    share_cluster_devices_in_session: bool = False
    experimental: ExperimentalOptions = field(default_factory=ExperimentalOptions)

    def as_session_config(self) -> SessionConfig:
        """The same choices as a `SessionConfig`.

        Returns:
            A `SessionConfig`.

        Raises:
            ValueError: a number of threads or milliseconds is negative.
            TypeError: a number is not an int.

        >>> import penstock as tf
        >>> tf.ConfigProto(inter_op_parallelism_threads=2).as_session_config().threads
        2
        """
        counts = {kind.lower(): count for kind, count in self.device_count.items()}
        excluded = tuple([kind for kind, count in counts.items() if count == 0 and kind != "cpu"])
        acting = _ACTING | ({"device_count"} if len(excluded) == len(counts) else set())
        for path in self._given():
            if path not in acting:
                reason = _NO_EFFECT.get(path) or _NO_EFFECT.get(path.rpartition(".")[0], "Penstock has nothing like it")
                say_once("ConfigProto", path, reason)
        check_timeout("ConfigProto", self.operation_timeout_in_ms, "operation_timeout_in_ms")
        numbers = [each for each in (self.intra_op_parallelism_threads, self.inter_op_parallelism_threads) if each]
        return SessionConfig(
            allow_soft_placement=self.allow_soft_placement,
            passes=self._passes(),
            threads=max(numbers) if numbers else None,
            log_device_placement=self.log_device_placement,
            excluded_devices=excluded,
            timeout_in_ms=self.operation_timeout_in_ms,
        )

    def _passes(self) -> tuple[str, ...] | None:
        chosen = self.graph_options.optimizer_options
        if chosen.opt_level != OptimizerOptions.L0:
            return None
        wanted = {"fold": chosen.do_constant_folding, "merge": chosen.do_common_subexpression_elimination}
        return tuple(name for name, is_wanted in wanted.items() if is_wanted)


_ACTING = {
    "intra_op_parallelism_threads", "inter_op_parallelism_threads", "allow_soft_placement",
    "log_device_placement", "operation_timeout_in_ms", "graph_options.optimizer_options.opt_level",
    "graph_options.optimizer_options.do_common_subexpression_elimination",
    "graph_options.optimizer_options.do_constant_folding",
}  # fmt: skip
