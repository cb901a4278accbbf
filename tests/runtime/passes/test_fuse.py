"""Tests of the pass that groups elementwise operations."""

from collections.abc import Iterator

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.nodes import Operation
from penstock.runtime.ir.fused_ir import Body, instructions_in
from penstock.runtime.ir.stage import Stage
from penstock.runtime.passes.fuse import _Grouping
from penstock.runtime.passes.fusion_groups import TINY, FusionGroup

from ...helpers import nightly, op_of
from ...random_graphs import elementwise_program
from .stages import after, run, stage_of, types, unlike


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def bodies(stage: Stage) -> list[Body]:
    """The groups of a stage."""
    found = [instructions_in(op) for op in stage.operations]
    return [body for body in found if body is not None]


def members(stage: Stage) -> list[list[str]]:
    """The names in each group."""
    return [[i.node for i in body.instructions] for body in bodies(stage)]


def test_a_chain_becomes_one_group() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = tf.exp(x * 2.0 + 1.0, name="y")
    made, _ = after("fuse", stage_of(y, [x]))
    assert types(made) == ["Fused"]
    assert members(made) == [["mul", "add", "y"]]
    assert bodies(made)[0].formula == "Exp(Add(Mul(%0, %1), %2))"


def test_chains_that_meet_in_one_node_become_one_group_however_many_they_are() -> None:
    x, y, z = [tf.placeholder(tf.float32, ["n"], name=name) for name in "xyz"]
    a, b, c = tf.exp(x * 2.0), tf.sin(y * 3.0), tf.abs(z - 4.0)
    for fetches in (tf.where(a > 1.0, b, c), tf.where(c > 1.0, a, b), tf.where(b > 1.0, c, a)):
        made, _ = after("fuse", stage_of(fetches, [x, y, z]))
        assert types(made) == ["Fused"]


def test_a_group_carries_the_name_of_its_last_node_and_the_origins_of_all() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    inner = tf.sin(x)
    y = tf.exp(inner, name="y")
    (group,) = [op for op in after("fuse", stage_of(y, [x]))[0].operations if op.type == "Fused"]
    assert group.name == "y"
    assert set(group.origins) == {*inner.op.origins, *y.op.origins}


def test_what_is_read_outside_becomes_a_result_of_its_own() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    inner = tf.sin(x)
    y = tf.exp(inner)
    turned = tf.reverse(inner, [True])
    made, _ = after("fuse", stage_of([y, turned], [x]))
    (body,) = bodies(made)
    assert len(body.outputs) == 2
    fetches = [y, turned, inner]
    feeds = {x: [1.0, 2.0, 3.0]}
    assert unlike(fetches, run(fetches, feeds, ("fuse",)), run(fetches, feeds, ())) == []


def test_a_group_is_not_joined_across_a_node_outside_it() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    a = tf.exp(x, name="a")
    outside = tf.reverse(a, [True])
    y = tf.add(a, outside, name="y")
    made, _ = after("fuse", stage_of(tf.sin(y, name="z"), [x]))
    assert members(made) == [["y", "z"]]


def test_a_node_that_waits_or_is_waited_for_is_in_no_group() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    a = tf.exp(x)
    with tf.control_dependencies([a]):
        b = tf.sin(x)
    stage = stage_of(tf.cos(b) + a, [x])
    grouped = [name for group in members(after("fuse", stage)[0]) for name in group]
    assert a.op.name not in grouped
    assert b.op.name not in grouped


def test_an_operation_with_an_effect_is_in_no_group_and_keeps_its_place() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    with op_of(lambda x: x, stateful=True, pure=False, elementwise=True) as effect:
        first = effect(tf.exp(tf.sin(x)), name="first")
        second = effect(tf.cos(first), name="second")
        made, _ = after("fuse", stage_of([tf.tan(tf.sqrt(second)), first], [x]))
    assert [op.name for op in made.operations if op.opdef.facts.effects.writes] == ["first", "second"]
    assert len(members(made)) == 2


def test_strings_are_left_alone() -> None:
    s = tf.placeholder(tf.string, ["n"])
    stage = stage_of(tf.add(tf.add(s, "a"), "b"), [s])
    assert after("fuse", stage)[0] is stage


