"""A recorded run as TensorFlow's RunMetadata message: what TensorBoard shows as compute time and memory of nodes."""

# the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

import time

from ..graph.common.quick_dataclass import dataclass
from ..graph.shapes.dtypes import as_dtype
from ..interchange.tensorflow.wire.messages import DimProto, ShapeProto
from ..interchange.tensorflow.wire.tensor_proto import dtype_number
from ..interchange.wire.message_fields import many, one
from ..interchange.wire.wire_format import encode
from ..runtime.observe.run_record import ResultRecord, RunRecord, StepRecord


@dataclass(slots=True)
class AllocationProto:
    """The memory of a tensor (AllocationDescription)."""

    requested_bytes: int = one(1, "int", 0)
    allocated_bytes: int = one(2, "int", 0)
    allocator_name: str = one(3, "text", "")


@dataclass(slots=True)
class TensorProperties:
    """Dtype, shape and memory of a tensor (TensorDescription)."""

    dtype: int = one(1, "enum", 0)
    shape: ShapeProto | None = one(2, ShapeProto, None)
    allocation: AllocationProto | None = one(4, AllocationProto, None)


@dataclass(slots=True)
class OutputProto:
    """One result of a node (NodeOutput)."""

    slot: int = one(1, "int", 0)
    tensor: TensorProperties | None = one(3, TensorProperties, None)


@dataclass(slots=True)
class AllocatorUse:
    """The memory that a node took from an allocator (AllocatorMemoryUsed)."""

    allocator_name: str = one(1, "text", "")
    total_bytes: int = one(2, "int", 0)
    peak_bytes: int = one(3, "int", 0)


@dataclass(slots=True)
class NodeStats:
    """When a node ran and what it made (NodeExecStats). Times are microseconds."""

    node_name: str = one(1, "text", "")
    all_start_micros: int = one(2, "int", 0)
    op_start_rel_micros: int = one(3, "int", 0)
    op_end_rel_micros: int = one(4, "int", 0)
    all_end_rel_micros: int = one(5, "int", 0)
    memory: list[AllocatorUse] = many(6, AllocatorUse)
    output: list[OutputProto] = many(7, OutputProto)
    timeline_label: str = one(8, "text", "")


@dataclass(slots=True)
class DeviceStats:
    """What ran on a device (DeviceStepStats)."""

    device: str = one(1, "text", "")
    node_stats: list[NodeStats] = many(2, NodeStats)


@dataclass(slots=True)
class StepStats:
    """What ran (StepStats)."""

    dev_stats: list[DeviceStats] = many(1, DeviceStats)


@dataclass(slots=True)
class RunMetadataProto:
    """RunMetadata, as far as TensorBoard reads it."""

    step_stats: StepStats | None = one(1, StepStats, None)


def run_metadata_bytes(record: RunRecord) -> bytes:
    """The message of a recorded run. A fused group is shown at the node that it is named after."""
    start = int((time.time() - record.seconds) * 1e6)
    devices: dict[str, DeviceStats] = {}
    for step in record.steps:
        name = f"/job:localhost/replica:0/task:0/device:{step.device.upper()}:0"
        devices.setdefault(name, DeviceStats(name)).node_stats.append(_node_stats(step, start))
    return encode(RunMetadataProto(StepStats(list(devices.values()))))


def _node_stats(step: StepRecord, start: int) -> NodeStats:
    took = max(1, round(step.duration * 1e6))
    return NodeStats(
        step.node,
        start + round(step.start * 1e6),
        0,
        took,
        took,
        [AllocatorUse(step.device, step.bytes, step.bytes)],
        [OutputProto(i, _tensor_of(result)) for i, result in enumerate(step.results)],
        f"{step.node} = {step.op}()",
    )


def _tensor_of(result: ResultRecord) -> TensorProperties:
    shape = ShapeProto([DimProto(size) for size in result.shape])
    return TensorProperties(dtype_number(as_dtype(result.dtype)), shape, AllocationProto(result.bytes, result.bytes))
