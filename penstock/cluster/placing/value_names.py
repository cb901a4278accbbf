"""The names of the numbered values of a `ClusterPlan`, for records and errors."""

from __future__ import annotations

from .cluster_plan import ClusterPlan


class ValueNames:
    """The values of a plan by number: their names, and the partitions that make and read them."""

    def __init__(self, made: ClusterPlan) -> None:
        self._names = {number: tensor.name for number, tensor in enumerate(made.stage.feeds)}
        self._makers: dict[int, int] = {}
        self._inputs: dict[int, tuple[int, ...]] = {}
        partitions = made.partitions
        for parts in (made.early, *[program.parts for program in made.programs.values()]):
            for part in parts:
                self._inputs[part.number] = (*part.inputs, *part.after)
                for number, tensor in zip(part.outputs, partitions[part.number].outputs, strict=True):
                    self._names[number] = tensor.name
                    self._makers[number] = part.number
                if part.ends >= 0:
                    self._names[part.ends] = f"end of {partitions[part.number].operations[-1].name}"
                    self._makers[part.ends] = part.number

    def of(self, number: int) -> str:
        """The name of a value."""
        return self._names.get(number, f"value {number}")

    def maker(self, number: int) -> int:
        """The partition that makes it; -1 for a feed."""
        return self._makers.get(number, -1)

    def inputs(self, partition: int) -> tuple[int, ...]:
        """The values that a partition waits for."""
        return self._inputs.get(partition, ())
