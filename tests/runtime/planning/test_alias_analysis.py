"""The alias analysis of a plan: whose memory each value lies in, and who may write or give it away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS, op
from penstock.graph.declare.signature import ANY, Operand
from penstock.graph.model.nodes import Tensor
from penstock.runtime.planning.aliasing import Aliases, aliases_of
from penstock.runtime.planning.plan import Plan

from ...helpers import op_of

PLAIN = tf.SessionConfig(passes=())


def analysed(fetches: Any, feeds: list[Any]) -> tuple[Plan, Aliases]:
    plan = tf.Session(config=PLAIN).plan(fetches, feeds)
    return plan, aliases_of(plan)


def slot_of(plan: Plan, node: str, output: int = 0) -> Any:
    return next(step.outputs[output] for step in plan.steps if step.node == node)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_a_view_lies_in_the_memory_of_the_operand_that_its_op_names() -> None:
    x = tf.placeholder(tf.float32, [6], name="x")
    c = tf.multiply(x, 2.0, name="c")
    parts = tf.split(0, 2, c, name="parts")
    turned = tf.reverse(tf.reshape(parts[1], [1, 3], name="shaped"), [False, True], name="turned")
    plan, aliases = analysed([parts[0], turned], [x])
    root = slot_of(plan, "c")
    for slot in (slot_of(plan, "parts"), slot_of(plan, "parts", 1), slot_of(plan, "shaped"), slot_of(plan, "turned")):
        assert aliases.roots(slot) == (root,)
        assert not aliases.owns(slot)
    assert aliases.owns(root) and aliases.end(root) == len(plan.steps)


def test_a_feed_and_a_constant_are_foreign() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    table = tf.constant([1.0, 2.0])
    views = [tf.reshape(x, [2, 1], name="of_feed"), tf.reshape(table, [2, 1], name="of_constant")]
    plan, aliases = analysed(views, [x])
    for view in (slot_of(plan, "of_feed"), slot_of(plan, "of_constant")):
        assert not aliases.owns(view) and aliases.foreign.issuperset(aliases.roots(view))


def test_memory_is_needed_until_the_last_view_of_it_is_read() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    c = tf.multiply(x, 2.0, name="c")
    view = tf.reshape(c, [2, 2], name="view")
    late = tf.add(tf.exp(x, name="between"), 1.0, name="late_not")
    end = tf.add(view, tf.reshape(late, [2, 2]), name="end")
    plan, aliases = analysed(end, [x])
    reader = next(i for i, step in enumerate(plan.steps) if step.node == "end")
    assert aliases.end(slot_of(plan, "c")) == reader


def test_an_update_in_place_inherits_the_memory_and_may_be_given_away() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    c = tf.multiply(x, 2.0, name="c")
    updated = tf.tensor_scatter_nd_update(c, [[0]], [9.0], name="updated")
    plan, aliases = analysed(updated, [x])
    assert next(step for step in plan.steps if step.node == "updated").donor == slot_of(plan, "c")
    assert aliases.owns(slot_of(plan, "updated")) and not aliases.owns(slot_of(plan, "c"))
    assert aliases.returnable(plan.fetches) == (True,)


def test_of_two_fetches_of_one_value_the_first_is_given_away() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    c = x * 2.0
    plan, aliases = analysed([c, c, x, tf.reshape(c, [2, 2])], [x])
    assert aliases.returnable(plan.fetches) == (True, False, False, False)


def test_the_result_of_a_kernel_from_elsewhere_is_foreign_unless_it_says_that_it_is_fresh() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    for facts, own in (({}, False), ({"fresh": True}, True), ({"views": "x"}, False)):
        with op_of(lambda x: x + 1, **facts) as foreign:
            plan, aliases = analysed(foreign(x * 2.0), [x])
            assert aliases.returnable(plan.fetches) == (own,)


def test_what_a_kernel_keeps_is_nobody_elses_to_write() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    with op_of(lambda x: x.sum(keepdims=True), keeps="x", fresh=True) as keeping:
        c = tf.multiply(x, 2.0, name="c")
        kept = keeping(c)
        with tf.control_dependencies([kept]):
            updated = tf.tensor_scatter_nd_update(c, [[0]], [9.0], name="updated")
        plan, _ = analysed([kept, updated], [x])
    assert next(step for step in plan.steps if step.node == "updated").donor is None


@contextmanager
def one_of() -> Iterator[Callable[..., Any]]:
    """An op of a list that returns its last element as it is, and says that it may return any."""

    @op("OneOfThem", views="values", fresh=True)
    def one_of_them(values: Annotated[Sequence[Any], Operand("T", ANY, many=True)], name: str | None = None) -> Tensor:  # type: ignore[empty-body]  # a declaration
        """The last of some tensors of one shape."""

    @one_of_them.shape
    def _(values: Sequence[Tensor]) -> Any:
        return values[0].shape

    @one_of_them.kernel
    def _(xp: Any, values: Sequence[Any]) -> Any:
        return values[-1]

    try:
        yield one_of_them
    finally:
        del OPS["OneOfThem"]


def test_a_value_that_may_look_into_several_operands_keeps_all_of_them() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    with one_of() as chosen:
        a, b = tf.multiply(x, 2.0, name="a"), tf.multiply(x, 3.0, name="b")
        either = chosen([a, b], name="either")
        with tf.control_dependencies([either]):
            updated = [tf.tensor_scatter_nd_update(c, [[0]], [9.0]) for c in (a, b)]
        late = tf.add(tf.cumsum(either, name="reads_either"), tf.reverse(updated[0], [True]), name="late")
        last = tf.exp(a, name="reads_a")
        fetches = [updated[1], tf.add(late, last, name="end")]
        plan, aliases = analysed(fetches, [x])
        place = {step.node: i for i, step in enumerate(plan.steps)}
        slots = {name: slot_of(plan, name) for name in ("a", "b", "either")}
        assert aliases.roots(slots["either"]) == (slots["a"], slots["b"])
        assert not aliases.owns(slots["either"])
        assert not any(step.donor in (slots["a"], slots["b"]) for step in plan.steps)
        assert aliases.end(slots["b"]) == place["reads_either"]
        assert aliases.end(slots["a"]) == aliases.end(slots["either"]) == place["reads_a"]
        for config in (PLAIN, tf.SessionConfig(), tf.SessionConfig(check=True)):
            changed, ends = tf.Session(config=config).run(fetches, {x: [0, 0, 1, 1]})
            assert changed.tolist() == [9, 0, 3, 3]
            assert np.allclose(ends, [0 + 2 + 1, 0 + 2 + 1, 3 + 0 + np.exp(2), 6 + 9 + np.exp(2)])


# ---- what was wrong once --------------------------------------------------------------------------


def test_a_part_keeps_its_value_beside_an_update_of_the_whole() -> None:
    x = tf.placeholder(tf.float32, [4])
    c = x * 2.0
    a, _ = tf.split(0, 2, c)
    updated = tf.tensor_scatter_nd_update(c, [[0]], [9.0])
    for config in (tf.SessionConfig(), PLAIN, tf.SessionConfig(arena=False)):
        part, view, whole = tf.Session(config=config).run([a, tf.reshape(a, [2, 1]), updated], {x: [1, 2, 3, 4]})
        assert part.tolist() == [2, 4] and view.tolist() == [[2], [4]] and whole.tolist() == [9, 4, 6, 8]


def test_labels_that_a_check_passes_on_keep_their_memory() -> None:
    n = 200_000
    x = tf.placeholder(tf.float32, ["n"])
    labels = tf.placeholder(tf.int32, ["n"])
    p = tf.maximum(labels, 0)
    parts = tf.dynamic_partition(x, p, 2)
    rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), p, 2)
    y = tf.dynamic_stitch(rows, [parts[0] + 1.0, parts[1] * 2.0])
    z = y * tf.cumsum(x * 3.0)
    rng = np.random.default_rng(0)
    feeds = {x: rng.random(n).astype("f4"), labels: rng.integers(-1, 2, n).astype("i4")}
    want = tf.Session(config=tf.SessionConfig(passes=(), arena=False)).run(z, feeds)
    session = tf.Session()
    for _ in range(3):
        assert session.run(z, feeds).tobytes() == want.tobytes()


def returns_itself(x: Any) -> Any:
    return x


def returns_a_view(x: Any) -> Any:
    return x[::-1][::-1]


@pytest.mark.parametrize("kernel", [returns_itself, returns_a_view])
@pytest.mark.parametrize("size", [4, 100_000])
def test_a_kernel_may_return_its_operand_without_saying_so(kernel: Callable[[Any], Any], size: int) -> None:
    x = tf.placeholder(tf.float32, [size])
    values = np.arange(size, dtype="f4")
    with op_of(kernel) as passing:
        c = x * 2.0
        same = passing(c)
        updated = tf.tensor_scatter_nd_update(c, [[0]], [9.0])
        later = tf.cumsum(updated * 3.0) + tf.reverse(same, [True])
        direct = passing(x)
        fetched = tf.Session().run([same, updated, later, direct], {x: values})
    assert np.array_equal(fetched[0], values * 2) and fetched[1][0] == 9
    assert not np.shares_memory(fetched[3], values) and not np.shares_memory(fetched[0], fetched[1])
    values[0] = 5
    assert fetched[3][0] == 0


def test_an_array_that_a_kernel_keeps_is_neither_written_nor_shared() -> None:
    kept = np.zeros(100_000, "f4")
    with op_of(lambda x: kept) as keeping:
        x = tf.placeholder(tf.float32, [100_000])
        c = keeping(x)
        updated = tf.tensor_scatter_nd_update(c, [[0]], [9.0])
        doubled = keeping(x * 1.0) + 1.0
        direct, view, changed, _ = tf.Session().run([c, tf.reshape(c, [-1, 1]), updated, doubled], {x: kept})
    assert changed[0] == 9 and not kept.any()
    direct[:] = 7
    view[:] = 7
    assert not kept.any()
