"""Graphs inside ops: what is built, what is captured, what is refused, and which facts of the holder follow."""

from __future__ import annotations

import pytest

import penstock as tf
from penstock import extend
from penstock.errors import GraphError
from penstock.graph.building.capturing import InnerGraph
from penstock.graph.building.may_fail import why_it_may_fail
from penstock.graph.declare.effects import effects_of
from penstock.graph.model.nesting import within
from penstock.graph.model.subgraph import DEEPEST, SubGraph, bodies_of

from ..holders import COUNTING, call, call_op, count_up, either


def placeholder(name: str, size: int | str | None = 3) -> tf.Tensor:
    return tf.placeholder(tf.float32, [size], name=name)


def body_of(outputs: list[tf.Tensor]) -> SubGraph:
    return bodies_of(outputs[0].op)[0]


# ---- building -----------------------------------------------------------------------------------


def test_a_body_is_one_node_whose_inner_names_carry_its_scope() -> None:
    with tf.Graph().as_default() as graph:
        x = placeholder("x")
        with tf.name_scope("tower"):
            y = call(lambda a: tf.add(a, 1.0, name="sum"), [x], name="loop")
    assert [op.name for op in graph.get_operations()] == ["x", "tower/loop"]
    body = body_of(y)
    assert [op.name for op in body.operations] == ["tower/loop/body/sum/y", "tower/loop/body/sum"]
    assert [t.name for t in body.inputs] == ["tower/loop/body/a:0"]
    assert y[0].shape.raw == (3,)


def test_sizes_of_operands_are_those_of_inner_tensors() -> None:
    with tf.Graph().as_default():
        x, w = placeholder("x", None), placeholder("w", "batch")
        y, z = call(lambda a: (a * 2.0, tf.concat(0, [w, w])), [x])
    assert y.shape.raw == x.shape.raw
    assert str(z.shape) == "(2*batch,)"


def test_what_the_function_uses_from_outside_is_captured_once_and_becomes_an_operand() -> None:
    with tf.Graph().as_default():
        x, w = placeholder("x"), placeholder("w")
        y = call(lambda a: a * w + tf.concat(0, [w, a])[:3], [x])
    body = body_of(y)
    assert body.captures == (w,)
    assert y[0].op.inputs == (x, w)
    assert [t.name for t in body.inputs] == ["call/body/a:0", "call/body/w:0"]


def test_captures_come_through_every_kind_of_argument() -> None:
    with tf.Graph().as_default():
        w, n = placeholder("w"), tf.placeholder(tf.int32, [], name="n")

        def everything() -> list[tf.Tensor]:
            return [
                tf.pack([w, w]), tf.convert_to_tensor([n, 1]), w[n], 1.0 - w, tf.concat(0, [w]), tf.identity(w),
                tf.reduce_logsumexp(w), tf.reshape(w, [n, -1]), w,
            ]  # fmt: skip

        found = call(everything, [])
    assert set(found[0].op.inputs) == {w, n}
    assert len(found) == 9


def test_a_body_inside_a_body_captures_through_both() -> None:
    with tf.Graph().as_default():
        x, w = placeholder("x"), placeholder("w")
        y = call(lambda a: call(lambda b: b * w, [a], name="inner"), [x], name="outer")
    outer = body_of(y)
    (holder,) = [op for op in outer.operations if op.type == "TestCall"]
    inner = bodies_of(holder)[0]
    assert outer.captures == (w,)
    assert inner.captures == (outer.inputs[1],)
    assert [op.name for op in within([y[0].op])] == ["outer", "outer/body/inner", "outer/body/inner/body/mul"]
    assert outer.depth == 2


def test_bodies_of_one_op_have_the_captures_of_all() -> None:
    with tf.Graph().as_default():
        p, x, v, w = tf.placeholder(tf.bool, []), placeholder("x"), placeholder("v"), placeholder("w")
        y = either(p, lambda a: a * v, lambda a: a + w, [x])
    yes, no = bodies_of(y[0].op)
    assert y[0].op.inputs == (p, x, v, w)
    assert yes.captures == no.captures == (v, w)
    assert [t.name for t in no.inputs] == ["either/no/a:0", "either/no/v:0", "either/no/w:0"]


def test_a_body_without_operands_gets_inputs_for_the_captures_of_the_other() -> None:
    with tf.Graph().as_default():
        p, v = tf.placeholder(tf.bool, []), placeholder("v")
        y = either(p, lambda: v, lambda: tf.zeros([3]))
        call(lambda: None, [])
    assert y[0].op.inputs == (p, v)
    assert len(bodies_of(y[0].op)[1].inputs) == 1


def test_what_no_result_needs_is_not_in_the_body_whatever_its_effect() -> None:
    with tf.Graph().as_default():
        x, w = placeholder("x"), placeholder("w")

        def function(a: tf.Tensor) -> tf.Tensor:
            tf.exp(w, name="unused")
            count_up(a, name="noted")
            return tf.exp(a, name="used")

        body = body_of(call(function, [x]))
    assert [op.type for op in body.operations] == ["Exp"]
    assert body.targets == body.captures == ()


