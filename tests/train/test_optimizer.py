"""What all optimizers share: variables, errors, slots, constraints, the step counter, two updates in one run."""

from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1


def initialize(session: tf.Session) -> None:
    session.run([v.initializer for v in session.graph.get_collection("variables")])


def opened() -> tf.Session:
    return tf.Session(graph=tf.Graph())


def test_minimize_changes_the_trainable_variables() -> None:
    with opened() as session, session.graph.as_default():
        w, fixed = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0], trainable=False)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(w * fixed))
        initialize(session)
        assert session.run(step) is None
        assert session.run([w, fixed])[0].tolist() == [0.5, 1.0]
        assert session.run(fixed).tolist() == [1.0, 2.0]


def test_var_list_chooses_the_variables() -> None:
    with opened() as session, session.graph.as_default():
        a, b = tf.Variable(1.0, trainable=False), tf.Variable(1.0)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(a * b, var_list=a)
        initialize(session)
        session.run(step)
        assert session.run([a, b]) == [0.5, 1.0]


def test_no_variables_is_an_error_that_says_what_makes_some() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"No variables to optimize.*tf.Variable"):
        tf.train.AdamOptimizer().minimize(tf.constant(1.0))


def test_no_gradients_is_an_error_with_the_place_where_the_path_is_cut() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0, 2.0], name="w")
        loss = tf.reduce_sum(tf.cast(tf.cast(w, tf.int32), tf.float32))
        before = len(graph.get_operations())
        with pytest.raises(ValueError, match="No gradients provided for any variable") as caught:
            tf.train.AdamOptimizer().minimize(loss)
        assert "int32" in str(caught.value) and "ints have no derivative" in str(caught.value)
        assert len(graph.get_operations()) == before


def test_a_call_that_fails_adds_nothing_and_leaves_no_slot() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0, 2.0], name="w")
        adam = tf.train.AdamOptimizer(learning_rate=lambda: "fast")
        before = len(graph.get_operations())
        with pytest.raises((TypeError, ValueError)):
            adam.apply_gradients([(tf.constant([1.0, 1.0]), w)])
        assert len(graph.get_operations()) == before + 1  # the constant
        assert adam.variables() == [] and adam.get_slot_names() == []
        assert graph.get_collection("variables") == [w]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda o, w: o.apply_gradients([]), "No variables provided"),
        (lambda o, w: o.apply_gradients([(None, w)]), r"No gradients provided for any variable: \['w:0'\]"),
        (lambda o, w: o.minimize(tf.cast(w, tf.int32)), "Invalid type int32"),
        (lambda o, w: o.minimize(w * 1.0, gate_gradients=3), "gate_gradients must be one of"),
        (lambda o, w: tf.train.Optimizer(False, ""), "Must specify the optimizer name"),
        (lambda o, w: tf.train.AdagradOptimizer(0.1, 0.0), "initial_accumulator_value must be positive: 0.0"),
        (lambda o, w: tf.train.FtrlOptimizer(0.1, 0.5), "learning_rate_power 0.5 needs to be negative or zero"),
        (lambda o, w: o.apply_gradients([(tf.zeros([3]), w)]), r"shape"),
    ],
)
def test_wrong_values_are_value_errors(call: Any, words: str) -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0, 2.0], name="w")
        with pytest.raises(ValueError, match=words):
            call(tf.train.GradientDescentOptimizer(0.1), w)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda o, w: o.minimize(1.0), "loss is 1.0; give a tensor"),
        (lambda o, w: o.minimize(w * 1.0, var_list=[w.element]), "var_list has <Tensor.*give variables"),
        (lambda o, w: o.apply_gradients([w]), "give pairs"),
        (lambda o, w: o.minimize(w * 1.0, global_step=tf.constant(1)), "global_step is .*give a variable"),
        (lambda o, w: o.apply_gradients([(1.0, 2.0)]), "the variable of a pair is 2.0"),
        (lambda o, w: tf.train.ExponentialMovingAverage(0.9).apply([w, 3]), "var_list has 3"),  # type: ignore[list-item]  # what is tested
        (lambda o, w: tf.train.ExponentialMovingAverage(0.9).apply([tf.constant(1)]), "half, float, or double"),
    ],
)
def test_wrong_kinds_are_type_errors(call: Any, words: str) -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0, 2.0], name="w")
        with pytest.raises(TypeError, match=words):
            call(tf.train.GradientDescentOptimizer(0.1), w)


