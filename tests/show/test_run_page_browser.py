"""A recorded run in a real browser: stepping lights the node and shows what it made, coloured and explained."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.content.from_plan import picture_of_plan

from ..helpers import nightly
from ..warm_python import run_warm
from .browser import CHROMIUM, DRIVER, Browser
from .test_page_browser import CARD, assert_drawn_as, click_all, panel

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_STEP = """const s = document.getElementById('run-slider'); s.value = arguments[0];
    s.dispatchEvent(new Event('input'))"""
_COLOUR = """const c = document.getElementById('colour'); c.value = arguments[0];
    c.dispatchEvent(new Event('change'))"""
_LIT = "return [...document.querySelectorAll('g.box.lit')].map(g => g.dataset.id)"
_CANVAS = """return [...document.querySelectorAll('#card canvas')].map(c =>
    [c.width, c.height, [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]])"""
_HUES = """return Object.fromEntries([...document.querySelectorAll('g.box.hue')]
    .map(g => [g.dataset.id, g.style.getPropertyValue('--h')]))"""
_WIDER = """const panel = document.getElementById('card');
    return [...panel.querySelectorAll('*')].filter(made => made.getBoundingClientRect().right
        > panel.getBoundingClientRect().right + 1).map(made => made.outerHTML.slice(0, 120))"""
SCRIPT = """
import numpy as np
import penstock as tf

x = tf.placeholder(tf.float32, ["batch", 3], name="x")
with tf.name_scope("dense"):
    y = tf.tanh(tf.cumsum(x, name="sums") * 2.0, name="y")
with tf.Session() as session:
    call = session.make_callable(y, [x])
    for count in (1, 2, 5):
        call(np.full((count, 3), count))
