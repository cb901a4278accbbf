"""Kernels of queues, iterators and readers get the objects of the session, and the name of their node; datasets too."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...errors import InternalError
from ...graph.declare.object_place import ObjectPlace
from ...ops.datasets.streams import source_of
from ..base.session_objects import SessionObjects
from ..ir.kernel_protocol import Call, Kernel, RunContext
from ..planning.plan import Step
from .kernel_wrappers import with_arguments


def object_kernel(step: Step, kernel: Call, xp: Any) -> Kernel:
    """The kernel of an op with the fact `of_session`.

    Args:
        step: its step.
        kernel: takes the array module, an `ObjectPlace` and the arguments.
        xp: the array module.
    """

    def in_context(context: RunContext) -> Call:
        session = context.session
        place = ObjectPlace(SessionObjects() if session is None else session.objects, context.node)

        return with_arguments(partial(kernel, xp), place, step.args)

    return Kernel(_without_context, in_context=in_context)


def dataset_kernel(kernel: Call) -> Kernel:
    """The kernel of an op with the fact `makes_dataset`: the dataset knows the node that made it."""

    def in_context(context: RunContext) -> Call:
        def call(*arrays: Any) -> Any:
            dataset = kernel(*arrays)
            source_of(dataset).node = context.node
            return dataset

        return call

    return Kernel(kernel, in_context=in_context)


def _without_context(*arrays: Any) -> Any:
    raise InternalError(message="the kernel of a queue or an iterator was called outside of a session's program")