def test_variables_of_two_graphs_are_an_error() -> None:
    with tf.Graph().as_default():
        a = tf.Variable(1.0)
    with tf.Graph().as_default():
        b = tf.Variable(1.0)
        with pytest.raises(ValueError, match="same graph"):
            tf.train.GradientDescentOptimizer(0.1).apply_gradients([(1.0, b), (1.0, a)])


def test_grad_loss_weights_the_elements_of_the_loss() -> None:
    with opened() as session, session.graph.as_default():
        w = tf.Variable([1.0, 1.0])
        step = tf.train.GradientDescentOptimizer(1.0).minimize(w * 2.0, grad_loss=tf.constant([0.0, 0.25]))
        initialize(session)
        session.run(step)
        assert session.run(w).tolist() == [1.0, 0.5]


def test_gradients_can_be_clipped_between_the_two_halves() -> None:
    with opened() as session, session.graph.as_default():
        w = tf.Variable([3.0, 4.0])
        descent = tf.train.GradientDescentOptimizer(1.0)
        pairs = descent.compute_gradients(tf.reduce_sum(tf.square(w)) / 2.0)
        clipped, norm = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
        step = descent.apply_gradients(zip(clipped, [w], strict=True))
        initialize(session)
        assert session.run(norm) == 5.0
        session.run(step)
        assert np.allclose(session.run(w), [2.4, 3.2])


def test_a_constraint_is_kept_after_each_step() -> None:
    with opened() as session, session.graph.as_default():
        w = tf.Variable([1.0, 1.0], constraint=lambda value: tf.clip_by_value(value, 0.0, 1.0))
        rows = tf.Variable([1.0, 1.0], constraint=lambda value: tf.clip_by_value(value, 0.0, 1.0))
        loss = tf.reduce_sum(w * [1.0, -1.0]) + tf.reduce_sum(tf.gather(rows, [0, 0]))
        step = tf.train.GradientDescentOptimizer(3.0).minimize(loss)
        initialize(session)
        session.run(step)
        assert session.run(w).tolist() == [0.0, 1.0]
        assert session.run(rows).tolist() == [0.0, 1.0]


def test_the_step_is_counted_after_the_update() -> None:
    with opened() as session, session.graph.as_default():
        steps = tf.train.get_or_create_global_step()
        w = tf.Variable(1.0)
        rate = tf.train.piecewise_constant(steps, [0], [0.5, 0.25])
        step = tf.train.GradientDescentOptimizer(rate).minimize(2.0 * w, global_step=steps)
        initialize(session)
        session.run(step)
        assert session.run(w) == 0.0  # the rate of step 0
        session.run(step)
        assert session.run(w) == -0.5
        assert tf.train.global_step(session, steps) == 2
        assert step.name == "GradientDescent"
        assert session.graph.get_collection("train_op") == [step]


def test_the_gradient_of_a_step_belongs_to_the_values_before_it() -> None:
    """TensorFlow 1 could read a variable before or after the write of the same run."""
    with opened() as session, session.graph.as_default():
        a, b = tf.Variable(2.0), tf.Variable(3.0)
        loss = a * b
        step = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        initialize(session)
        for _ in range(3):
            before = session.run([a, b])
            told, _ = session.run([loss, step])
            assert told == before[0] * before[1]
            assert session.run([a, b]) == [before[0] - before[1], before[1] - before[0]]


