"""Where does a call add its node: which graph, scope, device, after which operations?

All of it is per thread. The default graph is a stack; scope, device and control inputs belong to a graph and are kept
by it, one `Surroundings` per thread and graph.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .operation import Operation


class Surroundings(threading.local):
    """What the `with` blocks of this thread say about nodes added to one graph."""

    prefix: str = ""  # the name scope with its trailing slash, or ""
    device: str = ""
    controls: tuple[Operation, ...] = ()
