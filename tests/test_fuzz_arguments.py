"""A call with wrong arguments gives a documented error, and leaves the graph as it was.

Each sample is called again with one or two arguments exchanged for something else, the same ones on every run of the
test. Building may raise ValueError or TypeError and nothing else; what is built may fail in a run with an OpError, or a
FeedError for what is fed. A call that failed leaves no node and no name behind.
"""

import math
import resource
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import FeedError, OpError
from penstock.graph.building.builder import build
from penstock.graph.declare.op_declaration import OpDef
from penstock.graph.model.nodes import Tensor

from .docstring_parts import is_documented
from .helpers import at_most, every_case, nightly, shares
from .op_samples import USERS_OPS, Call, calls

TRIES = 300


class NotAValue:
    """Nothing that any op takes."""

    def __repr__(self) -> str:
        return "NotAValue()"


def strangers() -> list[Callable[[], Any]]:
    """Ways to make arguments: some fit some ops, most fit none. Tensors belong to the graph that is the default."""
    numbers = [None, True, False, 0, 1, -1, 2, 7, -5, 2**31 - 1, 2**31, 2**63, -(2**63) - 1, 2**200, 0.5, -0.0,
               math.nan, math.inf, 1j, np.int8(3), np.float16(1.5), np.uint64(2**64 - 1),
               np.datetime64("2020-01-01")]  # fmt: skip
    texts = ["", "a", "float32", "int32", b"bytes", "\N{SNOWMAN}", np.str_("x")]
    lists = [[], [[]], (), [1, 2], [0], [-1], [1, -1], [[1], [1, 2]], [None], [1, None], [1, "a"], [1.5, 2], [True, 0],
             ["a", "b"], [[1, 2], [3, 4]], [[[0]]], [2**40], [0] * 40, range(3), {}, {"a": 1}, {1, 2},
             [[1], []]]  # fmt: skip
    arrays = [np.zeros((0,)), np.zeros((2, 0, 3), "f4"), np.ones((2, 3)), np.arange(3), np.arange(4, dtype="u1"),
              np.array(5), np.array([b"a"], object), np.array(["a", "bc"]), np.array([None, 1], object),
              np.array([True, False]), np.ones((1,) * 12, "f4"), np.array([1 + 2j]), np.zeros(2, [("a", "i4")]),
              np.array(["2020-01-01"], "M8[D]"), np.array([np.nan, 1], ">f8"),
              np.ma.masked_array([1, 2], [False, True])]  # fmt: skip
    others = [NotAValue(), NotAValue, len, ..., slice(None), slice(0, 2), tf.float32, tf.string, np.float32,
              np.dtype("i8"), int, str, tf.TensorShape([2, None]), tf.TensorShape(None), tf.TensorShape([3]),
              tf.Dimension(2), tf.Dimension("batch"), tf.Dimension(None)]  # fmt: skip
    fixed = [*numbers, *texts, *lists, *arrays, *others]
    made: list[Callable[[], Any]] = [partial(returned, value) for value in fixed]
    shapes: list[Any] = [None, [], [None], [2], [0], ["batch"], [2, 3], [None, 3], [None, None], ["n", 2, None]]
    made += [partial(tf.placeholder, d, s) for d in ("float32", "int32", "string", "bool") for s in shapes]
    made += [partial(tf.placeholder, d, [2]) for d in ("int64", "uint8", "float16", "bfloat16", "complex64")]
    made += [partial(tf.constant, v) for v in (0, 1, -1, 2.5, [0, 1], [1, 0, 2], [[1, 2]], [True], "s", [])]
    made += [
        lambda: tf.constant([1, 2]).op,
        tf.get_default_graph,
        lambda: [tf.constant(1), 2],
        lambda: [tf.constant(1), 2.5],
        lambda: [tf.constant([1.0]), tf.constant([2.0])],
        lambda: (tf.constant([1.0]), tf.constant([2])),
        stranger_tensor,
        lambda: [stranger_tensor()],
    ]
    return made


