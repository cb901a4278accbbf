"""The random seed of a graph, and the pair of seeds of a random op: TensorFlow's rules.

| graph seed | op seed | the pair |
|---|---|---|
| none | none | (0, 0): each session takes a pair from the system's entropy |
| none | s | (87654321, s) |
| g | none | (g, n), where n counts the calls without an op seed |
| g | s | (g, s) |

Seeds are taken modulo 2**31 - 1. A given pair of (0, 0) becomes (0, 2**31 - 1).
"""

from __future__ import annotations

import operator
from typing import Any, Final

from ...errors import DTypeError
from ..common.tracebacks import hides_frames
from .journal import Journal

DEFAULT_GRAPH_SEED: Final = 87654321
MODULUS: Final = (1 << 31) - 1
FROM_ENTROPY: Final = (0, 0)
"""The pair of an op without any seed."""


class GraphSeed:
    """The part of a `Graph` that holds its random seed."""

    journal: Journal
    lock: Any
    outer: Any

    def __init__(self) -> None:
        self._seed: int | None = None
        self._unseeded = 0  # calls of random ops without an op seed, while the graph has one

    @property
    def seed(self) -> int | None:
        """The graph's random seed, see `tf.set_random_seed`; None if it has none."""
        graph = self._outermost()
        return graph._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        graph = self._outermost()
        number = as_seed(seed)
        with graph.lock:
            self._note("_seed", graph)
            graph._seed = number

    @hides_frames
    def seeds_of_op(self, op_seed: int | None) -> tuple[int, int]:
        """The pair of seeds of the next random op with that op seed.

        Args:
            op_seed: an int, or None.

        Returns:
            The graph's part and the op's part; (0, 0) if neither has a seed.

        Raises:
            TypeError: the seed is not an int.

        >>> import penstock as tf
        >>> graph = tf.Graph()
        >>> graph.seeds_of_op(7), graph.seeds_of_op(None)
        ((87654321, 7), (0, 0))
        >>> graph.seed = 42
        >>> graph.seeds_of_op(7), graph.seeds_of_op(None), graph.seeds_of_op(None)
        ((42, 7), (42, 0), (42, 1))
        """
        number = as_seed(op_seed)
        graph = self._outermost()
        with graph.lock:
            if graph._seed is None:
                if number is None:
                    return FROM_ENTROPY
                pair = DEFAULT_GRAPH_SEED, number % MODULUS
            else:
                if number is None:
                    number = graph._unseeded
                    self._note("_unseeded", graph)
                    graph._unseeded += 1
                pair = graph._seed % MODULUS, number % MODULUS
        return (0, MODULUS) if pair == FROM_ENTROPY else pair

    def _outermost(self) -> GraphSeed:
        """The graph itself; for the graph of a body, the one around all others."""
        graph = self
        while graph.outer is not None:
            graph = graph.outer
        return graph

    def _note(self, attribute: str, graph: GraphSeed) -> None:
        """Note a change of `graph`, which is `self` or around it: whichever transaction fails undoes it."""
        inner: GraphSeed | None = self
        while inner is not None:
            inner.journal.note(setattr, graph, attribute, getattr(graph, attribute))
            inner = inner.outer


def as_seed(seed: Any) -> int | None:
    """A seed as a Python int, or None.

    Raises:
        DTypeError (a TypeError): it is something else.
    """
    if seed is None:
        return None
    if not isinstance(seed, bool):
        try:
            return operator.index(seed)
        except TypeError:  # refused below, in our words
            pass
    raise DTypeError(f"seed={seed!r}: a seed is a Python int or None, not {type(seed).__name__}")
