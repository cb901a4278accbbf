"""Kernels while a graph is built: only the own kernel of an op that may be folded runs, and only on 100,000 elements.

Its errors do not leave the build. Every sample, recorded case and recorded graph is built while kernels raise or are
counted.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.extend import T, op
from penstock.graph.building import constant_evaluation
from penstock.graph.building.constant_evaluation import LIMIT, known_value
from penstock.graph.declare.effects import PURE, VOLATILE, WORLD_CHANGING, Effects
from penstock.graph.declare.op_declaration import OPS

from .golden_cases import EXTRA, GOLDEN, build, build_graph, cases, files
from .helpers import every_case
from .op_samples import USERS_OPS, Call, all_known, calls


class Called:
    """The types of the ops whose kernels were called."""

    def __init__(self) -> None:
        self.types: list[str] = []

    def refusing(self, type: str, error: Exception) -> Any:
        def kernel(*args: Any) -> Any:
            self.types.append(type)
            raise error

        return kernel


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> Iterator[Called]:
    """Every op has other kernels than those of its declaration, and they refuse."""
    called = Called()
    for each in OPS.values():
        refusing = called.refusing(each.type, RuntimeError(f"the kernel of {each.type} was called by a build"))
        for backend in ("*", *each.kernels):
            monkeypatch.setitem(each.kernels, backend, refusing)
    yield called
    assert called.types == []


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph


def build_samples(type: str) -> list[tf.Tensor]:
    """What the samples of an op give, built with constants and with placeholders."""
    tensors: list[tf.Tensor] = []
    for call in calls(OPS[type]):
        tensors += call.build()
        tensors += call.with_placeholders(all_known(call))[0]
    return tensors


# ---- replaced kernels ---------------------------------------------------------------------------


def test_a_replaced_kernel_that_is_called_is_noticed(replaced: Called) -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [3])
        rows = tf.gather(x, [0])
        with pytest.raises(tf.errors.OpError):
            session.run(rows, {x: [1, 2, 3]})
    assert replaced.types
    replaced.types.clear()


@every_case("type", USERS_OPS, parts=2, by_day=1)
def test_the_samples_of_an_op_are_built_without_replaced_kernels(type: str, replaced: Called) -> None:
    with tf.Graph().as_default():
        for tensor in build_samples(type):
            known_value(tensor)


@every_case("name", files(GOLDEN), parts=2, by_day=1)
def test_the_recorded_cases_are_built_without_replaced_kernels(name: str, replaced: Called) -> None:
    for case in cases(GOLDEN, name):
        with tf.Graph().as_default():
            build(case)


@every_case("name", files(EXTRA), parts=2, by_day=1)
def test_the_second_set_of_recorded_cases_is_built_without_replaced_kernels(name: str, replaced: Called) -> None:
    for case in cases(EXTRA, name):
        with tf.Graph().as_default():
            build(case)


def test_the_recorded_graphs_are_built_without_replaced_kernels(replaced: Called) -> None:
    for case in cases(GOLDEN, "graphs"):
        with tf.Graph().as_default():
            build_graph(case)


def test_a_kernel_that_replaces_one_computes_nothing_while_building(graph: tf.Graph) -> None:
    before = OPS["Gather"].kernels["*"]
    try:
        OPS["Gather"].kernel(lambda xp, params, indices: params[:1] * 0)
        assert known_value(tf.gather([5, 6, 7], [2])) == [7]
    finally:
        OPS["Gather"].kernel(before)


# ---- kernels that may not run -------------------------------------------------------------------


@pytest.mark.parametrize(("effects", "every"), [
    (Effects(foldable=False), 2), (Effects(evaluable=False), 8), (VOLATILE, 8), (WORLD_CHANGING, 8)
])  # fmt: skip
def test_the_kernel_of_an_op_that_may_not_be_folded_is_not_run(
    effects: Effects, every: int, monkeypatch: pytest.MonkeyPatch, graph: tf.Graph
) -> None:
    called = Called()
    for type in USERS_OPS:
        monkeypatch.setattr(OPS[type], "facts", replace(OPS[type].facts, effects=effects))
        monkeypatch.setattr(OPS[type], "is_pure", effects == PURE)
        monkeypatch.setattr(OPS[type], "own_kernel", called.refusing(type, RuntimeError("called by a build")))
    for type in list(USERS_OPS)[::every]:
        for tensor in build_samples(type):
            known_value(tensor)
    assert called.types == []


def test_the_kernel_of_an_op_from_outside_is_not_run_but_its_value_rule_is(graph: tf.Graph) -> None:
    runs: list[str] = []
    try:

        @op("OnlyForThisTest")
        def twice(x: T, name: str | None = None) -> Any:
            """2x, slowly."""

        @twice.shape
        def _(x: tf.Tensor) -> Any:
            return x.shape

        @twice.kernel
        def _(xp: Any, x: Any) -> Any:
            runs.append("kernel")
            return x + x

        assert known_value(twice([1, 2])) is None
        twice.value(lambda x: x + x)
        assert tf.zeros(twice([1, 2])).shape == [2, 4]
        assert runs == []
    finally:
        del OPS["OnlyForThisTest"]


# ---- kernels that fail --------------------------------------------------------------------------


@pytest.mark.parametrize(("error", "every"), [
    (RuntimeError("no"), 2), (MemoryError(), 8), (KeyError("no"), 8), (RecursionError(), 8)
])  # fmt: skip
def test_what_a_kernel_raises_does_not_leave_the_build(
    error: Exception, every: int, monkeypatch: pytest.MonkeyPatch, graph: tf.Graph
) -> None:
    called = Called()
    for type in USERS_OPS:
        monkeypatch.setattr(OPS[type], "own_kernel", called.refusing(type, error))
    for type in {**dict.fromkeys(list(USERS_OPS)[::every]), "Reshape": None}:
        for tensor in build_samples(type):
            known_value(tensor)
    assert "Reshape" in called.types


# ---- sizes --------------------------------------------------------------------------------------

HUGE = 10**9
LARGE: dict[str, Callable[[], tf.Tensor]] = {
    "zeros": lambda: tf.zeros([HUGE]),
    "fill": lambda: tf.fill([HUGE, 2], 1),
    "range": lambda: tf.range(HUGE),
    "linspace": lambda: tf.linspace(0.0, 1.0, HUGE),
    "tile": lambda: tf.tile([1, 2], [HUGE]),
    "pad": lambda: tf.pad([1, 2], [[HUGE, 0]]),
    "one_hot": lambda: tf.one_hot([1, 2], HUGE),
    "scatter_nd": lambda: tf.scatter_nd([[1]], [5], [HUGE]),
    "dynamic_stitch": lambda: tf.dynamic_stitch([[HUGE]], [[5]]),
    "outer": lambda: tf.zeros([LIMIT, 1]) + tf.zeros([1, LIMIT]),
    "matmul": lambda: tf.matmul(tf.zeros([LIMIT, 1]), tf.zeros([1, LIMIT])),
    "gather": lambda: tf.gather(tf.zeros([2, LIMIT // 2]), tf.zeros([LIMIT], tf.int32)),
    "an operand": lambda: tf.reduce_sum(tf.constant(np.zeros(LIMIT + 1, "f4"))),
    # Here the static shapes are open, and only the values of the operands say how large the result would be.
    "tile of where": lambda: tf.tile(tf.where([True, False]), [HUGE, 1]),
    "tile of a squeezed where": lambda: tf.tile(tf.squeeze(tf.where([True, True])), [HUGE]),
    "one_hot of unique": lambda: tf.one_hot(tf.unique([1, 2])[0], HUGE),
}


class Sizes:
    """How many elements the own kernels were given, and how many they made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[tuple[str, int]] = []
        self.made: list[tuple[str, int]] = []
        for each in OPS.values():
            if each.own_kernel is not None:
                monkeypatch.setattr(each, "own_kernel", self.measuring(each.type, each.own_kernel))

    def measuring(self, type: str, kernel: Any) -> Any:
        def measured(xp: Any, *args: Any) -> Any:
            arrays = [a for arg in args for a in (arg if isinstance(arg, list) else [arg]) if isinstance(a, np.ndarray)]
            made = kernel(xp, *args)
            results = made if isinstance(made, (list, tuple)) else [made]
            self.given += [(type, a.size) for a in arrays]
            self.made += [(type, np.size(r)) for r in results]
            return made

        return measured


