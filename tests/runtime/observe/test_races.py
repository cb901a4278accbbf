"""Races: pairs of operations on one variable that no path orders."""

from __future__ import annotations

import penstock as tf


def test_a_use_that_no_path_orders_with_a_write_is_a_race() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        more = v.assign_add(1.0, name="more")
        twice = tf.multiply(v, 2.0, name="twice")
        (race,) = graph.races([more, twice])
        assert (race.variable, race.kind, race.first, race.write) == ("v", "read", "twice", "more")
        assert "more = v.assign_add" in race.write_line
        assert "twice = tf.multiply" in race.first_line
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run([more, twice]) == [2.0, 2.0]
            assert str(session.explain([more, twice]).races) == str(graph.races([more, twice]))
            assert "no path orders twice and more" in str(session.explain([more, twice]))


def test_control_dependencies_order_and_the_race_is_gone() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0)
        more = v.assign_add(1.0)
        with tf.control_dependencies([more]):
            after = v * 2.0
        before = v * 3.0
        with tf.control_dependencies([before]):
            last = v.assign(after)
        assert len(graph.races([after, last])) == 1  # `before` and the first write
        assert len(graph.races([after])) == 0
        assert str(graph.races(after)) == "no races: paths order all uses and writes of variables"


def test_a_use_that_runs_after_a_write_and_reads_the_old_value_is_told() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        more = v.assign_add(1.0, name="more")
        both = tf.add(v, more, name="both")
        (race,) = graph.races(both)
        assert race.kind == "late"
        assert "both runs after more, and uses the value of before" in str(graph.races(both))
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(both) == 3.0


def test_writes_without_a_path_run_in_the_order_of_their_creation() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        second = v.assign(5.0, name="z")
        third = v.assign_add(1.0, name="a")
        (race,) = graph.races([third, second])
        assert (race.kind, race.first, race.write) == ("write", "z", "a")
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run([third, second]) == [6.0, 5.0]
            assert session.run(v) == 6.0


def test_the_whole_graph_is_looked_at_without_its_initializers() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0)
        tf.identity(v * 2.0)
        assert len(graph.races()) == 0
        v.assign_add(1.0)
        assert len(graph.races()) == 1


def test_asking_for_a_shape_that_does_not_change_is_no_race() -> None:
    with tf.Graph().as_default() as graph:
        v, open_ = tf.Variable([1.0]), tf.Variable([1.0], validate_shape=False, name="open")
        tf.shape(v), v.assign_add([1.0])
        tf.shape(open_), open_.assign([1.0, 2.0])
        assert [race.variable for race in graph.races()] == ["open"]


def test_an_update_through_a_gradient_is_no_race() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4])
        w = tf.Variable(1.0)
        loss = tf.reduce_sum(tf.square(x * w - 1.0))
        (g,) = tf.gradients(loss, [w])
        step = w.assign_sub(0.1 * g)
        assert len(graph.races([loss, step])) == 0
