"""Uses of the samples that every op declares.

A `Call` is one sample with its operands as arrays. It can be built with constants, with placeholders of any static
shapes, and with other arrays of equal values; the generic tests are made of that.
"""

import importlib
import itertools
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import penstock as tf
import penstock.ops
from penstock.graph.building.builder import build
from penstock.graph.declare.op_declaration import OPS, OpDef, Sample
from penstock.graph.declare.signature import VARIANT, Operand
from penstock.graph.model.nodes import Operation, Tensor
from penstock.graph.shapes.dtypes import variant
from penstock.graph.shapes.literal import literal
from penstock.ops.tensor_array.array_elements import Elements

Array = np.ndarray[Any, np.dtype[Any]]
Static = Sequence[int | str | None] | None
"""What a placeholder's shape says: None for nothing, and None or a name for a dimension."""

CONSTANT = "constant"
Place = tuple[int, int]
"""Where an operand stands: the position of its parameter, and its index in a list (0 if it is none)."""


@dataclass(frozen=True)
class Call:
    """One sample of one op."""

    op: OpDef[Any, Any]
    number: int
    values: tuple[Any, ...]
    """The arguments in the order of the node, `name` last, operands as arrays or lists of them (None: left out)."""
    free: tuple[Place, ...]
    """The operands that may be placeholders."""

    def __str__(self) -> str:
        return f"{self.op.type}-{self.number}"

    @property
    def settings(self) -> str:
        """The arguments that are no operands."""
        operands = {place for place, _, _ in self.op.operands}
        return repr([value for place, value in enumerate(self.values) if place not in operands])

    @property
    def kind(self) -> tuple[str, list[tuple[int, str]]]:
        """The arguments that cannot be placeholders; of the operands that can, the ranks and what numbers they hold."""
        free = {position for position, _ in self.free}
        fixed = repr([value for position, value in enumerate(self.values) if position not in free])
        return fixed, [(array.ndim, array.dtype.kind) for array in map(self.array, self.free)]

    def array(self, place: Place) -> Array:
        """The value of an operand."""
        value = self.values[place[0]]
        found: Array = value[place[1]] if isinstance(value, list) else value
        return found

    def build(self, replaced: Mapping[Place, Any] | None = None) -> list[Tensor]:
        """Build it in the default graph, with other values or tensors for some operands; its outputs."""
        values = [list(v) if isinstance(v, list) else v for v in self.values]
        for (position, index), value in (replaced or {}).items():
            if isinstance(values[position], list):
                values[position][index] = value
            else:
                values[position] = value
        return tensors_of(build(self.op, tuple(values)))

    def with_placeholders(self, statics: Mapping[Place, Static | str]) -> tuple[list[Tensor], dict[Tensor, Array]]:
        """Build it with a placeholder of the given static shape for each operand named, and say what to feed."""
        tensors = {
            place: tf.placeholder(self.array(place).dtype, static, name="fed")
            for place, static in statics.items()
            if static != CONSTANT
        }
        return self.build(tensors), {tensor: self.array(place) for place, tensor in tensors.items()}


for each in pkgutil.walk_packages(penstock.ops.__path__, "penstock.ops."):  # some are imported where they are needed
    importlib.import_module(each.name)

# The engine declares ops of its own for what it makes of a graph; they are tested there.
USERS_OPS = {
    type: op
    for type, op in sorted(OPS.items())
    if op.__module__.startswith("penstock.ops.")
    and not op.facts.state
    and not op.__module__.startswith(("penstock.ops.datasets.", "penstock.ops.queues."))
}
"""State has tests of its own: `tests/variables`; so have datasets and queues: `tests/data`, `tests/queues`."""


OF_VARIANTS = {
    type: "derivatives of TensorArrays: tests/ops/test_tensor_array_gradients.py"
    for type, op in USERS_OPS.items()
    if op.out is variant or any(operand.allowed == VARIANT for _, _, operand in op.operands)
}


def tensors_of(result: Any) -> list[Tensor]:
    """The tensors that a call returned."""
    if isinstance(result, Operation):
        return list(result.outputs)
    return [result] if isinstance(result, Tensor) else list(result)


def calls(op: OpDef[Any, Any]) -> list[Call]:
    """Every sample of an op, the same ones each time."""
    return list(_calls(op))


def of_each_kind(op: OpDef[Any, Any], first: int = 2) -> list[Call]:
    """The first samples of an op and each of a kind that none before was: others differ in numbers alone.

    Every run tries them of what an op has from its declaration, as a file and a reference do; the nightly run all.
    """
    return [call for call in calls(op) if is_new(call, first)]


def is_new(call: Call, first: int = 2) -> bool:
    """Whether it is one of the first samples of its op, or the first of its kind."""
    return call.number < first or all(other.kind != call.kind for other in calls(call.op)[: call.number])


@cache  # a pass over all ops takes 0.4 s, and forty tests make one
def _calls(op: OpDef[Any, Any]) -> tuple[Call, ...]:
    if op.sample_rule is None:
        return ()
    return tuple([_call(op, i, s) for i, s in enumerate(op.sample_rule(np.random.default_rng(0)))])


def runnable(call: Call) -> bool:
    """Whether the op gives values without being fed."""
    return not call.op.facts.must_feed


