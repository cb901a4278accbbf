"""The words of a page: no sentence is cut, and a name that is cut has all of it in its tooltip."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..helpers import nightly
from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

LONG = "a_name_of_more_than_sixty_letters_which_no_card_has_the_room_for_in_a_single_line"
# Texts that do not fit into an element that hides what is outside, and shortened texts without a tooltip.
_CUT = """const told = (made) => Boolean(made.closest('[title]:not([title=""])'));
return [...document.querySelectorAll('header *, aside *, footer *, #legend, #legend *, #hint')].filter(made => {
    if (!made.checkVisibility() || made.closest('svg, pre, code, select')) return false;
    const style = getComputedStyle(made), own = [...made.childNodes].filter(each => each.nodeType === 3);
    const hidden = style.overflowX === 'hidden' && made.scrollWidth > made.clientWidth + 1
        && own.some(each => each.data.trim()) && !made.title;
    const shortened = !told(made)
        && own.some(each => each.data.includes('\\u2026') && !each.data.startsWith('Path from'));
    return hidden || shortened;
}).map(made => [made.outerHTML.slice(0, 90), made.textContent.slice(0, 120)])"""
_WIDER = """return [...document.querySelectorAll('header *, aside *, footer *, #legend *')].filter(made => {
    const area = made.getBoundingClientRect();
    return made.checkVisibility() && area.width && (area.right > innerWidth + 1 || area.left < -1);
}).map(made => made.outerHTML.slice(0, 100))"""
_INPUT = """const made = document.getElementById(arguments[0]); made.value = arguments[1];
    made.dispatchEvent(new Event(made.localName === 'select' ? 'change' : 'input'))"""
_CLICK = """const made = document.querySelector(arguments[0]);
    made.dispatchEvent(new MouseEvent('click', {bubbles: true}))"""
_SETTLED = "document.getElementById('sheet').getAnimations().forEach(each => each.finish())"
SIZES = [(1440, 900), (1024, 700), (420, 800)]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long names of scopes, nodes, devices and attributes, many arrows, unknown sizes, a group, NaN."""
    with tf.Graph().as_default() as graph:
        y = x = tf.placeholder(tf.float32, ["batch", 4], name="x" + LONG)
        with tf.name_scope("outer_" + LONG), tf.name_scope("inner"):
            for number in range(4):
                y = tf.cumsum(tf.tanh(y * 0.5, name=f"curve{number}_{LONG}") + 1.0, name=f"sums{number}_{LONG}")
        kept = tf.boolean_mask(tf.reshape(y, [-1]), tf.reshape(y, [-1]) > 0.2, name="kept_" + LONG)
        bad = tf.log(tf.cumsum(y - y, name="nothing"), name="bad")
        tf.exp(y, name="unused_" + LONG)
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run([kept, bad], {x: np.ones((5, 4))}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(tmp_path_factory.mktemp("words") / "run.html", title="A run")
    return path


@pytest.fixture(params=[SIZES[0], *nightly(SIZES[1:2]), SIZES[2]], ids=str)
def sized(browser: Browser, page: Path, request: pytest.FixtureRequest) -> Iterator[Browser]:
    browser.resize(*request.param)
    browser.open(page)
    if request.param[0] < 700:
        browser.run("document.getElementById('grip').click()")
    yield browser
    browser.resize(1440, 900)


def complaints(browser: Browser, *scripts: tuple[object, ...]) -> list[Any]:
    """What is wrong with the texts of the page when these scripts have run."""
    *_, cut, wider = browser.run_each(*scripts, (_SETTLED,), (_CUT,), (_WIDER,))
    return [*cut, *wider]


def test_no_text_of_a_stage_or_step_is_cut(sized: Browser) -> None:
    # Every second stage and step in the narrowest window; in others, where more fits, every fifth.
    every = 2 if sized.run("return innerWidth") < 700 else 5
    for slider in ("stage-slider", "run-slider"):
        for number in range(0, int(sized.run("return document.getElementById(arguments[0]).max", slider)) + 1, every):
            assert complaints(sized, (_INPUT, slider, str(number))) == [], (slider, number)


def test_no_text_of_a_selection_is_cut(sized: Browser) -> None:
    expand = "for (let at = 0; at < 4; at++) document.getElementById('expand').click()"
    assert complaints(sized, (expand,), (_CLICK, f"g.box[data-id$='curve1_{LONG}']")) == []
    sized.keys("p")
    assert complaints(sized) == []
    assert complaints(sized, (_CLICK, f"g.box[data-id='x{LONG}']")) == []
    sized.keys("Escape")
    assert complaints(sized, (_CLICK, "g.arrow")) == []
    assert complaints(sized, (_CLICK, "g.scope-title")) == []
    sized.keys("?")
    assert complaints(sized) == []


def test_no_text_of_the_search_or_a_legend_is_cut(sized: Browser) -> None:
    for words in ("curve", "float32 4", "nothing_like_this"):
        assert complaints(sized, (_INPUT, "search", words)) == [], words
    sized.keys("Escape")
    for mode in sized.run("return [...document.getElementById('colour').options].map(o => o.value)"):
        assert complaints(sized, (_INPUT, "colour", mode)) == [], mode
