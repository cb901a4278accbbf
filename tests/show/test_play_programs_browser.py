"""Whole programs on play pages: a small network of images, an input pipeline, a run with draws that are tried again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

CELLS = """return [...document.querySelectorAll('g.cell')].filter(made => made.cellOf.name === arguments[0])
    .sort((a, b) => a.cellOf.cell - b.cellOf.cell)
    .map(made => [made.cellOf.cell, ...made.spotAt, Number(made.lastChild.textContent)])"""
SAYS = "return document.querySelector('#runbar .says').textContent"
PRESS = "document.getElementById(arguments[0]).click()"


def network() -> tuple[list[Any], tf.Tensor]:
    """A convolution, the largest of each window, the mean of each window, a loss and a step."""
    images = tf.placeholder(tf.float32, [1, 6, 6, 1], name="images")
    kernel = tf.Variable(tf.reshape(tf.linspace(-1.0, 1.0, 18), [3, 3, 1, 2]), name="kernel")
    found = tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME"))
    found = tf.nn.max_pool(found, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="largest")
    found = tf.nn.avg_pool(found, [1, 3, 3, 1], [1, 1, 1, 1], "SAME", name="mean")
    loss = tf.reduce_mean(tf.square(found - 1.0), name="loss")
    return [loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="step")], images


def losses(image: Any, count: int) -> list[float]:
    with tf.Graph().as_default(), tf.Session() as session:
        fetches, images = network()
        session.run(tf.global_variables_initializer())
        return [float(session.run(fetches, {images: image})[0]) for _ in range(count)]


def test_a_network_of_images_computes_and_shows_rows_and_columns(browser: Browser, tmp_path: Path) -> None:
    image = np.arange(36, dtype=np.float32).reshape(1, 6, 6, 1) / 36
    with tf.Graph().as_default() as graph:
        fetches, images = network()
        path = graph.export(tmp_path / "network.html", play=True, fetches=fetches, feeds={images: image})
    browser.open(path)
    assert re.fullmatch(r"all \d+ steps are computed", browser.run(SAYS))
    cells = browser.run(CELLS, "images:0")
    across = [cell for cell, _, y, _ in cells if y == cells[0][2]]
    assert len(across) > 1 and across == list(range(len(across))), "a row of the image is a row of cells"
    down = [cell for cell, x, _, _ in cells if x == cells[0][1]]
    assert len(down) > 1 and down == list(range(0, 6 * len(down), 6))
    wanted = losses(image, 3)
    for want in wanted:
        np.testing.assert_allclose(browser.run(CELLS, "loss:0")[0][3], want, rtol=1e-4)
        browser.run(PRESS, "run-again")
    changed = image.copy()
    changed[0, 0, 0, 0] = 2
    browser.open(path, "#edit=images:0[0]=2")
    np.testing.assert_allclose(browser.run(CELLS, "loss:0")[0][3], losses(changed, 1)[0], rtol=1e-4)


def test_a_page_of_a_pipeline_begins_with_what_python_recorded(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        rows = tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(6, 2))
        row = rows.filter(lambda x: x[0] > 1.0).map(lambda x: x / 2.0).batch(2).make_one_shot_iterator().get_next()
        weight = tf.Variable([[1.0], [2.0]], name="weight")
        loss = tf.reduce_mean(tf.matmul(row, weight), name="loss")
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="step")
        path = graph.export(tmp_path / "pipeline.html", play=True, fetches=[loss, step])
    browser.open(path)
    told = browser.run(SAYS)
    assert "recorded by Python" in told and "not recomputed" not in told
    np.testing.assert_allclose(browser.run(CELLS, "loss:0")[0][3], 5.5)


def test_a_page_with_gamma_numbers_opens_whole(browser: Browser, tmp_path: Path) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        rates = tf.random_gamma([2], [0.5, 3.0], seed=4, name="rates")
        total = tf.reduce_sum(rates, name="total")
        path = session.graph.export(tmp_path / "gamma.html", play=True, fetches=[rates, total])
        wanted = [session.run(total) for _ in range(2)]
    browser.open(path)
    assert re.fullmatch(r"all \d+ steps are computed", browser.run(SAYS))
    for want in wanted:
        np.testing.assert_allclose(browser.run(CELLS, "total:0")[0][3], want, rtol=1e-4)
        browser.run(PRESS, "run-again")


def test_a_step_that_failed_where_python_ran_it_is_the_one_that_the_page_says_failed(
    browser: Browser, tmp_path: Path
) -> None:
    with tf.Graph().as_default() as graph:
        element = tf.FIFOQueue(2, [tf.float32], shapes=[[]], name="queue").dequeue(name="first")
        path = graph.export(tmp_path / "queue.html", play=True, fetches=tf.add(element * 2.0, 1.0, name="y"))
    browser.open(path)
    assert browser.run(SAYS).endswith("; first failed"), "an empty queue is not a fetch that needs no more"
    told = browser.run("return document.getElementById('play-failed').textContent")
    assert told.startswith("first failed: the run waited for an element of queue 'queue'")
