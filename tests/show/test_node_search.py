"""The search of a page in a real browser: what it finds, and how Enter goes from hit to hit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser
from .test_page_browser import click_all

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_FOUND = "return [...document.querySelectorAll('g.box.found')].map(g => g.dataset.id)"
_SELECTED = "return document.querySelector('g.box.selected').dataset.id"
_HITS = "return document.getElementById('hits').textContent"
_TYPED = """const s = document.getElementById('search'); s.value = arguments[0]; s.dispatchEvent(new Event('input'));"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        with tf.name_scope("inner"):
            mean = tf.reduce_mean(x, 1, name="mean")
            total = tf.reduce_sum(x, 0, keep_dims=True, name="total")
        large = tf.greater(mean, 0.5, name="large")
        kept = tf.boolean_mask(x, large, name="kept")
        tf.stack([mean, mean], 1, name="pairs")
        tf.stack([mean] * 12, 12 - 12, name="dozen")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        fed = {x: np.linspace(0, 1, 15, dtype=np.float32).reshape(5, 3)}
        session.run([total, kept], fed, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(tmp_path_factory.mktemp("search") / "run.html")
    return path


def found(browser: Browser, text: str) -> set[str]:
    """The boxes that are marked while `text` is in the search field."""
    browser.run(_TYPED, text)
    return set(browser.run(_FOUND))


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().split("\n")
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_names_and_op_types_are_found(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    assert found(browser, "inner/mean") == {"inner/mean"}
    assert found(browser, "inner/mean:0") == {"inner/mean"}
    assert found(browser, "booleanmask") == {"kept"}
    assert found(browser, "inner sum") == {"inner/total"}


def test_dtypes_and_shapes_are_found_static_ones_and_those_of_the_run(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    assert found(browser, "bool (batch,)") == {"large"}
    assert "x" in found(browser, "(batch, 3)") and "x" in found(browser, "(batch,3)")
    assert "inner/total" not in found(browser, "(batch, 3)")
    browser.keys("]", "]", "]", "]", "]", "]", "]")
    assert found(browser, "(5, 3)") == {"x"}
    assert "kept" in found(browser, "(2, 3)")
    assert found(browser, "float32 (1, 3)") == {"inner/total"}


def test_a_line_is_found_by_its_whole_number(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    number = line_of('name="large"')
    assert "large" in found(browser, f"test_node_search.py:{number}")
    assert "large" in found(browser, f":{number}") and "kept" not in found(browser, f":{number}")
    assert found(browser, f":{number // 10}") == set()
    assert {"large", "kept"} <= found(browser, "test_node_search.py")
    assert found(browser, "test_node_search") == set()  # the name of a file alone would match every node


def test_attributes_are_found_by_name_and_by_value(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    assert {"inner/mean", "inner/total"} <= found(browser, "keep_dims")
    assert found(browser, "keep_dims=true") == {"inner/total"}
    assert found(browser, "axis=1") == {"pairs", "inner/mean"}
    assert found(browser, "axis=0 stack") == {"dozen"}


def test_a_constant_is_found_in_the_box_in_which_it_is_written(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "expand")
    assert found(browser, "large/y") == {"large"}
    assert browser.run("return document.querySelector('#results small').textContent") == "y = 0.5"
    assert "large" in found(browser, "0.5")


def test_enter_goes_from_hit_to_hit_and_opens_what_is_closed(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "collapse")
    browser.keys("/", *"float32", "Enter")
    count = int(browser.run(_HITS).split(" of ")[1])
    seen = []
    for number in range(1, count + 1):
        assert browser.run(_HITS) == f"{number} of {count}"
        seen.append(browser.run(_SELECTED))
        browser.keys("Enter")
    assert len(set(seen)) == count > 3 and {"inner/mean", "inner/total"} <= set(seen)
    assert browser.run(_HITS) == f"1 of {count}"  # after the last comes the first
    browser.keys("Shift+Enter")
    assert browser.run(_HITS) == f"{count} of {count}" and browser.run(_SELECTED) == seen[-1]
    browser.keys("Shift+Enter")
    assert browser.run(_SELECTED) == seen[-2]
    assert set(browser.run(_FOUND)) == set(seen)  # the other hits stay marked
    browser.run("document.getElementById('hit-after').click()")
    assert browser.run(_SELECTED) == seen[-1]
    browser.keys("Escape")
    assert browser.run(_FOUND) == [] and browser.run(_HITS) == ""
    assert browser.run(_SELECTED) == seen[-1]  # only the search is cleared


def test_what_is_nowhere_is_told(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    for text in ("no_such_node", "(batch, 99)", "[<b>", "((((", "\\"):
        assert found(browser, text) == set()
        assert browser.run(_HITS) == "no hits"
    browser.keys("/", "Enter", "Shift+Enter")
    assert browser.run("return document.querySelectorAll('g.box.selected').length") == 0
    assert browser.log("browser") == []


def test_a_hit_inside_a_closed_scope_marks_the_scope(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    click_all(browser, "collapse")
    assert found(browser, "inner/total") == {"inner/"}


def test_the_list_says_what_fits_and_follows_the_mark(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    browser.keys("/", *"keep_dims=true")
    assert browser.run("return document.querySelector('#results li').innerText.split('\\n')") == [
        "inner/total", "keepdims=True"]  # fmt: skip
    browser.keys("Escape", "/", *"float32")
    second = browser.run("return document.querySelectorAll('#results li b')[1].textContent")
    browser.keys("Down", "Enter")
    assert browser.run(_SELECTED) == second
