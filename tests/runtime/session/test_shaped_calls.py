"""Plans for the shapes that come: when they are made, whom they serve, and that no result changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.session.shaped_calls import MOST_CALLS, MOST_COUNTS, SURE, ShapedCalls
from tests.fuzz.of_shapes import campaign

from ...helpers import nightly, plans_of


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph


def shaped_calls(session: tf.Session, fetches: Any, fed: tuple[tf.Tensor, ...]) -> ShapedCalls[Any]:
    shaped = plans_of(session).find(fetches, fed)[0].shaped
    assert shaped is not None
    return shaped


def steps_now(session: tf.Session, fetches: Any, feeds: dict[tf.Tensor, Any]) -> int:
    """The number of steps of the plan that a run with these feeds uses."""
    metadata = tf.RunMetadata()
    session.run(fetches, feeds, run_metadata=metadata)
    return len(metadata.steps)


def line_step(shape: Any) -> tuple[tf.Tensor, tf.Tensor, list[Any]]:
    """One step of gradient descent on a line, and what it is fed."""
    x, y = tf.placeholder(tf.float32, shape, name="x"), tf.placeholder(tf.float32, shape, name="y")
    w, b = tf.Variable(0.3, name="w"), tf.Variable(-0.3, name="b")
    loss = tf.reduce_sum(tf.square(w * x + b - y), name="loss")
    return x, y, [tf.train.GradientDescentOptimizer(0.01).minimize(loss), loss, w, b]


def trained(shape: Any, runs: int, config: tf.SessionConfig) -> tuple[list[Any], int]:
    """The results of the last of some runs in changing sizes, and the steps of its plan."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x, y, fetches = line_step(shape)
        session.run(tf.global_variables_initializer())
        for i in range(runs):
            size = 4 if i % 3 else 5
            feeds = {x: np.arange(size, dtype=np.float32), y: -np.arange(size, dtype=np.float32)}
            results = session.run(fetches, feeds)
        return results[1:], steps_now(session, fetches, feeds)


@pytest.mark.parametrize("shape", [None, [None], ["n"]])
def test_a_training_step_without_shapes_becomes_as_short_as_one_with_shapes(shape: Any) -> None:
    known = tf.SessionConfig(specialise_after=2, verify=True)
    never = tf.SessionConfig(specialise_after=0)
    results, steps = trained(shape, 30, known)
    general, general_steps = trained(shape, 30, never)
    assert [a.tobytes() for a in results] == [b.tobytes() for b in general]
    assert steps == 3
    assert general_steps > 3 or shape == ["n"]


def test_runs_are_counted_for_each_combination_of_shapes() -> None:
    x = tf.placeholder(tf.float32, None)
    y = tf.reduce_sum(x + tf.zeros(tf.shape(x)))
    with tf.Session(config=tf.SessionConfig(specialise_after=3)) as session:
        for size in (2, 3, 2, 3, 2, 3):
            session.run(y, {x: np.ones(size, np.float32)})
        shaped = shaped_calls(session, y, (x,))
        assert len(shaped) == 0
        session.run(y, {x: [1.0, 2.0]})  # a list becomes an array of this shape
        assert len(shaped) == 1
        assert shaped.known(((2,),)) is not None
        assert shaped.known(((3,),)) is None


def arrays_of(size: int) -> list[Any]:
    return [np.zeros(size)]


def test_it_is_planned_sooner_where_runs_took_as_long_as_planning() -> None:
    planned: list[Any] = []
    shaped: ShapedCalls[Any] = ShapedCalls(20, lambda shapes, flags: planned.append(shapes), price=1.0)
    for _ in range(SURE):
        assert shaped.find(arrays_of(2)) is None
        shaped.spend(0.5)
    assert not planned  # after three runs the next ones may still have other shapes
    shaped.find(arrays_of(2))
    assert planned == [((2,),)]
    for size in (3, 3, 3, 3):  # runs are counted anew, so that planning never takes longer than they did
        shaped.find(arrays_of(size))
        shaped.spend(0.2)
    assert len(planned) == 1
    shaped.spend(0.2)
    shaped.find(arrays_of(3))
    assert planned == [((2,),), ((3,),)]


