"""Pictures of programs that train: what writes change, what a fetch needs, and stills that fit a screen."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.content.closed_scopes import closed_to, collapse
from penstock.show.content.from_graph import picture_of
from penstock.show.content.from_plan import picture_of_plan
from penstock.show.content.kept_values import derivative_scopes, without_kept_values
from penstock.show.content.picture import Arrow, Box, BoxKind, Picture
from penstock.show.content.screen_fit import climbs, fit_screen
from penstock.show.layout.picture_layout import lay_out

from ..helpers import nightly
from .browser import Browser
from .test_page_document import data_of


def counters() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        for name in ("a", "b"):
            tf.assign_add(tf.Variable(0.0, name=name), 1.0, name=f"more_{name}")
        tf.global_variables_initializer()
    return graph


def line_fit(optimizer: Any = None) -> tuple[tf.Graph, Any, Any]:
    """A line through points: the graph, the loss and a step of training."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        w = tf.Variable(tf.zeros([3, 1]), name="w")
        b = tf.Variable([0.5], name="b")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b), name="loss")
        train = (optimizer or tf.train.AdamOptimizer(0.1)).minimize(loss)
        tf.global_variables_initializer()
    return graph, loss, train


def network(layers: int = 3) -> tuple[tf.Graph, Any, Any]:
    with tf.Graph().as_default() as graph:
        h = tf.placeholder(tf.float32, [None, 784], name="x")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        for number in range(layers):
            h = tf.layers.dense(h, 64, activation=tf.nn.relu, name=f"dense_{number}")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h), name="loss")
        train = tf.train.AdamOptimizer().minimize(loss)
        tf.global_variables_initializer()
    return graph, loss, train


def closed(graph: tf.Graph, **options: Any) -> dict[str, Box]:
    """The boxes of a picture as it is drawn, by id."""
    return {box.id: box for box in collapse(picture_of(graph, **options)).boxes}


def writes(picture: Picture) -> set[tuple[str, str]]:
    return {(arrow.target, arrow.source) for arrow in picture.arrows if arrow.kind == "write"}


