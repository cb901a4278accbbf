"""Looking at a run needs no data: tools take lists of tensors or feed_dicts, and find the other placeholders."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import FeedError, SessionClosedError, UseError

LOOKS = ["plan", "explain", "memory", "placement"]


@pytest.fixture
def graph() -> tf.Graph:
    with tf.Graph().as_default() as made:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        w = tf.placeholder(tf.float32, [3], name="w")
        tf.identity(tf.sqrt(x) * w, name="y")
    return made


def look(session: tf.Session, what: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(session, what)
    return found


@pytest.mark.parametrize("what", LOOKS)
def test_all_forms_of_feeds_and_none_say_the_same(what: str, graph: tf.Graph) -> None:
    x, w = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("w:0")
    session = tf.Session(graph=graph)
    forms: list[Any] = [[x], ["x:0", w], (x, w), {}, None]
    texts = {str(look(session, what)("y:0", feeds)) for feeds in forms} | {str(look(session, what)("y:0"))}
    assert len(texts) == 1
    with_data = look(session, what)("y:0", {x: np.ones((2, 3), "f4"), w: [1.0, 2.0, 3.0]})
    if what in ("plan", "placement"):
        assert str(with_data) in texts


def test_sizes_are_known_as_far_as_shapes_and_values_tell(graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    known = {str(b.slot): b.size for b in session.memory("y:0").buffers}
    assert set(known.values()) == {None, 12}
    assert session.memory("y:0", {"x:0": np.ones((2, 3), "f4")}).is_exact
    assert not session.memory("y:0", {"w:0": [1.0, 2.0, 3.0]}).is_exact


def test_the_order_of_the_feeds_does_not_matter(graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    x, w = np.ones((2, 3), "f4"), np.ones(3, "f4")
    found = session.memory("y:0", {"x:0": x, "w:0": w})
    assert session.memory("y:0", {"w:0": w, "x:0": x}) == found
    assert str(session.placement("y:0", {"w:0": w, "x:0": x})) == str(session.placement("y:0", {"x:0": x, "w:0": w}))


def test_placeholders_that_are_not_needed_are_not_fed(graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    assert [name for name, _ in session.plan("Sqrt:0").feeds] == ["x:0"]
    assert [name for name, _ in session.plan("y:0", ["mul:0"]).feeds] == ["mul:0"]


def test_the_plan_is_that_of_the_run(graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    plan = session.plan("y:0")
    session.run("y:0", {"x:0": np.ones((2, 3), "f4"), "w:0": np.ones(3, "f4")})
    assert session.plan("y:0", ["x:0", "w:0"]) is plan


def test_why_and_code_need_no_data(graph: tf.Graph) -> None:
    found = tf.Session(graph=graph).explain("y:0")
    assert "inside the group" in found.why("mul") and found.shapes == ((), ())


@pytest.mark.parametrize("what", LOOKS)
def test_a_value_that_does_not_fit_is_still_an_error(what: str, graph: tf.Graph) -> None:
    with pytest.raises(FeedError, match="Cannot feed value of shape"):
        look(tf.Session(graph=graph), what)("y:0", {"x:0": [1.0]})


@pytest.mark.parametrize("feeds", ["x:0", 3])
@pytest.mark.parametrize("what", LOOKS)
def test_what_is_no_list_of_feeds_is_refused(what: str, feeds: Any, graph: tf.Graph) -> None:
    with pytest.raises(UseError, match=rf"Session\.{what}: feeds is .*; it must be a list of tensors or a feed_dict"):
        look(tf.Session(graph=graph), what)("y:0", feeds)


@pytest.mark.parametrize("what", LOOKS)
def test_a_closed_session_is_not_looked_at(what: str, graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    session.close()
    with pytest.raises(SessionClosedError, match="closed Session"):
        look(session, what)("y:0")


def test_replace_plan_takes_both_forms_and_refuses_what_is_no_plan(graph: tf.Graph) -> None:
    session = tf.Session(graph=graph)
    plan = session.plan("y:0")
    session.replace_plan("y:0", {"x:0": None, "w:0": None}, plan)
    assert session.plan("y:0", ["x:0", "w:0"]) is plan
    with pytest.raises(UseError, match=r"Session\.replace_plan: plan is 3; it must be a Plan, such as session\.plan"):
        session.replace_plan("y:0", [], 3)  # type: ignore[arg-type]