@pytest.mark.parametrize(("shape", "at_first"), [([None, 3], 1), ([None, None], 0), (None, 0)])
def test_loops_over_batches_have_a_plan_for_the_shapes_of_the_first_run(shape: Any, at_first: int) -> None:
    x = tf.placeholder(tf.float32, shape)
    _, rows = tf.while_loop(lambda i, _: i < 5, lambda i, y: [i + 1, y * 0.5], [0, x])
    flat = x * 0.5
    with tf.Session() as session:
        for size in (2, 7, 2):  # others wait, as the shapes may change with each run
            assert session.run(rows, {x: np.ones((size, 3))}).shape == (size, 3)
            assert len(shaped_calls(session, rows, (x,))) == at_first
        session.run(flat, {x: np.ones((2, 3))})
        assert len(shaped_calls(session, flat, (x,))) == 0


def test_short_runs_are_counted_to_the_end() -> None:
    planned: list[Any] = []
    shaped: ShapedCalls[Any] = ShapedCalls(20, lambda shapes, flags: planned.append(shapes), price=1.0)
    for _ in range(20):
        shaped.find(arrays_of(2))
        shaped.spend(0.01)
    assert not planned
    shaped.find(arrays_of(2))
    assert planned


@pytest.mark.parametrize("times", [0.0, 1e3])
def test_a_session_tells_how_long_planning_and_runs_took(times: float, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    spend = ShapedCalls.spend

    def noted(self: ShapedCalls[Any], seconds: float) -> None:
        told.append(seconds)
        spend(self, times * seconds)

    monkeypatch.setattr(ShapedCalls, "spend", noted)
    x = tf.placeholder(tf.float32, [None])

    def slow(value: Any) -> Any:
        time.sleep(0.02)
        return value

    y = tf.py_func(slow, [x], tf.float32)
    with tf.Session() as session:
        for _ in range(SURE + 1):
            session.run(y, {x: [1.0]})
        assert min(told) >= 0.02
        assert len(shaped_calls(session, y, (x,))) == (1 if times else 0)  # planning took some time, but not minutes


def test_a_placeholder_with_known_sizes_has_one_plan() -> None:
    x = tf.placeholder(tf.float32, [2])
    y = x + 1.0
    with tf.Session(config=tf.SessionConfig(specialise_after=1)) as session:
        for _ in range(5):
            session.run(y, {x: [1.0, 2.0]})
        assert plans_of(session).find(y, (x,))[0].shaped is None


@pytest.mark.parametrize("config", [{"specialise_after": 0}, {"passes": ()}])
def test_a_session_can_go_without(config: dict[str, Any]) -> None:
    x = tf.placeholder(tf.float32, None)
    y = x + 1.0
    with tf.Session(config=tf.SessionConfig(**config)) as session:
        session.run(y, {x: 1.0})
        assert plans_of(session).find(y, (x,))[0].shaped is None


def test_the_least_used_calls_and_counts_are_forgotten() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = x + 1.0
    with tf.Session(config=tf.SessionConfig(specialise_after=1)) as session:
        for size in range(MOST_CALLS + 4):
            for _ in range(2):
                session.run(y, {x: np.ones(size, np.float32)})
            session.run(y, {x: np.ones(0, np.float32)})  # it is used again and again
        shaped = shaped_calls(session, y, (x,))
        assert len(shaped) == MOST_CALLS
        assert shaped.known(((0,),)) is not None
        assert shaped.known(((1,),)) is None
        for size in range(100, 100 + MOST_COUNTS + 1):
            session.run(y, {x: np.ones(size, np.float32)})
        for is_known in (False, True):  # its first run was forgotten
            session.run(y, {x: np.ones(100, np.float32)})
            assert (shaped.known(((100,),)) is not None) == is_known


def test_a_claim_about_a_shape_that_the_run_finds_is_still_checked() -> None:
    x = tf.placeholder(tf.float32, [None])
    kept = tf.boolean_mask(x, x > 0.0)
    kept.set_shape([2])
    y = kept * 2.0
    with tf.Session(config=tf.SessionConfig(specialise_after=1, verify=True)) as session:
        for _ in range(3):
            assert session.run(y, {x: np.array([1, -1, 2], np.float32)}).tolist() == [2.0, 4.0]
        assert shaped_calls(session, y, (x,)).known(((3,),)) is not None
        with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape said"):
            session.run(y, {x: np.array([1, 1, 2], np.float32)})


def test_sizes_that_contradict_a_branch_leave_the_general_plan() -> None:
    x = tf.placeholder(tf.float32, None)
    y = tf.cond(tf.size(x) > 2, lambda: tf.reduce_sum(x), lambda: tf.reshape(x, [2])[0])
    config = tf.SessionConfig(specialise_after=1, verify=True)
    with tf.Session(config=config) as session:
        for _ in range(4):
            assert session.run(y, {x: np.ones(3, np.float32)}) == 3.0
            assert session.run(y, {x: np.ones(2, np.float32)}) == 1.0


def test_a_loop_variable_of_changing_rank_keeps_its_unknown_rank() -> None:
    x = tf.placeholder(tf.float32, None)
    shapes = [tf.TensorShape([]), tf.TensorShape(None)]
    grown = tf.while_loop(lambda i, v: i < 2, lambda i, v: [i + 1, tf.expand_dims(v, 0)], [tf.constant(0), x], shapes)
    y = tf.shape(grown[1])
    with tf.Session(config=tf.SessionConfig(specialise_after=1, verify=True)) as session:
        for _ in range(4):
            assert session.run(y, {x: np.ones(3, np.float32)}).tolist() == [1, 1, 3]


def test_feeds_that_do_not_fit_are_refused_as_before() -> None:
    x, z = tf.placeholder(tf.float32, ["n"], name="x"), tf.placeholder(tf.float32, ["n"], name="z")
    y = x + z
    two, three = np.ones(2, np.float32), np.ones(3, np.float32)
    with tf.Session(config=tf.SessionConfig(specialise_after=1)) as session:
        for _ in range(3):
            session.run(y, {x: two, z: two})
        with pytest.raises(ValueError, match="n cannot have two sizes"):
            session.run(y, {x: two, z: three})
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(y, {x: np.ones((2, 2), np.float32), z: two})
        assert session.run(y, {z: two, x: two}).tolist() == [2.0, 2.0]


def test_callables_and_feeds_in_another_order_use_the_same_calls() -> None:
    x, z = tf.placeholder(tf.float32, None), tf.placeholder(tf.float32, None)
    y = x - z
    with tf.Session(config=tf.SessionConfig(specialise_after=1)) as session:
        function = session.make_callable(y, [z, x])
        for _ in range(3):
            assert function(np.ones(2, np.float32), np.zeros((3, 2), np.float32)).tolist() == [[-1, -1]] * 3
            assert session.run(y, {x: 1.0, z: 0.5}) == 0.5
        assert len(shaped_calls(session, y, (x, z))) == 2


def step_of_an_open_variable(shape: Any) -> tuple[tf.Tensor, tf.Variable, list[Any]]:
    """A training step of a variable whose static shape nobody knows."""
    start = tf.placeholder(tf.float32)
    w = tf.Variable(start, validate_shape=False, name="w")
    x = tf.placeholder(tf.float32, shape, name="x")
    loss = tf.reduce_sum(tf.square(w * x - 1.0))
    return x, w, [loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)]


