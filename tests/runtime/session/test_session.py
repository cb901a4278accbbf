"""Running: nested fetches, feeding anything, results that belong to the caller, sessions and threads."""

from __future__ import annotations

import collections
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.session.plan_cache import PlanCache

from ...helpers import Counter, in_thread, op_of, plans_of

F32 = np.float32


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def session(graph: tf.Graph) -> Iterator[tf.Session]:
    with tf.Session(graph=graph) as s:
        yield s


# ---- the structure of what is fetched ---------------------------------------------------------------


class Pair(NamedTuple):
    """A namedtuple of the user's own."""

    first: Any
    second: Any


def test_results_come_back_in_the_structure_that_was_fetched(session: tf.Session) -> None:
    a, b = tf.constant(1), tf.constant([2, 3])
    done = tf.no_op()
    fetched = {"list": [a, (b, done)], "pair": Pair(a, {"x": [b]}), "name": "Const:0", "empty": [(), {}, []]}
    found = session.run(fetched)
    assert list(found) == ["list", "pair", "name", "empty"]
    assert found["list"][0] == 1
    assert isinstance(found["list"][1], tuple)
    assert found["list"][1][0].tolist() == [2, 3]
    assert found["list"][1][1] is None
    assert isinstance(found["pair"], Pair)
    assert found["pair"].first == 1
    assert found["pair"].second["x"][0].tolist() == [2, 3]
    assert found["name"] == 1
    assert found["empty"] == [(), {}, []]


def test_ordered_and_default_dicts_keep_their_kind_and_order(session: tf.Session) -> None:
    a, b = tf.constant(1), tf.constant(2)
    ordered = session.run(collections.OrderedDict([("z", a), ("y", b)]))
    assert isinstance(ordered, collections.OrderedDict)
    assert list(ordered.items()) == [("z", 1), ("y", 2)]
    with_default = session.run(collections.defaultdict(list, {"k": a}))
    assert with_default == {"k": 1}
    assert isinstance(with_default, collections.defaultdict)


def test_names_of_tensors_and_operations_are_fetched(session: tf.Session) -> None:
    with tf.name_scope("scope"):
        tf.constant([1, 2], name="c")
    assert session.run("scope/c:0").tolist() == [1, 2]
    assert session.run("scope/c") is None
    assert session.run(["scope/c:0", "scope/c"])[1] is None


def test_an_operation_gives_none_and_runs(session: tf.Session) -> None:
    count = Counter()
    with op_of(count, stateful=True) as counted:
        t = counted(tf.placeholder_with_default(1.0, []))
        assert session.run(t.op) is None
        assert session.run([t.op, t.op]) == [None, None]
    assert count.calls == 2


def test_the_same_tensor_fetched_twice_is_computed_once_and_returned_twice(session: tf.Session) -> None:
    count = Counter()
    with op_of(count, stateful=True) as counted:
        t = counted(tf.placeholder_with_default([1.0], [1]))
        first, second = session.run([t, t])
    assert count.calls == 1
    assert not np.shares_memory(first, second)
    assert first.tolist() == second.tolist() == [1]


def test_sparse_tensors_are_fetched_and_fed_whole(session: tf.Session) -> None:
    indices = tf.placeholder(tf.int64, [None, 2])
    values = tf.placeholder(tf.float32, [None])
    sparse = tf.SparseTensor(indices, values, tf.placeholder(tf.int64, [2]))
    value = tf.SparseTensorValue([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])
    found = session.run({"s": sparse, "sum": tf.reduce_sum(sparse.values)}, {sparse: value})
    assert isinstance(found["s"], tf.SparseTensorValue)
    assert found["s"].indices.tolist() == [[0, 1], [1, 2]]
    assert found["s"].values.dtype == F32
    assert found["s"].dense_shape.tolist() == [2, 3]
    assert found["sum"] == 11
    with pytest.raises(TypeError, match="is fed a SparseTensorValue or a triple"):
        session.run(sparse, {sparse: 3})


@pytest.mark.parametrize("bad", [None, 3, [None], {"a": 1.5}, np.zeros(2), [[object()]]])
def test_what_cannot_be_fetched_is_a_type_error(session: tf.Session, bad: Any) -> None:
    with pytest.raises(TypeError, match="a fetch is a tensor, an operation, a name"):
        session.run(bad)


