"""Joint steps run one by one, where their one call does not serve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...planning.plan import Slot, Step
from ..bind import BoundStep


class JointStepFailed(Exception):
    """One of the joint steps failed.

    Attributes:
        number: its number among them.
    """

    def __init__(self, number: int, inputs: Sequence[Any], error: Exception) -> None:
        super().__init__(number)
        self.number = number
        self._what = [(inputs, error)]

    def taken(self) -> tuple[Sequence[Any], Exception]:
        """Its operands, and what its kernel raised. Once: that is raised while this is handled, which would be a cycle.
        """
        return self._what.pop()


class StepsAlone:
    """The steps of a joint as a function of their inputs.

    Args:
        steps: the steps.
        bound: the same, ready to run.
        inputs: the slots of the inputs.
        constants: the arrays of constant slots.
    """

    def __init__(
        self, steps: Sequence[Step], bound: Sequence[BoundStep], inputs: Sequence[Slot], constants: Mapping[Slot, Any]
    ) -> None:
        self._steps = tuple(zip(steps, bound, strict=True))
        self._inputs = tuple(inputs)
        self._constants = constants

    def __call__(self, *arrays: Any) -> Any:
        """The results of the last step.

        Raises:
            JointStepFailed: one of them failed.
        """
        slots: dict[Slot, Any] = {**self._constants, **dict(zip(self._inputs, arrays, strict=True))}
        result: Any = None
        for number, (step, each) in enumerate(self._steps):
            try:
                result = each.call(*[slots[slot] for slot in each.inputs])
            except Exception as error:
                failed = JointStepFailed(number, [slots[slot] for slot in step.inputs], error.with_traceback(None))
                break
            values = [result] if each.output.__class__ is int else result
            slots.update(zip(step.outputs, values, strict=True))
        else:
            return result
        try:
            raise failed
        finally:
            del failed  # or its traceback would hold it
