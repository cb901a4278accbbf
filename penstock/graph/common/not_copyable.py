"""Objects that refuse `copy`, `deepcopy` and `pickle`: graphs, parts of graphs, and sessions.

A tensor is a place in its graph, compared by identity: a copy would look like a tensor and be in no graph.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from .tracebacks import hides_frames


class NotCopyable:
    """A base class for what `copy` and `pickle` refuse, with the reason and what to do instead."""

    __slots__ = ()

    _uncopied: ClassVar[tuple[str, str]]
    """Why there is no copy; what to do instead."""

    @hides_frames
    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        reason, cure = self._uncopied
        raise TypeError(f"{self!r} cannot be copied or pickled: {reason}. {cure}")


PART_OF_A_GRAPH = "it is a place in its graph, and a copy would be in none"