def test_a_name_that_is_not_in_the_graph_is_a_value_error_with_the_nearest(session: tf.Session) -> None:
    tf.constant(1, name="weights")
    with pytest.raises(ValueError, match=r"'weight:0' cannot be run: .*did you mean 'weights'"):
        session.run("weight:0")


def test_a_tensor_of_another_graph_cannot_be_fetched_or_fed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [])
    with tf.Graph().as_default():
        foreign = tf.constant(1.0)
    with pytest.raises(ValueError, match=r"not an element of this graph"):
        session.run(foreign)
    with pytest.raises(ValueError, match=r"Cannot interpret feed_dict key .* as Tensor.*not an element of this graph"):
        session.run(x, {foreign: 1})


# ---- values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, np.int32), (1.5, np.float32), (True, np.bool_), (1j, np.complex128), ("text", bytes), (b"\xff", bytes)],
)
def test_a_scalar_comes_as_a_numpy_scalar_and_a_string_as_bytes(session: tf.Session, value: Any, kind: type) -> None:
    found = session.run(tf.constant(value))
    assert type(found) is kind
    assert found == (value.encode() if isinstance(value, str) else value)


def test_strings_come_as_object_arrays_of_bytes(session: tf.Session) -> None:
    found = session.run(tf.constant([["a", "é"]]))
    assert found.dtype == object
    assert found.tolist() == [[b"a", "é".encode()]]


def test_bfloat16_comes_in_its_own_dtype(session: tf.Session) -> None:
    found = session.run(tf.constant([1.5, 2.5], tf.bfloat16) + 1)
    assert found.dtype == tf.bfloat16.as_numpy_dtype
    assert found.astype(float).tolist() == [2.5, 3.5]


# ---- a result belongs to the caller -----------------------------------------------------------------

VIEWS: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "itself": lambda x: x,
    "identity": tf.identity,
    "transpose": tf.transpose,
    "reshape": lambda x: tf.reshape(x, [-1]),
    "slice": lambda x: x[1:, ::-1],
    "row": lambda x: x[0],
    "expand_dims": lambda x: tf.expand_dims(x, 0),
    "squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 1), [1]),
    "split": lambda x: tf.split(1, 2, x)[0],
    "unpack": lambda x: tf.unpack(x, num=2)[1],
    "reverse": lambda x: tf.reverse(x, [True, False]),
    "stop_gradient": tf.stop_gradient,
    "computed": lambda x: x + 1.0,
    "computed and turned": lambda x: tf.transpose(x + 1.0),
    "cast to its own dtype": lambda x: tf.cast(x, tf.float32),
    "gather": lambda x: tf.gather(x, [1, 0]),
    "concat of one": lambda x: tf.concat(0, [x]),
}


def is_the_callers(array: Any) -> bool:
    return bool(array.flags.c_contiguous and array.flags.writeable and array.flags.owndata)


@pytest.mark.parametrize("view", VIEWS)
def test_a_result_can_be_changed_in_place_and_nothing_else_changes(session: tf.Session, view: str) -> None:
    x = tf.placeholder(tf.float32, [2, 4], name="x")
    fixed = tf.constant(np.arange(8, dtype=F32).reshape(2, 4))
    fetches = [VIEWS[view](x), VIEWS[view](fixed), VIEWS[view](x), x, fixed, tf.transpose(x), VIEWS[view](x + fixed)]
    fed = np.arange(8, dtype=F32).reshape(2, 4) * 10
    kept = fed.copy()
    first = session.run(fetches, {x: fed})
    expected = [r.copy() for r in first]
    for changed in first:
        assert is_the_callers(changed)
        others = [r for r in first if r is not changed]
        before = [r.copy() for r in others]
        changed += 1000
        assert all((a == b).all() for a, b in zip(others, before, strict=True))
    assert (fed == kept).all()
    again = session.run(fetches, {x: fed})
    assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(again, expected, strict=True))


def test_results_of_later_runs_do_not_touch_earlier_ones(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [3])
    y = x * 2.0 + 1.0
    first = session.run(y, {x: [1, 2, 3]})
    session.run(y, {x: [10, 20, 30]})
    assert first.tolist() == [3, 5, 7]


def test_string_results_are_the_callers_too(session: tf.Session) -> None:
    x = tf.placeholder(tf.string, [2])
    fixed = tf.constant(["c", "d"])
    fed = np.array([b"a", b"b"], object)
    results = session.run([x, tf.identity(x), fixed, tf.reshape(fixed, [2, 1])], {x: fed})
    for r in results:
        assert is_the_callers(r)
        r[0] = b"changed"
    assert fed.tolist() == [b"a", b"b"]
    assert session.run(fixed).tolist() == [b"c", b"d"]