def test_a_group_is_of_one_device_and_asks_for_it() -> None:
    x = tf.placeholder(tf.float32, [4, "n"], name="x")
    here = tf.sin(tf.exp(x))
    with tf.device("/gpu:0"):
        there = tf.sqrt(tf.cos(here))
        total = tf.reduce_sum(there, 1)
    back = tf.tan(tf.sqrt(there))
    made, _ = after("fuse", stage_of([back, total], [x]))
    devices = [op.device for op in made.operations if op.type == "Fused"]
    assert dict(zip(map(len, members(made)), devices, strict=True)) == {2: "", 3: "/device:GPU:0"}
    assert sorted(devices) == ["", "", "/device:GPU:0"]
    value = np.ones((4, 3), "f4")
    assert unlike([back, total], run([back, total], {x: value}, ("fuse",)), run([back, total], {x: value}, ())) == []


def test_dtypes_may_change_inside_a_group() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = tf.cast(tf.cast(x * 1.5, tf.int32) + 1, tf.float64) > 2.0
    made, _ = after("fuse", stage_of(y, [x]))
    assert types(made) == ["Fused"]
    value = [0.0, 1.0, np.nan, -np.inf]
    assert unlike([y], run([y], {x: value}, ("fuse",)), run([y], {x: value}, ())) == []


def test_rows_and_columns_are_broadcast_inside_a_group() -> None:
    row, column = tf.placeholder(tf.float32, [1, "m"]), tf.placeholder(tf.float32, ["n", 1])
    y = tf.exp(row + column) * row
    feeds = {row: np.ones((1, 300), "f4"), column: np.arange(400, dtype="f4").reshape(400, 1)}
    assert types(after("fuse", stage_of(y, [row, column]))[0]) == ["Fused"]
    assert unlike([y], run([y], feeds, ("fuse",)), run([y], feeds, ())) == []


@pytest.mark.parametrize("columns", [4, 100_000])
def test_values_of_a_group_need_not_fit_each_other(columns: int) -> None:
    x, two, three = (tf.placeholder(tf.float32, [None, None]) for _ in range(3))
    shared = tf.exp(x) * 2.0
    fetches = [shared + two, tf.maximum(shared, three), shared]
    feeds = {t: np.full((rows, columns), 0.5 + rows, "f4") for rows, t in enumerate((x, two, three), start=1)}
    made, _ = after("fuse", stage_of(fetches, list(feeds)))
    assert [len(group) for group in members(made)] == [4]
    assert unlike(fetches, run(fetches, feeds, ("fuse",)), run(fetches, feeds, ())) == []


def test_no_group_is_larger_than_its_limit() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = x
    for _ in range(300):
        y = tf.sin(y)
    made, _ = after("fuse", stage_of(y, [x]))
    assert sum(len(group) for group in members(made)) >= 299
    assert max(len(group) for group in members(made)) < 150


def test_a_failing_node_of_a_group_is_named() -> None:
    x = tf.placeholder(tf.int32, ["n"])
    y = (x + 1) // x
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'in node "floordiv"'):
        run([y], {x: [1, 0]}, None)


@pytest.mark.parametrize("graphs", [40, *nightly([100]), pytest.param(1000, marks=pytest.mark.slow)])
def test_ninety_percent_of_the_fusable_nodes_of_random_graphs_are_in_groups(graphs: int) -> None:
    fusable = grouped = 0
    for seed in range(graphs):
        _, fetches, feeds = elementwise_program(seed).build()
        stage = stage_of(fetches, list(feeds))
        made, _ = after("fuse", stage)  # which verifies it
        fusable += sum(op.opdef.facts.elementwise for op in stage.operations)
        grouped += sum(sum(OPS[i.op].facts.elementwise for i in body.instructions) for body in bodies(made))
        assert all(len(body.instructions) > 1 for body in bodies(made)), seed
    assert fusable > 10 * graphs
    assert grouped >= 0.9 * fusable, f"{grouped} of {fusable}"


@pytest.mark.parametrize("seeds", [range(16), *nightly([range(16, 100)])], ids=str)
def test_groups_of_random_graphs_give_the_same_bits(seeds: range) -> None:
    for seed in seeds:
        program = elementwise_program(seed)
        _, fetches, feeds = program.build()
        assert unlike(fetches, run(fetches, feeds, ("fuse",)), run(fetches, feeds, ())) == [], program


class Counted(dict[Operation, FusionGroup]):
    """Counts how often a node is put into a group."""

    puts = 0

    def __setitem__(self, op: Operation, group: FusionGroup) -> None:
        self.puts += 1
        super().__setitem__(op, group)


