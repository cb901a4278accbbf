"""Races: pairs of operations on one variable that no path orders."""

from __future__ import annotations

from typing import Any

import pytest

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


# ---- training -----------------------------------------------------------------------------------


def network() -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The loss, the accuracy and the logits of a small network."""
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    logits = tf.layers.dense(tf.layers.dense(x, 16, activation=tf.nn.relu, name="h"), 3, name="o")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits) + tf.nn.l2_loss(tf.trainable_variables()[0])
    accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), tf.to_int64(labels))), name="accuracy")
    return loss, accuracy, logits


@pytest.mark.parametrize("optimizer", ["Adam", "RMSProp", "Ftrl"])
def test_a_whole_training_graph_has_no_races(optimizer: str) -> None:
    with tf.Graph().as_default() as graph:
        loss, accuracy, _ = network()
        make = getattr(tf.train, f"{optimizer}Optimizer")
        train = make(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
        tf.train.Saver(), tf.global_variables_initializer(), tf.report_uninitialized_variables()
        assert list(graph.races()) == list(graph.races([loss, accuracy, train])) == []
        first = graph.races().rest[0]
        assert first in graph.races().all and "is a part of the step" in first.reason
        assert "a training step reads what it then writes" in str(graph.races())


def test_a_second_use_of_the_weights_beside_a_training_step_is_a_race() -> None:
    with tf.Graph().as_default() as graph:
        loss, _, _ = network()
        train = tf.train.AdamOptimizer().minimize(loss)
        kernel = next(v for v in tf.trainable_variables() if v.op.name == "o/kernel")
        size = tf.reduce_sum(kernel * 1.0, name="size")
        races = graph.races([train, size])
        assert [(race.variable, race.first) for race in races] == [("o/kernel", "mul")]
        assert list(races.by_variable()) == ["o/kernel"]
        assert "not listed: " in str(races)


def test_a_step_that_comes_after_another_one_of_the_same_line_is_not_a_part_of_it() -> None:
    def minimised(loss: tf.Tensor, variables: list[tf.Variable]) -> tf.Operation:
        return tf.train.AdamOptimizer().minimize(loss, var_list=variables)

    with tf.Graph().as_default() as graph:
        real, fake = tf.Variable(1.0, name="real"), tf.Variable(2.0, name="fake")
        first = minimised(tf.square(real), [real])
        product = tf.square(real * fake)
        with tf.control_dependencies([first]):
            second = minimised(product, [fake])
            third = minimised(tf.square(real * fake), [fake])
        assert {race.variable for race in graph.races([second])} == {"real"}
        assert len(graph.races([third])) == 0


def test_two_steps_on_the_same_weights_are_told_once_for_their_two_lines() -> None:
    with tf.Graph().as_default() as graph:
        loss, _, _ = network()
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        one = optimizer.minimize(loss)
        two = optimizer.minimize(loss * 2.0)
        races = graph.races([one, two])
        assert {race.kind for race in races} == {"write"}
        assert len(races) == 8 and len(races.by_variable()) == 8
        assert str(races).count("every run") == 1
        assert "and 5 more variables: no path orders" in str(races)


def test_a_read_that_leads_to_a_write_of_a_pair_is_not_told_again() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        doubled = v.assign(tf.multiply(tf.add(v, 1.0), 2.0), name="doubled")
        tripled = v.assign(3.0, name="tripled")
        races = graph.races([doubled, tripled])
        assert [(race.kind, race.first, race.write) for race in races] == [("write", "doubled", "tripled")]
        assert [race.first for race in races.rest] == ["Add"]
        assert "comes before doubled" in races.rest[0].reason


def test_whether_a_variable_has_a_value_does_not_change_by_an_update() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        asked = tf.is_variable_initialized(v)
        assert [race.kind for race in graph.races([asked, v.assign_add(1.0), v.assign(v * 2.0)])] == ["write"]
        assert [race.first for race in graph.races([asked, v.assign_add(1.0)])] == []
        assert [race.kind for race in graph.races([asked, v.assign(2.0)])] == ["read"]


def test_branches_and_loops_are_reads_and_writes_at_their_place() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.Variable(1.0, name="w")
        p = tf.placeholder(tf.bool, [], name="p")
        y = tf.cond(p, lambda: w.assign_add(1.0), lambda: w * 2.0, name="y")
        before = w.read_value()
        with tf.control_dependencies([y]):
            after = tf.cond(p, lambda: w * 3.0, lambda: w.read_value(), name="after")
        assert not graph.races([y, after])
        (race,) = graph.races([y, after, before])
        assert (race.first, race.write, race.kind) == ("w/read", "y", "read")
        i = tf.while_loop(lambda i: i < 3, lambda i: i + tf.cast(w.assign_sub(1.0), tf.int32), [0], name="loop")
        assert [(r.first, r.write, r.kind) for r in graph.races([y, i])] == [("y", "loop", "write")]


def test_races_inside_a_body_name_the_lines_there() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.Variable(1.0, name="w")

        def body(i: Any) -> Any:
            use = tf.multiply(w, 2.0, name="use")
            write = w.assign(5.0, name="write")
            return i + tf.cast(use + write, tf.int32)

        i = tf.while_loop(lambda i: i < 3, body, [0])
        (race,) = graph.races([i])
        assert (race.first, race.write) == ("while/body/use", "while/body/write")
        assert "use = tf.multiply(w" in race.first_line and "write = w.assign(5.0" in race.write_line


def test_of_two_updates_of_which_one_is_fetched_the_other_is_told_to_be_left_out() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        paid = v.assign_add(5.0, name="paid")
        doubled = v.assign(v * 2.0, name="doubled")
        after = tf.identity(paid, name="after")
        (whole,) = graph.races()
        assert whole.outcome.endswith("a run that needs only one of them leaves the other out")
        (both,) = graph.races([paid, doubled])
        assert both.outcome == "paid is written first, doubled after it, as they were made"
        races = graph.races(after)
        assert len(races) == 0 and [(each.variable, each.write, each.instead) for each in races.left_out] == [
            ("v", "doubled", "paid")
        ]
        assert "note: v: doubled does not run, only paid" in str(races) and "test_races.py" in races.left_out[0].line
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(after) == 6.0 and session.run(v) == 6.0  # as it was told
            session.run([paid, doubled])
            assert session.run(v) == 12.0  # doubled starts from the value at the start of the run


def test_a_write_that_follows_by_a_path_and_one_of_another_variable_are_not_called_left_out() -> None:
    with tf.Graph().as_default() as graph:
        v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w")
        more = v.assign_add(1.0, name="more")
        with tf.control_dependencies([more]):
            v.assign_add(2.0, name="later")
        w.assign_add(1.0, name="elsewhere")
        assert graph.races(more).left_out == ()
        assert graph.races(v).left_out == ()  # a run that writes nothing


def test_the_steps_of_a_training_are_not_called_left_out() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.Variable(1.0, name="w")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w))
        with tf.control_dependencies([train]):
            clipped = w.assign(tf.minimum(w, 1.0))
        other = w.assign_add(1.0, name="other")
        assert graph.races(train).left_out[0].write == other.op.name and graph.races(clipped).left_out != ()
