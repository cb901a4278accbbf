"""Random ops of functions that are called twice: the second call gets the tensors of the first.

`tf.recompute_grad` calls a function again to build its values anew. If a dropout in it drew other numbers, the gradient
would be that of another function. So the first call records the results of its random ops, and the second one is given
these in their order instead of new ops. They are kept in memory until then; what is computed from them is not.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...errors import UseError
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor


class _Calls(threading.local):
    def __init__(self) -> None:
        self.recorders: list[list[Tensor]] = []
        self.replays: list[Iterator[Tensor]] = []


_calls = _Calls()


def draw(random_op: Any, *args: Any, seed: int | None, name: str | None = None) -> Tensor:
    """The result of a random op: of a new one, or of that of the first call.

    Args:
        random_op: its declaration.
        args: its arguments before the seeds.
        seed: the op seed.
        name: the name of the node.
    """
    if _calls.replays:
        made = _earlier(random_op.type)
    else:
        made = random_op(*args, *get_default_graph().seeds_of_op(seed), name=name)
    for recorder in _calls.recorders:
        recorder.append(made)
    return made


def draw_several(
    random_op: Any, *args: Any, seed: int | None, name: str | None = None, seeds: tuple[int, int] | None = None,
    count: int = 3,
) -> list[Tensor]:  # fmt: skip
    """`draw` for an op with several results.

    seeds: both seeds of the node, instead of those that `seed` and the graph's give.
    count: how many results it has.
    """
    if _calls.replays:
        results = [_earlier(random_op.type) for _ in range(count)]
    else:
        results = random_op(*args, *(seeds or get_default_graph().seeds_of_op(seed)), name=name)
    for recorder in _calls.recorders:
        recorder += results
    return results


def _earlier(type: str) -> Tensor:
    found = next(_calls.replays[-1], None)
    if found is None or found.op.type != type:
        before = "no further random op" if found is None else f"{found.op.type} ({found.op.origin.place})"
        raise UseError(
            f"a function that is called again makes a random op, {type}, where its first call made {before}; it must "
            "make the same ops each time"
        )
    return found


@contextmanager
def recorded_draws() -> Iterator[list[Tensor]]:
    """Give the list of the results of random ops, which fills as they are made."""
    recorder: list[Tensor] = []
    _calls.recorders.append(recorder)
    try:
        yield recorder
    finally:
        _calls.recorders.pop()


@contextmanager
def drawn_again(earlier: Sequence[Tensor]) -> Iterator[None]:
    """Inside, random ops give the tensors of `earlier`, in their order."""
    _calls.replays.append(iter(earlier))
    try:
        yield
    finally:
        _calls.replays.pop()
