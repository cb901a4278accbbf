"""Runs that take an element out of a queue, compute with it and put the result into another, several at a time.

    FIFOQueue  ->  dequeue  ->  gather, decode ...  ->  enqueue  ->  any queue

The threads behind `tf.train.batch` make such a run for each element. A run costs more than what it does: so elements
that lie ready are taken out together, as many as there is room for, and are put in together. What happens in between is
what the runs would do. Where an element fails, it and those behind it are put back, and the next run tells the error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from ...errors import OpError
from ...graph.declare.effects import effects_of_call
from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dtypes import string
from ...ops.queues.queue_objects import QueueObject
from ...ops.queues.queue_ops import columns_of
from ..base.fp_context import in_quiet_context
from ..base.session_objects import SessionObjects
from ..planning.plan import Plan
from .bind import BoundStep
from .step_loop import run_steps

MOST: Final = 32
"""The most elements that are between two queues."""


class QueueMoves:
    """The runs of one program."""

    def __init__(
        self, template: Sequence[Any], taking: BoundStep, between: Sequence[BoundStep], putting: BoundStep,
        source: QueueObject, target: QueueObject,
    ) -> None:  # fmt: skip
        """Runs of a program.

        Args:
            template: the slots before a run, handles filled in.
            taking: the step that takes an element out.
            between: the steps that compute.
            putting: the step that puts one in.
            source: where elements are taken out.
            target: where they are put in.
        """
        self._template, self._between = template, between
        self._slots = taking.output
        self._put = putting.inputs[1:]
        self._source, self._target = source, target

    def __call__(self) -> int:
        """Move elements that lie ready; how many, 0 where a run would wait or fail."""
        room = min(MOST, self._target.room())
        entries = self._source.ready(room) if room > 1 else []
        rows: list[tuple[Any, ...]] = []
        moved = 0
        try:
            with suppress(OpError):  # the next run meets it
                in_quiet_context(self._compute, entries, rows)
            with suppress(OpError):
                moved = self._target.put_ready(rows)
        finally:
            if moved < len(entries):
                self._source.put_back(entries[moved:])
        return moved

    def _compute(self, entries: Sequence[Any], rows: list[tuple[Any, ...]]) -> None:
        outputs, between, put = self._slots, self._between, self._put
        is_one = outputs.__class__ is int
        for columns, row in entries:
            slots = list(self._template)
            if is_one:
                slots[outputs] = columns[0][row, ...]
            else:
                for slot, column in zip(outputs, columns, strict=True):
                    slots[slot] = column[row, ...]
            if between:
                run_steps(between, slots, None, _unchanged)
            rows.append(columns_of([slots[slot] for slot in put]))


def _unchanged(error: Exception, *rest: Any) -> Exception:
    return error if isinstance(error, OpError) else OpError(message=str(error))


def queue_moves(
    plan: Plan, bound: Sequence[BoundStep], template: Sequence[Any], objects: SessionObjects
) -> Callable[[], int] | None:
    """What makes several runs of a plan at once, where that is the same; None where it may not be.

    Handles are made now, as the first run would make them.
    """
    slots = list(template)
    taking: list[BoundStep] = []
    putting: list[BoundStep] = []
    between: list[BoundStep] = []
    for step, made in zip(plan.steps, bound, strict=True):
        opdef = OPS[step.op]
        if opdef.facts.element:
            (taking if opdef.facts.element == "taken" else putting).append(made)
        elif opdef.facts.of_session and opdef.out is string and not made.inputs:
            slots[made.output] = made.call()
        elif effects_of_call(opdef, step.args).is_pure and not putting and step.device == "cpu" and not step.over:
            between.append(made)
        else:
            return None
    if len(taking) != 1 or len(putting) != 1 or plan.feeds or plan.fetches:
        return None
    queues = [objects.get(bytes(slots[step.inputs[0]][()]), QueueObject, "the queue") for step in (*taking, *putting)
              if slots[step.inputs[0]] is not None]  # fmt: skip
    if len(queues) != 2 or type(queues[0]) is not QueueObject or queues[0] is queues[1]:
        return None  # a handle that a run decides; a queue whose order depends on what was put back
    return QueueMoves(slots, taking[0], between, putting[0], *queues)