@pytest.mark.parametrize("shape", [[3], None])
def test_the_shapes_of_variables_count_as_known_sizes(shape: Any) -> None:
    x, w, fetches = step_of_an_open_variable(shape)
    feeds = {x: np.array([1.0, 2.0, 3.0], np.float32)}
    start = w.initializer.inputs[0]
    values: dict[int, list[Any]] = {}
    for patience in (0, 2):
        with tf.Session(config=tf.SessionConfig(specialise_after=patience, verify=True)) as session:
            values[patience], steps = [], []
            for value in ([0.5, 0.25, 2.0], 3.0, [[1.0] * 3] * 2, 0.5):  # one rank after another
                session.run(w.initializer, {start: np.array(value, np.float32)})
                for _ in range(5):
                    values[patience].append(session.run(fetches, feeds)[0].tobytes())
                steps.append(steps_now(session, fetches, feeds))
            if patience:
                assert max(steps[:3]) < steps[3]  # after three other shapes the general plan stays
                plan = session.explain(fetches, feeds).specialised
                assert plan is not None and len(plan.steps) == steps[1]
            else:
                assert len({*steps}) == 1 and steps[0] > 4
    assert values[0] == values[2]


def test_a_variable_that_changes_its_shape_just_before_the_run_is_served_by_the_general_plan() -> None:
    x, w, fetches = step_of_an_open_variable([3])
    start = w.initializer.inputs[0]
    feeds = {x: np.ones(3, np.float32)}
    with tf.Session(config=tf.SessionConfig(specialise_after=1)) as session:
        session.run(w.initializer, {start: np.ones(3, np.float32)})
        for _ in range(4):
            session.run(fetches, feeds)
        call = plans_of(session).find(fetches, (x,))[0].for_arrays(list(feeds.values()))
        session.run(w.initializer, {start: np.float32(2.0)})
        loss = call.run_program(list(feeds.values()))[0]
        assert float(loss) == 3.0
        assert session.run(w).shape == ()