def size_of(path: Path) -> tuple[float, float]:
    found = re.search(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', path.read_text("utf-8"))
    assert found is not None
    return float(found[1]), float(found[2])


def test_a_write_is_linked_to_its_variable_and_says_which_it_is() -> None:
    graph = counters()
    picture = picture_of(graph, fetches=["more_a", "more_b"])
    boxes = {box.id: box for box in picture.boxes}
    assert boxes["more_a"].detail[-1] == "writes a" and boxes["more_b"].detail[-1] == "writes b"
    assert {("more_a", "a"), ("more_b", "b")} <= writes(picture)
    assert boxes["a"].kind is BoxKind.VARIABLE, "a variable that is written is needed"
    assert boxes["more_a"].alike == boxes["more_b"].alike, "boxes of equal structure"


def test_a_variable_is_one_box_with_its_first_value() -> None:
    boxes = closed(counters())
    assert set(boxes) == {"a/", "b/", "more_a", "more_b", "init"}
    assert boxes["a/"].kind is BoxKind.VARIABLE and boxes["a/"].detail == ("float32 ()", "starts as 0.0")
    assert boxes["init"].detail == ("gives 2 variables a first value",)
    assert not [arrow for arrow in picture_of(counters()).arrows if arrow.target == "init"]
    assert [arrow for arrow in picture_of(counters(), constants="boxes").arrows if arrow.target == "init"]


def test_what_only_an_initializer_reads_is_in_the_scope_of_its_variable() -> None:
    graph, _, _ = line_fit()
    groups = {box.id: box.group for box in picture_of(graph).boxes}
    assert groups["zeros"] == groups["w"] == ("w",) and groups["w/Adam"] == ("w", "Adam")
    with graph.as_default():
        tf.identity(graph.get_tensor_by_name("zeros:0"), name="also")
    groups = {box.id: box.group for box in picture_of(graph).boxes}
    assert groups["zeros"] == () and groups["w"] == ("w",)


def test_a_fetched_initializer_is_drawn_with_what_it_writes() -> None:
    graph, _, _ = line_fit()
    picture = picture_of(graph, fetches="init", context="cut")
    boxes = {box.id: box for box in picture.boxes}
    assert boxes["w/Assign"].detail[-1] == "writes w" and ("w/Assign", "w") in writes(picture)
    assert [arrow for arrow in picture.arrows if arrow.target == "init"]
    assert "MatMul" not in boxes


@pytest.mark.parametrize(("optimizer", "slots"), [(tf.train.AdamOptimizer(0.1), "m, v"),
                         (tf.train.MomentumOptimizer(0.1, 0.9), "momentum"),
                         (tf.train.AdamOptimizer(0.1, name="Mine"), "m, v")])  # fmt: skip
def test_an_update_is_one_box_for_each_variable_and_the_slots_are_with_it(optimizer: Any, slots: str) -> None:
    graph, loss, train = line_fit(optimizer)
    boxes = closed(graph, fetches=[loss, train], context="cut")
    name = optimizer.get_name()
    update = boxes[f"{name}/update_w/"]
    assert update.label == f"{name}(w): {slots}" and update.detail[0] == "writes w"
    assert boxes["w/"].detail[1:] == ("starts as 0.0", f"slots {slots}")
    assert [box.label for box in boxes.values()].count("w") == 1
    assert not any("Initializer" in name or name.endswith("Assign") for name in boxes)


def test_plain_gradient_descent_has_no_slots() -> None:
    graph, loss, train = line_fit(tf.train.GradientDescentOptimizer(0.1))
    picture = fit_screen(picture_of(graph, fetches=[loss, train], context="cut"))
    boxes = {box.id: box for box in picture.boxes}
    assert boxes["GradientDescent/update_w/"].label == "GradientDescent(w)"
    assert writes(picture) == {(f"GradientDescent/update_{name}/", name) for name in "wb"}


def test_what_several_updates_share_and_the_powers_of_adam_are_boxes_of_their_own() -> None:
    graph, loss, train = line_fit()
    picture = collapse(picture_of(graph, fetches=[loss, train], context="cut"))
    labels = {box.label for box in picture.boxes}
    assert {"Adam: for all variables", "Adam(beta1_power)", "Adam(beta2_power)"} <= labels
    ends = {(arrow.source, arrow.target) for arrow in picture.arrows}
    assert not {("Adam/update_w/", "Adam/update_b/"), ("Adam/update_b/", "Adam/update_w/")} & ends


def test_a_closed_optimizer_says_what_it_writes() -> None:
    graph, loss, train = line_fit()
    (box,) = [each for each in closed(graph, fetches=[loss, train], depth=0).values() if each.id == "Adam/"]
    assert box.detail == ("writes w and its m, v", "writes b and its m, v")


def test_only_what_a_fetch_needs_is_exported_unless_the_rest_is_wanted(tmp_path: Path) -> None:
    graph, loss, _ = network()
    text = graph.export(tmp_path / "cut.svg", fetches=loss).read_text("utf-8")
    assert "gradients" not in text and "Adam/" not in text and "not needed" not in text
    text = graph.export(tmp_path / "dim.svg", fetches=loss, context="dim").read_text("utf-8")
    assert "gradients" in text and "not needed" in text
    (view,) = data_of(graph.export(tmp_path / "cut.html", fetches=loss).read_text("utf-8"))["views"]
    assert not any(box[0].startswith("gradients") for box in view["boxes"])
    data = json.loads(graph.export(tmp_path / "all.picture.json", fetches=loss).read_text("utf-8"))
    names = {box["id"] for box in data["boxes"]}
    assert names == {op.name for op in graph.get_operations()}, "data hold every node"
    with pytest.raises(ValueError, match=r"context='grey'.*'cut', 'dim' or None"):
        graph.export(tmp_path / "a.svg", context="grey")  # type: ignore[arg-type]  # the mistake is the point


@pytest.mark.parametrize("layers", [1, *nightly([3]), 8])
def test_a_still_of_training_fits_a_screen(layers: int, tmp_path: Path) -> None:
    graph, loss, train = network(layers)
    for name, fetches in (("loss", loss), ("train", [loss, train]), ("whole", None)):
        width, height = size_of(graph.export(tmp_path / f"{name}.svg", fetches=fetches))
        assert width <= 1400 and height <= 1000, (name, width, height)
    width, _ = size_of(graph.export(tmp_path / "deep.svg", depth=9))
    assert layers == 1 or width > 1400, "a depth is the reader's own choice"


def test_results_stand_at_the_end_of_a_folded_drawing() -> None:
    boxes = tuple(Box(str(i), f"box {i}") for i in range(45))
    arrows = tuple(Arrow(str(i), str(i + 1)) for i in range(44))
    layout = lay_out(Picture("", boxes, arrows))
    last = next(placed for placed in layout.boxes if placed.box.id == "44")
    assert last.rect.right > layout.width * 0.7 and last.rect.bottom == max(p.rect.bottom for p in layout.boxes)
    assert climbs(layout) > 0


def test_a_closed_scope_with_a_fetched_tensor_is_marked() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.name_scope("tower"):
            tf.sqrt(x, name="root")
        tf.negative(x, name="other")
    box = closed(graph, fetches="tower/root", depth=0)["tower/"]
    assert box.kind is BoxKind.FETCHED and box.detail[-1] == "fetched: root"
    assert closed(graph, fetches="other", depth=0)["tower/"].kind is BoxKind.PRUNED


def test_a_variable_is_a_variable_at_every_stage_of_a_run_unless_it_is_fed(tmp_path: Path) -> None:
    graph, loss, train = line_fit()
    with tf.Session(graph=graph) as session:
        session.run("init")
        feeds: dict[str, Any] = {"x:0": [[1.0, 2.0, 3.0]]}
        path = graph.export(tmp_path / "run.html", fetches=[loss, train], session=session, feeds=feeds)
        views = [view for view in data_of(path.read_text("utf-8"))["views"] if "boxes" in view]
        assert len(views) > 3
        for view in views:
            kinds = {box[0]: box[2] for box in view["boxes"]}
            assert kinds["w"] == kinds["w/Adam"] == kinds["b"] == "variable" and kinds["x"] == "fed"
            closed = {scope[2]: scope[9] for scope in view["scopes"] if len(scope) > 9}
            assert closed["w"][0] == "w" and closed["w"][1] == "variable"
            assert not [arrow for arrow in view["arrows"] if view["boxes"][arrow[1]][0] == "init"]
        path = graph.export(tmp_path / "fed.html", fetches=loss, session=session, feeds={**feeds, "w:0": [[1.0]] * 3})
        last = [view for view in data_of(path.read_text("utf-8"))["views"] if "boxes" in view][-1]
        kinds = {box[0]: box[2] for box in last["boxes"]}
        assert kinds["w.fed_0"] == "fed" and kinds["b"] == "variable"


def test_a_variable_that_is_alone_in_its_scope_has_no_scope() -> None:
    graph, loss, _ = line_fit(tf.train.GradientDescentOptimizer(0.1))
    picture = picture_of(graph, fetches=loss, context="cut")
    (box,) = [box for box in picture.boxes if box.id == "b"]
    assert box.group == () and box.detail == ("float32 (1,)", "starts as 0.5")
    assert not any(group.face for group in picture.groups)


@cache
def normalised_network() -> tuple[tf.Graph, Any, Any]:
    """Two convolutions with batch normalisation, whose updates the step of training waits for."""
    with tf.Graph().as_default() as graph:
        h = tf.placeholder(tf.float32, [None, 28, 28, 1], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        training = tf.placeholder(tf.bool, [], name="training")
        for number in range(2):
            with tf.variable_scope(f"block{number}"):
                h = tf.layers.conv2d(h, 8, 3, padding="same", use_bias=False)
                h = tf.nn.relu(tf.layers.batch_normalization(h, training=training))
                h = tf.layers.max_pooling2d(h, 2, 2)
        logits = tf.layers.dense(tf.layers.flatten(h), 10, name="logits")
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses, name="loss")
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        tf.global_variables_initializer()
    return graph, loss, train


@pytest.mark.parametrize("shown", ["loss", "train", *nightly(["whole"])])
def test_a_network_with_batch_normalisation_fits_a_screen(shown: str, tmp_path: Path) -> None:
    graph, loss, train = normalised_network()
    fetches = {"loss": loss, "train": [loss, train]}.get(shown)
    width, height = size_of(graph.export(tmp_path / "a.svg", fetches=fetches))
    assert width <= 1400 and height <= 1000, (width, height)


def test_what_gradients_read_of_the_forward_pass_is_one_line_and_a_number() -> None:
    graph, loss, train = normalised_network()
    opened = picture_of(graph, fetches=[loss, train], context="cut")
    whole = closed_to(opened, 200)
    picture = without_kept_values(whole, derivative_scopes(picture_of(graph)), opened)

    def into(each: Picture) -> list[Arrow]:
        return [arrow for arrow in each.arrows if arrow.target == "gradients/" and arrow.kind == "data"]

    assert len(into(whole)) > 10
    (line,) = into(picture)
    assert line.source == "loss"
    tensors = {name for arrow in into(whole) if arrow is not line for name in arrow.tensors}
    (gradients,) = (box for box in picture.boxes if box.id == "gradients/")
    assert gradients.detail[-1] == f"reads {len(tensors)} more values"
    assert {arrow.source for arrow in picture.arrows} == {arrow.source for arrow in whole.arrows}


def test_few_lines_into_gradients_are_drawn() -> None:
    graph, loss, train = line_fit(tf.train.GradientDescentOptimizer(0.1))
    picture = picture_of(graph, fetches=[loss, train], context="cut")
    shown = closed_to(picture, 200)
    assert derivative_scopes(picture) == [("gradients",)]
    few = replace(shown, arrows=tuple(a for a in shown.arrows if a.target != "gradients/" or a.kind != "data")[:4])
    assert without_kept_values(few, [("gradients",)], picture).boxes == few.boxes


@pytest.mark.parametrize("form", [*nightly(["mean", "scaled", "summed"]), "sum", "in a scope"])
def test_a_line_leads_from_what_is_differentiated_to_the_gradients(form: str, tmp_path: Path, browser: Browser) -> None:
    """Also where these need no value of it: the gradient of a sum begins with ones."""
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, [None, 6, 3], name="x"), tf.placeholder(tf.float32, [None, 4], name="y")
        _, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(4), x, dtype=tf.float32)
        squares = tf.square(state.h - y)
        with tf.name_scope("cost" if form == "in a scope" else ""):
            loss = {
                "mean": lambda: tf.reduce_mean(squares, name="loss"),
                "scaled": lambda: tf.multiply(tf.reduce_mean(squares), 2.0, name="loss"),
                "summed": lambda: tf.add(tf.reduce_mean(squares), tf.nn.l2_loss(state.c), name="loss"),
            }.get(form, lambda: tf.reduce_sum(squares, name="loss"))()
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
    picture = picture_of(graph, fetches=[loss, train], context="cut")
    source = "cost/" if form == "in a scope" else "loss"
    closed = fit_screen(picture)
    assert (source, "gradients/") in {(a.source, a.target) for a in closed.arrows} | {
        (a.source.partition("/")[0] + "/", a.target) for a in closed.arrows
    }
    opened = picture_of(graph, fetches=[loss, train], context="cut")
    inputs = {(t.op.name, op.name) for op in graph.get_operations() for t in op.inputs}
    of_loss = [a for a in opened.arrows if a.source == loss.op.name and a.target.startswith("gradients/")]
    assert all((a.source, a.target) in inputs for a in of_loss), "an opened scope has the lines of its operations"
    browser.open(graph.export(tmp_path / "page.html", fetches=[loss, train]))
    arrows = "[...document.querySelectorAll('g.arrow')]"
    ends = browser.run(f"return {arrows}.map(({{dataset}}) => [dataset.from, dataset.to])")
    assert [each for each in ends if each[1] == "gradients/" and each[0] in (source, loss.op.name)]


