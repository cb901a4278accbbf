"""Bad input, faulty rules, interrupts and threads: each error says its cause, and no node is left behind."""

import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.declare.elementwise_gradient import attach_formulas

from ..interrupts import interrupted_at

pytestmark = pytest.mark.usefixtures("no_collector_callbacks")


def state_of(graph: tf.Graph) -> tuple[object, ...]:
    """What a failed call must leave as it was."""
    around = graph.surroundings
    names = [op.name for op in graph.get_operations()]
    free = graph.unique_name("gradients", False)
    return names, around.prefix, around.origins, around.device, dict(graph.own_gradients), free


def elsewhere(dtype: tf.DType = tf.float32) -> tf.Tensor:
    """A tensor of another graph."""
    with tf.Graph().as_default():
        return tf.placeholder(dtype, [3], name="other")


BAD: dict[str, tuple[Callable[[tf.Tensor, tf.Tensor], object], str]] = {
    "xs of another graph": (lambda y, x: tf.gradients(y, elsewhere()), "must be from the same graph"),
    "a weight of another graph": (lambda y, x: tf.gradients(y, x, elsewhere()), r"grad_ys\[0\] 'other:0' belongs to"),
    "a stop of another graph": (lambda y, x: tf.gradients(y, x, stop_gradients=elsewhere()), "stop_gradients"),
    "xs that are a name": (lambda y, x: tf.gradients(y, "x:0"), "give a tensor or a list of tensors"),
    "xs that are an operation": (lambda y, x: tf.gradients(y, x.op), "give a tensor or a list of tensors"),
    "xs that are an array": (lambda y, x: tf.gradients(y, np.ones(3)), "give a tensor or a list of tensors"),
    "ys of strings": (lambda y, x: tf.gradients(tf.constant("a"), x), "strings have no derivative"),
    "a weight of another shape": (lambda y, x: tf.gradients(y, x, [[1.0, 2.0]]), "there is a weight for each element"),
    "a weight that broadcasts": (lambda y, x: tf.gradients(y, x, [1.0]), "there is a weight for each element"),
    "a weight of another dtype": (
        lambda y, x: tf.gradients(y, x, tf.zeros([3], tf.float64)), "they must be of one dtype"),
    "rows of another dtype": (
        lambda y, x: tf.gradients(y, x, tf.IndexedSlices(tf.zeros([1], tf.float64), tf.constant([0]))), "of one dtype"),
    "a weight that is text": (lambda y, x: tf.gradients(y, x, ["abc"]), "Expected float32"),
    "too few weights": (lambda y, x: tf.gradients([y, y], x, [None]), "Passed 1 grad_ys for 2 ys"),
    "too many weights": (lambda y, x: tf.gradients(y, x, [None, None]), "Passed 2 grad_ys for 1 ys"),
    "a name that is a number": (lambda y, x: tf.gradients(y, x, name=5), "give a string"),  # type: ignore[arg-type]  # on purpose
    "a name with a blank": (lambda y, x: tf.gradients(y, x, name="a b"), "not a valid scope name"),
    "an unknown aggregation": (lambda y, x: tf.gradients(y, x, aggregation_method=7), "Invalid aggregation_method"),
    "an unknown word": (lambda y, x: tf.gradients(y, x, unconnected_gradients="?"), "it is 'none' or 'zero'"),
    "a tangent of another shape": (lambda y, x: tf.jvp(y, x, [1.0]), "how fast it moves"),
    "too many tangents": (lambda y, x: tf.jvp(y, [x], [x, x]), "2 tangents for 1 xs"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_and_leaves_the_graph_as_it_was(name: str) -> None:
    call, words = BAD[name]
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.sin(x) * 2.0
        before = state_of(graph)
        with pytest.raises((TypeError, ValueError), match=words):
            call(y, x)
        made = [op for op in graph.get_operations() if op.name not in before[0]]  # type: ignore[operator]  # names
        assert not any(op.name.startswith(("gradients", "jvp")) for op in made)
        assert len(made) <= 4  # what the arguments of the call make
        assert state_of(graph)[1:] == before[1:]


RULES: dict[str, tuple[Callable[..., Any], str]] = {
    "too many": (lambda op, g: (g, g), "gives 2 gradients for 1 inputs; a rule returns one for each input"),
    "another shape": (lambda op, g: tf.zeros([5]), r"gives shape \(5,\) for input 0.*Sum over the axes"),
    "another dtype": (lambda op, g: tf.cast(g, tf.float64), "gives float64 for input 0.*Write tf.cast"),
    "an object": (lambda op, g: object(), "gives <object .*a rule returns a tensor, an IndexedSlices or None"),
    "text": (lambda op, g: "g", "gives 'g' for input 0"),
    "a generator": (lambda op, g: (each for each in [g]), "gives <generator"),
    "a tensor of another graph": (lambda op, g: elsewhere(), "gives a tensor of <Graph .*Build it in the rule"),
    "another signature": (lambda g: g, r"does not take the arguments \(op, \*gradients\)"),
    "an error of its own": (lambda op, g: [][1], "list index out of range"),
    "an interrupt": (lambda op, g: (_ for _ in ()).throw(KeyboardInterrupt("stop")), "stop"),
}
for _label, (_rule, _) in RULES.items():
    tf.RegisterGradient(f"Faulty {_label}")(_rule)


@pytest.mark.parametrize("label", RULES)
def test_a_faulty_rule_is_named_with_its_node_and_leaves_the_graph_as_it_was(label: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with graph.gradient_override_map({"Exp": f"Faulty {label}"}):
            y = tf.tanh(tf.exp(tf.sin(x), name="faulty"))
        before = state_of(graph)
        with pytest.raises((TypeError, ValueError, IndexError, KeyboardInterrupt), match=RULES[label][1]) as caught:
            tf.gradients(y, x)
        if caught.type is not KeyboardInterrupt:
            assert "This is the gradient of 'faulty', Exp made at test_faults" in str(caught.value.__notes__)
        assert state_of(graph) == before


def model() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        hidden = tf.recompute_grad(lambda t: tf.tanh(t) * t)(x)
        y = tf.reduce_mean(tf.concat(1, [hidden, tf.gather(hidden, [0, 0, 1][:1] * 2)[:1] + hidden]), name="y")
    return graph, x, y


def test_an_interrupt_at_any_line_leaves_no_node_behind() -> None:
    graph, x, y = model()
    finished: list[bool] = []

    def build() -> list[Any]:
        finished.clear()
        slopes = tf.gradients(y, x)
        finished.append(True)
        return slopes

    another, other_x, other_y = model()
    with another.as_default():
        tf.gradients(other_y, other_x)
    whole = [op.name for op in another.get_operations()]
    before = state_of(graph)
    line = 1
    while interrupted_at(line, build) and not finished:
        if state_of(graph) != before:  # in the few lines between the last node and the end of the call
            assert [op.name for op in graph.get_operations()] == whole, line
            assert state_of(graph)[1:5] == before[1:5], line
            break
        line += 97
    assert line > 3000
    (slope,) = build()
    assert slope.name.startswith("gradients_1/")  # the loop ended with a call whose nodes are all there


def test_an_interrupt_while_formulas_are_compiled_leaves_none_out() -> None:
    _, _, y = model()
    op: Any = types.SimpleNamespace(type="Two", gradient=lambda text: lambda rule: rules.append(rule))
    rules: list[Any] = []
    reads = iter([None, KeyboardInterrupt()])

    class Ops:
        def __getattr__(self, name: str) -> Any:
            if (error := next(reads, None)) is not None:
                raise error
            return abs

    attach_formulas(op, ["abs(g)", "abs(g)"], ["x", "y"])
    (rule,) = rules
    with pytest.raises(KeyboardInterrupt):
        rule(Ops(), y.op, y)
    assert len(rule(Ops(), y.op, y)) == 2


def test_threads_build_gradients_in_one_graph_while_others_fail() -> None:
    graph = tf.Graph()
    with graph.as_default():
        xs = [tf.placeholder(tf.float32, [3], name=f"x{number}") for number in range(6)]
    found: dict[int, list[tf.Tensor]] = {}
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(5):
                with graph.as_default(), tf.name_scope(f"thread{number}"):
                    y = tf.sin(xs[number]) * tf.exp(xs[number])
                    found.setdefault(number, []).append(tf.gradients(y, xs[number])[0])
                    with pytest.raises(ValueError, match="weight for each element"):
                        tf.gradients(y, xs[number], grad_ys=[[1.0]])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    names = [op.name for op in graph.get_operations()]
    assert len(set(names)) == len(names)
    value = np.array([0.1, 0.2, -0.3], np.float32)
    with tf.Session(graph=graph) as session:
        for number, slopes in found.items():
            assert all(slope.name.startswith(f"thread{number}") for slope in slopes)
            for got in session.run(slopes, {xs[number]: value}):
                assert np.allclose(got, np.exp(value) * (np.sin(value) + np.cos(value)))
