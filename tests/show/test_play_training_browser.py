"""Training on the play page: a readable start, variables, many runs with a curve, undo, what is computed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..test_docs import script
from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

SCALE = "return Number(/scale\\((.*)\\)/.exec(document.getElementById('world').getAttribute('transform'))[1])"
INSIDE = """const area = document.getElementById('canvas').getBoundingClientRect();
    return [...document.querySelectorAll("g.box[data-id='loss'] .body")].every(made => {
        const box = made.getBoundingClientRect();
        return box.left >= area.left && box.right <= area.right && box.top >= area.top
            && box.bottom <= area.bottom; })"""
PRESS = "document.getElementById(arguments[0]).click()"
TEXT = "return document.getElementById(arguments[0]).textContent"
SAYS = "return document.querySelector('#runbar .says').textContent"
CURVE = """const made = document.getElementById('curve'), line = made.querySelector('polyline');
    return made.hidden ? null : [line.getAttribute('points').split(' ').length, made.getAttribute('aria-label')]"""
CELLS = """return [...document.querySelectorAll('g.cell')].filter(made => made.cellOf.name === arguments[0])
    .map(made => Number(made.lastChild.textContent))"""
OFF = "return document.getElementById(arguments[0]).disabled"


def training(path: Path, optimizer: Any = None) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        y = tf.placeholder(tf.float32, [4], name="y")
        w, b = tf.Variable(0.0, name="w"), tf.Variable(0.0, name="b")
        loss = tf.reduce_mean(tf.square(w * x + b - y), name="loss")
        train = (optimizer or tf.train.GradientDescentOptimizer(0.05)).minimize(loss, name="step")
    feeds = {x: [1.0, 2.0, 3.0, 4.0], y: [3.0, 5.0, 7.0, 9.0]}
    return graph.export(path, play=True, fetches=[loss, train], feeds=feeds)


def losses(count: int) -> list[float]:
    """What Python computes in so many runs."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = np.array([1, 2, 3, 4], np.float32), np.array([3, 5, 7, 9], np.float32)
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        loss = tf.reduce_mean(tf.square(w * x + b - y))
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        session.run(tf.global_variables_initializer())
        return [session.run([loss, train])[0] for _ in range(count)]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return training(tmp_path / "train.html")


def until(browser: Browser, is_done: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_done():
            return
        time.sleep(0.05)
    raise AssertionError(browser.run(TEXT, "run-count"))


@pytest.mark.parametrize("optimizer", ["plain", "adam"])
def test_a_page_of_training_opens_readable_at_the_loss(browser: Browser, optimizer: str, tmp_path: Path) -> None:
    browser.resize(1400, 900)
    try:
        adam = tf.train.AdamOptimizer(0.1) if optimizer == "adam" else None
        browser.open(training(tmp_path / "train.html", adam))
        assert browser.run(SCALE) >= 0.9 and browser.run(INSIDE)
        assert browser.run(CELLS, "w:0") == [0.0], "the cells of a closed variable"
        names = browser.run("return [...document.querySelectorAll('g.box')].map(made => made.dataset.id)")
        assert not any("Assign" in name or "init" in name for name in names)
    finally:
        browser.resize(1440, 900)


def test_fifty_runs_draw_the_curve_of_the_loss_and_undo_takes_them_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    wanted = losses(51)
    assert browser.run(CURVE) is None
    browser.run(PRESS, "run-many")
    until(browser, lambda: browser.run(TEXT, "run-count") == "run 51")
    points, told = browser.run(CURVE)
    assert points == 51 and told.startswith("loss:0 in 51 runs: 41 to ")
    assert float(told.split(" to ")[1].split()[0]) == pytest.approx(wanted[-1], rel=1e-4)
    browser.run(PRESS, "run-again")
    until(browser, lambda: browser.run(TEXT, "run-count") == "run 52")
    assert browser.run(CURVE)[0] == 52
    browser.run(PRESS, "undo")
    browser.run(PRESS, "undo")
    assert browser.run(TEXT, "run-count") == "run 1" and browser.run(CURVE) is None
    assert browser.run(CELLS, "loss:0") == [41]


def test_the_curve_grows_and_values_change_while_the_runs_go_on(screen: Browser, page: Path) -> None:
    screen.prefer(motion=True)
    try:
        screen.open(page)
        screen.run(PRESS, "run-many")
        until(screen, lambda: screen.run(CURVE) is not None and screen.run(CELLS, "loss:0") != [41])
        until(screen, lambda: screen.run(TEXT, "run-count") == "run 51")
        assert screen.run(CURVE)[0] == 51
    finally:
        screen.prefer()


def test_edits_and_runs_of_a_link_can_be_undone(browser: Browser, page: Path) -> None:
    browser.open(page, "#edit=x:0[1]=5,run*20,y:0[0]=4")
    assert browser.run(TEXT, "run-count") == "run 21" and not browser.run(OFF, "undo")
    browser.run(PRESS, "undo")
    assert browser.run(CELLS, "y:0")[0] == 3 and browser.run(TEXT, "run-count") == "run 21"
    browser.run(PRESS, "undo")
    assert browser.run(TEXT, "run-count") == "run 1" and browser.run(CELLS, "x:0") == [1, 5, 3, 4]
    browser.run(PRESS, "undo")
    assert browser.run(CELLS, "x:0") == [1, 2, 3, 4] and browser.run(OFF, "undo")
    browser.run(PRESS, "redo")
    assert browser.run(CELLS, "x:0") == [1, 5, 3, 4]


def test_the_line_below_says_what_is_computed(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        at = tf.placeholder(tf.int32, [2], name="at")
        rows = tf.gather(tf.constant([1.0, 2.0, 3.0]), at, name="rows")
        tf.negative(rows * 2.0, name="out")
    browser.open(graph.export(tmp_path / "gather.html", play=True, fetches="out:0", feeds={at: [0, 1]}))
    assert browser.run(SAYS) == "all 3 steps are computed"
    browser.open(tmp_path / "gather.html", "#edit=at:0[0]=9")
    assert browser.run(SAYS) == "0 of 3 steps are computed; rows failed"
    assert "rows failed" in browser.run(TEXT, "play-failed")


def test_the_page_that_the_site_opens_with_shows_its_graph_whole_and_trains(browser: Browser, tmp_path: Path) -> None:
    script("front_page").write_play(tmp_path / "play.html")
    browser.resize(1090, 750)
    try:
        browser.open(tmp_path / "play.html")
        assert browser.run(SCALE) > 0.6 and browser.run(INSIDE)
        browser.run(PRESS, "run-many")
        until(browser, lambda: browser.run(TEXT, "run-count") == "run 51")
        points, told = browser.run(CURVE)
        assert points == 51 and float(told.split(" to ")[1].split()[0]) < 0.2
    finally:
        browser.resize(1440, 900)