def test_an_order_that_other_lines_say_has_no_line_of_its_own() -> None:
    graph, loss, train = normalised_network()
    picture = fit_screen(picture_of(graph, fetches=[loss, train], context="cut"))
    dashed = {(arrow.source, arrow.target) for arrow in picture.arrows if arrow.kind == "control"}
    blocks = {(source.partition("/")[0], target) for source, target in dashed}
    assert blocks == {(f"block{number}", target) for number in range(2) for target in ("gradients/", "Momentum/")}
    assert len(dashed) == 4
    every = picture_of(graph, fetches=[loss, train], constants="boxes")
    assert sum(arrow.kind == "control" for arrow in every.arrows) > 400, "data hold every edge"


def test_only_implied_orders_have_no_line() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        first = tf.assign_add(v, 1.0, name="first")
        with tf.control_dependencies([first.op]):
            y = tf.negative(tf.constant(2.0, name="two"), name="y")
            z = tf.exp(y, name="z")
            apart = tf.sqrt(4.0, name="apart")
        last = tf.group(first.op, z, name="last")
    found = {(a.source, a.target) for a in picture_of(graph).arrows if a.kind == "control"}
    assert found == {("first", "y"), ("first", "apart"), ("z", "last")}
    assert {op.name for op in (apart.op, last)} == {"apart", "last"}