@pytest.mark.parametrize("size", [4, TINY + 1])
def test_a_long_chain_that_meets_a_new_node_at_each_step_is_not_moved_at_each_step(size: int) -> None:
    y = x = tf.placeholder(tf.float32, [size])
    for i in range(600):
        y = y * 0.5 + x * float(i)
    stage = stage_of(y, [x])
    grouping = _Grouping(stage, {op for op in stage.operations if op.opdef.facts.elementwise}, set())
    counted = grouping._group = Counted()
    groups = set(grouping.groups().values())
    assert sum(len(group.members) for group in groups) == 1800
    assert (len(groups) == 1) == (size <= TINY)
    assert counted.puts < 3 * 1800


def test_what_waits_for_an_operation_waits_for_the_step_that_computes_it() -> None:
    x, y = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
    a = tf.tanh(x, name="a")
    with op_of(lambda array: array.copy(), stateful=True) as noted:
        with tf.control_dependencies([a]):
            waits = noted(y, name="waits")
        b = tf.exp(a, name="b")
        with tf.Session() as session:
            steps = session.plan([b, waits], [x, y]).steps
    (waiting,) = [step for step in steps if step.node == "waits"]
    before = [steps[i] for i in waiting.after]
    nodes = [[i.node for i in s.args[-1].instructions] if s.op == "Fused" else [s.node] for s in before]
    assert any("a" in each for each in nodes), steps


def test_a_constant_may_be_the_axis_of_a_reduction_and_an_operand_of_its_group() -> None:
    x = tf.placeholder(tf.int32, [None])
    zero = tf.constant(0)
    top = tf.reduce_max(tf.maximum(x, zero) + 1, zero)
    session = tf.Session()
    assert [step.op for step in session.plan(top, [x]).steps] == ["Fused"]
    assert session.run(top, {x: [-3, 4, 2]}) == 5


def test_what_a_later_group_alone_reads_moves_there_where_that_saves_a_result() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["n", 4])
        w = tf.placeholder(tf.float32, [4, 4])
        y = tf.relu(x + 1.0)
        mask = tf.cast(y > 0.0, tf.float32)
        z = tf.matmul(y, w) * mask
        plan = str(session.plan(z))
        feeds = {x: [[1.0, -2.0, 0.5, -1.0]], w: [[1.0] * 4] * 4}
        before = session.run(z, feeds)
    first, second = plan.split("Fused")[1:]
    assert "Relu" in first and "Greater" not in first and "Greater" in second and "Cast" in second
    with tf.Session(graph=session.graph, config=tf.SessionConfig(passes=())) as plain:
        assert plain.run(z, feeds).tolist() == before.tolist()


def test_what_a_later_group_alone_reads_moves_there_with_operands_that_are_broadcast() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, scale = tf.placeholder(tf.float32, ["n", 4]), tf.placeholder(tf.float32, [4])
        masked = tf.relu(x + 1.0)
        total = tf.matmul(masked, tf.ones([4, 4]))
        z = masked * scale + total
        feeds = {x: [[1.0, -2.0, 0.5, -1.0]], scale: [1.0, 2.0, 3.0, 4.0]}
        first, second = str(session.plan(z)).split("Fused")[1:]
        before = session.run(z, feeds)
    assert "Relu" in first and " Mul(" not in first and " Mul(" in second
    with tf.Session(graph=session.graph, config=tf.SessionConfig(passes=())) as plain:
        assert plain.run(z, feeds).tolist() == before.tolist()


def test_an_operation_that_is_fetched_joins_the_group_of_its_value() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1000])
        e = tf.exp(tf.tanh(x) + 1.0)
        y = e * x
        z = tf.reduce_sum(y)
        with tf.Session(config=tf.SessionConfig(verify=True)) as session:
            for fetches in (y.op, [y.op, y], [e.op, y.op], [z.op, e.op], [y.op, z]):
                assert [step.op for step in session.plan(fetches, [x]).steps] == ["Fused"], fetches
            ones = np.ones(1000, np.float32)
            assert session.run([y.op, y, e.op], {x: ones})[1].tobytes() == session.run(y, {x: ones}).tobytes()


def test_a_target_that_may_fail_stays_before_a_write() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [4])
        share = tf.floordiv(x + 1, x)
        v = tf.Variable(np.zeros(4, np.int32))
        update = v.assign_add(x * 2 + 1)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run([share.op, update.op], {x: [1, 0, 2, 3]})
            assert not session.run(v).any()
            session.run([share.op, update.op], {x: [1, 2, 3, 4]})
            assert session.run(v).tolist() == [3, 5, 7, 9]
