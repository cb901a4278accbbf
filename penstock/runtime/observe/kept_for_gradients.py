"""Values of the forward pass that a run keeps for the backward pass, with their sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...graph.common.source_location import GradientOrigin
from ...graph.model.nodes import Operation
from ..planning.memory_plan import MemoryPlan
from ..planning.plan import Plan, Step
from ..planning.slot_names import results_of
from .run_record import byte_text, members_of


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value that steps of the forward pass make and steps of the backward pass read.

    Args:
        tensor: its name.
        bytes: its size; None where it is not known before a run.
        readers: the nodes of the backward steps that read it.
    """

    tensor: str
    bytes: int | None
    readers: tuple[str, ...]

    def __str__(self) -> str:
        size = "? bytes" if self.bytes is None else byte_text(self.bytes)
        return f"{self.tensor}: {size}, for {self.readers[0]}" + (
            f" and {len(self.readers) - 1} more" if len(self.readers) > 1 else ""
        )


def gradient_names(operations: Iterable[Operation]) -> frozenset[str]:
    """The names of the operations that belong to a gradient."""
    return frozenset(op.name for op in operations if any(isinstance(o, GradientOrigin) for o in op.origins))


def kept_values(plan: Plan, memory: MemoryPlan, of_gradients: Collection[str]) -> Sequence[KeptValue]:
    """The values of a plan that its backward steps read from its forward steps, the largest first."""
    sizes = {buffer.slot: buffer.size for buffer in memory.buffers}
    readers: dict[int, list[str]] = {}
    for step in plan.steps:
        if _is_backward(step, of_gradients):
            for slot in dict.fromkeys(step.inputs):
                readers.setdefault(slot, []).append(step.node)
    found = []
    for step in plan.steps:
        if _is_forward(step, of_gradients):
            for slot, name in zip(step.outputs, results_of(step), strict=False):
                if slot in readers and name.rpartition(":")[0] not in of_gradients:
                    found.append(KeptValue(name, sizes.get(slot), tuple(readers[slot])))
    return sorted(found, key=lambda each: -(each.bytes or 0))


def _names(step: Step) -> tuple[str, ...]:
    return members_of(step) or (step.node,)


def _is_backward(step: Step, of_gradients: Collection[str]) -> bool:
    return any(name in of_gradients for name in _names(step))


def _is_forward(step: Step, of_gradients: Collection[str]) -> bool:
    return any(name not in of_gradients for name in _names(step))
