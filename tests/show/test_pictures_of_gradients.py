"""Pictures of a graph with gradients show the forward graph; the backward graph is one box until it is opened."""

from pathlib import Path
from typing import Any

import penstock as tf
from penstock.show import picture_of

from .test_page_document import data_of
from .test_visibility import boxes_in


def model() -> tuple[tf.Graph, list[Any]]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 2], name="x")
        with tf.name_scope("layer"):
            y = tf.tanh(x * 2.0, name="y")
        (slope,) = tf.gradients(y, x)
    return graph, [y, slope]


def test_the_scope_of_gradients_is_closed_at_first_in_still_pictures_and_on_the_page(tmp_path: Path) -> None:
    graph, fetches = model()
    for suffix in (".svg", ".html", ".dot", ".txt"):
        operations, scopes = boxes_in(graph.export(tmp_path / f"shown{suffix}", fetches=fetches))
        assert "x" in operations
        assert suffix == ".txt" or "gradients/" in scopes
        assert not any(name.startswith("gradients/") for name in operations)
        assert suffix == ".txt" or "layer/y" in operations


def test_a_depth_opens_it(tmp_path: Path) -> None:
    graph, fetches = model()
    for suffix in (".svg", ".html", ".dot", ".txt"):
        deep, _ = boxes_in(graph.export(tmp_path / f"deep{suffix}", fetches=fetches, depth=3))
        assert any("gradients/" in name for name in deep) or suffix == ".txt"
        shallow, scopes = boxes_in(graph.export(tmp_path / f"shallow{suffix}", fetches=fetches, depth=0))
        assert not any("gradients/" in name for name in shallow)
        assert "gradients/" in scopes or suffix == ".txt"
    text = graph.export(tmp_path / "deep.txt", fetches=fetches, depth=3).read_text("utf-8")
    assert "y_grad/" in text


def test_a_program_can_open_it() -> None:
    graph, _ = model()
    with graph.name_scope("gradients/", show="open"):
        pass
    assert [group.open for group in picture_of(graph).groups if group.path == ("gradients",)] == [True]


def test_only_a_new_scope_is_marked() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0])
        with tf.name_scope("train") as scope:
            y = x * x
        tf.gradients(y, x, name=scope)
        assert graph.scope_shows == {}
        tf.hessians(y, x)
        tf.jvp(y, x, [1.0])
    assert {scope for scope in graph.scope_shows if "/" not in scope} == {"hessians", "jvp"}


def test_a_failed_call_leaves_no_mark() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        with graph.gradient_override_map({"Square": "NotThereForPictures"}):
            y = tf.square(x)
        try:
            tf.gradients(y, x)
        except LookupError:
            pass
        else:
            raise AssertionError("no error")
    assert graph.scope_shows == {}


def test_the_card_of_a_gradient_node_names_the_forward_node_and_its_line(tmp_path: Path) -> None:
    graph, fetches = model()
    data = data_of(graph.export(tmp_path / "shown.html", fetches=fetches).read_text("utf-8"))
    texts, boxes = data["texts"], data["views"][0]["boxes"]
    card = {box[0]: data["cards"][box[7]] for box in boxes}
    forward, backward = card["layer/y"], card["gradients/layer/y_grad/sub"]
    ((place, code, differentiated),) = backward[3]
    assert texts[differentiated] == "layer/y" and [place, code] == forward[3][0][:2]
    assert texts[forward[3][0][2]] == ""


def test_a_notebook_names_the_forward_node_of_a_gradient_node() -> None:
    graph, _ = model()
    shown = graph.get_operation_by_name("gradients/layer/y_grad/sub")._repr_html_()
    assert shown is not None and "gradient of" in shown and "layer/y" in shown


def test_gradients_of_loops_and_branches_can_be_drawn(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")

        def body(i: Any, y: Any) -> Any:
            return i + 1, tf.cond(y[0] > 0.0, lambda: tf.tanh(y) * tf.exp(x), lambda: y * y, name="choice")

        y = tf.while_loop(lambda i, y: i < 4, body, [0, x], name="steps")[1]
        (g,) = tf.gradients(y, x)
        (h,) = tf.gradients(g, x)
    for suffix in (".html", ".svg", ".dot", ".txt", ".graphml"):
        assert graph.export(tmp_path / f"loop{suffix}").stat().st_size > 1000
    with tf.Session(graph=graph) as session:
        page = graph.export(tmp_path / "run.html", fetches=[y, g, h], feeds={x: [0.5, -0.2, 0.1]}, session=session)
    assert "gradients/steps_grad/backward/body" in page.read_text()
