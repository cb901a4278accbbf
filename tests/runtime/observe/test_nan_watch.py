"""A watched run names the node, line, place and inputs of the first NaN or infinity, unless it is excluded."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import NonFiniteError

from ...helpers import plans_of

NAN, INF = float("nan"), float("inf")
WATCH = tf.SessionConfig(watch=True)


def caught(fetches: Any, feed_dict: Any, config: tf.SessionConfig = WATCH) -> NonFiniteError:
    graph = (fetches[0] if isinstance(fetches, list) else fetches).graph
    with tf.Session(graph=graph, config=config) as session, pytest.raises(NonFiniteError) as error:
        session.run(fetches, feed_dict)
    return error.value


def test_the_first_bad_value_is_told_with_node_line_place_and_inputs() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.reduce_sum(tf.truediv(x, tf.constant([[1.0, 0.0]], name="d"), name="quotient"), name="y")
    error = caught(y, {x: [[1.0, 2.0], [3.0, 4.0]]})
    assert (error.tensor, error.index, error.value) == ("quotient:0", (0, 1), INF)
    assert error.inputs == {"x": 2.0, "y": 0.0}
    assert error.op is y.op.inputs[0].op
    text = str(error)
    assert "quotient:0 float32 [2, 2] had Inf values: 2 Inf among 4 elements, the first at [0, 1]: inf" in text
    assert f'in node "quotient" ({error.op.type})  test_nan_watch.py:' in text
    assert '"d:0" float32 [1, 2], at [0, 1]: 0.0' in text
    assert "Watch(exclude=['quotient'])" in text


def test_what_was_found_survives_pickling() -> None:
    with tf.Graph().as_default():
        y = tf.log(tf.placeholder(tf.float32, [2], name="x"), name="y")
    error = caught(y, {"x:0": [1.0, -1.0]})
    again = pickle.loads(pickle.dumps(error))
    assert (again.tensor, again.index, again.inputs, str(again)) == ("y:0", (1,), {"x": -1.0}, str(error))
    assert np.isnan(again.value) and again.op is None


def test_every_node_is_seen_that_a_fused_run_would_hide() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        root = tf.sqrt(x, name="root")
        y = tf.select(tf.less(x, 0.0), tf.zeros_like(x), root, name="y")
    with tf.Session(graph=y.graph) as session:
        assert session.run(y, {x: [4.0, -1.0, 9.0]}).tolist() == [2.0, 0.0, 3.0]
    assert caught(y, {x: [4.0, -1.0, 9.0]}).tensor == "root:0"


@pytest.mark.parametrize("patterns", ["root", ["root"], ("ro*",), ["other", "root:0"]])
def test_what_is_excluded_may_hold_anything(patterns: Any) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.select(tf.less(x, 0.0), tf.zeros_like(x), tf.sqrt(x, name="root"), name="y")
    config = tf.SessionConfig(watch=tf.Watch(exclude=patterns))
    with tf.Session(graph=y.graph, config=config) as session:
        assert session.run(y, {x: [4.0, -1.0, 9.0]}).tolist() == [2.0, 0.0, 3.0]


def test_a_fed_value_is_looked_at_and_a_constant_is_not() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        mask = tf.constant([0.0, -INF], name="mask")
        y = tf.maximum(x, mask, name="y")
    error = caught(y, {x: [1.0, NAN]})
    assert (error.tensor, error.index, error.inputs) == ("x:0", (1,), {})
    assert "x:0 float32 [2] was fed NaN values" in str(error)
    with tf.Session(graph=y.graph, config=WATCH) as session:
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]


def test_only_the_kind_that_is_asked_for_ends_a_run() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.log(x, name="y")
    with tf.Session(graph=y.graph, config=tf.SessionConfig(watch=tf.Watch(inf=False))) as session:
        assert session.run(y, {x: [0.0]}).tolist() == [-INF]
    assert caught(y, {x: [-1.0, 0.0]}, tf.SessionConfig(watch=tf.Watch(nan=False))).index == (1,)
    assert "Inf and NaN values: 1 NaN, 1 Inf" in str(caught(y, {x: [-1.0, 0.0]}))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64, tf.complex64])
def test_every_inexact_dtype_is_watched(dtype: tf.DType) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(dtype, [2], name="x")
        y = tf.log(x, name="y")
    error = caught(y, {x: np.array([1.0, 0.0]).astype(dtype.np)})
    assert error.index == (1,) and not np.isfinite(error.value)


def test_ints_strings_empty_arrays_and_negative_zero_are_nothing_bad() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        words = tf.placeholder(tf.string, ["m"], name="words")
        fetches = [tf.reciprocal(x), tf.negative(x), tf.shape(x), tf.identity(words), tf.reduce_max(x)]
    with tf.Session(graph=graph, config=tf.SessionConfig(watch=tf.Watch(exclude="Max"))) as session:
        session.run(fetches[:4], {x: [], words: ["a"]})
        assert session.run(fetches[1], {x: [0.0]}).tolist() == [-0.0]


def test_of_several_outputs_the_bad_one_is_named() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        parts = tf.split(0, 2, x, name="parts")
    error = caught([*parts], {x: [1.0, 2.0, 3.0, NAN]}, tf.SessionConfig(watch=tf.Watch(exclude="x")))
    assert (error.tensor, error.index, error.inputs["value"]) == ("parts:1", (1,), None)
    assert '"x:0" float32 [4], bad itself at [3]: nan' in str(error)
    assert graph is error.op.graph


def test_an_input_without_a_single_place_is_told_by_its_range() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        y = tf.matmul(x, x, name="y")
    error = caught(y, {x: [[3e38, 1.0], [2.0, 3e38]]})
    assert error.inputs == {"a": None, "b": None}
    assert "all finite, 1 to 3e+38" in str(error)


def test_one_run_can_be_watched_by_its_options() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.log(x, name="y")
    with tf.Session(graph=graph) as session:
        assert np.isnan(session.run(y, {x: -1.0}))
        with pytest.raises(NonFiniteError, match="y:0"):
            session.run(y, {x: -1.0}, tf.RunOptions(watch=True))
        assert np.isnan(session.run(y, {x: -1.0}, tf.RunOptions(watch=tf.Watch(exclude="y"))))


def test_a_run_watched_by_its_options_is_planned_once() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.negative(tf.exp(x), name="y")
    plans: list[int] = []
    with tf.Session(graph=graph) as session:
        for _ in range(3):
            session.run(y, {x: 1.0}, tf.RunOptions(watch=True))
            session.trace(y, {x: 1.0})
            plans.append(len(plans_of(session)))
        assert session.run(y, {x: 1.0}) == session.trace(y, {x: 1.0}).result
    assert plans == [1, 1, 1]


def test_a_session_works_on_after_a_watch_ended_a_run_and_gives_the_same_bits() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.reduce_sum(tf.exp(tf.sin(x) * 3.0), name="y")
    value = np.linspace(-2, 2, 1000, dtype=np.float32)
    with tf.Session(graph=graph, config=WATCH) as watched, tf.Session(graph=graph) as plain:
        for _ in range(2):
            with pytest.raises(NonFiniteError):
                watched.run(y, {x: [INF]})
            assert watched.run(y, {x: value}) == plain.run(y, {x: value})
        assert watched.make_callable(y, [x])(value) == plain.run(y, {x: value})


def test_a_record_of_a_watched_run_ends_with_the_bad_step() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.negative(tf.log(tf.add(x, 1.0, name="more"), name="log"), name="y")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session, pytest.raises(NonFiniteError):
        session.run(y, {x: [-5.0]}, tf.RunOptions(watch=True), metadata)
    assert [step.node for step in metadata.steps] == ["more", "log"]


def test_a_value_changed_in_place_can_still_be_looked_at() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        rows = tf.negative(x, name="rows")
        y = tf.tensor_scatter_nd_update(rows, [[1]], tf.log(tf.constant([-1.0]), name="log"), name="y")
    error = caught(y, {x: [1.0, 2.0, 3.0]}, tf.SessionConfig(watch=tf.Watch(exclude="log")))
    assert error.tensor == "y:0" and "all finite, -3 to -1" in str(error)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: tf.Watch(exclude=3), TypeError, "patterns of names are strings"),  # type: ignore[arg-type]  # the mistake
        (lambda: tf.Watch(nan=False, inf=False), ValueError, "nothing is left to look for"),
        (lambda: tf.SessionConfig(watch="nan"), TypeError, "a Watch or True is expected"),  # type: ignore[arg-type]
        (lambda: tf.RunOptions(watch=1), TypeError, "a Watch or True is expected"),  # type: ignore[arg-type]
    ],
)
def test_a_watch_that_cannot_be_is_refused(make: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        make()


def test_a_session_that_watches_nothing_has_a_plain_program() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.negative(tf.placeholder(tf.float32, [], name="x"))
    with tf.Session(graph=graph, config=tf.SessionConfig(watch=False)) as session:
        assert session.config == tf.SessionConfig()
        entry, _, _ = plans_of(session).find(y, (graph.get_tensor_by_name("x:0"),))
        assert type(entry.program).__name__ == "Program"
