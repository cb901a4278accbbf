"""Constants on a page in a real browser: in the boxes and cards of their readers, and in stages and search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser
from .test_page_browser import _CLASSES, click_all, panel, search

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_NAMES = "return [...document.querySelectorAll('g.box')].map(g => g.dataset.id)"
_LINES = """const made = [...document.querySelectorAll('g.box')].find(g => g.dataset.id === arguments[0]);
    return [...made.querySelectorAll('text')].map(text => text.textContent)"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 40], name="x")
        weights = tf.constant(np.linspace(0, 1, 80, dtype=np.float32).reshape(40, 2), name="weights")
        factor = tf.multiply(3.0, 4.0, name="factor")
        with tf.name_scope("layer"):
            product = tf.matmul(x, weights, name="product")
            scaled = tf.multiply(product, factor, name="scaled")
        total = tf.reduce_sum(scaled, 1, name="total")
    path = tmp_path_factory.mktemp("constants") / "run.html"
    return graph.export(path, fetches=total, feeds={x: np.ones((3, 40), np.float32)})


def test_a_constant_is_a_line_of_its_reader_and_no_box(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    names = browser.run(_NAMES)
    assert "total" in names and "total/axis" not in names and "weights" not in names
    assert browser.run(_LINES, "total")[:3] == ["total", "Sum", "axis = 1"]
    assert browser.run(_LINES, "layer/product")[:3] == ["product", "MatMul", "b = weights: float32 (40, 2)"]


def test_the_card_of_the_reader_shows_values_and_other_lines(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    search(browser, "total")
    text = panel(browser)
    assert "Constants" in text and "axis = 1" in text and "total/axis, int32 ()" in text
    assert text.count("total = tf.reduce_sum") == 1, "the constant was made at the same line"
    search(browser, "product")
    text = panel(browser)
    assert "b = weights: float32 (40, 2)" in text and "weights = tf.constant" in text
    assert "320 bytes" in text, "the recorded value of a large constant"


def test_search_leads_from_a_constant_to_its_reader_inside_a_closed_scope(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "collapse")
    search(browser, "weights")
    assert browser.run("return document.querySelector('g.box.selected').dataset.id") == "layer/product"


def test_the_overview_and_the_stages_count_constants(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    assert browser.run("return document.querySelector('.stop').innerText").split() == ["built", "9", "nodes"]


def test_a_node_that_becomes_a_constant_is_marked_where_it_is_written(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    assert "factor" in browser.run(_NAMES)
    browser.keys("]", "]")
    assert "factor" not in browser.run(_NAMES)
    assert "y = factor: 12.0" in browser.run(_LINES, "layer/scaled")
    assert "changed" in dict(browser.run(_CLASSES))["layer/scaled"].split()
    assert "folded into a constant" in panel(browser)


def test_the_overview_counts_operations_constants_and_edges(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        tf.add(x * 2.0, 1.0, name="y")
    browser.open(graph.export(tmp_path / "g.html"))
    assert "3 operations, 2 constants, 2 edges" in panel(browser)
    browser.open(graph.export(tmp_path / "g.html", constants="boxes"))
    assert "3 operations, 2 constants, 4 edges" in panel(browser)