@pytest.mark.parametrize("build", LARGE.values(), ids=LARGE)
def test_nothing_large_is_made_or_read_while_building(
    build: Callable[[], tf.Tensor], monkeypatch: pytest.MonkeyPatch, graph: tf.Graph
) -> None:
    sizes = Sizes(monkeypatch)
    tensor = build()
    assert known_value(tensor) is None
    assert max([size for _, size in sizes.given + sizes.made], default=0) <= LIMIT


def test_the_size_of_a_result_is_told_by_the_values_of_its_operands_where_their_shapes_are_open(
    graph: tf.Graph,
) -> None:
    places = tf.where([True, False, True])
    assert not places.shape.is_known
    assert known_value(tf.tile(tf.reshape(places, [-1]), [2])).tolist() == [0, 2, 0, 2]  # type: ignore[union-attr]  # a value


@every_case("type", sorted(t for t, each in USERS_OPS.items() if not each.facts.must_feed), parts=2, by_day=1)
def test_a_result_of_a_size_that_only_the_kernel_knows_is_no_larger_than_the_operands(type: str) -> None:
    for call in calls(OPS[type]):
        with tf.Graph().as_default():
            check_result_sizes(call)


def check_result_sizes(call: Call) -> None:
    operation = call.build()[0].op if call.op.returns != "operation" else None
    inputs = [] if operation is None else [known_value(t) for t in operation.inputs]
    if operation is None or any(v is None for v in inputs):
        return
    arrays = [np.asarray(v) for v in inputs]
    sizes = constant_evaluation._result_sizes(operation, arrays)
    most = sum(a.size * max(a.ndim, 1) for a in arrays)
    for size, tensor in zip(sizes, operation.outputs, strict=True):
        value = known_value(tensor)
        assert size is not None or value is None or value.size <= most
