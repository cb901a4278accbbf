"""Calls that gave None where a program may expect a tensor, so that a later error can say which call it was.

`tf.summary.merge_all()` gives None in a graph without summaries, `tf.gradients` for an x on which y does not depend.
The program notices when it fetches the None or computes with it, maybe far from there. The last calls of each graph
are kept with their lines.
"""

from __future__ import annotations

from typing import Any

from ..common.source_location import user_origin
from ..common.weak_table import WeakTable

KEPT = 4
"""Calls that are remembered for each graph."""
_calls: WeakTable[Any, list[tuple[str, str]]] = WeakTable()


def note_none(graph: Any, call: str, why: str) -> None:
    """Remember that a call for a graph gives None.

    Args:
        graph: the graph.
        call: the function.
        why: why it gives None, and what to do.
    """
    origin = user_origin()
    text = f"{call} gave None at {origin.place}: {why}"
    known = [each for each in _calls.get(graph) or () if each[0] != call]
    _calls[graph] = [*known, (call, text)][-KEPT:]


def why_none(graph: Any) -> str:
    """Which calls for a graph gave None; "" if none is known."""
    known = _calls.get(graph) or ()
    return "; ".join([text for _, text in reversed(known)])


def forget_none(graph: Any, call: str) -> None:
    """Forget a call whose None the program does not get to see."""
    known = _calls.get(graph)
    if known is not None:
        _calls[graph] = [each for each in known if each[0] != call]
