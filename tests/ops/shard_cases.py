"""Ops run on shards: what an op says of parts of its operands, beside what its kernel gives for them.

For each sample of an op, every choice of operands that may be cut along an axis of one size is a case. A vector of
sizes that holds this size may also be computed from the shape of what is cut.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.building.constant_evaluation import with_inputs
from penstock.graph.common.float_errors import unwarned
from penstock.graph.declare.distributing import distribute
from penstock.graph.declare.distribution import SIZES, WHOLE, Along, Distributed, Partial, Refused, State
from penstock.graph.model.nodes import Operation

from ..op_samples import Array, Call, same, tensors_of

MOST = 40
"""Choices of operands and axes for one sample."""


@dataclass(frozen=True)
class Case:
    """A sample some operands of which are cut along the dimension `batch`."""

    call: Call
    operation: Operation
    arrays: tuple[Array, ...]
    cuts: tuple["Along | Entry | None", ...]
    size: int

    @property
    def states(self) -> tuple[State, ...]:
        """How each operand is there."""
        return tuple(SIZES if isinstance(c, Entry) else WHOLE if c is None else c for c in self.cuts)

    def __str__(self) -> str:
        return f"{self.call}, inputs {self.cuts}"

    def answer(self) -> Distributed | Refused:
        """What the op says."""
        return distribute(self.operation, self.states, "batch")

    def of_shards(self, ends: Sequence[int], own_sizes: Set[int]) -> list[list[Array]]:
        """The results of each shard; `ends` are the indices at which the dimension is cut."""
        return [
            self._run([part(a, cut, start, end, i in own_sizes)
                       for i, (a, cut) in enumerate(zip(self.arrays, self.cuts, strict=True))])
            for start, end in itertools.pairwise([0, *ends, self.size])
        ]  # fmt: skip

    def of_whole(self) -> list[Array]:
        """The results of the whole."""
        return self._run(list(self.arrays))

    def _run(self, arrays: list[Array]) -> list[Array]:
        made = unwarned(self.operation.opdef.kernels["*"], np, *with_inputs(self.operation, arrays, list))
        return [np.asarray(each) for each in (made if isinstance(made, (list, tuple)) else [made])]


@dataclass(frozen=True)
class Entry:
    """A vector of sizes of which one entry is the size of the dimension, computed in the graph."""

    at: int


def part(array: Array, cut: Along | Entry | None, start: int, end: int, own: bool) -> Array:
    """The operand that a shard has."""
    if isinstance(cut, Along):
        return array[(slice(None),) * cut.axis + (slice(start, end),)]
    if isinstance(cut, Entry) and own:
        return np.where(np.arange(array.size) == cut.at, array.dtype.type(end - start), array)
    return array


Static = Callable[[Array, Along | None], list[int | str | None] | None]
"""What the shape of a placeholder says of an operand that is cut, or is not."""


def cases(call: Call, static: Static | None = None) -> Iterator[Case]:
    """The cases of one sample."""
    places = [(p, i) for p, _, o in call.op.operands if call.values[p] is not None
              for i in range(len(call.values[p]) if o.many else 1)]  # fmt: skip
    hosted = {p for p, _, o in call.op.operands if o.host}
    arrays = tuple(call.array(place) for place in places)
    sizes_listed = {size for (p, _), a in zip(places, arrays, strict=True) if p in hosted and a.dtype.kind == "i"
                    for size in a.reshape(-1).tolist() if size > 1}  # fmt: skip
    sizes = sorted({size for array in arrays for size in array.shape if size > 1} | sizes_listed)
    for size in sizes:
        choices = [_choices(a, size, p in hosted) for (p, _), a in zip(places, arrays, strict=True)]
        for cuts in itertools.islice(itertools.product(*choices), 1, MOST):
            replaced = {
                place: _operand(array, cut, static or _static)
                for place, array, cut in zip(places, arrays, cuts, strict=True)
                if cut is not None or place[0] not in hosted
            }
            try:
                made = tensors_of(call.build(replaced))
            except (TypeError, ValueError):
                continue  # what is cut is needed while building
            if made and made[0].op.opdef is call.op and len(made[0].op.inputs) == len(arrays):
                yield Case(call, made[0].op, arrays, cuts, size)


def _choices(array: Array, size: int, is_host: bool) -> list[Along | Entry | None]:
    if is_host and array.ndim == 1 and array.dtype.kind == "i":
        return [None, *(Entry(i) for i, each in enumerate(array.tolist()) if each == size)]
    return [None, *(Along(i) for i, d in enumerate(array.shape) if d == size)]


def _operand(array: Array, cut: Along | Entry | None, static: Static) -> Any:
    if isinstance(cut, Entry):
        counted = tf.cast(tf.shape(tf.placeholder(tf.float32, ["batch"]))[0], array.dtype)
        return tf.pack([counted if i == cut.at else d for i, d in enumerate(array.tolist())])
    return tf.placeholder(array.dtype, static(array, cut))


def _static(array: Array, cut: Along | None) -> list[int | str | None]:
    return ["batch" if cut is not None and axis == cut.axis else d for axis, d in enumerate(array.shape)]


def ways_to_cut(size: int) -> Iterator[list[int]]:
    """Two and three uneven parts, and parts of which one is empty."""
    yield [1]
    if size > 2:
        yield [1, 2]
    yield [0]
    yield [1, 1]


_JOINS: dict[str, Any] = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "all": np.logical_and,
    "any": np.logical_or,
}  # fmt: skip


def joined(result: Any, parts: Sequence[Array], weights: Sequence[int]) -> Array:
    """The whole, of what the shards gave for one output."""
    if isinstance(result, Along):
        return np.concatenate(parts, result.axis)
    if not isinstance(result, Partial):
        return parts[0]
    if result.how == "mean":
        total = sum(p.astype(np.complex128 if p.dtype.kind == "c" else np.float64) * w
                    for p, w in zip(parts, weights, strict=True) if w)  # fmt: skip
        return np.asarray(total / sum(weights)).astype(parts[0].dtype)
    found = parts[0]
    for each in parts[1:]:
        found = _JOINS[result.how](found, each).astype(found.dtype)
    return np.asarray(found)


def differs(case: Case, answer: Distributed, ends: Sequence[int], is_rounded: bool) -> str | None:
    """How shards differ from the whole; None where they give it.

    is_rounded: the last bits may differ.
    """
    whole, shards = case.of_whole(), case.of_shards(ends, answer.own_sizes)
    weights = np.diff([0, *ends, case.size]).tolist()
    for i, result in enumerate(answer.results):
        parts = [shard[i] for shard in shards]
        if result is SIZES:
            continue
        if result is WHOLE and not all(same(each, whole[i]) for each in parts):
            return f"output {i} is not the same in each shard"
        found = joined(result, parts, weights)
        exact = not isinstance(result, Partial) and not is_rounded
        if not same(found, whole[i]) and (exact or not close(found, whole[i])):
            return f"output {i} {result}: {found.tolist()} where the whole is {whole[i].tolist()}"
    return None


def close(found: Array, whole: Array) -> bool:
    """Equal but for the order of sums."""
    if found.shape != whole.shape or found.dtype != whole.dtype or found.dtype.kind in "OSU":
        return False
    if found.dtype.kind in "biu":
        return bool((found == whole).all())
    tolerance = 1e-2 if found.dtype.itemsize == 2 else 1e-5
    kind = np.complex128 if found.dtype.kind == "c" else np.float64
    return np.allclose(found.astype(kind), whole.astype(kind), tolerance, tolerance, equal_nan=True)