def test_what_belongs_to_an_optimizer_alone_is_in_its_box() -> None:
    graph, loss, train = line_fit()
    boxes = {box.id: box for box in picture_of(graph, fetches=[loss, train]).boxes}
    assert boxes["beta1_power"].group[0] == boxes["beta2_power"].group[0] == "Adam" and boxes["Adam"].group == ("Adam",)
    whole = {box.id: box for box in closed_to(picture_of(graph, fetches=[loss, train]), 5).boxes}
    assert whole["Adam/"].kind is BoxKind.FETCHED and not any("fetched" in line for line in whole["Adam/"].detail)
    assert "beta1_power" not in whole and "beta1_power/" not in whole
    with graph.as_default():
        seen = tf.identity(graph.get_tensor_by_name("beta1_power/read:0"), name="seen")
    boxes = {box.id: box for box in picture_of(graph, fetches=[seen, train]).boxes}
    assert boxes["beta1_power"].group[:1] != ("Adam",), "something else reads it"


def test_a_closed_scope_counts_a_variable_and_not_its_slots() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        with tf.variable_scope("dense"):
            w, b = tf.get_variable("w", [2, 1]), tf.get_variable("b", [1])
            out = tf.add(tf.matmul(x, w), b, name="out")
        loss = tf.reduce_mean(tf.square(out), name="loss")
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
    picture = picture_of(graph, fetches=[loss, train])
    step_by_step = collapse(collapse(picture, closed=["dense/w", "dense/b"]), closed=["dense"])
    for made in (collapse(picture, closed=["dense"]), step_by_step):
        (box,) = [box for box in made.boxes if box.label == "dense"]
        assert box.detail == ("4 operations", "VariableV2 x2, Add x1, MatMul x1")


