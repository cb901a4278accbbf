"""Random counters of a session: for each random op, how far it has got in its stream of random blocks.

A `RandomStream` belongs to one operation of one session, and to all plans of that session. Each call of the op's kernel
reserves its share under a lock, so runs at the same time get different numbers. A run that fails keeps what it
reserved. `RandomState` is a copy of all counters, with which a session can go back.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from ...errors import UseError
from ...graph.common.locks import LockKind, new_lock
from ...graph.common.quick_dataclass import dataclass
from ...graph.model.graph_seed import FROM_ENTROPY, MODULUS
from ...ops.random.philox import Position, stream_start


@dataclass(frozen=True, slots=True)
class StreamState:
    """Where the stream of one random op is.

    Attributes:
        seed: the graph's part of the seeds.
        seed2: the op's part.
        drawn: how many blocks of 128 bits were reserved since the session began.
        memory: what the op has kept of its calls since then, an array; None for an op that keeps nothing.
    """

    seed: int
    seed2: int
    drawn: int = 0
    memory: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class RandomState(Mapping[str, StreamState]):
    """The random streams of a session at one moment: a mapping from names of operations to their `StreamState`.

    Attributes:
        streams: the same as a dict.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.random_uniform([2], seed=7)
    ...     first = session.run(x)
    ...     state = session.random_state()
    ...     second = session.run(x)
    ...     session.set_random_state(state)
    ...     print((second == session.run(x)).all())
    True
    >>> print(state)
    random_uniform/RandomUniform  seeds (87654321, 7)  512 blocks drawn
    """

    streams: dict[str, StreamState]

    def __getitem__(self, name: str) -> StreamState:
        return self.streams[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.streams)

    def __len__(self) -> int:
        return len(self.streams)

    def __hash__(self) -> int:
        return hash(tuple(self.streams.items()))

    def __str__(self) -> str:
        width = max(map(len, self.streams), default=0)
        return "\n".join(
            f"{name:<{width}}  seeds ({each.seed}, {each.seed2})  {each.drawn} blocks drawn"
            for name, each in self.streams.items()
        )


class RandomStream:
    """The stream of one random op in one session."""

    __slots__ = ("_lock", "drawn", "memory", "node", "seed", "seed2")

    def __init__(self, node: str, seed: int, seed2: int, lock: Any) -> None:
        self.node = node
        self.seed = seed
        self.seed2 = seed2
        self.drawn = 0
        self.memory: Any = None
        self._lock = lock

    def reserve(self, blocks: int) -> Position:
        """The place of the next `blocks` blocks, which nothing else gets."""
        with self._lock:
            drawn = self.drawn
            self.drawn = drawn + blocks
            start = stream_start(self.seed, self.seed2)
        return start.skip(drawn)

    def reserve_and_remember(self, blocks: int, after: Callable[[Any], Any]) -> Position:
        """The same for an op that keeps something of its calls.

        Args:
            blocks: how many blocks.
            after: what is kept before this call -> what is kept after it; neither is changed in place.
        """
        with self._lock:
            drawn, before = self.drawn, self.memory
            self.memory = after(before)
            self.drawn = drawn + blocks
            start = stream_start(self.seed, self.seed2)
        return replace(start.skip(drawn), memory=before)


class RandomCounters:
    """The streams of one session."""

    __slots__ = ("_lock", "_streams")

    def __init__(self) -> None:
        self._lock = new_lock(LockKind.RANDOM)
        self._streams: dict[str, RandomStream] = {}

    def stream(self, node: str, seed: int, seed2: int) -> RandomStream:
        """The stream of an operation, which begins at its seeds; without seeds they are taken from the system."""
        with self._lock:
            found = self._streams.get(node)
            if found is None:
                if (seed, seed2) == FROM_ENTROPY:
                    seed, seed2 = secrets.randbelow(MODULUS), 1 + secrets.randbelow(MODULUS - 1)
                found = self._streams[node] = RandomStream(node, seed, seed2, self._lock)
            return found

    def known(self, nodes: Iterable[str]) -> list[RandomStream]:
        """The streams of those of some operations that have drawn, or are about to."""
        with self._lock:
            return [self._streams[node] for node in nodes if node in self._streams]

    def state(self) -> RandomState:
        """Where all streams are now."""
        with self._lock:
            return RandomState({
                name: StreamState(each.seed, each.seed2, each.drawn, each.memory)
                for name, each in sorted(self._streams.items())
            })  # fmt: skip

    def restore(self, state: RandomState) -> None:
        """Go back to `state`; a stream that began later starts again.

        Raises:
            UseError (a TypeError): it is no `RandomState`.
        """
        if not isinstance(state, RandomState):
            raise UseError(f"set_random_state({state!r}): give what session.random_state() returned")
        with self._lock:
            for stream in self._streams.values():
                stream.drawn, stream.memory = 0, None
            for name, each in state.items():
                stream = self.stream(name, each.seed, each.seed2)
                stream.seed, stream.seed2, stream.drawn = each.seed, each.seed2, each.drawn
                stream.memory = each.memory
