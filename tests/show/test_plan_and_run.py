"""Plans and recorded runs in every form: their content, other readers, and safety for any names."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import numpy as np
import pytest

import penstock as tf
from penstock.runtime.planning.plan import Plan
from penstock.show.content.colour_scales import HEALTH, by_name, by_number
from penstock.show.content.from_plan import names_of, picture_of_plan, picture_of_record
from penstock.show.content.picture import BoxKind
from penstock.show.formats.export import WRITERS
from penstock.show.layout.picture_layout import lay_out

from .test_page_document import HOSTILE, data_of

F32 = np.float32
FORMS = sorted(WRITERS)
RUN_FORMS = [*FORMS, ".trace.json", ".perfetto.json"]


def program() -> tuple[tf.Graph, list[tf.Tensor], dict[tf.Tensor, Any]]:
    """An image, a fused group with two results, a view, rows whose number only the run knows, an infinity."""
    with tf.Graph().as_default() as graph:
        image = tf.placeholder(tf.float32, ["h", "w"], name="image")
        with tf.name_scope("tone"):
            half = tf.multiply(image, 0.5, name="half")
            curve = tf.log(half, name="curve")
        total = tf.cumsum(curve, name="total")
        bright = tf.boolean_mask(tf.reshape(half, [-1]), tf.reshape(half, [-1]) > 0.2, name="bright")
    fed = np.linspace(0, 1, 12 * 16, dtype=F32).reshape(12, 16)
    return graph, [total, half, bright], {image: fed}


def run_of(graph: tf.Graph, fetches: Any, feeds: dict[Any, Any], values: bool = True) -> tf.RunRecord:
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(fetches, feeds, tf.RunOptions(values=values), metadata)
    assert metadata.record is not None
    return metadata.record


@pytest.fixture(scope="module")
def record() -> tf.RunRecord:
    return run_of(*program())


@pytest.fixture(scope="module")
def hostile_run() -> tf.RunRecord:
    """A run of a plan whose names are hostile; a graph would refuse them, a file might bring them."""
    graph, fetches, feeds = program()
    plain = run_of(graph, fetches, feeds)
    plan = plain.plan
    named = [*HOSTILE, *(f"step {i}" for i in range(len(plan.steps)))]
    steps = tuple(replace(step, node=named[i]) for i, step in enumerate(plan.steps))
    made = replace(plan, steps=steps, feeds=tuple((HOSTILE[4] + ":0", slot) for _, slot in plan.feeds))
    ran = tuple(replace(step, node=named[i]) for i, step in enumerate(plain.steps))
    return replace(plain, plan=made, steps=ran, graph=None)


# ---- every form ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMS)
def test_a_plan_is_written_in_every_form(suffix: str, record: tf.RunRecord, tmp_path: Path) -> None:
    path = record.plan.export(tmp_path / f"plan{suffix}")
    text = path.read_text("utf-8")
    assert all(step.node.split("/")[-1] in text for step in record.plan.steps)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", RUN_FORMS)
def test_a_recorded_run_is_written_in_every_form(suffix: str, record: tf.RunRecord, tmp_path: Path) -> None:
    text = record.export(tmp_path / f"run{suffix}").read_text("utf-8")
    assert all(step.node.split("/")[-1] in text for step in record.steps)
    assert "float32 (12, 16)" in text or '"shape": [12, 16]' in text or "float32 #40;12" in text


@pytest.mark.parametrize("suffix", RUN_FORMS)
def test_hostile_names_harm_no_form_of_a_run(suffix: str, hostile_run: tf.RunRecord, tmp_path: Path) -> None:
    path = hostile_run.export(tmp_path / f"run{suffix}")
    text = path.read_text("utf-8")
    if suffix == ".html":
        assert text.count("</script>") == 2
        boxes = {box[0] for box in data_of(text)["views"][0]["boxes"]}
        assert set(HOSTILE[: len(hostile_run.steps)]) <= boxes
    elif suffix == ".svg":
        ElementTree.fromstring(text)
    elif suffix == ".graphml":
        assert networkx.parse_graphml(text, force_multigraph=True).number_of_nodes() > len(hostile_run.steps)
    elif suffix.endswith("json"):
        assert json.loads(text)
    else:
        assert "\x1b" not in text and "\x00" not in text


def test_graphml_of_a_plan_reads_back_with_an_edge_for_each_slot_read(record: tf.RunRecord, tmp_path: Path) -> None:
    plan = record.plan
    found = networkx.read_graphml(plan.export(tmp_path / "plan.graphml"), force_multigraph=True)
    assert found.number_of_edges() == sum(len(step.inputs) for step in plan.steps)
    assert set(found.nodes) >= {step.node for step in plan.steps} | {"image"}
    assert found.nodes["total"]["kind"] == "fetched"


def test_a_plan_as_json_has_its_steps_in_order_with_what_they_read_write_and_free(
    record: tf.RunRecord, tmp_path: Path
) -> None:
    plan = record.plan
    found = json.loads(plan.export(tmp_path / "plan.json").read_text())
    assert (found["format"], found["version"]) == ("penstock-plan", 1)
    assert [(s["node"], s["reads"], s["writes"], s["frees"]) for s in found["steps"]] == [
        (s.node, [*map(int, s.inputs)], [*map(int, s.outputs)], [*map(int, s.frees)]) for s in plan.steps
    ]
    fused = next(step for step in found["steps"] if step["op"] == "Fused")
    assert fused["members"] == ["tone/half", "tone/curve"] and "Log" in fused["formula"]
    assert found["slots"][found["feeds"][0][1]] == {"dtype": "float32", "shape": ["h", "w"]}


def test_a_run_as_json_has_times_bytes_run_shapes_and_values(record: tf.RunRecord, tmp_path: Path) -> None:
    found = json.loads(record.export(tmp_path / "run.json").read_text())
    assert (found["format"], found["version"]) == ("penstock-run", 1)
    assert [s["seconds"] for s in found["steps"]] == [s.duration for s in record.steps]
    assert found["peak_bytes"] == record.peak_bytes and found["fetches"] == list(record.fetches)
    half = next(r for s in found["steps"] for r in s["results"] if r["name"] == "tone/half:0")
    assert half["shape"] == [12, 16] and half["value"]["maximum"] == 0.5 and half["value"]["zeros"] == 1
    curve = next(r for s in found["steps"] for r in s["results"] if r["name"] == "tone/curve:0")
    assert curve["value"]["infs"] == 1 and curve["value"]["first_bad"] == [0, 0]


def test_text_has_the_table_and_the_tree(record: tf.RunRecord, tmp_path: Path) -> None:
    text = record.export(tmp_path / "run.txt").read_text()
    assert text.startswith(record.headline) and record.table() in text
    assert "tone/" in text.split("\n") and "boxes" in text
    plan = record.plan.export(tmp_path / "plan.txt").read_text()
    assert plan.startswith(str(record.plan)) and "tone/" in plan.split("\n")


# ---- the timeline ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.trace.json", "run.perfetto.json", "RUN.Trace.JSON"])
def test_a_timeline_has_the_documented_form(name: str, record: tf.RunRecord, tmp_path: Path) -> None:
    found = json.loads(record.export(tmp_path / name, title="a title").read_text())
    assert found["displayTimeUnit"] in ("ms", "ns")
    events = found["traceEvents"]
    required = {"X": {"name", "cat", "ts", "dur", "pid", "tid"}, "C": {"name", "ts", "pid", "args"},
                "M": {"name", "pid", "args"}}  # fmt: skip
    for event in events:
        assert required[event["ph"]] <= event.keys(), event
        assert all(isinstance(event.get(key, 0), int | float) for key in ("ts", "dur", "pid", "tid"))
    steps = [event for event in events if event["ph"] == "X"]
    assert [event["name"] for event in steps] == [step.node for step in record.steps]
    assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in itertools.pairwise(steps))
    counted = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    assert counted == [step.held for step in record.steps]
    assert events[0] == {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "a title"}}


def test_plain_json_is_no_timeline(record: tf.RunRecord, tmp_path: Path) -> None:
    assert "traceEvents" not in json.loads(record.export(tmp_path / "trace.json").read_text())


def test_a_plan_has_no_timeline_and_says_how_to_get_one(record: tf.RunRecord, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a plan has not run\. Record a run"):
        record.plan.export(tmp_path / "plan.trace.json")
    assert list(tmp_path.iterdir()) == []


# ---- pictures -------------------------------------------------------------------------------------------


def test_a_picture_of_a_plan_numbers_its_steps_and_names_the_fused(record: tf.RunRecord) -> None:
    picture = picture_of_plan(record.plan)
    kinds = {box.id: box.kind for box in picture.boxes}
    assert kinds["image"] is BoxKind.FED
    labels = [box.label for box in picture.boxes if re.match(r"\d+\. ", box.label)]
    assert len(labels) == len(record.plan.steps)
    fused = next(box for box in picture.boxes if box.type == "Fused")
    assert fused.detail[0] == "Mul, Log" and fused.group == ("tone",)


def test_a_picture_of_a_run_tells_run_shapes_times_and_values(record: tf.RunRecord) -> None:
    boxes = {box.id: box for box in picture_of_record(record).boxes}
    bright = boxes["bright"]
    count = record.step("bright").results[0].shape[0]
    assert bright.detail[0] == f"float32 ({count},)" and "mean" in bright.detail[1]
    assert re.fullmatch(r"[\d.e+-]+ (s|ms|us), [\d.]+ (B|KiB)", bright.detail[2])
    assert boxes["image"].detail == ("float32 (12, 16)", "0 to 1, mean 0.5")


@pytest.mark.parametrize("colour", ["type", "dtype", "device", "order", "group", "time", "bytes", "memory", "health"])
def test_every_colouring_paints_the_steps_and_explains_its_paints(colour: str, record: tf.RunRecord) -> None:
    picture = picture_of_record(record, colour=colour)
    explained = {entry.paint for entry in picture.legend}
    painted = {box.paint for box in picture.boxes}
    if colour in ("time", "bytes", "memory", "order"):
        assert len(explained - {"#eef0f3"}) >= 2
    else:
        assert painted <= explained
    steps = {box.id for box in picture.boxes if re.match(r"\d+\. ", box.label)}
    assert any(box.paint != "#eef0f3" for box in picture.boxes if box.id in steps)


@pytest.mark.parametrize("colour", ["type", "dtype", "device"])
def test_a_graph_is_coloured_by_what_it_knows(colour: str, tmp_path: Path) -> None:
    graph, fetches, _ = program()
    text = graph.export(tmp_path / "graph.svg", colour=colour, fetches=fetches).read_text()
    assert {"type": "Log (1)", "dtype": "bool (1)", "device": "no device asked for"}[colour] in text


def test_a_graph_cannot_be_coloured_by_time(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there are kind, type, dtype, device\. Times.*need a recorded run"):
        program()[0].export(tmp_path / "graph.svg", colour="time")


def test_health_tells_the_infinite_from_the_finite(record: tf.RunRecord) -> None:
    paints = {box.id: box.paint for box in picture_of_record(record, colour="health").boxes}
    assert paints["total"] == HEALTH["Inf"] and paints["bright"] == HEALTH["finite"]


def test_a_plan_cannot_be_coloured_by_time(record: tf.RunRecord, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"colour='time'.*there are kind, .* order, group\..*a recorded run"):
        record.plan.export(tmp_path / "plan.svg", colour="time")


def test_text_on_a_painted_box_is_dark_in_every_theme(record: tf.RunRecord, tmp_path: Path) -> None:
    root = ElementTree.fromstring(record.export(tmp_path / "run.svg", colour="time").read_text())
    namespace = "{http://www.w3.org/2000/svg}"
    for group in root.iter(f"{namespace}g"):
        rect = group.find(f"{namespace}rect")
        if rect is not None and rect.get("style", "").startswith("fill:#") and group.get("class", "").startswith("box"):
            assert all("fill:#1d2733" in text.get("style", "") for text in group.iter(f"{namespace}text"))


def test_one_slow_step_leaves_the_others_apart() -> None:
    found = by_number({"a": 1.0, "b": 10.0, "c": 100_000.0}, str, adds_up=True)
    assert len(set(found.paints.values())) == 3
    assert by_name({"a": "x", "b": "x"}).legend[0].label == "x (2)"


def test_depth_closes_and_hide_leaves_out(record: tf.RunRecord) -> None:
    closed = picture_of_plan(record.plan, depth=0)
    assert "tone/" in {box.id for box in closed.boxes}
    hidden = picture_of_plan(record.plan, hide="tone")
    assert not any(box.group for box in hidden.boxes) and len(hidden.boxes) < len(closed.boxes) + 1


def test_two_steps_of_one_node_have_names_of_their_own(record: tf.RunRecord) -> None:
    first = record.plan.steps[0]
    doubled = replace(record.plan, steps=(replace(first, op="CopyToHost"), *record.plan.steps))
    names = names_of(doubled)
    assert len(set(names.steps)) == len(doubled.steps)
    assert len({box.id for box in picture_of_plan(doubled).boxes}) == len(picture_of_plan(doubled).boxes)


def test_no_two_boxes_of_a_run_overlap(record: tf.RunRecord) -> None:
    rects = [placed.rect for placed in lay_out(picture_of_record(record)).boxes]
    for i, one in enumerate(rects):
        for other in rects[i + 1 :]:
            apart = one.right <= other.x or other.right <= one.x or one.bottom <= other.y or other.bottom <= one.y
            assert apart


# ---- the page -------------------------------------------------------------------------------------------


def test_a_page_of_a_run_has_the_stages_and_every_value(record: tf.RunRecord, tmp_path: Path) -> None:
    data = data_of(record.export(tmp_path / "run.html").read_text("utf-8"))
    assert [view["name"] for view in data["views"]][:2] == ["built", "pruned"]
    facts = data["facts"]
    assert [row[0] for row in facts["run"]] == [step.node for step in record.steps]
    for step in record.steps:
        for result in step.results:
            kind, size, value = facts["values"][result.name]
            assert (kind, size) == (result.type, result.bytes) and result.value is not None
            assert value[1] == result.value.preview and value[6:8] == [result.value.nans, result.value.infs]
    assert facts["values"]["image:0"][2][11][:3] == [12, 16, 1]  # its image
    assert facts["shapes"]["bright"] == [f"({record.step('bright').results[0].shape[0]},)"]
    assert facts["hasValues"] and facts["failed"] == ""


def test_a_page_without_the_graph_shows_the_plan(record: tf.RunRecord, tmp_path: Path) -> None:
    data = data_of(replace(record, graph=None).export(tmp_path / "run.html").read_text("utf-8"))
    assert len(data["views"]) == 1 and len(data["facts"]["run"]) == len(record.steps)
    boxes = {box[0] for box in data["views"][0]["boxes"]}
    assert boxes >= {step.node for step in record.plan.steps}


def test_a_page_of_a_plan_tells_what_each_step_reads_makes_and_drops(record: tf.RunRecord, tmp_path: Path) -> None:
    plan: Plan = record.plan
    data = data_of(plan.export(tmp_path / "plan.html").read_text("utf-8"))
    names = names_of(plan).values
    for row, step in zip(data["facts"]["plan"], plan.steps, strict=True):
        assert row[0] == step.node and row[6] == step.op
        assert row[3:6] == [[names[s] for s in slots] for slots in (step.inputs, step.outputs, step.frees)]
    assert data["facts"]["bodies"]["tone/curve"][1].startswith("%2 = Mul(%0, %1)")
    kinds = [data["texts"][card[0]] for card in data["cards"]]
    assert kinds == [step.op for step in plan.steps]
    assert "run" not in data["facts"]


def test_an_unknown_suffix_names_those_there_are(record: tf.RunRecord, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the suffix '\.gif'; a recorded run is written as .*\.trace\.json"):
        record.export(tmp_path / "run.gif")
    with pytest.raises(ValueError, match=r"no suffix; a plan is written as \.dot, \.graphml"):
        record.plan.export(tmp_path / "plan")
    assert list(tmp_path.iterdir()) == []


def test_a_plan_says_in_a_line_what_it_is(record: tf.RunRecord) -> None:
    assert repr(record.plan) == f"<Plan of {len(record.plan.steps)} steps, feeding image:0>"


def test_a_recorded_run_is_a_page_and_a_picture_in_notebooks(record: tf.RunRecord) -> None:
    page, drawn = record._repr_html_(), record._repr_svg_()
    assert page is not None and page.startswith('<div class="penstock-page"')
    assert drawn is not None and ElementTree.fromstring(drawn).tag.endswith("svg")


@pytest.mark.parametrize(("parts", "line"), [(2, "float32 (3,) in t1 t2"), (8, "float32 (3,) in t1 ... t8")])
def test_the_type_of_equal_results_of_a_step_is_written_once(parts: int, line: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [parts, 3], name="x")
        rows = tf.unpack(x, name="rows")
    plan = tf.Session(graph=graph).plan(rows)
    box = next(box for box in picture_of_plan(plan).boxes if box.id == "rows")
    assert line in box.detail
