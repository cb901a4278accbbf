"""TensorArrays that loops read and write at their counter become rows and stacks; others stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.passes.arrays_as_rows import RULE

X = np.arange(12, dtype=np.float32).reshape(4, 3) / 7


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def session(**settings: Any) -> Any:
    return tf.Session(graph=tf.get_default_graph(), config=tf.SessionConfig(verify=True, **settings))


def ops_of(plan: Any) -> list[str]:
    """The ops of all steps, those of bodies included."""
    found: list[str] = []
    for step in plan.steps:
        found.append(step.op)
        for arg in step.args:
            found += ops_of(arg) if hasattr(arg, "steps") else []
    return found


def arrays_in(fetches: Any, feeds: Any) -> list[str]:
    """The steps of a plan that work on TensorArrays."""
    return [op for op in ops_of(session().plan(fetches, feeds)) if "Array" in op or "Element" in op or "Rows" in op]


def sums(
    x: Any, n: Any, *, size: Any = None, cond: Callable[..., Any] | None = None,
    place: Callable[..., Any] | None = None, start: int = 0, carried: bool = False, **facts: Any
) -> tuple[Any, Any]:  # fmt: skip
    """Running sums of rows by a loop over TensorArrays: the last one, and the array of all."""
    rows = tf.TensorArray(tf.float32, n, clear_after_read=False).unstack(x)
    out = tf.TensorArray(tf.float32, n if size is None else size, clear_after_read=False, **facts)

    def body(i: Any, total: Any, out: Any, *more: Any) -> Any:
        total = total + tf.tanh((more[0] if carried else rows).read(i))
        return (i + 1, total, out.write(i if place is None else place(i), total), *more)

    test = (lambda i, total, *rest: i < n) if cond is None else cond
    last = tf.while_loop(test, body, [start, tf.zeros([3]), out, *([rows] if carried else [])])
    return last[1], last[2]


def in_numpy(x: Any) -> Any:
    return np.cumsum(np.tanh(x), 0, dtype=np.float32)


SIZES: list[Any] = [
    ("int", [4, 3], lambda x: 4), ("shape", [None, 3], lambda x: tf.shape(x)[0]),
    ("named", ["steps", "width"], lambda x: tf.shape(x)[0]),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "n"), [each[1:] for each in SIZES], ids=[each[0] for each in SIZES])
@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("facts", [{}, {"size": 0, "dynamic_size": True}], ids=["sized", "growing"])
def test_arrays_read_and_written_at_the_counter_are_rows_and_stacks(
    shape: Any, n: Any, carried: bool, facts: Any
) -> None:
    x = tf.placeholder(tf.float32, shape)
    last, out = sums(x, n(x), carried=carried, **facts)
    stack = out.stack()
    kept = [] if shape == [4, 3] else ["StackedRows"]  # with no rows and no known width it is TensorFlow's error
    assert set(arrays_in([last, stack], [x])) <= {*kept, "TensorArray"}
    found = session().run([last, stack], {x: X})
    assert np.allclose(found[1], in_numpy(X))
    assert np.array_equal(found[0], found[1][-1])


def test_gradients_of_reads_and_writes_are_rows_and_stacks() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    loss = tf.reduce_sum(tf.square(sums(x, 4)[1].stack()))
    (slope,) = tf.gradients(loss, [x])
    assert arrays_in(slope, [x]) == []
    wanted = session(passes=()).run(slope, {x: X})
    assert np.array_equal(session().run(slope, {x: X}), wanted)


def test_a_gradient_that_comes_by_several_ways_is_taken_out_before_the_loop() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    out = sums(x, 4)[1]
    (slope,) = tf.gradients(tf.reduce_sum(tf.square(out.stack())) + tf.reduce_sum(out.read(2)), [x])
    plan = session().plan(slope, [x])
    inside = [op for step in plan.steps for arg in step.args if hasattr(arg, "steps") for op in ops_of(arg)]
    assert inside
    assert not [op for op in inside if "Array" in op or "Element" in op]
    assert np.array_equal(session().run(slope, {x: X}), session(passes=()).run(slope, {x: X}))


def test_what_else_reads_the_array_gets_one_that_is_made_of_the_stack() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    out = sums(x, 4)[1]
    fetches = [out.read(1), out.concat(), out.gather([2, 0]), out.size()]
    assert "TensorArrayWrite" not in arrays_in(fetches, [x])
    wanted = in_numpy(X)
    found = session().run(fetches, {x: X})
    for value, want in zip(found, [wanted[1], wanted.reshape(-1), wanted[[2, 0]], 4], strict=True):
        assert np.allclose(value, want)


def test_a_loop_reads_what_the_loop_before_it_has_written() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    first = sums(x, 4)[1]
    last = tf.while_loop(lambda i, total: i < 4, lambda i, total: (i + 1, total + first.read(i)),
                         [0, tf.zeros([3])])[1]  # fmt: skip
    assert arrays_in(last, [x]) == []
    assert np.allclose(session().run(last, {x: X}), in_numpy(X).sum(0))


@pytest.mark.parametrize("turns", [False, True])
def test_an_array_that_becomes_a_loop_variable_stays_in_the_loop(turns: bool) -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    a, b = (tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x * scale) for scale in (1.0, 2.0))

    def handed_on(i: Any, total: Any, c: Any) -> Any:
        return i + 1, total + a.read(i) + c.read(3 - i), a

    def turned(i: Any, total: Any, c: Any, d: Any) -> Any:
        return i + 1, total + a.read(i) + c.read(i) - d.read(i), d, c

    body, start = (turned, [b, a]) if turns else (handed_on, [b])
    loop = tf.while_loop(lambda i, *rest: i < 4, body, [0, tf.zeros([3]), *start])
    fetches = [loop[1], loop[2].stack()]
    for value, want in zip(session().run(fetches, {x: X}), session(passes=()).run(fetches, {x: X}), strict=True):
        assert np.array_equal(value, want)


NEAR_MISSES: list[Any] = [
    ("from the end", {"place": lambda i: 3 - i}), ("from the second on", {"start": 1}),
    ("twice as long", {"size": 8}),
    ("more iterations than rows", {"cond": lambda i, *rest: i < 5, "size": 5}),
]  # fmt: skip


@pytest.mark.parametrize("changed", [each[1] for each in NEAR_MISSES], ids=[each[0] for each in NEAR_MISSES])
def test_near_misses_stay_as_they_are(changed: Any) -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    fetch = sums(x, 4, element_shape=[3], **changed)[1].stack()
    assert {"TensorArrayWrite", "TensorArrayRead"} & set(arrays_in(fetch, [x]))
    try:
        wanted = session(passes=()).run(fetch, {x: X})
    except tf.errors.InvalidArgumentError as error:
        with pytest.raises(tf.errors.InvalidArgumentError) as found:
            session().run(fetch, {x: X})
        assert found.value.message == error.message
    else:
        assert np.array_equal(session().run(fetch, {x: X}), wanted)


def test_a_loop_that_ends_early_leaves_the_other_elements_unwritten() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    out = sums(x, 4, cond=lambda i, total, *rest: tf.logical_and(i < 4, tf.reduce_sum(total) < 1.5),
               element_shape=[3])[1].stack()  # fmt: skip
    found = session().run(out, {x: X})
    assert np.allclose(found[:2], in_numpy(X)[:2])
    assert not found[3].any()


def test_no_rows_of_unknown_width_are_the_error_that_they_were() -> None:
    x = tf.placeholder(tf.float32, [None, None])
    n = tf.shape(x)[0]
    rows = tf.TensorArray(tf.float32, n).unstack(x)
    start = tf.zeros(tf.shape(x)[1:])

    def body(i: Any, total: Any, out: Any) -> Any:
        return i + 1, total + rows.read(i), out.write(i, total)

    out = tf.while_loop(lambda i, *rest: i < n, body, [0, start, tf.TensorArray(tf.float32, n)])[2].stack()
    none = np.zeros((0, 3), np.float32)
    messages = []
    for passes in ((), None):
        with pytest.raises(tf.errors.UnimplementedError) as found:
            (session() if passes is None else session(passes=passes)).run(out, {x: none})
        messages.append(found.value.message)
    assert messages[0] == messages[1]
    assert "TensorArray has size zero" in messages[0]
    assert np.allclose(session().run(out, {x: X})[1], X[0])


def test_a_fed_flow_and_a_fetched_one_are_arrays() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    out = sums(x, 4)[1]
    stack = out.stack()
    flow = session().run(out.flow, {x: X})
    assert np.allclose(session().run(stack, {out.flow: flow}), in_numpy(X))


def test_explain_says_which_loops_keep_their_arrays() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    good, bad = sums(x, 4)[1].stack(), tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    turned = tf.while_loop(lambda i, total: i < 4, lambda i, total: (i + 1, total + bad.read(3 - i)),
                           [0, tf.zeros([3])], name="turned")[1]  # fmt: skip
    (report,) = [each for each in session().explain([good, turned], {x: X}).passes if each.name == "loops"]
    assert [note.node for note in report.applied if note.rule == RULE] == ["while"]
    assert [note.node for note in report.refused if note.rule == RULE] == ["turned"]