def test_explain_tells_of_the_later_plan() -> None:
    x, y, fetches = line_step(None)
    with tf.Session() as session:
        feeds = {x: np.ones(4, np.float32), y: np.ones(4, np.float32)}
        explanation = session.explain(fetches[:2], feeds)
        assert explanation.specialised is not None
        assert len(explanation.specialised.steps) == 3
        assert "  after some runs with these shapes: 3 steps" in str(explanation)
        assert session.explain(fetches[:2], [x, y]).specialised is None
        assert session.explain(fetches[:2], {x: feeds[x]}).specialised is None  # y may have any shape


@pytest.mark.parametrize("value", [[0.5, 0.25], 0.5])
def test_explain_tells_of_the_later_plan_for_a_number(value: Any) -> None:
    x, y, fetches = line_step(None)
    with tf.Session(config=tf.SessionConfig(specialise_after=2)) as session:
        session.run(tf.global_variables_initializer())
        feeds = {x: np.float32(2.0), y: np.array(value, np.float32)}
        general = steps_now(session, fetches, feeds)
        for _ in range(5):
            session.run(fetches, feeds)
        plan = session.explain(fetches, feeds).specialised
        assert plan is not None and len(plan.steps) == steps_now(session, fetches, feeds) < general
        assert session.explain(fetches, {x: feeds[x]}).specialised is None
        assert session.explain(fetches, [x, y]).specialised is None


@pytest.mark.parametrize("count", [3, *nightly([12])])
def test_a_program_of_the_fuzz_gives_the_same_with_and_without_shapes(count: int) -> None:
    done, told, wrong = campaign(40, count)
    assert (done, wrong) == (count, [])
    assert set(told) == {"absent", "partial", "given"}


@pytest.mark.slow
def test_many_programs_of_the_fuzz_give_the_same_with_and_without_shapes() -> None:
    assert campaign(100_000, 600)[2] == []


