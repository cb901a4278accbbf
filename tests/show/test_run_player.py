"""Playing a recorded run in a real browser: the scope in which a step happens opens, and closes again after the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser
from .test_page_browser import click_all

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_LIT = "return [...document.querySelectorAll('g.box.lit')].map(g => g.dataset.id)"
_SCOPES = "return [...document.querySelectorAll('g.scope')].map(g => g.dataset.path).sort()"
_STEP = """const s = document.getElementById('run-slider'); s.value = arguments[0];
    s.dispatchEvent(new Event('input'))"""
_FOLLOW = "const box = document.getElementById('follow'); if (box.checked !== arguments[0]) box.click();"
_PLACE = "return document.querySelector(arguments[0]).querySelector('rect').getBoundingClientRect().toJSON()"
# Plays the run, without the time that a reader needs to see a step; the scopes that were open after each change.
_PLAYED = """const button = document.getElementById('play'), wait = window.setTimeout, seen = [];
    const look = () => seen.push([...document.querySelectorAll('g.scope')].map(g => g.dataset.path));
    new MutationObserver(look).observe(document.getElementById('world'), {childList: true, subtree: true});
    window.setTimeout = (work, time) => wait(work, time / 20);
    button.click();
    return new Promise(done => {
        const ask = () => button.textContent === 'Play' ? done(seen) : wait(ask, 5);
        ask();
    }).finally(() => { window.setTimeout = wait; })"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with tf.Graph().as_default() as graph:
        x = y = tf.placeholder(tf.float32, ["batch", 3], name="x")
        for scope, op in (("first", tf.cumsum), ("second", tf.sin), ("third", tf.cumsum)):
            with tf.name_scope(scope), tf.name_scope("inner"):
                y = tf.reverse(op(y, name="made"), [True, False], name="turned")
        for number in range(40):
            with tf.name_scope(f"side_{number}"):
                tf.exp(tf.negative(x, name="minus"), name="exp")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones((2, 3), np.float32)}, run_metadata=metadata)
    assert metadata.record is not None
    assert [step.node for step in metadata.record.steps][:2] == ["first/inner/made", "first/inner/turned"]
    path: Path = metadata.record.export(tmp_path_factory.mktemp("player") / "run.html")
    return path


def closed(browser: Browser, page: Path) -> None:
    """Open the page with every scope closed, as it is then at step 0."""
    browser.open(page, "#shut=first,second,third,first/inner,second/inner,third/inner")
    assert "first" not in browser.run(_SCOPES)


def test_a_step_opens_the_scopes_around_its_node_in_their_place(browser: Browser, page: Path) -> None:
    closed(browser, page)
    browser.run(_STEP, 1)
    assert browser.run(_LIT) == ["first/inner/made"]
    assert browser.run(_SCOPES) == ["first", "first/inner"]
    before = browser.run(_PLACE, "g.box[data-id='second/']")
    browser.run(_STEP, 3)
    assert browser.run(_LIT) == ["second/inner/made"]
    after = browser.run(_PLACE, "g.scope[data-path=second]")
    box = browser.run(_PLACE, "g.box.lit")
    assert (after["x"], after["y"]) == pytest.approx((before["x"], before["y"]), abs=1) or box["top"] > 0
    assert browser.run(_SCOPES) == ["first", "first/inner", "second", "second/inner"]


def test_back_before_the_first_step_closes_what_was_opened(browser: Browser, page: Path) -> None:
    closed(browser, page)
    browser.run_each(*((_STEP, number) for number in range(1, 7)))
    assert len(browser.run(_SCOPES)) == 6
    browser.run(_STEP, 0)
    assert browser.run(_SCOPES) == []


def test_after_playing_what_it_opened_closes_again(browser: Browser, page: Path) -> None:
    closed(browser, page)
    seen = {tuple(sorted(scopes)) for scopes in browser.run(_PLAYED)}
    assert ("first", "first/inner") in seen and len(max(seen, key=len)) == 6
    assert browser.run(_SCOPES) == [] and browser.run(_LIT) == ["third/"]
    assert browser.run("return document.getElementById('run-slider').value") == "6"


def test_what_the_reader_touched_stays_as_it_is(browser: Browser, page: Path) -> None:
    closed(browser, page)
    browser.run(_STEP, 1)
    browser.keys("/", *"first/inner/turned", "Escape")  # looking for it is not touching it
    browser.run("document.querySelector(\"g.box[data-id='first/inner/turned']\").dispatchEvent("
                "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    browser.run(_STEP, 3)
    browser.run("document.querySelector(\"g.scope[data-path='second/inner'] .scope-title\").dispatchEvent("
                "new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    assert browser.run(_LIT) == ["second/inner/"]
    browser.run(_STEP, 4)
    assert browser.run(_LIT) == ["second/inner/"]  # the reader closed it, so it is only marked
    browser.run(_STEP, 5)
    browser.run(_STEP, 0)
    assert browser.run(_SCOPES) == ["first", "first/inner", "second"]


def test_by_choice_the_closed_scope_is_marked(browser: Browser, page: Path) -> None:
    closed(browser, page)
    browser.run(_STEP, 2)
    browser.run(_FOLLOW, False)
    assert browser.run(_SCOPES) == [] and browser.run(_LIT) == ["first/"]
    browser.run(_STEP, 3)
    assert browser.run(_SCOPES) == [] and browser.run(_LIT) == ["second/"]
    assert "follow=mark" in browser.run("return location.hash")
    browser.run(_FOLLOW, True)
    assert browser.run(_SCOPES) == ["second", "second/inner"]
    browser.open(page, "#follow=mark&step=3")
    assert not browser.run("return document.getElementById('follow').checked")


def test_a_link_to_a_step_opens_its_scope(browser: Browser, page: Path) -> None:
    browser.open(page, "#step=3")
    assert browser.run(_LIT) == ["second/inner/made"]


def test_the_space_bar_plays_and_stops(browser: Browser, page: Path) -> None:
    browser.open_again(page)
    text = "return document.getElementById('play').textContent"
    browser.keys(" ")
    assert browser.run(text) == "Stop"
    browser.keys(" ")
    assert browser.run(text) == "Play"
    assert int(browser.run("return document.getElementById('run-slider').value")) >= 1


def test_hits_of_a_search_open_and_close_in_passing_too(browser: Browser, page: Path) -> None:
    closed(browser, page)
    browser.keys("/", *"turned reverse", "Enter", "Enter")
    assert browser.run("return document.querySelector('g.box.selected').dataset.id") == "second/inner/turned"
    assert browser.run(_SCOPES) == ["first", "first/inner", "second", "second/inner"]
    browser.keys("Escape")
    assert browser.run(_SCOPES) == ["second", "second/inner"]  # those around the selection stay


def test_a_long_run_keeps_few_scopes_open(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = y = tf.placeholder(tf.float32, [4], name="x")
        for number in range(24):
            with tf.name_scope(f"block_{number}"):
                for _ in range(12):
                    y = tf.cumsum(y)
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones(4)}, run_metadata=metadata)
    assert metadata.record is not None
    browser.open(metadata.record.export(tmp_path / "long.html"))
    browser.keys(*"]]]]]]]")
    click_all(browser, "collapse")
    before = browser.run(_SCOPES)
    counts, boxes = [], "return document.querySelectorAll('g.box').length"
    for number in range(1, 288, 24):
        _, lit, count = browser.run_each((_STEP, number), (_LIT,), (boxes,))
        assert len(lit) == 1
        counts.append(count)
    assert max(counts) <= 170
    browser.run(_STEP, 0)
    assert browser.run(_SCOPES) == before
