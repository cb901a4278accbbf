"""The garbage collector pauses where many objects are made and no garbage: in planning, and while modules are imported.

On 100,000 nodes it took a third of the time of planning; of importing what a session needs it took a sixth.
"""

from __future__ import annotations

import gc
from weakref import ref

from .locks import in_child


class collector_paused:
    """A `with` block without garbage collection.

    The finalizer of an object switches the collector on again, so an interrupt at any line cannot leave it off.
    """

    __slots__ = ("_pause",)

    def __init__(self) -> None:
        self._pause: _Pause | None = None

    def __enter__(self) -> None:
        if gc.isenabled():  # if it is off already, another thread may be about to switch it on
            pause = self._pause = _Pause()
            for key in [key for key, found in _pauses.copy().items() if found() is None]:
                _pauses.pop(key, None)
            _pauses[id(pause)] = ref(pause)
            gc.disable()

    def __exit__(self, *error: object) -> None:
        self._pause = None


class _Pause:
    """Switches the collector on when it is freed, by a C function that no interrupt can stop half-way."""

    __slots__ = ("__weakref__",)
    __del__ = staticmethod(gc.enable)


_pauses: dict[int, ref[_Pause]] = {}


def _end_pauses() -> None:
    """Switch the collector on in a forked child, where the thread that was planning does not exist."""
    if any(found() is not None for found in _pauses.copy().values()):
        gc.enable()


in_child(_end_pauses)
