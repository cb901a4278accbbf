"""How an op distributes over a named dimension: what each shard computes if the dimension is cut into shards.

Data parallelism asks each op of a graph, in order: some of your inputs are cut along the dimension, what are your
results? A result is cut as well (`Along`), the same in every shard (`WHOLE`), or a part of the whole that shards have
to combine (`Partial`). An op that cannot work on shards says why (`Refused`), and then runs once on whole inputs.

    matmul(x cut along rows, w)                          Along(0)
    matmul(a cut along columns, b cut along rows)        Partial("sum")
    reduce_mean(x cut along rows)                        Partial("mean")
    softmax over columns, x cut along rows               Along(0)
    softmax over rows, x cut along rows                  Refused("it needs all rows at once")

Sizes are special. A tensor computed from `shape(x)` has two values: the one of the shard and the one of the whole. What
makes a result of that size (reshape, fill, broadcast_to) needs the shard's, what divides by a count the whole one. Such
an input is given as `SIZES`, and the op names those of its inputs for which it takes the shard's.

What an op computes from sizes is `SIZES` again if it is ints, or if the other inputs are constants: it then has the
shard's value, from the shard's sizes, and the whole's. Otherwise it takes the whole's sizes and gives `WHOLE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from ..common.quick_dataclass import dataclass

How: TypeAlias = Literal["sum", "mean", "prod", "max", "min", "all", "any", "logsumexp"]


@dataclass(frozen=True, slots=True)
class Along:
    """The shards are consecutive parts of the whole along an axis, the first shard first.

    Attributes:
        axis: the axis, from 0.
    """

    axis: int


@dataclass(frozen=True, slots=True)
class Partial:
    """The whole is what the results of all shards give together, element by element.

    Attributes:
        how: how they are combined; "mean" weighs each shard by its size.
    """

    how: How


@dataclass(frozen=True, slots=True)
class Whole:
    """Every shard has the whole value."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The value is computed from sizes only: each shard has one of its own, and there is one of the whole."""


WHOLE: Final = Whole()
SIZES: Final = Sizes()

State: TypeAlias = Along | Whole | Sizes
"""How an input is there: a `Partial` result is combined before anything reads it."""


@dataclass(frozen=True, slots=True)
class Distributed:
    """What an op gives if it runs in each shard.

    Attributes:
        results: for each output an `Along`, a `Partial`, `WHOLE` or `SIZES`.
        own_sizes: which inputs (places in `Operation.inputs`) must be the shard's own where they are `SIZES`; the
            others are the whole's.
    """

    results: tuple[Along | Partial | Whole | Sizes, ...]
    own_sizes: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Refused:
    """The op cannot run in shards.

    Attributes:
        why: a phrase such as "it needs all rows at once".
    """

    why: str


DistributionRule: TypeAlias = Callable[[Any, tuple[State, ...], str], Distributed | Refused]
"""(operation, state of each input, name of the dimension) -> what it gives. At least one input is not `WHOLE`."""


def along(axis: int, outputs: int = 1) -> Distributed:
    """All outputs are cut along `axis`."""
    return Distributed((Along(axis),) * outputs)