def test_feeds_are_never_written_even_where_a_step_could_work_in_place(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [4])
    chain = tf.square((x + 1.0) * x - x)
    scattered = tf.tensor_scatter_nd_update(x, [[1]], [9.0])
    stitched = tf.dynamic_stitch([[0, 1, 2, 3], [1]], [x, [7.0]])
    fed = np.array([1, 2, 3, 4], F32)
    kept = fed.copy()
    session.run([chain, scattered, stitched, tf.cumsum(x), tf.reverse(x, [True])], {x: fed})
    assert (fed == kept).all()


def test_read_only_feeds_are_taken_and_results_are_still_writable(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2])
    fed = np.array([1, 2], F32)
    fed.flags.writeable = False
    found = session.run(x, {x: fed})
    found[0] = 5
    assert fed.tolist() == [1, 2]


def test_a_fetched_feed_is_a_copy_of_what_was_fed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2])
    fed = np.array([1, 2], F32)
    found = session.run(x, {x: fed})
    assert not np.shares_memory(found, fed)


def test_results_do_not_keep_the_session_or_its_buffers_alive(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [3])
    session = tf.Session(graph=graph)
    found = session.run(x + 1.0, {x: [1, 2, 3]})
    gone = weakref.ref(session)
    session.close()
    del session
    gc.collect()
    assert gone() is None
    assert found.tolist() == [2, 3, 4]


# ---- feeding what lies in between -------------------------------------------------------------------


def test_feeding_an_intermediate_tensor_prunes_what_lies_behind_it(session: tf.Session) -> None:
    count = Counter()
    with op_of(count, stateful=True) as counted:
        x = tf.placeholder(tf.float32, [2], name="x")
        middle = counted(x + 1.0)
        y = middle * 2.0
        assert session.run(y, {x: [1, 2]}).tolist() == [4, 6]
        assert count.calls == 1
        assert session.run(y, {middle: [10, 20]}).tolist() == [20, 40]
        assert count.calls == 1


def test_a_constant_may_be_fed(session: tf.Session) -> None:
    c = tf.constant([1.0, 2.0])
    y = c + 1.0
    assert session.run(y, {c: [5, 6]}).tolist() == [6, 7]
    assert session.run(y).tolist() == [2, 3]


def test_one_output_of_several_may_be_fed_and_the_others_are_computed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [4])
    a, b = tf.split(0, 2, x)
    y = tf.concat(0, [a, b])
    assert session.run(y, {x: [1, 2, 3, 4], a: [9, 9]}).tolist() == [9, 9, 3, 4]
    assert session.run([a, b], {x: [1, 2, 3, 4], b: [7, 7]})[1].tolist() == [7, 7]


def test_a_fed_tensor_that_is_fetched_gives_what_was_fed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2])
    y = x + 1.0
    found = session.run([y, y * 2.0], {y: [1, 2]})
    assert [f.tolist() for f in found] == [[1, 2], [2, 4]]


def test_a_feed_nobody_needs_does_no_harm(session: tf.Session) -> None:
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    assert session.run(x + 1.0, {x: 1, y: 2}) == 2


def test_feeding_an_intermediate_replaces_what_was_known_of_its_value(session: tf.Session) -> None:
    size = tf.constant([2, 3]) + 0
    zeros = tf.zeros(size)
    assert zeros.shape == [2, 3]
    assert session.run(zeros, {size: [1, 4]}).shape == (1, 4)


def test_feeding_an_intermediate_does_not_disturb_other_fetches(session: tf.Session) -> None:
    x = tf.placeholder_with_default([1.0, 2.0], [None])
    y = x + 1.0
    z = y * 2.0
    assert [r.tolist() for r in session.run([x, z], {y: [5, 6, 7]})] == [[1, 2], [10, 12, 14]]


