"""`tf.train.replica_device_setter`: variables on the tasks of one job, everything else on another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...graph.common.tracebacks import hides_frames
from ...graph.devices.device_names import DeviceParts, check_device, device_parts, merged_device
from ...graph.model.nodes import Operation
from .cluster_spec import ClusterDef, ClusterSpec

STANDARD_PS_OPS = (
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2",
    "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator", "DecisionTreeResource",
)  # fmt: skip
"""The types of operations that TensorFlow places on parameter servers. Penstock has variables ("VariableV2") only."""


@hides_frames
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: ClusterSpec | ClusterDef | Mapping[str, Any] | None = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """A function for `tf.device` that places variables on parameter servers and everything else on a worker.

    Args:
        ps_tasks: how many tasks hold variables; `cluster` says it where it is given. With 0 there is no function.
        ps_device: the device of variables, to which the function adds the task.
        worker_device: the device of other operations.
        merge_devices: False leaves operations for which an inner block has named a device as they are.
        cluster: a `ClusterSpec`, or what one is made of; also the jobs of a `SessionConfig`, whose workers are numbers.
        ps_ops: the types of the operations that are placed on `ps_device`; None for those of variables.
        ps_strategy: a function from an operation to the number of its task; None for one after the other.

    Returns:
        A function, or None where no task holds variables.

    Raises:
        TypeError: `cluster` or `ps_strategy` has another type.
        ValueError: `ps_device` or `worker_device` is not the name of a device.

    >>> import penstock as tf
    >>> cluster = {"ps": ["ps0:2222", "ps1:2222"], "worker": ["worker0:2222"]}
    >>> with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=cluster)):
    ...     v, w, x = tf.Variable([1.0]), tf.Variable([2.0]), tf.Variable([3.0])
    ...     print(v.device, w.device, x.device, (v + w).device)
    /job:ps/task:0 /job:ps/task:1 /job:ps/task:0 /job:worker

    Source: TensorFlow 1.x, `tf.train.replica_device_setter`.
    """
    for device in (ps_device, worker_device):
        check_device(device or "")
    ps = device_parts(ps_device or "")
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(_named(cluster))
        if ps.job not in spec.jobs:
            return None
        ps_tasks = spec.num_tasks(ps.job)
    if ps_tasks == 0:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError(
            f"replica_device_setter(ps_strategy={ps_strategy!r}): ps_strategy must be callable; it is a function from "
            "an operation to the number of a task"
        )
    types = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    strategy = _InTurn(ps_tasks) if ps_strategy is None else ps_strategy
    chooser = _ReplicaDeviceChooser(ps, worker_device or "", bool(ps_device), merge_devices, types, strategy)
    return chooser.device_function


def _named(cluster: ClusterDef | Mapping[str, Any]) -> ClusterDef | Mapping[str, Any]:
    """A cluster whose workers are numbers, as in `SessionConfig(jobs=)`, in the form of a `ClusterSpec`."""
    if not isinstance(cluster, Mapping):
        return cluster
    return {
        job: [str(task) if type(task) is int else task for task in tasks] if isinstance(tasks, list | tuple) else tasks
        for job, tasks in cluster.items()
    }


@dataclass(slots=True)
class _InTurn:
    """One task after the other."""

    tasks: int
    next: int = 0

    def __call__(self, op: Operation) -> int:
        task = self.next
        self.next = (task + 1) % self.tasks
        return task


@dataclass(frozen=True, slots=True)
class _ReplicaDeviceChooser:
    """Names the device of each operation."""

    ps: DeviceParts
    worker: str
    has_ps: bool
    merges: bool
    types: frozenset[str]
    strategy: Callable[[Operation], int]

    def device_function(self, op: Operation) -> str:
        """The device of a new operation; what inner blocks named takes precedence, part by part."""
        if op.device and not self.merges:
            return op.device
        if not (self.has_ps and op.type in self.types):
            return merged_device(op.device, self.worker)
        named = device_parts(op.device)
        ps = self.ps
        if ps.job and (not named.job or named.job == ps.job):
            ps = DeviceParts(task=int(self.strategy(op))).over(ps)
        return str(named.over(ps))