def returned(value: Any) -> Any:
    return value


def stranger_tensor() -> Tensor:
    """A tensor of another graph."""
    with tf.Graph().as_default():
        return tf.constant([1.0, 2.0])


@pytest.fixture(autouse=True, scope="module")
def little_memory() -> Iterator[None]:
    """A call that asks for a huge array fails here with MemoryError, instead of taking the machine's memory."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        yield
        return
    used = int(statm.read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


NAMES = ["", "a b", "/a", "a/", "_a", "a:0", "\N{SNOWMAN}", 5, b"a", True, "x" * 300, ["a"], "good"]
STRANGERS = strangers()


# ---- calls that go wrong ------------------------------------------------------------------------


def wrong_calls(op: OpDef[Any, Any]) -> Iterator[tuple[str, Call, Callable[[], tuple[Any, ...]]]]:
    """Samples with a function that makes arguments for them, one or two of which are exchanged."""
    rng = np.random.default_rng(zlib.crc32(op.type.encode()))
    samples = calls(op)
    for number in range(TRIES):
        call = samples[rng.integers(len(samples))]
        count = len(call.values)
        chosen = {int(rng.integers(count)): int(rng.integers(len(STRANGERS))) for _ in range(1 + number % 2)}
        yield f"{call} try {number}", call, partial(strange, call, chosen)


def strange(call: Call, chosen: dict[int, int]) -> tuple[Any, ...]:
    """The arguments of the call, with others at some positions; the last position is the name."""
    values = list(call.values)
    for position, which in chosen.items():
        is_name = position == len(values) - 1
        new = NAMES[which % len(NAMES)] if is_name else STRANGERS[which]()
        # Inside a list of operands, or in place of the whole list.
        if isinstance(values[position], list) and values[position] and which % 2:
            values[position] = [new, *values[position][1:]]
        else:
            values[position] = new
    return tuple(values)


def first_line(error: Exception) -> str:
    return str(error).split("\n")[0][:200]


def told(lines: list[str]) -> str:
    shown = [line[:400] for line in lines[:10]]
    return "\n".join([f"{len(lines)} complaints", *shown])


def names_of(graph: tf.Graph) -> list[str]:
    return [op.name for op in graph.get_operations()]


WITH_SAMPLES = [type for type, op in USERS_OPS.items() if calls(op)]


@shares(TRIES // 20)
@every_case("type", WITH_SAMPLES, parts=6, by_day=1)
def test_wrong_arguments_give_documented_errors_and_leave_the_graph_as_it_was(type: str, most: int) -> None:
    lines = []
    failed = 0
    for what, call, arguments in at_most(wrong_calls(USERS_OPS[type]), most):
        with tf.Graph().as_default() as graph:
            values = arguments()
            before = names_of(graph)
            try:
                build(call.op, values)
                continue
            except Exception as error:
                failed += 1
                if not isinstance(error, (ValueError, TypeError)) or not str(error).strip():
                    lines.append(f"{what}: {error.__class__.__name__}: {first_line(error)}")
            if names_of(graph) != before:
                lines.append(f"{what}: left {names_of(graph)[len(before) :]} behind")
            call.build()
        with tf.Graph().as_default() as fresh:
            arguments()
            call.build()
        if names_of(graph) != names_of(fresh):
            lines.append(f"{what}: names are taken, the next call gets {names_of(graph)}, want {names_of(fresh)}")
    assert not lines, told(lines)
    assert failed > 0


@every_case("type", WITH_SAMPLES)
def test_a_finalized_graph_refuses_a_call_with_a_runtime_error(type: str) -> None:
    call = calls(USERS_OPS[type])[0]
    with tf.Graph().as_default() as graph:
        graph.finalize()
        with pytest.raises(RuntimeError, match="finalized"):
            call.build()
        assert names_of(graph) == []


# ---- runs that go wrong -------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [2, *nightly([12])])
@every_case("type", sorted(t for t, op in USERS_OPS.items() if not op.facts.must_feed), parts=6, by_day=1)
def test_wrong_values_in_a_run_give_documented_errors(type: str, runs: int) -> None:
    lines = []
    rng = np.random.default_rng(zlib.crc32(type.encode()))
    for call in calls(USERS_OPS[type]):
        with tf.Graph().as_default() as graph:
            try:
                tensors, feeds = call.with_placeholders(dict.fromkeys(call.free))
            except ValueError:
                continue
        if not tensors:
            continue
        with tf.Session(graph=graph) as session:
            for number in range(runs):
                fed = {t: odd_array(array, rng) if rng.random() < 0.6 else array for t, array in feeds.items()}
                try:
                    session.run(tensors, fed)
                except (OpError, FeedError) as error:
                    is_public = getattr(tf, call.op.__name__, None) is call.op
                    if is_public and isinstance(error, OpError) and not is_documented(call.op, error):
                        lines.append(f"{call}: Raises does not name {error.__class__.__name__}")
                    if isinstance(error, tf.errors.InternalError):
                        lines.append(f"{call} run {number} {shapes(fed)}: {first_line(error)}")
                except Exception as error:
                    lines.append(f"{call} run {number} {shapes(fed)}: {error.__class__.__name__}: {first_line(error)}")
            found = session.run(tensors, feeds)  # the session is as good as before
            assert len(found) == len(tensors)
    assert not lines, told(lines)


def odd_array(array: Any, rng: np.random.Generator) -> Any:
    """An array of the same dtype with another shape or other values."""
    shapes = [(), (0,), (1,), (2,), (3,), (2, 3), (0, 2), (1, 1, 1), (2, 1, 3)]
    shapes += [array.shape, array.shape[1:], (*array.shape, 1)]
    shape = shapes[rng.integers(len(shapes))]
    count = math.prod(shape)
    if array.dtype.kind == "O":
        words = np.empty(count, object)
        words[:] = [[b"", b"1", b"x", b"\xff"][i] for i in rng.integers(4, size=count)]
        return words.reshape(shape)
    if array.dtype.kind in "iu":
        low = 0 if array.dtype.kind == "u" else -3
        return rng.integers(low, 5, shape).astype(array.dtype)
    with np.errstate(all="ignore"):
        return rng.choice(np.array([0.0, -1.5, np.nan, np.inf, 3.0]), shape).astype(array.dtype)


def shapes(feeds: dict[Tensor, Any]) -> list[Any]:
    return [f"{a.dtype}{list(a.shape)}" + (f"={a.tolist()}" if a.size <= 6 else "") for a in feeds.values()]


# ---- functions made of several ops --------------------------------------------------------------


def composites() -> dict[str, Callable[..., Any]]:
    """The public functions of the op layer that are no OpDef."""
    return {
        name: value
        for name, value in vars(tf).items()
        if name in tf.__all__
        and callable(value)
        and not isinstance(value, (OpDef, type))
        and str(getattr(value, "__module__", "")).startswith("penstock.ops.")
    }


@pytest.mark.parametrize("tries", [TRIES // 8, *nightly([TRIES])])
@every_case("name", sorted(composites()), parts=6, by_day=2)
def test_wrong_arguments_of_a_composite_function_give_documented_errors(name: str, tries: int) -> None:
    function = composites()[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    lines = []
    for number in range(tries):
        chosen = rng.integers(len(STRANGERS), size=rng.integers(1, 4))
        with tf.Graph().as_default() as graph:
            arguments = [STRANGERS[i]() for i in chosen]
            before = names_of(graph)
            try:
                function(*arguments)
            except Exception as error:
                what = f"{name} try {number}"
                if not isinstance(error, (ValueError, TypeError)) or not str(error).strip():
                    lines.append(f"{what}: {error.__class__.__name__}: {first_line(error)} for {arguments}")
                if names_of(graph) != before:
                    lines.append(f"{what}: left {names_of(graph)[len(before) :]} behind for {arguments}")
    assert not lines, told(lines)
