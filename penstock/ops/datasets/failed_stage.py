"""Which dataset an error came from.

Streams say nothing of themselves while they work, which would cost something in each element: the frames that an error
passed through name the stream. So it does in threads, whose errors keep their frames.
"""

from __future__ import annotations

from ...errors import OpError
from ...graph.declare.object_place import ObjectPlace
from .streams import Source


def tell_stage(error: OpError) -> None:
    """Note in an error the node of the innermost dataset that it passed through; to be called where it is caught.

    What lies behind a stream in a kernel that has the session's objects was told there: a function ran it.
    """
    trace = error.__traceback__
    trace = None if trace is None else trace.tb_next
    while trace is not None:
        names = trace.tb_frame.f_locals
        if error.stage and isinstance(names.get("place"), ObjectPlace):
            return
        owner = names.get("self")
        source = owner if isinstance(owner, Source) else getattr(owner, "source", None)
        if isinstance(source, Source) and source.node:
            error.stage = source.node
        trace = trace.tb_next