def test_an_update_after_other_writes_starts_from_them() -> None:
    with opened() as session, session.graph.as_default():
        w = tf.Variable(1.0)
        with tf.control_dependencies([w.assign(10.0)]):
            step = tf.train.MomentumOptimizer(0.5, 0.0).minimize(tf.square(w))
        initialize(session)
        session.run(step)
        assert session.run(w) == 0.0  # 10 - 0.5 * 20


def test_two_optimizers_of_one_run_both_count() -> None:
    with opened() as session, session.graph.as_default():
        w = tf.Variable(1.0)
        first = tf.train.MomentumOptimizer(1.0, 0.5).apply_gradients([(0.25, w)])
        second = tf.train.MomentumOptimizer(1.0, 0.5).apply_gradients([(0.5, w)])
        initialize(session)
        session.run([first, second])
        assert session.run(w) == 0.25


def test_rows_that_are_repeated_are_added_before_the_step() -> None:
    """Momentum of a repeated row decays once."""
    with opened() as session, session.graph.as_default():
        table = tf.Variable(np.zeros((3, 2), np.float32))
        rows = tf.IndexedSlices(tf.constant([[1.0, 1.0], [2.0, 2.0]]), tf.constant([2, 2]), tf.constant([3, 2]))
        step = tf.train.MomentumOptimizer(1.0, 0.5).apply_gradients([(rows, table)])
        initialize(session)
        session.run(step)
        session.run(step)
        assert session.run(table).tolist() == [[0.0, 0.0], [0.0, 0.0], [-7.5, -7.5]]


def test_an_index_that_is_out_of_range_changes_nothing() -> None:
    with opened() as session, session.graph.as_default():
        table = tf.Variable(np.zeros((3, 2), np.float32))
        places = tf.placeholder(tf.int32, [1])
        rows = tf.IndexedSlices(tf.ones([1, 2]), places, tf.constant([3, 2]))
        step = tf.train.AdamOptimizer(1.0).apply_gradients([(rows, table)])
        initialize(session)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(step, {places: [3]})
        assert all(not np.any(session.run(v)) for v in session.graph.get_collection("variables") if v.shape.ndims == 2)
        powers = [v for v in session.graph.get_collection("variables") if v.shape.ndims == 0]
        assert np.allclose(session.run(powers), [0.9, 0.999])


def test_a_class_of_tensorflow_1_works_as_it_was_written() -> None:
    class Decaying(v1.train.Optimizer):
        """Overrides what TensorFlow's own classes override."""

        def __init__(self, rate: float, name: str = "Decaying") -> None:
            super().__init__(False, name)
            self._rate = rate
            self._rate_tensor: Any = None

        def _prepare(self) -> None:
            self._rate_tensor = v1.convert_to_tensor(self._call_if_callable(self._rate), name="rate")

        def _create_slots(self, var_list: Any) -> None:
            for v in var_list:
                self._zeros_slot(v, "seen", self._name)

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            seen = self.get_slot(var, "seen")
            assert seen is not None
            new = v1.assign_add(seen, v1.abs(grad))
            return v1.group(v1.assign_sub(var, self._rate_tensor * grad), new)

        def _apply_sparse(self, grad: Any, var: Any) -> Any:
            return v1.scatter_sub(var, grad.indices, grad.values * self._rate_tensor).op

    with opened() as session, session.graph.as_default():
        w, table = v1.Variable([1.0], name="w"), v1.Variable([1.0, 1.0], name="table")
        decaying = Decaying(0.25)
        step = decaying.minimize(v1.reduce_sum(2.0 * w) + v1.reduce_sum(v1.gather(table, [1, 1])))
        initialize(session)
        session.run(step)
        assert session.run([w, table])[0].tolist() == [0.5]
        assert session.run(table).tolist() == [1.0, 0.5]
        seen = decaying.get_slot(w, "seen")
        assert seen is not None and seen.name == "w/Decaying:0" and session.run(seen).tolist() == [2.0]