def test_an_effect_that_a_result_waits_for_is_in_the_body() -> None:
    with tf.Graph().as_default():
        x = placeholder("x")

        def function(a: tf.Tensor) -> tf.Tensor:
            with tf.control_dependencies([count_up(a)]):
                return tf.exp(a)

        body = body_of(call(function, [x]))
    assert [op.type for op in body.operations] == ["TestCountUp", "Exp"] and not body.effects.is_pure


def test_inner_nodes_stand_on_the_device_of_the_outer_block_and_not_behind_its_control_inputs() -> None:
    with tf.Graph().as_default():
        x = placeholder("x")
        with tf.device("/cpu:0"), tf.control_dependencies([x]):
            y = call(lambda a: tf.exp(a), [x])
    (inner,) = body_of(y).operations
    assert inner.device == "/device:CPU:0"
    assert inner.control_inputs == ()


# ---- refusing -----------------------------------------------------------------------------------


def test_a_function_that_fails_leaves_the_outer_graph_as_it_was() -> None:
    with tf.Graph().as_default() as graph:
        x = placeholder("x")
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            extend.subgraph(lambda a: tf.add(a, [1.0, 2.0]), [x, 1.0][:1])
        assert len(graph) == 1
        assert extend.subgraph(lambda a: tf.exp(a), [x]).name == "body"
    assert tf.get_default_graph() is not graph


def test_a_call_that_fails_inside_captures_nothing() -> None:
    with tf.Graph().as_default():
        x, w = placeholder("x"), placeholder("w", 2)

        def function(a: tf.Tensor) -> tf.Tensor:
            with pytest.raises(ValueError, match="Dimensions must be equal"):
                tf.add(a, w)
            graph = a.graph
            assert isinstance(graph, InnerGraph)
            assert graph.captured == {}
            return tf.exp(a)

        assert call(function, [x])[0].op.inputs == (x,)


def test_a_tensor_of_an_unrelated_graph_is_refused_inside_a_body_too() -> None:
    with tf.Graph().as_default():
        stranger = placeholder("s")
    with tf.Graph().as_default():
        x = placeholder("x")
        with pytest.raises(GraphError, match=r"same graph|one graph"):
            call(lambda a: a + stranger, [x])
        with pytest.raises(GraphError, match="one graph"):
            call(lambda a: tf.exp(stranger), [x])
        with pytest.raises(GraphError, match="returned 's:0'"):
            call(lambda a: stranger, [x])


@pytest.mark.parametrize("used", [tf.exp, lambda t: tf.add(1.0, t), lambda t: tf.pack([t, t]), lambda t: t + 1.0])
def test_an_inner_tensor_is_refused_outside_with_the_cure(used: object) -> None:
    leaked: list[tf.Tensor] = []
    graph = tf.Graph()
    with graph.as_default():
        x = placeholder("x")
        call(lambda a: leaked.append(tf.exp(a)) or a, [x])  # type: ignore[func-returns-value]  # append gives None
        with pytest.raises(GraphError, match="Return it from the function"):
            used(leaked[0])  # type: ignore[operator]  # one of the functions above
        with pytest.raises(GraphError, match="Return it from the function"):
            call(lambda b: b + leaked[0], [x])
    with pytest.raises(GraphError, match="Return it from the function"):
        used(leaked[0])  # type: ignore[operator]  # one of the functions above
    assert len(graph) == 2


def test_an_inner_tensor_is_neither_fetched_nor_fed() -> None:
    with tf.Graph().as_default() as graph:
        x = placeholder("x")
        y = call(lambda a: call(lambda b: tf.exp(b, name="deep"), [a], name="in"), [x])
        session = tf.Session()
        deep = bodies_of(body_of(y).operations[0])[0].outputs[0]
        assert deep.name == "call/body/in/body/deep:0"
        for wanted in (deep, deep.name, deep.op, deep.op.name):
            with pytest.raises(ValueError, match="Return it from the function"):
                session.run(wanted)
        for wanted in (deep, deep.name):
            with pytest.raises(TypeError, match="Return it from the function"):
                session.run(y, {wanted: [1.0, 2.0, 3.0]})
        with pytest.raises(ValueError, match="is inside the body of 'call', a graph of its own"):
            graph.get_tensor_by_name(deep.name)


def test_a_placeholder_inside_a_body_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(GraphError, match="where nothing can be fed"):
        call(lambda: placeholder("p"), [])


def test_bodies_are_nested_to_a_limit() -> None:
    def nested(levels: int) -> tf.Tensor:
        return tf.zeros([1]) if levels == 0 else call(lambda: nested(levels - 1), [])[0]

    with tf.Graph().as_default():
        assert body_of([nested(DEEPEST)]).depth == DEEPEST
        with pytest.raises(GraphError, match=f"{DEEPEST + 1} bodies deep"):
            nested(DEEPEST + 1)


def test_an_attribute_that_is_a_graph_takes_nothing_else() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="body must be a SubGraph, not function"):
        call_op([placeholder("x")], lambda a: a)  # type: ignore[arg-type]  # that is the point


