"""Every op keeps the promises that hold for all ops.

Its samples are built with constants, with placeholders under every pattern of what is known of their shapes, and fed in
every layout; the static shape must agree with the run, and the result must not depend on any of this. One test per
promise; a failure names the ops and the samples.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OpDef
from penstock.graph.declare.signature import VARIANT
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.dimension import Dimension
from penstock.graph.shapes.shape import TensorShape

from .helpers import EVERY, at_most, case, every_case, shares
from .op_samples import (
    CONSTANT,
    USERS_OPS,
    Array,
    Call,
    Place,
    all_known,
    calls,
    patterns,
    run,
    runnable,
    same,
    shown,
)

FEW_PATTERNS, MOST_PATTERNS = 3, 12
"""Of what is known of the operands of a sample: in every run, in the slow one."""

THAT_RUN = sorted(t for t, op in USERS_OPS.items() if not op.facts.must_feed)
every_op = every_case("type", USERS_OPS)


def of(type: str) -> list[Call]:
    return [call for call in calls(USERS_OPS[type]) if runnable(call)]


# ---- the declaration ----------------------------------------------------------------------------


OF_FILES = ("DecodeGif", "DecodeImage", "DecodeJpeg", "DecodePng", "EncodeJpeg", "EncodeJpegVariableQuality",
            "MergeV2Checkpoints", "RestoreV2", "SaveSlices", "SaveV2")  # fmt: skip
"""They need files of which a sample knows nothing: tests/ops/test_checkpoint_ops.py runs them."""
NEVER_EMPTY = ("DecodeBmp", "DeserializeManySparse", "LinSpace", "ListResize", "NextCount", "ParseTensor", "Range",
               "ShardedFilename", "StatelessRandomGetKeyCounter")  # fmt: skip
"""They refuse an empty operand, as TensorFlow does, but their declarations do not say that it is a scalar."""


@every_op
def test_an_op_is_declared_completely(type: str) -> None:
    op = USERS_OPS[type]
    missing = []
    if not op.__doc__:
        missing.append("a docstring")
    if op.shape_rule.__qualname__.startswith("_no_shape_rule"):
        missing.append("a shape rule")
    if not op.kernels and not op.facts.must_feed:
        missing.append("a kernel")
    if not calls(op) and type not in OF_FILES and not op.bodies:  # a graph is not data: tests/control_flow
        missing.append("samples")
    assert missing == []


@every_case("type", THAT_RUN)
def test_the_samples_of_an_op_with_operands_include_an_empty_array(type: str) -> None:
    op = USERS_OPS[type]
    kept = (*OF_FILES, *NEVER_EMPTY)
    if op.facts.elementwise or takes_scalars_only(op) or type in kept or op.bodies:
        return  # elementwise ops are tested with empty arrays of their own below
    assert any(call.array(place).size == 0 for call in calls(op) for place in all_places(call))


def takes_scalars_only(op: OpDef[Any, Any]) -> bool:
    """Whether the declaration says that no operand can be empty."""
    return all(op.facts.ranks.get(name) == 0 or operand.allowed == VARIANT for _, name, operand in op.operands)


def all_places(call: Call) -> list[Place]:
    return [
        (position, i)
        for position, _, _ in call.op.operands
        if call.values[position] is not None
        for i in range(len(call.values[position]) if isinstance(call.values[position], list) else 1)
    ]


# ---- what is known before a run -----------------------------------------------------------------

# Ops that must know something of a static shape at build, and the words with which they say so.
MUST_KNOW = {
    "BooleanMask": "Number of mask dimensions must be specified",
    "Unpack": "Cannot infer argument `num`",
}


@shares(2)
@every_case("type", THAT_RUN, parts=6)
def test_static_shapes_agree_with_the_run_whatever_is_known_of_the_operands(type: str, most: int) -> None:
    count = MOST_PATTERNS if most == EVERY else FEW_PATTERNS
    lines = [line for call in at_most(of(type), most) for line in disagreements(call, count)]
    assert not lines, "\n".join(lines[:10])


def disagreements(call: Call, count: int) -> Iterator[str]:
    with tf.Graph().as_default():
        tensors = call.build()
    want = run(tensors)
    most = [t.shape for t in tensors]
    yield from check_static(call, "constants", tensors, want)
    built: list[tuple[str, list[Tensor]]] = []
    fed: dict[Tensor, Array] = {}
    with tf.Graph().as_default():
        for statics in patterns(call, count):
            what = ", ".join(map(str, statics.values()))
            try:
                tensors, feeds = call.with_placeholders(statics)
            except ValueError as error:
                if MUST_KNOW.get(call.op.type, "\0") not in str(error):
                    yield f"{call} with {what} cannot be built: {str(error).splitlines()[0]}"
                continue
            built.append((what, tensors))
            fed |= feeds
    for what, tensors, got in results_of_each(built, fed):
        yield from check_static(call, what, tensors, got)
        if call.op.is_pure and not all(map(same, got, want)):
            yield f"{call} with {what} gives {shown(got)}, with constants {shown(want)}"
        if not all(is_vaguer(tensor.shape, full) for tensor, full in zip(tensors, most, strict=True)):
            yield f"{call} knows {[str(t.shape) for t in tensors]} with {what}, less with constants: {most}"


def results_of_each(
    built: list[tuple[str, list[Tensor]]], fed: dict[Tensor, Array]
) -> Iterator[tuple[str, list[Tensor], list[Any]]]:
    """What each of several uses of an op gives in one run; where that fails, in runs of their own."""
    tensors = [tensor for _, made in built for tensor in made]
    if not tensors:
        return
    with tf.Session(graph=tensors[0].graph) as session:
        try:
            values = iter(session.run(tensors, fed))
        except tf.errors.OpError:
            for what, made in built:
                with case(what):
                    session.run(made, fed)
            raise
    for what, made in built:
        yield what, made, [next(values) for _ in made]


def check_static(call: Call, what: str, tensors: list[Tensor], values: list[Any]) -> Iterator[str]:
    for tensor, value in zip(tensors, values, strict=True):
        shape = np.shape(value)
        if not agrees(tensor.shape, shape):
            yield f"{call} with {what} is {tensor.shape} before the run, {shape} in it"
        dtype = tensor.dtype.np if tensor.dtype is not tf.string else np.dtype(object)
        found = np.dtype(object) if isinstance(value, bytes) else value.dtype
        if found != dtype:
            yield f"{call} with {what} is {tensor.dtype} before the run, {found} in it"


def agrees(static: TensorShape, shape: tuple[int, ...]) -> bool:
    """Whether an array of `shape` has what `static` says, a dimension named `n3` being 3."""
    if static.raw is None:
        return True
    return len(static.raw) == len(shape) and all(
        size in (None, actual) for size, actual in zip(map(evaluate, static.raw), shape, strict=True)
    )


def evaluate(dim: int | Dimension) -> int | None:
    """The size of a dimension made of names `n<size>`, None if it is not."""
    if isinstance(dim, int):
        return dim
    if not dim.is_named:
        return None
    return dim.const + sum(count * size_of(str(symbol)) for symbol, count in dim.terms)


def size_of(name: str) -> int:
    """7 for `n7`, and for `n7_shard_1_of_3` the size of that shard."""
    size, *shard = re.findall(r"\d+", name)
    return len(np.array_split(range(int(size)), int(shard[1]))[int(shard[0])]) if shard else int(size)


def is_vaguer(some: TensorShape, more: TensorShape) -> bool:
    """Whether `more` knows everything that `some` knows."""
    if some.raw is None:
        return True
    if more.raw is None:
        return False
    return all(
        isinstance(m, int) or not isinstance(s, int) for s, m in zip(some.raw, more.raw, strict=True)
    )


# ---- feeds --------------------------------------------------------------------------------------


def every_second(array: Array) -> Array:
    """The same values, not next to each other in memory."""
    wide = np.empty((*array.shape, 2), array.dtype)
    wide[..., 0] = array
    wide[..., 1] = wide[..., 0] if array.dtype.kind == "O" else array.dtype.type(1)
    return wide[..., 0]


def backwards(array: Array) -> Array:
    """The same values, in memory from last to first."""
    turned = (slice(None, None, -1),) * array.ndim
    return array[turned].copy()[turned] if array.ndim else array.copy()


def column_major(array: Array) -> Array:
    """The same values, first axis fastest."""
    return np.array(array, order="F")


def read_only(array: Array) -> Array:
    """The same values, write-protected."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def unaligned(array: Array) -> Array:
    """The same values at an odd address."""
    if array.dtype.hasobject or array.dtype.itemsize == 1:
        return array.copy()
    memory = np.zeros(array.nbytes + 1, np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def big_endian(array: Array) -> Array:
    """The same values with their bytes swapped."""
    if array.dtype.kind not in "iufc":
        return array.copy()
    return array.astype(array.dtype.newbyteorder(">"))


LAYOUTS: tuple[Callable[[Array], Array], ...] = (
    every_second, backwards, column_major, read_only, unaligned, big_endian,
)  # fmt: skip


@shares(2)
@every_case("type", THAT_RUN, parts=3, by_day=2)
def test_feeds_may_lie_in_memory_in_any_way(type: str, most: int) -> None:
    lines = []
    for call in at_most(of(type), most):
        with tf.Graph().as_default():
            tensors, feeds = call.with_placeholders(all_known(call))
        if not tensors:
            continue
        with tf.Session(graph=tensors[0].graph) as session:
            want = session.run(tensors, feeds)
            for layout in LAYOUTS:
                laid_out = {tensor: layout(array) for tensor, array in feeds.items()}
                before = [array.tobytes() for array in laid_out.values()]
                got = session.run(tensors, laid_out)
                if call.op.is_pure and not all(map(same, got, want)):
                    lines.append(f"{call} {layout.__name__}: {shown(got)}, from row-major arrays {shown(want)}")
                if before != [array.tobytes() for array in laid_out.values()]:
                    lines.append(f"{call} {layout.__name__}: wrote to what it was fed")
    assert not lines, "\n".join(lines[:10])


# ---- results ------------------------------------------------------------------------------------


@shares(2)
@every_case("type", THAT_RUN, parts=3, by_day=2)
def test_results_belong_to_the_caller(type: str, most: int) -> None:
    """They may be written; that changes no feed, no constant, no other result, and no second run."""
    lines = [line for call in at_most(of(type), most) for line in shared_memory(call)]
    assert not lines, "\n".join(lines[:10])


def shared_memory(call: Call) -> Iterator[str]:
    with tf.Graph().as_default() as graph:
        tensors, feeds = call.with_placeholders(all_known(call))
        tensors += call.build()
    fed = {tensor: array.copy() for tensor, array in feeds.items()}
    if not tensors:
        return
    with tf.Session(graph=graph) as session:
        first = session.run([tensors, tensors[0]], feeds)
        results = [r for r in [*first[0], first[1]] if isinstance(r, np.ndarray)]
        copies = [r.copy() for r in results]
        for result in results:
            if not (result.flags.writeable and result.flags.c_contiguous and result.flags.aligned):
                yield f"{call}: a result is not writable, row-major and aligned"
                return
        for a, b in itertools.combinations([*results, *feeds.values()], 2):
            if np.shares_memory(a, b) and not (is_in(a, feeds.values()) and is_in(b, feeds.values())):
                yield f"{call}: a result shares memory with a feed or another result"
        for result in results:
            result[...] = spoiled(result)
        if not all(same(array, fed[tensor]) for tensor, array in feeds.items()):
            yield f"{call}: writing to a result changed a feed"
        second = session.run([tensors, tensors[0]], feeds)
        again = [r for r in [*second[0], second[1]] if isinstance(r, np.ndarray)]
        if call.op.is_pure and not all(map(same, again, copies)):
            yield f"{call}: writing to a result changed the next run"


def is_in(array: Array, arrays: Any) -> bool:
    return any(array is each for each in arrays)


def spoiled(array: Array) -> Any:
    """Other values of the same dtype."""
    if array.dtype.hasobject:
        return b"spoiled" if array.dtype.kind == "O" else (None,)
    return ~array if array.dtype.kind == "b" else array + array.dtype.type(1)


# ---- the facts an op states ---------------------------------------------------------------------


@pytest.mark.parametrize("type", sorted(type for type, op in USERS_OPS.items() if op.facts.commutative))
def test_a_commutative_op_gives_the_same_when_its_operands_change_places(type: str) -> None:
    lines = []
    for call in of(type):
        if len(call.free) < 2 or call.array(call.free[0]).dtype.kind == "O":
            continue  # joining strings is called adding, but is another law
        x, y = call.free[:2]
        swapped = {x: call.array(y), y: call.array(x)}
        with tf.Graph().as_default():
            tensors = call.build() + call.build(swapped)
        got = run(tensors)
        if not same(got[0], got[1]):
            lines.append(f"{call}: {shown(got[0])} and {shown(got[1])}")
    assert not lines, "\n".join(lines[:10])


@pytest.mark.parametrize("type", sorted(type for type, op in USERS_OPS.items() if op.facts.additive))
def test_an_additive_op_gives_for_sums_the_sums_of_its_results(type: str) -> None:
    for call in of(type):
        if call.array(call.free[0]).dtype.kind == "O":
            continue
        rng = np.random.default_rng(0)
        terms = [{place: rng.integers(-9, 9, call.array(place).shape).astype("i4") for place in call.free}
                 for _ in range(2)]  # fmt: skip
        with tf.Graph().as_default():
            tensors = [call.build(each)[0] for each in (*terms, {p: terms[0][p] + terms[1][p] for p in call.free})]
        a, b, both = run(tensors)
        assert np.array_equal(a + b, both), call
        if USERS_OPS[type].facts.additive == "sum":
            assert np.array_equal(a, sum(terms[0].values())), call


@shares(1)
@every_case("type", sorted(type for type, op in USERS_OPS.items() if op.facts.elementwise))
def test_an_elementwise_op_takes_empty_arrays_and_scalars(type: str, most: int) -> None:
    shapes: tuple[tuple[int, ...], ...] = ((0,), (2, 0), (0, 3, 1), ())
    for call, shape in itertools.product(at_most(of(type), most), shapes):  # others differ in numbers alone
        small = {place: some(call.array(place), shape) for place in call.free}
        with case(f"{call} of shape {shape}"), tf.Graph().as_default():
            tensors = call.build(small)
            fed = {place: tf.placeholder(small[place].dtype, [None] * len(shape)) for place in call.free}
            tensors += call.build(fed)
            values = run(tensors, {fed[place]: small[place] for place in fed})
            for tensor, value in zip(tensors, values, strict=True):
                assert np.shape(value) == shape
                assert tensor.shape.is_compatible_with(shape)
            assert same(values[0], values[-1])


@every_case("type", [type for type, op in USERS_OPS.items() if op.facts.elementwise], parts=2, by_day=1)
def test_an_elementwise_op_gives_the_same_bits_from_every_layout(type: str) -> None:
    """With arrays long enough for vector instructions."""
    lines = []
    for call in of(type):
        if any(call.array(place).size == 0 for place in call.free):
            continue
        long = {place: spread(call.array(place)) for place in call.free}
        with tf.Graph().as_default():
            fed = {place: tf.placeholder(long[place].dtype) for place in long}
            tensors = call.build(fed)
        with tf.Session(graph=tensors[0].graph) as session:
            want = session.run(tensors, {fed[place]: long[place] for place in fed})
            for layout in LAYOUTS:
                got = session.run(tensors, {fed[place]: layout(long[place]) for place in fed})
                if not all(map(same, got, want)):
                    lines.append(f"{call} {layout.__name__}: {shown(got)}, from row-major arrays {shown(want)}")
    assert not lines, "\n".join(lines[:10])


def spread(array: Array) -> Array:
    """300 numbers near those of `array`, or 300 of its elements where these are no inexact numbers."""
    long = np.resize(array, (15, 20))
    if array.dtype.kind not in "fc":
        return long
    with np.errstate(all="ignore"):
        return np.asarray(long * np.linspace(0.5, 1, 300).reshape(15, 20), array.dtype)


def some(array: Array, shape: tuple[int, ...]) -> Array:
    """The first value of `array`, repeated to fill `shape`."""
    filled = np.empty(shape, array.dtype)
    filled[...] = array.reshape(-1)[0] if array.size else b"" if array.dtype.kind == "O" else 1
    return filled


# ---- constants among the operands ---------------------------------------------------------------


@shares(2)
@every_case("type", THAT_RUN, parts=3)
def test_a_value_known_at_build_is_the_value_of_the_run(type: str, most: int) -> None:
    from penstock.graph.building.constant_evaluation import known_entries, known_value

    lines = []
    for call in at_most(of(type), most):
        for statics in (dict.fromkeys(call.free, CONSTANT), all_known(call)):
            with tf.Graph().as_default():
                tensors, feeds = call.with_placeholders(statics)
                known = [known_value(tensor) for tensor in tensors]
                entries = [known_entries(tensor) if tensor.dtype.is_integer else None for tensor in tensors]
            for value, entry, got in zip(known, entries, run(tensors, feeds), strict=True):
                if value is not None and not same(value if value.ndim else value[()], got):
                    lines.append(f"{call}: known at build to be {shown(value)}, but the run gives {shown(got)}")
                if entry is not None and not entries_fit(entry, got):
                    lines.append(f"{call}: entries {entry} known at build, but the run gives {shown(got)}")
    assert not lines, "\n".join(lines[:10])


@every_case("type", THAT_RUN)
def test_an_op_that_may_be_evaluated_has_a_sample_whose_value_is_known(type: str) -> None:
    from penstock.graph.building.constant_evaluation import known_value, law_of

    made = []
    for call in of(type):
        with tf.Graph().as_default():
            made += [law_of(tensor.op) is None or known_value(tensor) is not None for tensor in call.build()]
    assert any(made) or not made


@pytest.mark.parametrize("type", sorted(t for t, op in USERS_OPS.items() if op.facts.moves))
def test_an_op_that_moves_elements_moves_whatever_they_are_and_of_a_vector_makes_no_more(type: str) -> None:
    op = USERS_OPS[type]
    assert op.own_kernel is not None
    for call in of(type):
        with tf.Graph().as_default():
            made = call.build()[0].op
        args, things = list(made.args), [object() for _ in range(100)]
        given, is_vector = 0, True
        for position, _, operand in op.operands:
            if args[position] is None:
                continue
            values = [t.op.args[0] for t in (args[position] if operand.many else [args[position]])]
            if operand.var == op.out:
                assert all(v.size < len(things) for v in values)
                is_vector = is_vector and all(v.ndim <= 1 for v in values)
                values = [np.array(things[: v.size], object).reshape(v.shape) for v in values]
            given += sum(v.size for v in values)
            args[position] = values if operand.many else values[0]
        results = op.own_kernel(np, *args)
        for result in results if op.returns == "list" else [results]:
            assert set(map(id, np.ravel(result))) <= set(map(id, things))
            assert np.size(result) <= given or not is_vector


def entries_fit(entries: Any, value: Any) -> bool:
    flat = entries if isinstance(entries, tuple) else (entries,)
    actual = np.asarray(value).reshape(-1).tolist()
    return len(flat) == len(actual) and all(
        e is None or evaluate(e) in (None, a) for e, a in zip(flat, actual, strict=True)
    )