def test_a_default_that_is_not_fed_has_the_shape_of_its_value() -> None:
    def steps(shape: Any) -> int:
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, shape)
            start = tf.placeholder_with_default(tf.zeros_like(x), shape)
            fetches = tf.gradients(tf.reduce_sum(tf.square(x + start)), [x, start])
            feeds = {x: np.ones(4, np.float32)}
            for _ in range(25):
                session.run(fetches, feeds)
            assert all((each == 2).all() for each in session.run(fetches, feeds))
            assert all((each == 4).all() for each in session.run(fetches, {**feeds, start: np.ones(4)}))
            return steps_now(session, fetches, feeds)

    assert steps([None]) == steps([4])


# ---- flags --------------------------------------------------------------------------------------


def in_turns(flag_shape: Any, config: tf.SessionConfig, flags: list[Any]) -> tuple[list[Any], int]:
    """What runs of a small network gave, one for each flag, and the steps of its answer outside of training."""
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [6, 8])
        training = tf.placeholder(tf.bool, flag_shape)
        h = tf.layers.batch_normalization(x, training=training)
        h = tf.layers.dropout(tf.layers.dense(h, 4), 0.5, training=training, seed=3)
        fetches = [h, *tf.get_collection(tf.GraphKeys.UPDATE_OPS), *tf.gradients(h, tf.trainable_variables())]
        session.run(tf.global_variables_initializer())
        value = np.random.default_rng(0).normal(size=(6, 8)).astype("f4")
        results = [session.run(fetches, {x: value, training: flag}) for flag in flags]
        for _ in range(5):
            session.run(h, {x: value, training: False})
        return results, steps_now(session, h, {x: value, training: False})


@pytest.mark.parametrize("flag_shape", [None, []])
def test_what_a_flag_decides_is_decided_in_the_plan(flag_shape: Any) -> None:
    flags = [[True, np.array(False), np.array(True), False, np.array(False)][i % 5] for i in range(30)]
    known, steps = in_turns(flag_shape, tf.SessionConfig(specialise_after=2, verify=True), flags)
    general, general_steps = in_turns(flag_shape, tf.SessionConfig(specialise_after=0), flags)
    for a, b in zip(known, general, strict=True):
        assert [np.asarray(each).tobytes() for each in a] == [np.asarray(each).tobytes() for each in b]
    assert steps < general_steps - 2  # without mean and variance of the batch


def test_an_array_of_flags_has_the_general_plan() -> None:
    x, chosen = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool)
    y = tf.where(chosen, x, -x)
    with tf.Session(config=tf.SessionConfig(specialise_after=2)) as session:
        for i in range(12):
            value = [True, np.array([True, False, True])][i % 2]
            expected = [1.0, 2.0, 3.0] if i % 2 == 0 else [1.0, -2.0, 3.0]
            assert session.run(y, {x: np.array([1, 2, 3], "f4"), chosen: value}).tolist() == expected
        shaped = shaped_calls(session, y, (x, chosen))
        assert shaped.known(((3,), ()), (True,)) is not None
        assert shaped.known(((3,), ()), (False,)) is None
        assert shaped.known(((3,), (3,)), (None,)) is not None


def test_many_flags_are_not_told_apart() -> None:
    flags = [tf.placeholder(tf.bool, []) for _ in range(4)]
    x = tf.placeholder(tf.float32, [2])
    y = x
    for flag in flags:
        y = tf.select(flag, y + 1.0, y * 2.0)
    with tf.Session() as session:
        assert plans_of(session).find(y, (x, *flags))[0].shaped is None


def test_an_error_of_the_side_that_is_not_chosen_stays() -> None:
    x, flag = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
    place = tf.placeholder(tf.int32, [2])
    y = tf.select(flag, tf.gather(x, place), x)
    with tf.Session(config=tf.SessionConfig(specialise_after=2)) as session:
        fine = {x: [1.0, 2.0], place: [1, 0]}
        for _ in range(5):
            assert session.run(y, fine | {flag: False}).tolist() == [1.0, 2.0]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: [1.0, 2.0], place: [7, 0], flag: False})
