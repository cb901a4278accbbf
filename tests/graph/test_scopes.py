"""`with` blocks: devices, control dependencies, the default graph. Each holds inside its block and thread only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import penstock as tf

from ..helpers import in_thread

# ---- devices ----------------------------------------------------------------------------------------


def test_the_innermost_device_decides_and_none_asks_for_none() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1)
        with tf.device("/gpu:0"):
            b = tf.constant(1)
            with tf.device("/cpu:0"):
                c = tf.constant(1)
            with tf.device(None):
                d = tf.constant(1)
            e = tf.constant(1)
    assert [t.device for t in (a, b, c, d, e)] == ["", "/device:GPU:0", "/device:CPU:0", "", "/device:GPU:0"]
    assert b.op.device == b.device


def test_constants_made_for_an_argument_stand_on_the_same_device() -> None:
    with tf.Graph().as_default() as g, tf.device("/cpu:1"):
        tf.add(tf.constant(1.0), 2.0)
    assert {op.device for op in g.get_operations()} == {"/device:CPU:1"}


@pytest.mark.parametrize("bad", [3, ["/gpu:0"], b"/gpu:0"])
def test_a_device_that_is_no_name_is_a_type_error(bad: object) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"a device is a name such as '/gpu:0', a tf\."):
        tf.device(bad)  # type: ignore[arg-type]  # refused, which is the test


NO_DEVICES = [
    ("/gpuu:0", r"Unknown attribute 'gpuu' is encountered while parsing the device spec: .* Did you mean '/gpu:0'\?"),
    ("xpu:0", r"Unknown attribute 'xpu' .* one of another kind '/device:KIND:0'"),
    ("cpu0", "Unknown attribute 'cpu0'"),
    (" /cpu:0", "Unknown attribute ' '"),
    ("/cpu 0", "Unknown attribute 'cpu 0'"),
    ("/gpu:0:1", "'gpu:0:1' has no number where one belongs; write '/gpu:0'"),
    ("/gpu:x", "'gpu:x' has no number where one belongs; write '/gpu:0'"),
    ("/task:x", "Unknown attribute 'task'"),
    ("/job:a/b", "Unknown attribute 'b'"),
    ("/cpu:0/gpu:0", "Multiple device types are not allowed: cpu:0 and gpu:0"),
]


@pytest.mark.parametrize(("text", "words"), NO_DEVICES)
def test_a_text_that_names_no_device_is_refused_by_the_call(text: str, words: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32)
        with pytest.raises(ValueError, match=words):
            tf.device(text)
        count = len(graph)
        with tf.device(lambda op: text), pytest.raises(ValueError, match=f"{words}.*a device function gave it for 'Ab"):
            tf.abs(x)
        assert len(graph) == count


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("/gpu:0", "/device:GPU:0"),
        ("gpu", "/device:GPU:*"),
        ("/GPU:*", "/device:GPU:*"),
        ("/device:GPU:0", "/device:GPU:0"),
        ("/job:a/replica:0/task:1/device:CPU:0", "/job:a/replica:0/task:1/device:CPU:0"),
        ("/job:worker", "/job:worker"),
        ("/task:0", "/task:0"),
        ("tpu:0", "/device:TPU:0"),
        ("/device:XPU:7", "/device:XPU:7"),
        ("/device:xpu:7", "/device:xpu:7"),
        ("//cpu:0", "/device:CPU:0"),
        ("/cpu:0/", "/device:CPU:0"),
        ("/", ""),
        ("", ""),
    ],
)
def test_a_device_is_named_as_in_tensorflow_and_has_one_form(text: str, form: str) -> None:
    with tf.Graph().as_default(), tf.device(text):
        assert tf.constant(1).device == form


def test_a_device_function_names_the_device_of_each_operation_and_may_leave_it_to_the_block_around() -> None:
    def heavy(op: tf.Operation) -> str | None:
        return "/gpu:0" if op.type == "MatMul" else None

    with tf.Graph().as_default():
        m = tf.ones([2, 2])
        with tf.device("/cpu:0"), tf.device(lambda op: "/gpu:1" if op.type == "Neg" else None), tf.device(heavy):
            found = [t.device for t in (tf.matmul(m, m), tf.negative(m), tf.exp(m))]
            assert found == ["/device:GPU:0", "/device:GPU:1", "/device:CPU:0"]
            with tf.device(None):
                assert tf.matmul(m, m).device == ""
        assert tf.exp(m).device == ""


def test_a_device_function_that_fails_leaves_no_node() -> None:
    with tf.Graph().as_default() as graph:
        m = tf.ones([2, 2])
        count = len(graph.get_operations())
        words = r"for 'Exp' the function gave 3; it gives a name such as '/gpu:0'"
        wrong: Any = lambda op: 3  # noqa: E731  # no name of a device
        with tf.device(wrong), pytest.raises(TypeError, match=words):
            tf.exp(m)
        assert len(graph.get_operations()) == count
        assert tf.exp(m).name == "Exp:0"


# ---- control dependencies ---------------------------------------------------------------------------


def test_control_dependencies_nest_and_none_forgets_them() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
        with tf.control_dependencies([a]):
            one = tf.constant(0)
            with tf.control_dependencies([b.op]):
                both = tf.constant(0)
                with tf.control_dependencies(None):
                    none = tf.constant(0)
                    with tf.control_dependencies([b]):
                        only_b = tf.constant(0)
            again = tf.constant(0)
        after = tf.constant(0)
    found = [tuple(c.name for c in t.op.control_inputs) for t in (one, both, none, only_b, again, after)]
    assert found == [("a",), ("a", "b"), (), ("b",), ("a",), ()]


def test_control_inputs_are_given_by_tensor_operation_or_name() -> None:
    with tf.Graph().as_default():
        a, b, c = (tf.constant(0, name=n) for n in "abc")
        with tf.control_dependencies([a, b.op, "c"]):
            d = tf.constant(0)
    assert d.op.control_inputs == (a.op, b.op, c.op)


def test_an_operation_named_twice_is_waited_for_once() -> None:
    with tf.Graph().as_default():
        a = tf.constant(0)
        with tf.control_dependencies([a, a.op]), tf.control_dependencies([a]):
            b = tf.constant(0)
    assert b.op.control_inputs == (a.op,)


def test_an_input_is_not_a_control_input_as_well() -> None:
    with tf.Graph().as_default():
        a = tf.constant(0)
        with tf.control_dependencies([a]):
            b = tf.add(a, a)
    assert b.op.control_inputs == ()
    assert b.op.inputs == (a, a)


def test_control_inputs_of_another_graph_or_kind_are_refused() -> None:
    with tf.Graph().as_default():
        a = tf.constant(0, name="a")
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="not an element of this graph"):
            tf.control_dependencies([a])
        with pytest.raises(TypeError, match=r"3 is of type int; expected a Tensor or an Operation"):
            tf.control_dependencies([3])


def test_group_waits_for_all_its_inputs() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(0, name="a"), tf.constant(0, name="b")
        both = tf.group(a, b.op, name="both")
    assert both.name == "both"
    assert {c.name for c in both.control_inputs} == {"a", "b"}
    assert both.outputs == ()


# ---- the default graph ------------------------------------------------------------------------------


def test_default_graphs_nest() -> None:
    outer, inner = tf.Graph(), tf.Graph()
    with outer.as_default():
        with inner.as_default():
            assert tf.get_default_graph() is inner
        assert tf.get_default_graph() is outer
        assert tf.constant(1).graph is outer


def test_outside_of_blocks_a_call_with_tensors_adds_to_their_graph() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0)
    assert in_thread(lambda: [tf.add(x, x).graph, (x + 1.0).graph, tf.add(1.0, [x, x]).graph]) == [g, g, g]
    session = tf.InteractiveSession(graph=tf.Graph())  # a default for long is no block around the call
    assert tf.add(x, 1.0).graph is g and len(session.graph) == 0
    session.close()


ON_A_TENSOR_OF_ANOTHER_GRAPH: dict[str, Callable[[tf.Tensor], Any]] = {
    "an op": lambda x: tf.add(x, x),
    "an op with a constant": lambda x: tf.add(1.0, x),
    "a list": lambda x: tf.add(1.0, [x, x]),
    "an operator": lambda x: 1.0 - x,
    "an index": lambda x: x[..., None],
    "a conversion": lambda x: tf.convert_to_tensor([x, x]),
    "a composite": lambda x: tf.clip_by_value(x, 0.0, 1.0),
    "two steps": lambda x: tf.div(2.0, x),
    "a sparse tensor": lambda x: tf.SparseTensor([[0]], tf.reshape(x, [1]), [4]),
    "a group": lambda x: tf.group(x.op),
    "a scope for it": lambda x: tf.name_scope("s", values=[x]),
}


@pytest.mark.parametrize("what", ON_A_TENSOR_OF_ANOTHER_GRAPH)
def test_inside_of_another_graphs_block_a_tensor_is_refused(what: str) -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0, name="x")
        inner = tf.Graph()
        with inner.as_default(), pytest.raises(tf.errors.GraphError) as e:
            ON_A_TENSOR_OF_ANOTHER_GRAPH[what](x)
        assert str(g) in str(e.value) and str(inner) in str(e.value)
        assert "with x.graph.as_default()" in str(e.value)
        assert len(g) == 1 and len(inner) == 0
        with inner.as_default(), g.as_default():
            ON_A_TENSOR_OF_ANOTHER_GRAPH[what](x)


def test_inside_of_a_sessions_block_a_tensor_of_another_graph_is_refused() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
    with tf.Session(graph=tf.Graph()), pytest.raises(tf.errors.GraphError, match="belongs to"):
        tf.add(x, x)


def test_each_thread_has_default_graphs_of_its_own() -> None:
    with tf.Graph().as_default() as g:
        seen = in_thread(tf.get_default_graph)
        assert seen is not g
        assert tf.get_default_graph() is g


def test_devices_and_control_dependencies_are_per_thread() -> None:
    g = tf.Graph()
    with g.as_default():
        a = tf.constant(0)
    made: list[tf.Tensor] = []
    ready, go = threading.Event(), threading.Event()

    def elsewhere() -> None:
        with g.as_default():
            ready.set()
            go.wait(60)
            made.append(tf.constant(1))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    ready.wait(60)
    with g.as_default(), tf.device("/gpu:0"), tf.control_dependencies([a]):
        go.set()
        thread.join(60)
    assert (made[0].device, made[0].op.control_inputs) == ("", ())


def test_many_threads_may_build_one_graph_at_once() -> None:
    g = tf.Graph()

    def build() -> None:
        with g.as_default():
            x = tf.constant(0.0, name="x")
            for _ in range(50):
                x = tf.add(x, 1.0, name="x")

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    operations = g.get_operations()
    assert len(operations) == 4 * 101
    assert len({op.name for op in operations}) == len(operations)
    assert [op.index for op in operations] == list(range(len(operations)))
    assert all(t.op.index < op.index for op in operations for t in op.inputs)


def test_reset_default_graph_gives_a_new_empty_one_but_not_inside_a_block() -> None:
    def reset() -> None:
        first = tf.get_default_graph()
        tf.constant(1)
        tf.reset_default_graph()
        second = tf.get_default_graph()
        assert second is not first
        assert len(second) == 0
        with second.as_default(), pytest.raises(ValueError, match="call it outside of every such block"):
            tf.reset_default_graph()

    in_thread(reset)


def test_a_graph_is_no_context_manager_and_says_what_is() -> None:
    with pytest.raises(TypeError, match=r"with graph\.as_default"), tf.Graph():
        pass


def test_blocks_that_end_in_the_wrong_order_are_told() -> None:
    outer, inner = tf.Graph().as_default(), tf.Graph().as_default()
    before = tf.get_default_graph()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert tf.get_default_graph() is before  # both are closed then
    with pytest.raises(ValueError, match="must end in the reverse order"):
        inner.__exit__(None, None, None)
    assert tf.get_default_graph() is before


@pytest.mark.parametrize("given", [3, "first"])
def test_control_inputs_that_are_no_list_are_refused_with_the_brackets_to_write(given: Any) -> None:
    with tf.Graph().as_default():
        first = tf.constant([1, 2], name="first")
        for each in (given, first):
            with pytest.raises(TypeError, match=r"not a list of operations and tensors; write \[\.\.\.\] around it"):
                tf.control_dependencies(each)


def test_what_is_built_in_an_init_scope_is_built_outside_once() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        first = tf.constant(1.0, name="first")
        built: list[tf.Tensor] = []

        def body(i: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            with tf.control_dependencies([first]), tf.init_scope():
                built.append(tf.constant(3.0, name="three"))
            return i + 1, x * built[-1]

        result = tf.while_loop(lambda i, x: i < 3, body, (0, 1.0))[1]
        assert built[-1].graph is graph and built[-1].op.control_inputs == ()
        assert session.run(result) == 27.0