def test_feeds_are_named_by_tensor_or_by_name(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    assert session.run(x + 1.0, {"x:0": 4}) == 5
    y = x + 1.0
    assert session.run(y, {"x:0": 4, x: 5}) == 6 and session.run(y, {x: 4, "x:0": 5}) == 6  # the last value counts
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key 'y:0' as Tensor"):
        session.run(x, {"y:0": 4})
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key 7 as Tensor"):
        session.run(x, {7: 4})
    with pytest.raises(TypeError, match="feed_dict must be a dict"):
        session.run(x, [(x, 4)])  # type: ignore[arg-type]  # refused, which is the test


def test_a_tensor_is_no_value_to_feed(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [])
    with pytest.raises(TypeError, match="The value of a feed cannot be a tensor"):
        session.run(x, {x: tf.constant(1.0)})


def test_an_unfed_placeholder_is_a_run_error_in_tensorflows_words(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [2], name="x")
    words = r"You must feed a value for placeholder tensor 'x' with dtype int32 and shape \[2\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words) as e:
        session.run(x + 1)
    assert e.value.op is x.op
    assert session.run(tf.constant(1)) == 1
    y = tf.placeholder(tf.float32, name="y")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?m)tensor 'y' with dtype float32$"):
        session.run(y)


# ---- control dependencies at run --------------------------------------------------------------------


def test_what_a_control_dependency_names_runs_first(session: tf.Session) -> None:
    order: list[float] = []

    def note(x: Any) -> Any:
        order.append(float(x))
        return x

    with op_of(note, stateful=True) as noted:
        first = noted(tf.placeholder_with_default(1.0, []))
        with tf.control_dependencies([first]):
            second = noted(tf.placeholder_with_default(2.0, []))
        session.run(second)
        assert order == [1, 2]
        session.run(tf.group(second))
    assert order == [1, 2, 1, 2]


def test_operations_without_a_path_between_them_run_in_the_order_of_creation_if_they_have_effects(
    session: tf.Session,
) -> None:
    order: list[float] = []

    def note(x: Any) -> Any:
        order.append(float(x))
        return x

    with op_of(note, stateful=True) as noted:
        made = [noted(tf.placeholder_with_default(float(i), [])) for i in range(6)]
        session.run(made[::-1])
    assert order == [0, 1, 2, 3, 4, 5]


# ---- eval, run, default sessions --------------------------------------------------------------------


def test_eval_and_run_use_the_default_session(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [])
    assert (x + 1.0).eval({x: 2}) == 3
    assert x.op.run({x: 2}) is None  # that it gives None is the test
    assert tf.get_default_session() is session


def test_eval_without_a_session_says_what_to_write(graph: tf.Graph) -> None:
    t = tf.constant(1, name="t")
    with pytest.raises(ValueError, match=r"Cannot evaluate 't:0': no default session.*with session.*session="):
        t.eval()
    with pytest.raises(ValueError, match="no default session"):
        t.op.run()
    assert t.eval(session=tf.Session(graph=graph)) == 1


def test_eval_in_a_session_of_another_graph_names_both() -> None:
    t = tf.constant(1, name="t")
    with tf.Session(graph=tf.Graph()), pytest.raises(ValueError, match="Cannot evaluate 't:0': the session runs"):
        t.eval()


def test_default_sessions_nest_and_entering_makes_the_graph_the_default(graph: tf.Graph) -> None:
    other = tf.Graph()
    with tf.Session(graph=graph) as outer:
        with tf.Session(graph=other) as inner:
            assert tf.get_default_session() is inner
            assert tf.get_default_graph() is other
        assert tf.get_default_session() is outer
        assert tf.get_default_graph() is graph
    assert tf.get_default_session() is None