"""


def run_of_an_image() -> tf.RunRecord:
    """An arena, a fused group, an image, an infinity, and rows whose number only the run knows."""
    with tf.Graph().as_default() as graph:
        image = tf.placeholder(tf.float32, ["h", "w"], name="image")
        with tf.name_scope("tone"):
            half = tf.multiply(image, 0.5, name="half")
            curve = tf.log(half, name="curve")
        wave = tf.sin(tf.cumsum(half, name="rows"), name="wave")
        sums = tf.cumsum(wave, name="sums")
        total = tf.cumsum(curve, name="total")
        kept = tf.boolean_mask(tf.reshape(half, [-1]), tf.reshape(half, [-1]) > 0.2, name="kept")
    fed = np.linspace(0, 1, 48 * 64, dtype=np.float32).reshape(48, 64)
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run([total, sums, kept], {image: fed}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    return metadata.record


@pytest.fixture(scope="module")
def record() -> tf.RunRecord:
    return run_of_an_image()


@pytest.fixture(scope="module")
def page(record: tf.RunRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = record.export(tmp_path_factory.mktemp("run") / "run.html", title="an image")
    return path


def test_the_page_of_a_debugger_counts_the_steps_of_the_plan_as_its_title_does(
    browser: Browser, tmp_path: Path
) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.placeholder(tf.float32, [2], name="x")
        for i in range(5):
            value = tf.cumsum(value, name=f"sum_{i}")
        dbg = tf.Session(graph=graph).debug(value, {"x:0": [1.0, 2.0]})
    dbg.until("sum_3")
    path = dbg.show(tmp_path / "here.html")
    assert isinstance(path, Path)
    browser.open(path)
    assert "before step 4 of 5" in browser.run("return document.title")
    bar = browser.run("return document.getElementById('runbar').textContent")
    assert "step 3 of 5" in bar and "3 / 5" in bar, bar
    assert "step 3 of 5" in panel(browser)


def number_of(record: tf.RunRecord, node: str) -> int:
    return [step.node for step in record.steps].index(node) + 1


def test_every_step_lights_its_node_and_tells_what_it_made(browser: Browser, page: Path, record: tf.RunRecord) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    for number, step in enumerate(record.steps, start=1):
        _, lit, wider, text = browser.run_each((_STEP, number), (_LIT,), (_WIDER,), (CARD,))
        assert lit == [step.node] and wider == []
        assert f"step {number} of {len(record.steps)}" in text
        for result in step.results:
            assert result.type in text and result.value is not None
            assert result.value.preview.split("\n")[0] in text
    assert browser.log("browser") == []


def test_the_numbers_of_a_value_are_those_of_the_run(browser: Browser, page: Path, record: tf.RunRecord) -> None:
    browser.open_again(page)
    browser.run(_STEP, number_of(record, "kept"))
    value = record.step("kept").results[0].value
    assert value is not None and value.minimum is not None and value.maximum is not None
    shown = re.search(r"range\s+([\d.e-]+) to ([\d.e-]+)", panel(browser))
    assert shown is not None
    assert [float(shown[1]), float(shown[2])] == pytest.approx([value.minimum, value.maximum], rel=1e-4)


def test_an_image_is_drawn_with_its_pixels(browser: Browser, page: Path, record: tf.RunRecord) -> None:
    browser.open_again(page)
    browser.run(_STEP, number_of(record, "sums"))
    value = record.step("sums").results[0].value
    assert value is not None and value.image is not None
    ((width, height, pixels),) = browser.run(_CANVAS)
    assert (width, height) == (value.image.width, value.image.height)
    drawn = np.array(pixels).reshape(height, width, 4)
    grey = np.frombuffer(value.image.pixels, np.uint8).reshape(height, width).astype(float)
    assert np.array_equal(drawn[..., 0], np.rint(grey * 255 / 254)) and (drawn[..., 3] == 255).all()


def test_a_fused_step_shows_its_formula_and_what_runs_it(browser: Browser, page: Path, record: tf.RunRecord) -> None:
    browser.open_again(page)
    number = next(n for n, step in enumerate(record.steps, start=1) if step.op == "Fused" and len(step.results) == 2)
    browser.run(_STEP, number)
    text = panel(browser)
    assert "2 operations in one step" in text and "%0 = image:0" in text and "Log(%2)" in text
    assert re.search(r"device\s+cpu, (interpreted|compiled)", text)
    assert "tone/half:0" in text and "tone/curve:0" in text


def test_the_memory_moves_with_the_step(browser: Browser, page: Path, record: tf.RunRecord) -> None:
    assert record.memory is not None and record.memory.arena.offsets
    cursors = []
    for node in ("wave", "sums"):
        browser.open_again(page)
        browser.run(_STEP, number_of(record, node))
        cursors.append(browser.run("return Number(document.querySelector('#card .cursor').getAttribute('x1'))"))
        assert browser.run("return document.querySelectorAll('#card .chart rect.now').length") == 1
        assert "In use in the arena: 12.0 KiB of 12.0 KiB (wave:0)" in panel(browser)
        assert browser.run("return document.querySelectorAll('#card .buffer.past').length") == 0
    assert cursors[0] < cursors[1]
    browser.run(_STEP, len(record.steps))
    assert browser.run("return document.querySelectorAll('#card .buffer.past').length") == 1


def test_keys_and_the_button_step_through_the_run(browser: Browser, page: Path, record: tf.RunRecord) -> None:
    browser.open_again(page)
    slider = "return Number(document.getElementById('run-slider').value)"
    browser.keys(".", ".", ".")
    assert browser.run(slider) == 3
    browser.keys(",")
    assert browser.run(slider) == 2
    browser.run("document.getElementById('play').click()")
    assert browser.run("return document.getElementById('play').textContent") == "Stop"
    browser.run("document.getElementById('play').click()")


def test_what_has_not_run_yet_is_pale_and_the_legend_says_so(
    browser: Browser, page: Path, record: tf.RunRecord
) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    browser.run(_STEP, 2)
    later = set(browser.run("return [...document.querySelectorAll('g.box.later')].map(g => g.dataset.id)"))
    assert later == {step.node for step in record.steps[2:]}
    legend = browser.run("return document.getElementById('legend').innerText")
    assert "runs at this step" in legend and "has not run yet" in legend


def test_health_is_red_where_it_is_bad(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    browser.run("const s = document.getElementById('stage-slider'); s.value = s.max;"
                "s.dispatchEvent(new Event('input'))")  # fmt: skip
    browser.run(_COLOUR, "health")
    hues = browser.run(_HUES)
    assert hues["total"] == hues["tone/curve"] != hues["kept"]
    legend = browser.run("return document.getElementById('legend').innerText")
    assert "finite (" in legend and "Inf (2)" in legend


def test_a_page_opens_in_the_colours_that_were_asked_for(
    browser: Browser, record: tf.RunRecord, tmp_path: Path
) -> None:
    browser.open(record.export(tmp_path / "timed.html", colour="time"))
    assert browser.run("return document.getElementById('colour').value") == "time"
    assert browser.run("return document.querySelectorAll('g.box.ramped').length") > 2
    browser.open(record.plan.export(tmp_path / "plan.html", colour="group"))
    assert browser.run("return document.querySelectorAll('#legend .hue').length") == 1


def test_live_memory_is_a_ramp_between_the_least_and_the_most(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    browser.run(_COLOUR, "memory")
    assert browser.run("return document.querySelectorAll('g.box.ramped').length") > 2
    assert "in use after the step" in browser.run("return document.getElementById('legend').innerText")


def test_a_click_on_a_node_shows_its_value_and_where_it_was_made(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    browser.run("document.querySelector(\"g.box[data-id='tone/half']\").dispatchEvent("
                "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    text = panel(browser)
    assert "in the run (48, 64)" in text and "test_run_page_browser.py:" in text
    assert "0 to 0.5" in text and "elements in each bin" in text


def test_the_page_of_a_plan_steps_without_times(browser: Browser, record: tf.RunRecord, tmp_path: Path) -> None:
    browser.open(record.plan.export(tmp_path / "plan.html"))
    click_all(browser, "expand")
    assert_drawn_as(browser, picture_of_plan(record.plan))
    number = number_of(record, "kept")
    browser.run(_STEP, number)
    assert browser.run(_LIT) == ["kept"]
    text = panel(browser)
    assert "It reads" in text and "It makes" in text and "float32 (?,)" in text and "took" not in text
    assert "BooleanMask" in text
    assert "in the order in which they would run" in browser.run(
        "document.querySelector('#run-slider').value = 0;"
        "document.querySelector('#run-slider').dispatchEvent(new Event('input'));"
        "return document.getElementById('runbar').innerText"
    )


@pytest.mark.parametrize("count", [600, *nightly([2000])])
def test_a_run_of_many_steps_answers_at_once(browser: Browser, tmp_path: Path, count: int) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        y = x
        for i in range(count):
            y = tf.cumsum(y, name=f"s{i}")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones(4)}, tf.RunOptions(values=False), metadata)
    assert metadata.record is not None
    browser.open(metadata.record.export(tmp_path / "long.html"))
    for number in (1, count // 2, count):
        assert len(browser.run_each((_STEP, number), (_LIT,))[1]) == 1
    assert browser.run("return document.querySelectorAll('g.box').length") <= 300


def test_a_stage_that_shares_its_drawing_shows_its_own_marks(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        with tf.name_scope("sums"):
            y = tf.cumsum(tf.cumsum(x))
        tf.negative(y, name="unused")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones(4)}, run_metadata=metadata)
    assert metadata.record is not None
    browser.open(metadata.record.export(tmp_path / "marks.html"))
    marked = "return [...document.querySelectorAll('g.box.' + arguments[0])].map(g => g.dataset.id)"
    assert browser.run(marked, "pruned") == []
    browser.keys("]")
    assert browser.run(marked, "pruned") == ["unused"]
    browser.keys("[")
    assert browser.run(marked, "pruned") == []
    browser.keys("]", "]", "]")  # fold, then merge, which joins the two axes
    data: dict[str, Any] = browser.run("return JSON.parse(document.getElementById('data').textContent)")
    assert data["views"][3]["name"] == "merge" and [name for name, _ in data["views"][3]["gone"]]
    assert "Removed (1)" in panel(browser)
    browser.keys("]", "]", "]")
    badges = "return [...document.querySelectorAll('.badge-text')].map(t => t.textContent)"
    assert browser.run(badges) == ["1", "2"]
    browser.keys("[", "[")
    assert browser.run(badges) == []


def test_a_program_shows_its_last_run_without_a_change(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = run_warm(["script.py"], cwd=tmp_path, env=os.environ | {"PENSTOCK_SHOW": "out.html"})
    assert done.returncode == 0, done.stderr
    assert re.search(r"out\.html shows \d+ operations and a run of 2 steps", done.stderr)
    browser.open(tmp_path / "out.html")
    data: dict[str, Any] = browser.run("return JSON.parse(document.getElementById('data').textContent)")
    assert data["title"] == "script.py"
    assert [view["name"] for view in data["views"]][:2] == ["built", "pruned"]
    browser.run(_STEP, 1)
    text = panel(browser)
    assert "float32 (5, 3)" in text  # of the last of the three runs
    assert "5 to 25" in text