def test_an_op_with_a_graph_needs_the_list_that_its_inputs_stand_for() -> None:
    with pytest.raises(TypeError, match="'operands' is not one"):

        @extend.op("TestWithout")
        def without(x: extend.T, body: extend.Body, name: str | None = None) -> extend.Tensor:  # type: ignore[empty-body]  # as all ops
            """No list of operands."""


# ---- facts --------------------------------------------------------------------------------------


def test_the_effects_of_a_holder_are_those_inside_however_deep() -> None:
    with tf.Graph().as_default():
        x = placeholder("x")
        p = tf.placeholder(tf.bool, [])
        quiet = call(lambda a: tf.exp(a), [x])[0].op
        loud = either(p, lambda a: a, lambda a: call(lambda b: count_up(b), [a]), [x])[0].op
    assert effects_of(quiet).is_pure
    assert effects_of(quiet).may_merge
    assert not effects_of(quiet).may_fold
    assert not effects_of(quiet).may_evaluate
    assert str(effects_of(loud)) == str(COUNTING)
    assert not effects_of(loud).may_drop


def test_a_holder_may_fail_where_something_inside_may() -> None:
    with tf.Graph().as_default():
        x, n = placeholder("x"), tf.placeholder(tf.int32, [3], name="n")
        safe = call(lambda a: tf.exp(a), [x])[0].op
        unsafe = call(lambda a: call(lambda b: 7 // b, [a]), [n])[0].op
    assert why_it_may_fail(safe) is None
    assert "call_1/body/call/body" in (why_it_may_fail(unsafe) or "")


# ---- what can be seen of it ---------------------------------------------------------------------


def nested(factor: float) -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = placeholder("x")
        w = tf.constant(2.0, name="w")
        call(lambda a: call(lambda b: tf.multiply(b, factor, name="m") * w, [a], name="in"), [x], name="out")
    return graph


def test_a_summary_has_the_nodes_of_a_body_below_its_op_indented() -> None:
    rows = [row[:45].split() for row in nested(3.0).summary().splitlines()]
    assert [row[:2] for row in rows[1:]] == [
        ["x", "Placeholder"], ["w", "Const"], ["out", "TestCall"], ["out/body/in", "TestCall"],
        ["out/body/in/body/m/y", "Const"], ["out/body/in/body/m", "Mul"], ["out/body/in/body/mul", "Mul"],
    ]  # fmt: skip
    indents = [len(row) - len(row.lstrip()) for row in nested(3.0).summary().splitlines()[1:]]
    assert indents == [0, 0, 0, 2, 4, 4, 4]
    assert len(nested(3.0).summary("out/body/in").splitlines()) == 5


def test_graphs_are_compared_inside_too() -> None:
    before, after = nested(3.0), nested(4.0)
    assert not before.diff(nested(3.0))
    assert str(before.diff(after)) == "~ out/body/in/body/m/y  Const\n    value: 3.0 -> 4.0"
    with tf.Graph().as_default() as other:
        x, _ = placeholder("x"), tf.constant(2.0, name="w")
        call(lambda a: tf.exp(a, name="e"), [x], name="out")
    lines = str(before.diff(other)).splitlines()
    assert lines[0] == "~ out  TestCall"
    assert "    inputs: x:0, w:0 -> x:0" in lines
    assert "    body: (out/body/a:0, out/body/w:0) -> out/body/in:0 -> (out/body/a:0) -> out/body/e:0" in lines
    assert "- out/body/in  TestCall  float32 (3,)" in lines
    assert "+ out/body/e  Exp  float32 (3,)" in lines


def test_why_a_size_is_unknown_is_told_of_what_lost_it_inside() -> None:
    with tf.Graph().as_default():
        x, n = tf.placeholder(tf.float32, [4], name="x"), tf.placeholder(tf.int32, [4], name="n")

        def function(a: tf.Tensor) -> tf.Tensor:
            return tf.exp(call(lambda b: tf.dynamic_partition(b, n, 2, name="split")[0], [a], name="in")[0])

        (y,) = call(function, [x])
        (kept,) = call(lambda a: tf.exp(a), [tf.placeholder(tf.float32, [None], name="open")])
        (rank,) = call(lambda a: tf.reshape(a, tf.placeholder_with_default(n, None), name="flat"), [x])
    (reason,) = tf.why_unknown(y)
    assert [t.name for t in reason.path] == [
        "call:0", "call/body/Exp:0", "call/body/in:0", "call/body/in/body/split:0",
    ]  # fmt: skip
    (reason,) = tf.why_unknown(kept)
    assert [t.name for t in reason.path] == ["call_1:0", "open:0"]
    inner = bodies_of(kept.op)[0].outputs[0]
    assert [t.name for t in tf.why_unknown(inner)[0].path] == ["call_1/body/Exp:0", "call_1/body/a:0", "open:0"]
    assert [t.name for t in tf.why_unknown(rank)[0].path] == ["call_2:0", "call_2/body/PlaceholderWithDefault:0"]