def _call(op: OpDef[Any, Any], number: int, sample: Sample) -> Call:
    values = list(op.bind(*sample.args, **sample.kwargs))
    taken = _dtypes_taken(op, tuple(values))
    free: list[Place] = []
    for position, name, operand in op.operands:
        if values[position] is None:
            continue
        dtypes = taken.get(position)
        values[position] = _arrays(values[position], operand, dtypes)
        if name not in sample.fixed:
            free += [(position, i) for i in range(len(values[position]) if operand.many else 1)]
    return Call(op, number, tuple(values), tuple(free))


def _arrays(value: Any, operand: Operand, dtypes: Any) -> Any:
    if operand.many:
        return [_array(v, dtypes[i] if dtypes else None) for i, v in enumerate(value)]
    return _array(value, dtypes)


def _array(value: Any, dtype: Any) -> Array:
    return value if isinstance(value, np.ndarray) else literal(value, dtype)


def _dtypes_taken(op: OpDef[Any, Any], values: tuple[Any, ...]) -> dict[int, Any]:
    """The dtypes that the builder chose for Python values, by position; empty where the call makes no such node."""
    with tf.Graph().as_default() as graph:
        build(op, values)
    made = [o for o in graph.get_operations() if o.opdef is op]
    if len(made) != 1 or len(made[0].args) != len(op.parameters):
        return {}
    args = made[0].args
    return {
        p: [t.dtype for t in args[p]] if operand.many else args[p].dtype
        for p, _, operand in op.operands
        if args[p] is not None
    }


# ---- static shapes ------------------------------------------------------------------------------


def all_known(call: Call) -> dict[Place, Static | str]:
    """Placeholders of fully known shapes."""
    return {place: list(call.array(place).shape) for place in call.free}


def patterns(call: Call, most: int) -> Iterator[dict[Place, Static | str]]:
    """Ways to know less: every one if there are at most `most`, else a fixed choice with the plainest first."""
    different = {repr(sorted(pattern.items(), key=str)): pattern for pattern in _patterns(call, most)}
    yield from different.values()


def _patterns(call: Call, most: int) -> Iterator[dict[Place, Static | str]]:
    choices = {place: _statics(call.array(place).shape) for place in call.free}
    yield all_known(call)
    if not choices:
        return
    yield {place: [None] * call.array(place).ndim for place in choices}
    yield dict.fromkeys(choices)
    yield {place: [f"n{d}" for d in call.array(place).shape] for place in choices}
    for place in choices:
        yield all_known(call) | {place: None}
        yield all_known(call) | {place: CONSTANT}
        yield dict.fromkeys(choices, None) | {place: CONSTANT}
    count = 1
    for options in choices.values():
        count *= len(options)
    if count <= most:
        for combined in itertools.product(*choices.values()):
            yield dict(zip(choices, combined, strict=True))
        return
    rng = np.random.default_rng(1)
    for _ in range(most):
        yield {place: options[rng.integers(len(options))] for place, options in choices.items()}


def _statics(shape: tuple[int, ...]) -> list[Static | str]:
    """Every static shape that a placeholder fed with an array of `shape` can have, and to be a constant."""
    masks = itertools.product([True, False], repeat=len(shape))
    named: list[Static | str] = [[f"n{d}" for d in shape]] if shape else []
    partly = [[d if known else None for d, known in zip(shape, mask, strict=True)] for mask in masks]
    return [CONSTANT, None, *partly, *named]


# ---- results ------------------------------------------------------------------------------------


def run(tensors: Sequence[Tensor], feeds: Mapping[Tensor, Any] | None = None) -> list[Any]:
    """The values of tensors of one graph."""
    if not tensors:
        return []
    with tf.Session(graph=tensors[0].graph) as session:
        found: list[Any] = session.run(list(tensors), feeds or None)
    return found


def same(got: Any, want: Any) -> bool:
    """Whether two results are equal in dtype, shape and bits; any nan is like any other."""
    if isinstance(got, bytes) or isinstance(want, bytes):
        return bool(got == want)
    a, b = np.asarray(got), np.asarray(want)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "O":
        return bool(a.tolist() == b.tolist())
    if a.dtype == variant.np:
        return all(map(same_content, a.reshape(-1).tolist(), b.reshape(-1).tolist()))
    if a.dtype.kind in "biu":
        return bool((a == b).all())
    if a.dtype.kind == "c":
        return same(a.real, b.real) and same(a.imag, b.imag)
    nan = np.isnan(a) & np.isnan(b)
    return bool((nan | ((a == b) & (np.signbit(a) == np.signbit(b)))).all())


def same_content(got: Any, want: Any) -> bool:
    """Whether two elements of variants hold equal arrays."""
    (a,), (b,) = got, want
    if isinstance(a, Elements) and isinstance(b, Elements):
        told = [(each.facts, each.size, each.shape) for each in (a, b)]
        left, right = dict(a.items()), dict(b.items())
        return (
            told[0] == told[1]
            and left.keys() == right.keys()
            and all(left[i] is right[i] is None or same(left[i], right[i]) for i in left)
        )
    return a is b is None or same(a, b)


def shown(value: Any) -> str:
    """A result, short enough for a message."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 200 else text[:197] + "..."
