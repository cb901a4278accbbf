"""The backward graph: values, names, lines, shapes, and errors that leave nothing behind."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.common.source_location import GradientOrigin
from penstock.graph.declare.gradient_registry import REGISTERED

from ..helpers import op_of


def test_names_mirror_the_forward_ones_and_nodes_remember_the_forward_line() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3])
        with tf.name_scope("layer0"):
            y = tf.tanh(x, name="act")
        before = len(graph)
        tf.gradients(y, x)
        made = graph.operations_since(before)
    assert all(op.name.startswith("gradients/") for op in made)
    assert "gradients/layer0/act_grad/sub" in [op.name for op in made]
    for op in made:
        assert isinstance(op.origin, GradientOrigin) and op.origin.line == y.op.origin.line


def test_a_gradient_stands_with_its_operation_if_that_is_asked_for() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        with tf.device("/job:a"):
            inner = tf.tanh(x)
        with tf.device("/job:b"):
            y = tf.sigmoid(inner)

        def asked(together: bool) -> set[tuple[str, str]]:
            before = len(graph)
            with tf.device("/job:c"):
                tf.gradients(y, x, colocate_gradients_with_ops=together)
            made = graph.operations_since(before)
            return {(op.device, op.origin.of) for op in made if isinstance(op.origin, GradientOrigin)}

        assert asked(True) == {("/job:a", inner.op.name), ("/job:b", y.op.name)}
        assert asked(False) == {("/job:c", inner.op.name), ("/job:c", y.op.name)}


def test_a_gradient_has_the_static_shape_of_x_with_its_names() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 3])
        w = tf.placeholder(tf.float32, [3, 4])
        b = tf.placeholder(tf.float32, [4])
        loss = tf.reduce_mean(tf.relu(tf.matmul(x, w) + b))
        found = tf.gradients(loss, [x, w, b])
    assert [str(g.shape) for g in found if g is not None] == ["(batch, 3)", "(3, 4)", "(4,)"]


def test_static_shapes_that_show_no_broadcast_need_no_bookkeeping() -> None:
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float32, ["n", 3]) for _ in range(2))
        tf.gradients(x * y, [x, y])
    assert {"BroadcastGradientArgs", "Sum", "Reshape"}.isdisjoint(op.type for op in graph.get_operations())


def test_only_nodes_on_a_path_are_built() -> None:
    with tf.Graph().as_default() as graph:
        x, w = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3, 4])
        y = tf.matmul(x, w)
        tf.exp(x)
        before = len(graph)
        tf.gradients(y, w)
        made = [op.type for op in graph.operations_since(before)]
    assert made.count("MatMul") == 1 and "Exp" not in made


def test_without_ys_no_x_has_a_gradient() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        assert tf.gradients([], [x, x]) == [None, None] and len(graph) == 1
        (zeros,) = tf.gradients([], x, unconnected_gradients="zero")
    assert isinstance(zeros, tf.Tensor) and zeros.op.type == "ZerosLike"


def test_a_y_that_is_an_x_gets_its_weight() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [2])
        found = tf.gradients([x, x * 3.0], [x, x], grad_ys=[None, [1.0, 2.0]])
        for value in session.run(found, {x: [1.0, 1.0]}):
            assert value.tolist() == [4.0, 7.0]


def test_gradients_of_an_intermediate_and_of_what_it_is_made_of() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant(3.0)
        h = x * x
        y = h * h
        assert session.run(tf.gradients(y, [h, x])) == [18.0, 108.0]
        assert session.run(tf.gradients(y, [x], stop_gradients=[h], unconnected_gradients="zero")) == [0.0]
        assert tf.gradients(y, [x], stop_gradients=[h]) == [None]


@pytest.mark.parametrize("static", [[None, None], None, [2, None]])
def test_what_was_broadcast_is_found_in_the_run(static: Sequence[int | None] | None) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, y = tf.placeholder(tf.float64, static), tf.placeholder(tf.float64, static)
        found = tf.gradients(x * y, [x, y])
        a, b = np.ones((2, 3)), np.full((2, 1), 2.0)
        one, other = session.run(found, {x: a, y: b})
    assert one.tolist() == (np.ones((2, 3)) * 2).tolist() and other.tolist() == [[3.0], [3.0]]


def test_rows_stay_rows_through_sums_and_become_dense_where_an_op_needs_it() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table = tf.placeholder(tf.float32, [4, 2])
        rows = tf.gather(table, [1, 1]), tf.gather(tf.identity(table), [3])
        (found,) = tf.gradients([*rows], table)
        assert isinstance(found, tf.IndexedSlices)
        value = session.run(found, {table: np.zeros((4, 2))})
        assert value.indices.tolist() in ([1, 1, 3], [3, 1, 1]) and value.dense_shape.tolist() == [4, 2]
        (dense,) = tf.gradients(tf.gather(table * 2.0, [0]), table)
        assert session.run(dense, {table: np.zeros((4, 2))}).tolist() == [[2, 2], [0, 0], [0, 0], [0, 0]]


@pytest.mark.parametrize("dtypes", [("int32", "int64"), ("int64", "int32"), ("int32", "int64", "int32")])
def test_rows_gathered_by_indices_of_two_dtypes_are_one_gradient_of_rows(dtypes: tuple[str, ...]) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        table = tf.placeholder(tf.float32, [4, 2])
        places = [tf.constant([i, 3], dtype) for i, dtype in enumerate(dtypes)]
        (found,) = tf.gradients([tf.gather(table, each) * (i + 1.0) for i, each in enumerate(places)], table)
        assert isinstance(found, tf.IndexedSlices) and found.indices.dtype == tf.int64
        value, dense = session.run([found, tf.convert_to_tensor(found)], {table: np.zeros((4, 2))})
        wanted = np.zeros((4, 2))
        for i in range(len(dtypes)):
            wanted[[i, 3]] += i + 1.0
        assert value.indices.dtype == np.int64 and sorted(value.indices.tolist()) == sorted([
            *range(len(dtypes)), *[3] * len(dtypes)
        ])  # fmt: skip
        assert np.array_equal(dense, wanted)
        assert np.array_equal(sum(np.eye(4)[i][:, None] * v for i, v in zip(*value[1::-1], strict=True)), wanted)


def test_stop_gradients_from_outside_hold_for_gradients_that_a_branch_builds() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float64, [])
        h = tf.sin(x)
        z = tf.exp(h)

        def slope(stops: list[tf.Tensor]) -> tf.Tensor:
            # both sides of a branch: through what it captures itself, and through what it captures of behind h
            y = h * x + z * x * x
            made: tf.Tensor = tf.gradients(y, x, stop_gradients=stops, unconnected_gradients="zero")[0]
            return made

        found = [tf.cond(p, partial(slope, stops), lambda: x) for stops in ([], [h], [z], [h, z])]
        outside = [slope(stops) for stops in ([], [h], [z], [h, z])]
        values = session.run(found, {p: True, x: 0.75})
        s, c = np.sin(0.75), np.cos(0.75)
        e = np.exp(s)
        direct = s + 2 * 0.75 * e
        wanted = [direct + c * 0.75 + e * c * 0.75**2, direct, direct + c * 0.75, direct]
        assert np.allclose(values, wanted) and np.allclose(session.run(outside, {x: 0.75}), wanted)


def test_stop_gradients_from_inside_a_branch_hold_there() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float64, [])

        def slope() -> tf.Tensor:
            k = tf.cos(x)
            made: tf.Tensor = tf.gradients(k * x, x, stop_gradients=[k])[0]
            return made

        assert np.isclose(session.run(tf.cond(p, slope, lambda: x), {p: True, x: 0.75}), np.cos(0.75))


def test_second_derivatives() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([0.5, -1.0], tf.float64)
        (first,) = tf.gradients(tf.sin(x) * x, x)
        (second,) = tf.gradients(first, x)
        want = 2 * np.cos([0.5, -1.0]) - np.array([0.5, -1.0]) * np.sin([0.5, -1.0])
        assert np.allclose(session.run(second), want)


@pytest.mark.parametrize("used", [(0,), (1,), (0, 1)])
def test_a_registered_gradient_gets_zeros_for_an_output_that_is_not_used(used: tuple[int, ...]) -> None:
    name = f"TestTwoOutputs{len(used)}{used[0]}"
    given: list[Any] = []

    @tf.RegisterGradient(name)
    def joined(op: tf.Operation, *gradients: tf.Tensor) -> list[Any]:
        given.append(gradients)
        return [None, tf.concat(1, [g * (i + 2.0) for i, g in enumerate(gradients)])]

    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        with graph.gradient_override_map({"Split": name}):
            parts = tf.split(1, 2, x)
        (found,) = tf.gradients([parts[i] for i in used], x)
        assert all(isinstance(each, tf.Tensor) and each.shape[1] == 2 for each in given[0]) and len(given[0]) == 2
        wanted = np.repeat([[2.0 * (0 in used), 3.0 * (1 in used)]], 2, axis=1)
        assert np.array_equal(session.run(found, {x: np.ones((3, 4))}), np.repeat(wanted, 3, axis=0))


@pytest.mark.parametrize("count", [1, 3])
def test_a_rule_gives_as_many_gradients_as_there_are_inputs(count: int) -> None:
    name = f"TestWrongCount{count}"
    tf.RegisterGradient(name)(lambda op, g: [g] * count)
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.5, 2.5])
        with graph.gradient_override_map({"Add": name}):
            y = tf.add(x, 2.0)
        with pytest.raises(ValueError, match=f"gives {count} gradients for 2 inputs; a rule returns one for each"):
            tf.gradients(y, x)


def test_a_registered_gradient_gets_nothing_for_an_output_of_ints() -> None:
    given: list[Any] = []

    @tf.RegisterGradient("TestOutputOfInts")
    def noted(op: tf.Operation, *gradients: Any) -> list[Any]:
        given.append(gradients)
        return [tf.zeros_like(op.inputs[0]), None]

    with tf.Graph().as_default() as graph:
        x = tf.constant([1.5, 2.5])
        with graph.gradient_override_map({"TopKV2": "TestOutputOfInts"}):
            values, _ = tf.nn.top_k(x, 1)
        (found,) = tf.gradients(values, x)
    assert found is not None
    assert [len(each) for each in given] == [2] and given[0][0] is not None and given[0][1] is None


def test_an_op_without_a_gradient_gets_one_by_an_override() -> None:
    name = "TestStraightThrough"
    tf.RegisterGradient(name)(lambda op, g: g * 2.0)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant([1.5, 2.5])
        with graph.gradient_override_map({"Floor": name}):
            through = tf.floor(x)
        assert tf.gradients(tf.floor(x), x) == [None]
        assert session.run(tf.gradients(through, x)[0]).tolist() == [2.0, 2.0]


def test_an_op_that_says_nothing_may_be_registered_as_one_without_a_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    with op_of(lambda x: x * 2.0) as twice, tf.Graph().as_default():
        x = tf.constant([1.5, 2.5])
        y = twice(x)
        with pytest.raises(LookupError, match="No gradient defined for operation"):
            tf.gradients(y, x)
        monkeypatch.setitem(REGISTERED, y.op.type, None)
        assert tf.gradients(y, x) == [None]


@pytest.mark.parametrize("known", [None, [None, 3]], ids=str)
def test_a_gradient_has_the_static_shape_of_its_input_though_its_rule_leaves_it_open(known: Any) -> None:
    @tf.custom_gradient
    def halved(x: tf.Tensor) -> Any:
        return x * 0.5, lambda g: tf.placeholder_with_default(g * 0.5, known)

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        (found,) = tf.gradients(halved(tf.tanh(x)) + 1.0, x)
        (at_once,) = tf.gradients(halved(x), x)
    assert found is not None and found.shape == [2, 3]
    assert at_once is not None and at_once.shape == [2, 3]


def test_a_registered_gradient_and_an_override() -> None:
    @tf.RegisterGradient("TestGuided")
    def guided(op: tf.Operation, grad: tf.Tensor) -> tf.Tensor:
        return tf.relu(grad) * tf.cast(op.inputs[0] > 0.0, tf.float32)

    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default() as graph:
        x = tf.constant([1.0, -1.0, 2.0])
        with graph.gradient_override_map({"Relu": "TestGuided"}):
            y = tf.relu(x)
        found = tf.gradients(y, x, grad_ys=[[-1.0, 1.0, 3.0]])
        assert session.run(found)[0].tolist() == [0.0, 0.0, 3.0]
    with pytest.raises(KeyError, match="registered already"):
        tf.RegisterGradient("TestGuided")(guided)


def test_recomputed_values_are_computed_twice_and_give_the_same_gradients() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [3])
        w = tf.placeholder(tf.float32, [3])

        def layer(t: tf.Tensor) -> tf.Tensor:
            return tf.tanh(tf.exp(t) * w)

        plain = tf.gradients(layer(x), [x, w])
        saved = tf.gradients(tf.recompute_grad(layer)(x), [x, w])
        feeds = {x: [0.1, 0.2, -0.3], w: [1.0, -2.0, 0.5]}
        for one, other in zip(session.run(plain, feeds), session.run(saved, feeds), strict=True):
            assert np.allclose(one, other)
        assert str(session.plan(saved)).count("Exp") == 2


def test_segments_that_share_a_weight_and_follow_each_other_give_the_plain_gradients() -> None:
    def layers(t: tf.Tensor, w: tf.Tensor) -> tf.Tensor:
        return tf.tanh(tf.matmul(tf.tanh(tf.matmul(t, w)), w))

    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default() as graph:
        x, w = tf.placeholder(tf.float64, [2, 2]), tf.placeholder(tf.float64, [2, 2])
        y = z = x
        for _ in range(3):
            y = layers(y, w)
            z = tf.recompute_grad(lambda t: layers(t, w))(z)
        plain, saved = tf.gradients(y, [x, w]), tf.gradients(z, [x, w])
        feeds = {x: [[0.1, 0.2], [0.3, -0.4]], w: [[0.5, -0.6], [0.7, 0.8]]}
        for one, other in zip(session.run(plain, feeds), session.run(saved, feeds), strict=True):
            assert np.allclose(one, other, rtol=1e-12)
        assert max(op.name.count("_grad") for op in graph.get_operations()) <= 3


def test_a_chain_of_recomputed_segments_keeps_little_memory() -> None:
    def peak(segments: int) -> int:
        with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
            x, w = tf.placeholder(tf.float32, [64, 64]), tf.placeholder(tf.float32, [64, 64])

            def layers(t: tf.Tensor) -> tf.Tensor:
                for _ in range(36 // segments):
                    t = tf.tanh(tf.matmul(t, w))
                return t

            y = x
            for _ in range(segments):
                y = layers(y) if segments == 1 else tf.recompute_grad(layers)(y)
            return session.memory(tf.gradients(y, [x, w])).peak

    assert peak(6) < peak(1) / 2


def _strings() -> object:
    return tf.gradients(tf.constant("a"), tf.placeholder(tf.float32, []))


def _other_graph() -> object:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
    return tf.gradients(tf.placeholder(tf.float32, []), x)


def _wrong_weight() -> object:
    x = tf.placeholder(tf.float32, [3])
    return tf.gradients(x * 2.0, x, grad_ys=[tf.zeros([2])])


def _wrong_count() -> object:
    @tf.custom_gradient
    def f(x: tf.Tensor, y: tf.Tensor) -> object:
        return x * y, lambda g: g

    x = tf.placeholder(tf.float32, [3])
    return tf.gradients(f(x, x), x)


def _complex() -> object:
    x = tf.placeholder(tf.complex64, [])
    return tf.gradients(x * x, x)


def _wrong_shape() -> object:
    @tf.custom_gradient
    def f(x: tf.Tensor) -> object:
        return x * 2.0, lambda g: tf.zeros([5])

    x = tf.placeholder(tf.float32, [3])
    return tf.gradients(f(x), x)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (_strings, "strings have no derivative"),
        (_other_graph, "must be from the same graph"),
        (_wrong_weight, "there is a weight for each element"),
        (_wrong_count, "gives 1 gradients for 2 arguments"),
        (_wrong_shape, "gives shape"),
        (lambda: tf.gradients(3.0, []), "give a tensor"),
        (_complex, "must set grad_ys"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_and_leaves_no_node(call: Callable[[], object], words: str) -> None:
    with tf.Graph().as_default() as graph, pytest.raises((TypeError, ValueError), match=words):
        call()
    assert not any(op.name.startswith("gradients") for op in graph.get_operations())


# ---- what has no derivative ---------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*only floats and complex numbers have gradients")
def test_ints_and_bools_among_xs_and_ys_have_no_gradient() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, i, b = tf.constant([1.0, 2.0]), tf.constant([1, 2]), tf.constant([True, False])
        words = tf.constant(["a"])
        y = tf.where(b, x, x * 2.0) * tf.cast(i, tf.float32)
        (slope, *others) = tf.gradients(y, [x, i, b, words])
        assert session.run(slope).tolist() == [1, 4] and others == [None] * 3
        assert tf.gradients([i * 2, x > 1.0], [x, i, b]) == [None] * 3
        assert tf.gradients(tf.cast(x, tf.int32), x) == [None]
        slope, of_i = tf.gradients([x * 3.0, i * 2, b], [x, i])
        assert session.run(slope).tolist() == [3, 3] and of_i is None
        zeros = tf.gradients(y, [i, b], unconnected_gradients="zero")
        assert [session.run(each).tolist() for each in zeros] == [[0, 0], [False, False]]
        assert tf.gradients(tf.cast(i, tf.float32) * x, tf.Variable(1)) == [None]
        (own,) = tf.gradients(i, i)  # TensorFlow's answer too
        assert session.run(own).tolist() == [1, 1] and session.run(tf.gradients(b, b)[0]).tolist() == [True, True]


@pytest.mark.filterwarnings("ignore:.*only floats and complex numbers have gradients")
def test_an_int_that_a_body_captures_has_no_gradient() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, i = tf.constant(2.0), tf.constant(3)
        y = tf.while_loop(lambda n, v: n < i, lambda n, v: (n + 1, v * x + tf.cast(i, tf.float32)), [0, x])[1]
        slope, none = tf.gradients(y, [x, i])
        assert none is None and float(session.run(slope)) == 4 * 8 + 3 * (2 * 2 + 1)
        y = tf.cond(x > 1.0, lambda: tf.cast(i, tf.float32) * x, lambda: x)
        slope, none = tf.gradients(y, [x, i])
        assert none is None and session.run(slope) == 3


def test_every_read_of_a_variable_adds_to_its_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(2.0)
        with tf.control_dependencies([v.assign_add(1.0)]):
            second = v.read_value()
        with tf.control_dependencies([second]):
            third = v.read_value()
        session.run(v.initializer)
        for y, slope in ((v * 3.0 + second * 5.0, 8.0), (second * 5.0 + third * 7.0, 12.0), (v * 3.0, 3.0)):
            assert session.run(tf.gradients(y, v)) == [slope]


def test_a_candidate_of_multiplex_that_is_given_twice_has_the_gradients_of_both_places() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, other = tf.placeholder(tf.float32, [3, 1]), tf.placeholder(tf.float32, [3, 1])
        y = tf.multiplex([x, other, x], [[2], [1], [0]]) * [[3.0], [5.0], [7.0]]
        slopes = session.run(tf.gradients(y, [x, other]), {x: np.zeros((3, 1)), other: np.zeros((3, 1))})
    assert [slope.ravel().tolist() for slope in slopes] == [[3.0, 0.0, 7.0], [0.0, 5.0, 0.0]]


@pytest.mark.parametrize("case", ["x", "one of xs", "y", "both"])
def test_a_gradient_of_ints_or_by_ints_warns_of_the_none(case: str) -> None:
    with tf.Graph().as_default():
        x, i = tf.constant([1.0, 2.0], name="x"), tf.constant([1, 2], name="i")
        y = tf.square(x) * tf.cast(i, tf.float32)
        ys, xs, named = {
            "x": (y, i, "xs[0] 'i:0' is int32"),
            "one of xs": (y, [x, i], "xs[1] 'i:0' is int32"),
            "y": (tf.cast(y, tf.int64, name="whole"), x, "ys[0] 'whole:0' is int64"),
            "both": (i * 2, i, "xs[0] 'i:0' is int32"),
        }[case]
        with pytest.warns(tf.MistakeWarning, match="only floats and complex numbers have gradients") as warned:
            assert tf.gradients(ys, xs)[-1] is None
        (warning,) = warned
        assert named in str(warning.message) and "tf.cast(t, tf.float32)" in str(warning.message)
        assert warning.filename == __file__
        assert tf.gradients(y, [i], unconnected_gradients="zero")[0] is not None, "asked for: no warning"
        assert tf.gradients(y, x)[0] is not None


def test_floats_that_are_not_connected_warn_of_nothing() -> None:
    with tf.Graph().as_default():
        x, apart = tf.constant([1.0]), tf.constant([2.0])
        assert tf.gradients(tf.square(x), apart) == [None]