def test_an_optimizer_without_a_method_says_which() -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0])
        with pytest.raises(NotImplementedError, match="Optimizer has no _apply_dense"):
            tf.train.Optimizer(False, "mine").apply_gradients([(tf.ones([1]), w)])


def test_a_second_optimizer_gets_slots_of_its_own() -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0], name="w")
        for _ in range(2):
            adam = tf.train.AdamOptimizer()
            adam.minimize(tf.reduce_sum(tf.square(w)))
        assert [v.name for v in adam.variables()] == ["beta1_power_1:0", "beta2_power_1:0", "w/Adam_2:0", "w/Adam_3:0"]


def test_slots_are_no_part_of_the_scope_in_which_minimize_is_called() -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0], name="w")
        with tf.name_scope("training"):
            momentum = tf.train.MomentumOptimizer(0.1, 0.9)
            step = momentum.minimize(tf.reduce_sum(tf.square(w)))
        assert momentum.variables()[0].name == "w/Momentum:0" and step.name == "training/Momentum"


def test_a_variable_whose_shape_may_change_gets_slots_like_its_initial_value() -> None:
    with opened() as session, session.graph.as_default():
        start = tf.placeholder_with_default(np.ones((2, 3), np.float32), [None, 3])
        w = tf.Variable(start, validate_shape=False)
        step = tf.train.AdagradOptimizer(1.0, 3.0).apply_gradients([(tf.ones([2, 3]), w)])
        initialize(session)
        session.run(step)
        assert session.run(w).tolist() == [[0.5] * 3] * 2


def test_a_global_step_must_be_a_scalar_of_ints() -> None:
    with tf.Graph().as_default():
        tf.Variable(1.0, name="global_step")
        with pytest.raises(TypeError, match="does not have integer type"):
            tf.train.get_or_create_global_step()
    with tf.Graph().as_default():
        tf.train.create_global_step()
        with pytest.raises(ValueError, match="already exists"):
            tf.train.create_global_step()
    with tf.Graph().as_default(), pytest.raises(TypeError, match="not scalar"):
        tf.train.assert_global_step(tf.constant([1, 2]))


def test_a_variable_called_global_step_is_the_global_step() -> None:
    with tf.Graph().as_default():
        steps = tf.Variable(0, name="global_step", trainable=False)
        assert tf.train.get_global_step() is steps
        assert tf.train.get_or_create_global_step() is steps


def test_sixteen_bit_variables_are_trained_in_their_dtype() -> None:
    for dtype in (tf.float16, tf.bfloat16):
        with opened() as session, session.graph.as_default():
            w = tf.Variable(tf.ones([4], dtype))
            step = tf.train.AdamOptimizer(0.25, 0.5, 0.75, 1e-3).minimize(tf.reduce_sum(tf.square(w)))
            initialize(session)
            for _ in range(4):
                session.run(step)
            found = session.run(w)
            assert found.dtype == dtype.as_numpy_dtype and np.all(np.abs(found.astype(np.float32)) < 0.2)


@pytest.mark.parametrize("optimizer", [
    tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdagradOptimizer(0.1),
    tf.train.AdadeltaOptimizer(), tf.train.AdamOptimizer(), tf.train.RMSPropOptimizer(0.1, centered=True),
    tf.train.FtrlOptimizer(0.1), tf.train.ProximalAdagradOptimizer(0.1),
    tf.train.ProximalGradientDescentOptimizer(0.1),
], ids=lambda each: each.get_name())  # fmt: skip
def test_an_update_has_no_pair_of_a_read_and_a_write_without_an_order(optimizer: tf.train.Optimizer) -> None:
    with tf.Graph().as_default() as graph:
        w, table = tf.Variable([1.0, 2.0], name="w"), tf.Variable([[1.0], [2.0]], name="table")
        rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([1, 1]), tf.constant([2, 1]))
        steps = tf.train.get_or_create_global_step()
        optimizer.apply_gradients([(tf.ones([2]), w), (rows, table)], global_step=steps)
        assert list(graph.races()) == []


