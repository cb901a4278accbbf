"""Plans are data: they print, compare, pickle and can be edited; running one does what it says and no more."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.planning.plan import Plan, Slot, Step

from ...helpers import Counter, op_of

F32 = np.float32


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def session(graph: tf.Graph) -> Iterator[tf.Session]:
    with tf.Session(graph=graph) as s:
        yield s


def step_of(plan: Plan, op: str) -> int:
    (found,) = [i for i, step in enumerate(plan.steps) if step.op == op]
    return found


def with_kernel(plan: Plan, op: str, kernel: Any) -> Plan:
    """The plan with another kernel in its only step of that op."""
    at = step_of(plan, op)
    steps = list(plan.steps)
    steps[at] = replace(steps[at], kernel=kernel)
    return replace(plan, steps=tuple(steps))


# ---- editing ----------------------------------------------------------------------------------------


def test_swapping_a_steps_kernel_changes_the_result(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.cumsum(x)
    assert session.run(y, {x: [1, 2, 3]}).tolist() == [1, 3, 6]
    edited = with_kernel(session.plan(y, [x]), "Cumsum", lambda xp, values, *rest: xp.cumprod(values))
    session.replace_plan(y, [x], edited)
    assert session.run(y, {x: [2, 3, 4]}).tolist() == [2, 6, 24]
    assert session.plan(y, [x]) is edited


def test_a_replaced_plan_serves_its_own_fetches_and_feeds_only(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.cumsum(x)
    session.replace_plan(y, [x], with_kernel(session.plan(y, [x]), "Cumsum", lambda xp, values, *rest: values * 0))
    assert session.run(y, {x: [1, 2]}).tolist() == [0, 0]
    assert session.run([y, x], {x: [1, 2]})[0].tolist() == [1, 3]
    with tf.Session(graph=session.graph) as other:
        assert other.run(y, {x: [1, 2]}).tolist() == [1, 3]


def test_a_replaced_plan_can_stand_before_the_first_run(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.cumsum(x)
    plan = tf.Session(graph=session.graph).plan({"y": y}, ["x:0"])
    session.replace_plan({"y": y}, ["x:0"], with_kernel(plan, "Cumsum", lambda xp, values, *rest: -values))
    assert session.run({"y": y}, {x: [1, 2]})["y"].tolist() == [-1, -2]


def test_the_result_of_a_swapped_kernel_is_still_the_callers(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.cumsum(x)
    session.replace_plan(y, [x], with_kernel(session.plan(y, [x]), "Cumsum", lambda xp, values, *rest: values))
    fed = np.array([1, 2], F32)
    found = session.run(y, {x: fed})
    found[0] = 9
    assert fed.tolist() == [1, 2]


# ---- what a plan does -------------------------------------------------------------------------------


def test_each_step_runs_once_however_often_its_value_is_used(session: tf.Session) -> None:
    count = Counter()
    with op_of(count, stateful=True) as counted:
        x = tf.placeholder(tf.float32, [2], name="x")
        middle = counted(x)
        uses = [middle + 1.0, middle * 2.0, tf.concat(0, [middle, middle]), middle]
        session.run([*uses, *uses], {x: [1, 2]})
    assert count.calls == 1


def test_a_plan_has_one_step_for_each_operation_that_is_needed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    needed = tf.cumsum(tf.reverse(x, [True]))
    tf.cumsum(x)
    plan = session.plan(needed, [x])
    assert sorted(step.op for step in plan.steps) in (["Cumsum", "Reverse"], ["Cumsum", "ReverseV2"])
    assert [name for name, _ in plan.feeds] == ["x:0"]


def test_every_slot_is_written_before_it_is_read_and_not_read_after_it_is_freed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, ["n", 4], name="x")
    parts = tf.split(1, 2, x)
    total = tf.reduce_sum(tf.concat(0, [parts[0], parts[1] * 2.0, tf.reverse(parts[0], [True, False])]), 0)
    plan = session.plan([total, parts[0]], [x])
    known = {slot for _, slot in plan.feeds} | {slot for slot, _, _ in plan.constants}
    written = set(known)
    for step in plan.steps:
        assert set(step.inputs) <= known
        assert not set(step.outputs) & written
        known |= set(step.outputs)
        written |= set(step.outputs)
        assert set(step.frees) <= known
        known -= set(step.frees)
    assert set(plan.fetches) <= known
    assert not known - set(plan.fetches) - {slot for slot, _, _ in plan.constants}
    assert written <= {Slot(i) for i in range(plan.size)}


def test_an_output_nobody_reads_is_freed_by_the_step_that_writes_it(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    plan = session.plan(tf.split(0, 2, x)[0], [x])
    step = plan.steps[step_of(plan, "Split")]
    assert step.outputs[1] in step.frees


class Watch:
    """Kernels that remember, at every step, which of the arrays made before are still alive."""

    def __init__(self) -> None:
        self.made: list[weakref.ref[Any]] = []
        self.alive: list[list[bool]] = []

    def __call__(self, x: Any) -> Any:
        self.alive.append([ref() is not None for ref in self.made])
        made = x + 1
        self.made.append(weakref.ref(made))
        return made


@pytest.mark.parametrize("trace", [False, True])
def test_freed_slots_are_really_dropped(session: tf.Session, trace: bool) -> None:
    watch = Watch()
    with op_of(watch, stateful=True) as watched:
        x = tf.placeholder(tf.float32, [8], name="x")
        first = watched(x)
        second = watched(first)
        third = watched(second)
        fourth = watched(third)
        session.run(fourth, {x: np.ones(8, F32)}, run_metadata=tf.RunMetadata() if trace else None)
    # When a step runs its own input is alive, what came before that is gone.
    assert watch.alive == [[], [True], [False, True], [False, False, True]]
    gc.collect()
    assert [ref() is None for ref in watch.made] == [True] * 4


def test_a_value_lives_until_its_last_use_and_what_is_fetched_to_the_end(session: tf.Session) -> None:
    watch = Watch()
    with op_of(watch, stateful=True) as watched:
        x = tf.placeholder(tf.float32, [8], name="x")
        early = watched(x)
        kept = watched(x)
        late = watched(tf.dynamic_stitch([[0], [1]], [early[:1], kept[:1]]))
        end = watched(late)
        session.run([kept, end], {x: np.ones(8, F32)})
    assert watch.alive[3][0] is False
    assert watch.alive[3][1] is True


def test_outputs_nobody_reads_are_dropped_before_the_next_step(session: tf.Session) -> None:
    held: list[weakref.ref[Any]] = []
    seen: list[bool] = []
    x = tf.placeholder(tf.float32, [4], name="x")

    def look(value: Any) -> Any:
        seen.extend(ref() is None for ref in held)
        return value

    def split(xp: Any, *args: Any) -> list[Any]:
        made = [np.zeros(2, F32), np.ones(2, F32)]
        held.append(weakref.ref(made[1]))
        return made

    with op_of(look, stateful=True) as looked:
        y = looked(tf.split(0, 2, x)[0])
        session.replace_plan(y, [x], with_kernel(session.plan(y, [x]), "Split", split))
        session.run(y, {x: np.ones(4, F32)})
    assert seen == [True]


# ---- what a plan is ---------------------------------------------------------------------------------


@pytest.fixture
def plan(session: tf.Session) -> Plan:
    x = tf.placeholder(tf.float32, ["n", 2], name="x")
    turned = tf.transpose(x, [1, 0], name="turned")
    return session.plan(tf.cumsum(turned, name="sums"), [x])


def test_a_plan_prints_its_steps_and_what_they_free(plan: Plan) -> None:
    lines = str(plan).splitlines()
    assert lines[0] == "feed t0 = x:0"
    assert lines[-1].startswith("fetch t")
    (turn,) = [line for line in lines if '"turned"' in line]
    assert "Transpose(t0, " in turn
    assert " free " in turn and " t0" in turn.split(" free ")[1].join("  ")
    assert any(line.startswith("const t") and "int32" in line for line in lines)


def test_equal_programs_have_equal_plans() -> None:
    def made(axis: int) -> Plan:
        with tf.Graph().as_default() as g:
            x = tf.placeholder(tf.float32, ["n", 2], name="x")
            return tf.Session(graph=g).plan(tf.cumsum(x, axis, name="sums"), [x])

    assert made(0) == made(0)
    assert hash(made(0)) == hash(made(0))
    assert made(0) != made(1)
    assert made(0) != "a plan"


def test_a_plan_survives_pickling(plan: Plan) -> None:
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    assert str(again) == str(plan)


def test_a_pickled_plan_runs_in_another_session(session: tf.Session, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n", 2], name="x")
    y = tf.reduce_sum(tf.reverse(tf.cast(tf.pack([x, x]), tf.float64), [True, False, True]), [0, 1])
    shipped = pickle.loads(pickle.dumps(session.plan(y, [x])))
    with tf.Session(graph=graph) as other:
        other.replace_plan(y, [x], shipped)
        assert other.run(y, {x: [[1, 2], [3, 4]]}).tolist() == session.run(y, {x: [[1, 2], [3, 4]]}).tolist()


def test_a_plan_with_an_equation_survives_pickling(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, ["n"], name="x")
    plan = session.plan(tf.pack([x, [1.0, 2.0]]), [x])
    assert [(str(dim), size) for dim, size, _ in plan.equations] == [("n", 2)]
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_a_plan_is_frozen(plan: Plan) -> None:
    with pytest.raises(AttributeError):
        plan.steps = ()  # type: ignore[misc]  # refused, which is the test


def test_a_step_prints_slots_attributes_and_device() -> None:
    outputs, dtypes = (Slot(2), Slot(3)), (tf.float32, tf.float32)
    step = Step("Split", "halves", (Slot(0), 2, Slot(1)), outputs, dtypes, (Slot(1),), "gpu")
    assert str(step) == 't2, t3 = Split(t0, 2, t1) on gpu  # "halves"  free t1'
    assert step.inputs == (Slot(0), Slot(1))


# ---- the cache of plans -----------------------------------------------------------------------------


def test_a_second_run_uses_the_plan_of_the_first(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = x + 1.0
    first = session.plan(y, [x])
    session.run(y, {x: [1]})
    assert session.plan(y, [x]) is first


def test_growth_elsewhere_replans_nothing(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = x + 1.0
    first = session.plan(y, [x])
    tf.add(x, 5.0)
    tf.constant(3)
    assert session.run(y, {x: [1]}).tolist() == [2]
    assert session.plan(y, [x]) is first


def test_fetches_and_fed_tensors_are_the_key_not_values_or_the_shape_of_the_structure(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = x + 1.0
    first = session.plan([y, x], [x])
    session.run((y, x), {x: [1.0, 2.0, 3.0]})
    assert session.plan((y, x), [x]) is first
    assert session.plan([x, y], [x]) is not first
    assert session.plan([y, x], [x, y]) is not first


def test_the_least_recently_used_plan_is_dropped_first(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    a, b, c = x + 1.0, x + 2.0, x + 3.0
    with tf.Session(graph=graph, config=tf.SessionConfig(plan_cache_size=2)) as session:
        plan_a, plan_b = session.plan(a, [x]), session.plan(b, [x])
        session.run(a, {x: 0})
        session.plan(c, [x])
        assert session.plan(a, [x]) is plan_a
        assert session.plan(b, [x]) is not plan_b


def test_a_run_can_be_recorded(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.cumsum(tf.reverse(x, [True], name="back"), name="sums")
    record = tf.RunMetadata()
    session.run(y, {x: np.ones(4, F32)}, run_metadata=record)
    assert record.plan is session.plan(y, [x])
    assert [(s.node, s.device, s.bytes) for s in record.steps] == [("back", "cpu", 16), ("sums", "cpu", 16)]
    assert all(s.duration >= 0 for s in record.steps)
    assert record.steps[0].start <= record.steps[1].start
    silent = tf.RunMetadata()
    session.run(y, {x: np.ones(4, F32)}, options=tf.RunOptions(trace=False), run_metadata=silent)
    assert silent.plan is record.plan
    assert silent.steps == []
