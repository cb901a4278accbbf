"""Results of Python functions and other code of the program, kept for a run that fails.

Such code cannot travel in the folder of a failed run, and calling it again could do something twice. So its last
results are kept, by node and thread, while the environment asks for such folders; otherwise nothing is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np


class UserResults(threading.local):
    """The results in one thread.

    Attributes:
        by_node: the results of the last call of each node.
    """

    def __init__(self) -> None:
        self.by_node: dict[str, tuple[Any, ...]] = {}


class _Setting:
    """Whether results are kept."""

    is_on = False


USER_RESULTS = UserResults()
KEEPING = _Setting()


def keeping(node: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, whose results are kept, if results are kept at all."""
    if not KEEPING.is_on:
        return call

    def kept(*arrays: Any) -> Any:
        found = call(*arrays)
        results = found if isinstance(found, (list, tuple)) else (found,)
        USER_RESULTS.by_node[node] = tuple([np.array(each) for each in results])
        return found

    return kept