def test_slots_are_named_after_the_open_variable_scope_as_in_tensorflow() -> None:
    """The names that TensorFlow 2.21 gave; it refuses the last of these programs."""
    with v1.Graph().as_default() as graph:
        with v1.variable_scope("net"):
            w = v1.get_variable("w", [2])
            with v1.name_scope("inner"):
                assert v1.train.AdamOptimizer().minimize(v1.reduce_sum(w * w)).name == "net/inner/Adam"
        with v1.variable_scope("opt"):
            v1.train.MomentumOptimizer(0.1, 0.9).minimize(v1.reduce_sum(w * w))
            average = v1.train.ExponentialMovingAverage(0.9)
            assert average.apply([w]).name == "opt/ExponentialMovingAverage"
            assert average.average_name(w) == "opt/net/w/ExponentialMovingAverage"
        assert [v.name for v in graph.get_collection("variables")] == [
            "net/w:0", "net/inner/beta1_power:0", "net/inner/beta2_power:0", "net/net/w/Adam:0", "net/net/w/Adam_1:0",
            "opt/net/w/Momentum:0", "opt/net/w/ExponentialMovingAverage:0",
        ]  # fmt: skip
        with v1.variable_scope("net", reuse=True):
            momentum = v1.train.MomentumOptimizer(0.1, 0.9)
            momentum.minimize(v1.reduce_sum(w * w))
        assert [v.name for v in momentum.variables()] == ["net/net/w/Momentum:0"]


# ---- what an average begins with ----------------------------------------------------------------

ORDERS = {
    "one run": ("both",),
    "one after the other": ("w", "average"),
    "after a training": ("w", "load", "average"),
    "everything again": ("both", "load", "both"),
    "without its variable": ("average", "w"),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("is_static", [True, False])
def test_an_average_begins_with_the_value_of_its_variable(order: str, is_static: bool) -> None:
    with opened() as session, session.graph.as_default():
        w = tf.Variable(tf.random_normal([3]), name="w", validate_shape=is_static)
        ema = tf.train.ExponentialMovingAverage(0.5)
        ema.apply([w])
        average = ema.average(w)
        assert average is not None
        runs = {"both": tf.global_variables_initializer(), "w": w.initializer, "average": average.initializer}
        for each in ORDERS[order]:
            if each == "load":
                w.load([1.0, 2.0, 3.0], session)
            else:
                session.run(runs[each])
        ours, its = session.run([w, average])
        if order == "without its variable":
            assert not np.array_equal(ours, its)  # TensorFlow draws twice as well
        else:
            assert np.array_equal(ours, its) and np.array_equal(its, [1, 2, 3]) == (order == "after a training")


def test_an_initial_value_follows_the_initializer_of_the_other_variable() -> None:
    with opened() as session, session.graph.as_default():
        v = tf.Variable(tf.random_normal([2]))
        twice = tf.Variable(v.initialized_value() * 2.0)
        everything = tf.global_variables_initializer()
        for _ in range(3):
            session.run(everything)
            ours, its = session.run([v, twice])
            assert np.array_equal(ours * 2, its)
        v.load([5.0, 6.0], session)
        session.run(twice.initializer)
        assert session.run(twice).tolist() == [10, 12]


def test_averages_of_a_call_that_fails_later_are_forgotten() -> None:
    with tf.Graph().as_default():
        w, t = tf.Variable(0.0, name="w"), tf.constant(1.0)
        average = tf.train.ExponentialMovingAverage(0.9, zero_debias=True)

        def fails(row: Any) -> Any:
            average.apply([w, t])
            raise RuntimeError("the function fails")

        with pytest.raises(RuntimeError, match="the function fails"):
            tf.map_fn(fails, tf.zeros([2]))
        assert average.average(w) is None
        average.apply([w, t])
        made = average.average(w)
        assert made is not None and made.op in tf.get_default_graph().get_operations()
