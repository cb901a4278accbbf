"""Shapes and small values of a recorded run in the boxes and on the arrows, on pages and in still pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.observe.run_record import ResultRecord
from penstock.runtime.observe.value_summary import summary_of
from penstock.show import picture_of
from penstock.show.content.from_plan import picture_of_record
from penstock.show.content.run_texts import RunTexts, told, told_lines

from .browser import CHROMIUM, DRIVER, Browser
from .test_page_browser import click_all, search

needs_browser = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_TEXTS = """return Object.fromEntries([...document.querySelectorAll('g.box')].map(g => [g.dataset.id,
    [...g.querySelectorAll('.detail')].map(text => text.textContent).filter(Boolean)]))"""
_PLACES = """return Object.fromEntries([...document.querySelectorAll('g.box')].map(g => [g.dataset.id,
    ['x', 'y', 'width', 'height'].map(name => Number(g.querySelector('.body').getAttribute(name)))]))"""
_LABELS = "return [...document.querySelectorAll('.arrow-label')].map(text => text.textContent)"
_STEP = """const s = document.getElementById('run-slider'); s.value = arguments[0];
    s.dispatchEvent(new Event('input'))"""
_OUTSIDE = """return [...document.querySelectorAll('g.box')].flatMap(g => {
    const box = g.querySelector('.body').getBBox();
    return [...g.querySelectorAll('.name, .detail')].filter(text => text.textContent).filter(text => {
        const area = text.getBBox();
        return area.x < box.x || area.y < box.y || area.x + area.width > box.x + box.width
            || area.y + area.height > box.y + box.height;
    }).map(text => `${g.dataset.id}: ${text.textContent}`)})"""


def record_of_a_small_run() -> tf.RunRecord:
    """A named size, a scalar, a small vector, a NaN, outputs of different sizes, a fused group, and nodes left out."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        with tf.name_scope("inner"):
            total = tf.reduce_sum(x, name="total")
            columns = tf.cumsum(tf.reduce_sum(x, 0), name="columns")
        log = tf.log(tf.negative(x, name="minus"), name="log")
        rows = tf.dynamic_partition(x, tf.constant([0, 1, 1, 1]), 2, name="rows")
        sums = [tf.cumsum(each, name=f"sum_{number}") for number, each in enumerate(rows)]
        tf.negative(x, name="unused")
        both = tf.multiply(total, columns, name="both")
    fed = np.arange(12, dtype=np.float32).reshape(4, 3)
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run([both, log, *sums], {x: fed}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    return metadata.record


@pytest.fixture(scope="module")
def record() -> tf.RunRecord:
    return record_of_a_small_run()


@pytest.fixture(scope="module")
def page(record: tf.RunRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = record.export(tmp_path_factory.mktemp("texts") / "run.html")
    return path


def result_of(value: object) -> ResultRecord:
    array = np.asarray(value)
    return ResultRecord("n:0", array.dtype.name, array.shape, array.nbytes, summary_of(array))


@pytest.mark.parametrize(("value", "text"), [
    (np.float32(0.25), "float32 () = 0.25"),
    (np.array([1, 2, 3], np.int32), "int32 (3,) = [1, 2, 3]"),
    (np.array([[True], [False]]), "bool (2, 1) = [[True], [False]]"),
    (np.array([1.0, np.nan]), "float64 (2,) = [1.0, nan]"),
    (np.zeros(7), "float64 (7,)"),
    (np.array([np.inf] * 7), "float64 (7,), 7 Inf"),
    (np.zeros((0, 3)), "float64 (0, 3)"),
])  # fmt: skip
def test_a_value_is_told_in_one_line(value: object, text: str) -> None:
    assert told(result_of(value)) == text


def test_a_long_value_has_a_line_of_its_own() -> None:
    found = result_of(np.array([b"a long text, too", b"another one"], object))
    first, second = told_lines(found)
    assert first == "object (2,)" and second.startswith("= [b'a long") and "…" not in first


def test_a_value_is_cut_between_its_elements_and_its_brackets_are_closed() -> None:
    numbers = result_of(np.array([0.1217643, 0.140824, 0.0295561, 0.0108841]))
    assert told(numbers) == "float64 (4,) = [0.121764, 0.140824, …]"
    assert told_lines(numbers) == ["float64 (4,)", "= [0.121764, 0.140824, 0.0295561, 0.0108841]"]
    matrix = result_of(np.full((2, 3), 1234.5))
    assert told_lines(matrix)[1] == "= [[1234.5, 1234.5, 1234.5], [1234.5, …]]"
    assert all(len(line) <= 44 for each in (numbers, matrix) for line in (told(each), *told_lines(each)))


def test_a_still_picture_of_a_record_says_shapes_and_small_values(record: tf.RunRecord) -> None:
    detail = {box.id: box.detail for box in picture_of_record(record).boxes}
    assert detail["x"][:2] == ("float32 (4, 3)", "0 to 11, mean 5.5")
    assert detail["inner/total"][0] == "float32 () = 66.0"
    assert detail["inner/columns"][0] == "float32 (3,) = [18.0, 40.0, 66.0]"
    assert detail["rows"][:2] == (":0 float32 (1, 3) = [[0.0, 1.0, 2.0]]", ":1 float32 (3, 3): 3 to 11, mean 7")


def test_what_the_run_did_not_need_or_reach_says_its_static_type(record: tf.RunRecord) -> None:
    picture = picture_of(record.graph)
    operations = {op.name: op for op in record.graph.get_operations()}
    told_of = {picture.boxes[place].id for place in RunTexts(record, ["log"]).of(picture, operations)[0]}
    assert told_of == {"x", "log"}
    failed = replace(record, steps=record.steps[:1])
    kept = [name for name in operations if name != "unused"]
    told_of = {picture.boxes[place].id for place in RunTexts(failed, kept).of(picture, operations)[0]}
    first, *later = [step.node for step in record.steps]
    assert first in told_of and not told_of.intersection(later)


@needs_browser
def test_boxes_say_shapes_and_values_before_the_first_step(browser: Browser, page: Path) -> None:
    browser.open(page)
    click_all(browser, "expand")
    texts = browser.run(_TEXTS)
    assert texts["x"][-1] == "float32 (4, 3)"
    assert texts["minus"][-1] == "float32 (4, 3)"  # a fused member: its shape follows from the feed
    assert texts["unused"][-1] == "float32 (batch, 3)"  # it did not run
    assert texts["inner/total"][-1] == "float32 () = 66.0"
    assert texts["rows"][-2:] == [":0 float32 (1, 3) = [[0.0, 1.0, 2.0]]", ":1 float32 (3, 3)"]
    assert browser.run(_OUTSIDE) == [] and browser.log("browser") == []


@needs_browser
def test_playing_fills_them_in_step_by_step_and_moves_nothing(
    browser: Browser, page: Path, record: tf.RunRecord
) -> None:
    browser.open(page)
    browser.keys(*"]]]]]]]")
    click_all(browser, "expand")
    places = browser.run(_PLACES)
    names = [step.node for step in record.steps]
    for number, step in enumerate(record.steps, start=1):
        _, now, texts = browser.run_each((_STEP, number), (_PLACES,), (_TEXTS,))
        assert now == places
        for at, name in enumerate(names, start=1):
            if name == "inner/total":
                assert texts[name][-1] == ("float32 () = 66.0" if at <= number else "float32 ()")
            if name == "log":
                assert texts[name][-1].startswith("float32 (4, 3)" if at <= number else "float32 (batch, 3)")
        assert texts["x"][-1] == "float32 (4, 3)" and step.node in names
    assert browser.run(_OUTSIDE) == []


@needs_browser
def test_the_arrow_out_of_a_closed_scope_says_the_value(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [None], name="x")
        with tf.name_scope("inner"):
            size = tf.size(tf.cumsum(tf.cumsum(x)), name="count")
        y = tf.fill(tf.stack([size]), 1, name="y")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: [1, 2, 3]}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    browser.open(metadata.record.export(tmp_path / "run.html"))
    click_all(browser, "collapse")
    assert "int32 () = 3" in browser.run(_LABELS)
    browser.run("document.getElementById('values').click()")
    assert "int32 ()" in browser.run(_LABELS)


@needs_browser
def test_the_static_types_come_back_on_demand(browser: Browser, page: Path) -> None:
    browser.open(page)
    click_all(browser, "expand")
    places = browser.run(_PLACES)
    browser.keys("v")
    assert browser.run(_TEXTS)["x"][-1] == "float32 (batch, 3)" and browser.run(_PLACES) == places
    assert "values=static" in browser.run("return location.hash")
    browser.open(page, "#values=static")
    assert not browser.run("return document.getElementById('values').checked")
    assert browser.run(_TEXTS)["x"][-1] == "float32 (batch, 3)"


@needs_browser
def test_the_search_finds_values_of_the_run(browser: Browser, page: Path) -> None:
    browser.open(page)
    search(browser, "=66.0")
    assert browser.run("return document.querySelector('g.box.selected').dataset.id") == "inner/total"


def test_a_shape_inside_a_fused_group_follows_from_what_the_run_recorded(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        late = tf.identity(x[2:], name="late")
        difference = tf.subtract(late, x[:-2], name="difference")  # inside the group, of a size that only a run knows
        y = tf.exp(difference, name="y")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones((9, 3), np.float32)}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    texts = RunTexts(metadata.record, {op.name for op in graph.get_operations()})
    _, named = texts.of(picture_of(graph), {op.name: op for op in graph.get_operations()})
    assert "difference:0" not in {result.name for step in metadata.record.steps for result in step.results}
    assert named["difference:0"] == "float32 (7, 3)"