def test_as_default_does_not_close_the_session(graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    t = tf.constant(1)
    with session.as_default() as same:
        assert same is session
        assert t.eval() == 1
    assert session.run(t) == 1


def test_a_session_takes_the_default_graph_at_its_creation(graph: tf.Graph) -> None:
    session = tf.Session()
    with tf.Graph().as_default():
        assert session.graph is graph


def test_a_closed_session_refuses_to_run(graph: tf.Graph) -> None:
    t = tf.constant(1)
    with tf.Session(graph=graph) as session:
        call = session.make_callable(t)
    for use in (lambda: session.run(t), call, session.__enter__):
        with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
            use()
    session.close()
    assert "closed" in repr(session)


def test_default_sessions_are_per_thread(session: tf.Session) -> None:
    assert in_thread(tf.get_default_session) is None


def test_an_interactive_session_is_the_default_until_it_is_closed() -> None:
    graph = tf.Graph()
    session = tf.InteractiveSession(graph=graph)
    try:
        assert tf.get_default_session() is session
        assert tf.constant([1, 2]).eval().tolist() == [1, 2]
        assert tf.get_default_graph() is graph
    finally:
        session.close()
    assert tf.get_default_session() is None
    assert tf.get_default_graph() is not graph
    with pytest.raises(RuntimeError, match="closed"):
        session.run(session.graph.get_operations()[0])
    session.close()


def test_interactive_sessions_may_be_closed_in_any_order() -> None:
    first, second = tf.InteractiveSession(graph=tf.Graph()), tf.InteractiveSession(graph=tf.Graph())
    first.close()
    assert tf.get_default_session() is second
    assert tf.get_default_graph() is second.graph
    second.close()
    assert tf.get_default_session() is None


def test_the_first_cell_of_a_notebook_runs_again() -> None:
    in_thread(first_cell_again)  # where no block around has made a graph the default


def first_cell_again() -> None:
    sessions = []
    for _ in range(3):
        tf.reset_default_graph()
        sessions.append(tf.InteractiveSession())
        v = tf.Variable(2.0)
        v.initializer.run()
        assert v.eval() == 2.0 and v.op.name == "Variable" and tf.get_default_session() is sessions[-1]
    for session in sessions:
        session.close()
    tf.reset_default_graph()
    assert tf.get_default_session() is None


def test_a_second_interactive_session_is_told(caplog: pytest.LogCaptureFixture) -> None:
    first = tf.InteractiveSession()
    assert not caplog.records
    second = tf.InteractiveSession()
    assert "1 older one is still open and keeps the values of variables; call close()" in caplog.text
    first.close()
    second.close()


def test_the_graph_of_an_interactive_session_stays_until_it_is_closed() -> None:
    in_thread(reset_beside_a_session)


def reset_beside_a_session() -> None:
    session = tf.InteractiveSession(graph=tf.Graph())
    with pytest.raises(ValueError, match=r"an open tf.InteractiveSession\(graph=...\).*call close\(\) on it first"):
        tf.reset_default_graph()
    session.close()
    tf.reset_default_graph()


def test_sessions_left_in_the_wrong_order_are_told(graph: tf.Graph) -> None:
    outer, inner = tf.Session(graph=graph), tf.Session(graph=graph)
    with outer, pytest.raises(ValueError, match="reverse order"), inner:
        outer.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"target": "grpc://host"}, ValueError, "a server of TensorFlow cannot be reached"),
        ({"graph": 3}, TypeError, "a graph is a penstock.Graph, not int"),
        ({"config": {}}, TypeError, "a config is a penstock.SessionConfig, not dict"),
    ],
)
def test_wrong_arguments_of_a_session_are_told(arguments: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        tf.Session(**arguments)


def test_a_callable_takes_its_feeds_in_order(session: tf.Session) -> None:
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    divide = session.make_callable({"q": x / y}, [x, y])
    assert divide(6.0, 3.0) == {"q": 2.0}
    assert divide(1.0, 4.0) == {"q": 0.25}
    with pytest.raises(ValueError, match=r"takes 2 values, got 1\. Give one for each of feed_list, in order: "):
        divide(1.0)
    with pytest.raises(ValueError, match=r"shape \(2,\) for Tensor"):
        divide([1, 2], 1)
    with pytest.raises(TypeError, match=r"feed_list is <Tensor 'Placeholder:0'.* it must be a list of tensors"):
        session.make_callable(x, x)  # type: ignore[arg-type]  # the error under test


# ---- failures and threads ---------------------------------------------------------------------------


def test_a_failed_run_leaves_the_session_usable(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [None])
    y = tf.gather([10, 20], x)
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: [5]})
        assert session.run(y, {x: [1, 0]}).tolist() == [20, 10]
    with pytest.raises(ValueError):
        session.run(y, {x: [[1]]})
    assert session.run(y, {x: [1]}).tolist() == [20]


def test_a_failure_keeps_no_array_of_the_run_alive(session: tf.Session) -> None:
    held: list[weakref.ref[Any]] = []

    def remember(x: Any) -> Any:
        made = x + 1
        held.append(weakref.ref(made))
        return made

    with op_of(remember, stateful=True) as remembered:
        x = tf.placeholder(tf.float32, [None])
        y = tf.gather(remembered(x), [7])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: np.ones(3, F32)})
    gc.collect()
    assert [ref() for ref in held] == [None]


def test_several_threads_run_one_session_at_once(session: tf.Session) -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = tf.reduce_sum(tf.square(x) * 2.0 + x)
    z = tf.split(0, 2, tf.concat(0, [x, x]))[1]
    barrier = threading.Barrier(4)
    wrong: list[Any] = []

    def work(seed: int) -> None:
        barrier.wait(60)
        for i in range(30):
            fed = np.full(5 + seed, seed * 100 + i, F32)
            total, half = session.run([y, z], {x: fed})
            if total != np.sum(fed * fed * 2 + fed) or (half != fed).any():
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []


def test_an_error_reaches_the_thread_whose_run_failed_and_no_other(session: tf.Session) -> None:
    x = tf.placeholder(tf.int32, [1])
    y = tf.gather([10, 20], x)
    barrier = threading.Barrier(4)
    outcome: dict[int, set[str]] = collections.defaultdict(set)

    def work(seed: int) -> None:
        barrier.wait(60)
        for _ in range(30):
            try:
                outcome[seed].add(str(session.run(y, {x: [seed]}).tolist()))
            except tf.errors.InvalidArgumentError as error:
                outcome[seed].add(f"indices[0] = {seed}" if f"indices[0] = {seed}" in str(error) else str(error))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert outcome == {0: {"[10]"}, 1: {"[20]"}, 2: {"indices[0] = 2"}, 3: {"indices[0] = 3"}}


def test_a_thread_may_build_while_another_runs(session: tf.Session, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    stop = threading.Event()
    built = [0]

    def build() -> None:
        with graph.as_default():
            t = tf.constant(0.0)
            while not stop.is_set() and built[0] < 3000:
                t = tf.add(t, t)
                built[0] += 1

    thread = threading.Thread(target=build)
    thread.start()
    try:
        for i in range(50):
            assert session.run(y, {x: i}) == i + 1
    finally:
        stop.set()
        thread.join(60)
    assert built[0] > 0


def test_a_run_in_flight_when_the_session_is_closed_leaves_no_plan_behind(
    graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    with graph.as_default():
        y = tf.constant([1.0]) + 1.0
    running = tf.Session(graph=graph)
    planned = PlanCache._planned

    def closed_meanwhile(self: PlanCache, *args: Any) -> Any:
        plan = planned(self, *args)
        running.close()
        return plan

    monkeypatch.setattr(PlanCache, "_planned", closed_meanwhile)
    assert running.run(y).tolist() == [2.0]
    assert not plans_of(running)
    with pytest.raises(RuntimeError, match="closed"):
        running.run(y)


def test_a_run_that_is_one_call_takes_its_feeds_in_any_order() -> None:
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.int32, [2], name="x"), tf.placeholder(tf.int32, [2], name="y")
        apart = tf.subtract(x, y, name="apart")
        share = tf.floordiv(x, y, name="share")
    a, b = np.array([7, 8], np.int32), np.array([2, 0], np.int32)
    with tf.Session(graph=graph) as session:
        assert session.run(apart, {x: a, y: b}).tolist() == [5, 8]
        assert session.run(apart, {y: b, x: a}).tolist() == [5, 8]
        for feeds in ({x: a, y: b}, {y: b, x: a}):
            with pytest.raises(tf.errors.InvalidArgumentError, match="share"):
                session.run(share, feeds)
        assert session.run(share, {x: b, y: a}).tolist() == [0, 0]


def test_an_argument_of_another_name_is_told_with_the_one_that_was_meant() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name="x")
        for name, meant in (
            ("feed", "feed_dict={x: value}"), ("feeds", "feed_dict={x: value}"), ("metadata", "run_metadata"),
            ("zzz", "there are fetches, feed_dict, options, run_metadata, as_device"),
        ):  # fmt: skip
            with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'; ") as caught:
                session.run(x, **{name: {x: 1.0}})  # type: ignore[arg-type]  # the point of the test
            assert meant in str(caught.value)


def test_a_number_that_is_fed_and_fetched_comes_back_as_an_array_of_its_own() -> None:
    with tf.Graph().as_default() as graph:
        x, c = tf.placeholder(tf.float32, [], name="x"), tf.constant(2.0, name="c")
        same, total = tf.identity(x), x + c
    with tf.Session(graph=graph) as session:
        for value in (1.0, np.float32(1.0), np.array(1.0, np.float32)):
            for _ in range(25):  # the plan for the shapes that come, too
                found = session.run([x, same, total], {x: value})
            assert [type(each) for each in found] == [np.ndarray, np.float32, np.float32]
            assert type(session.run(c, {c: value})) is np.ndarray
            assert type(session.make_callable([total, c], [c, x])(value, value)[1]) is np.ndarray
        given = np.array(1.0, np.float32)
        session.run(x, {x: given})[...] = 7.0
        assert given == 1.0
