"""Copies of one operation, one for each shard: inputs, static shapes, names, devices, and what waits for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...errors import BuildError
from ...graph.building.builder import infer_with_claims
from ...graph.building.constant_evaluation import with_inputs
from ...graph.declare.distribution import SIZES, Along, Refused, State
from ...graph.devices.device_names import device_parts, merged_device
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ...ops.control.control import no_op
from ..ir.body_stages import inferred_again
from ..ir.stage import Rebuild, Stage, held_operations
from .cut_values import CutValues
from .shard_shapes import ShardShapes

Outputs: TypeAlias = Sequence[tuple[DType, TensorShape]]


class ShardCopies:
    """Makes the copies of operations.

    Args:
        stage: the stage.
        copy: the new stage under construction.
        values: what stands for the tensors of the stage.
        name: the dimension that is cut.
    """

    def __init__(self, stage: Stage, copy: Rebuild, values: CutValues, name: str) -> None:
        self._copy = copy
        self._values = values
        self._name = name
        self.shapes = ShardShapes(name, len(values.devices))
        self._awaited = held_operations(stage)

    def is_awaited(self, op: Operation) -> bool:
        """Whether something waits for `op` itself, or it has to run although nothing reads its results."""
        return op in self._awaited

    def is_placed(self, op: Operation) -> bool:
        """Whether an operation asks for a certain worker, or one of another job."""
        parts = device_parts(op.device)
        return parts.task is not None or parts.job not in (None, "worker")

    def inputs(self, op: Operation, states: Sequence[State], i: int, own: frozenset[int] | None) -> list[Tensor]:
        """The inputs of copy i; sizes are the shard's own at the places `own`, everywhere if that is None."""
        found = []
        for place, (tensor, state) in enumerate(zip(op.inputs, states, strict=True)):
            if isinstance(state, Along):
                found.append(self._values.part(tensor, state.axis, i))
            elif state is SIZES and (own is None or place in own):
                found.append(self._values.own_of(tensor, i))
            else:
                found.append(self._copy.new(tensor))
        return found

    def inferred(self, op: Operation, inputs: Sequence[Tensor]) -> Outputs | Refused:
        """The outputs of the first copy."""
        try:
            _, outputs, claims = infer_with_claims(op.opdef, list(arguments(op, inputs)))
        except BuildError as error:
            return Refused(f"its shards do not fit: {error.message}")
        for dim, size in claims:
            if self.shapes.mentions_first(dim) or self.shapes.mentions_first(size):
                return Refused(f"it needs {self._name} to be {size}" if isinstance(size, int) else
                               f"it needs {self._name} to be another size too")  # fmt: skip
        self.shapes.learn(inputs, [shape for _, shape in outputs])
        return outputs

    def make(self, op: Operation, inputs: Sequence[Sequence[Tensor]], outputs: Outputs) -> list[tuple[Tensor, ...]]:
        """The results of a copy for each shard; `outputs` are those of the first."""
        return [self._one(op, each, outputs, i) for i, each in enumerate(inputs)]

    def first(self, op: Operation, inputs: Sequence[Tensor], outputs: Outputs) -> tuple[Tensor, ...]:
        """The results of one copy, in the first shard, that stands for `op`."""
        device = merged_device(op.device, self._values.devices[0])
        made = self._copy.emit(op.opdef, arguments(op, inputs), (op,), op.name, outputs, device=device)
        self.settle_waits(op, [made])
        return made

    def _one(self, op: Operation, inputs: Sequence[Tensor], outputs: Outputs, i: int) -> tuple[Tensor, ...]:
        shapes = outputs if i == 0 else [(dtype, self.shapes.of_shard(shape, i)) for dtype, shape in outputs]
        name = self._values.named(f"{op.name}.shard_{i}")
        device = merged_device(op.device, self._values.devices[i])
        return self._copy.emit(op.opdef, arguments(op, inputs), (op,), name, shapes, device=device)

    def settle_waits(self, op: Operation, made: Sequence[Sequence[Tensor]]) -> None:
        """What waits for `op` waits for all copies, whose results are `made`."""
        copies = [results[0].op for results in made]
        if op not in self._awaited:
            return
        if len(copies) == 1:
            self._copy.drop(op, copies[0])
            return
        name = self._values.named(f"{op.name}.all")
        self._copy.emit(no_op, (), (op,), name, controls=tuple(copies), device="")
        self._copy.drop(op, self._copy.operations[-1])


def arguments(op: Operation, inputs: Sequence[Tensor]) -> tuple[Any, ...]:
    """The arguments of `op` with other inputs, and with bodies that fit them."""
    if op.opdef.is_plain:
        return tuple(inputs)
    args = with_inputs(op, inputs, tuple)
    if op.opdef.bodies:
        stands = dict(zip(op.inputs, inputs, strict=True))
        for place, body in zip(op.opdef.bodies, inferred_again(op, stands.__getitem__), strict=True):
            args[place] = body
    return tuple(args)