def test_a_headline_does_not_tell_the_first_result_of_a_loop_as_what_is_fetched(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        found = tf.while_loop(lambda i, total: i < 3, lambda i, total: (i + 1, total * 2.0), [0, 1.0], name="twice")
    words = data_of(graph.export(tmp_path / "loop.html", fetches=found[1]).read_text("utf-8"))["words"]
    assert "fetched: twice;" in words and "int32" not in words


def test_plans_draw_what_a_write_changes_and_keep_slots_with_their_variables() -> None:
    graph, loss, train = line_fit(tf.train.MomentumOptimizer(0.1, 0.9))
    with tf.Session(graph=graph) as session:
        fed = [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]
        plan = session.plan([loss, train], fed)
    picture = collapse(picture_of_plan(plan))
    boxes = {box.id: box for box in picture.boxes}
    written = {(arrow.source, arrow.target) for arrow in picture.arrows if arrow.kind == "write"}
    assert {source for source, _ in written} == {"w/", "b/"}
    for source, target in written:
        name = source.rstrip("/")
        assert f"writes {name}/Momentum, {name}" in boxes[target].detail
        assert "slots Momentum" in boxes[source].detail


def test_optimised_stages_draw_what_a_write_changes_and_no_line_upwards(tmp_path: Path, browser: Browser) -> None:
    graph, loss, train = line_fit(tf.train.MomentumOptimizer(0.1, 0.9))
    fed = [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]
    feeds = {each: np.ones((2, 3), np.float32) for each in fed}
    page = graph.export(tmp_path / "page.html", fetches=[loss, train], feeds=feeds, play=True)
    for fragment in ("#plan=optimised", ""):
        browser.open(page, fragment)
        ends = browser.run("""return [...document.querySelectorAll('g.arrow')].map((each) =>
            [each.dataset.from, each.dataset.to, each.querySelector('.write') !== null])""")
        assert {source for source, _, writes in ends if writes} == {"w/", "b/"}
        pairs = {(source, target) for source, target, _ in ends}
        assert not [each for each in pairs if each[::-1] in pairs], "two boxes that need each other: a line upwards"


def test_constants_are_no_operations_in_closed_scopes_and_headlines(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.name_scope("part"):
            y = tf.sqrt(x * 2.0 + 1.0, name="y")
    for constants in ("labels", "boxes"):
        shown = collapse(picture_of(graph, fetches=y, constants=constants), depth=0)
        assert [box.detail[0] for box in shown.boxes if box.label == "part"] == ["3 operations"]
    page = graph.export(tmp_path / "page.html", fetches=y, feeds={x: [1.0, 2.0, 3.0]}, play=True)
    data = data_of(page.read_text("utf-8"))
    assert [scope[4] for scope in data["views"][0]["scopes"] if scope[1] == "part"] == ["3 operations"]
    assert data["words"].startswith("4 operations and 2 constants")


def test_each_of_two_equal_lines_has_its_label() -> None:
    boxes = (Box("a", "a"), Box("b", "b"), Box("c", "c"))
    arrows = tuple(Arrow("a", end, "2 tensors", tensors=(f"a:{end}",)) for end in "bc")
    places = [placed.label for placed in lay_out(Picture("", boxes, arrows)).arrows]
    assert None not in places and len(set(places)) == 2
