"""Where a number came from passes through TensorArrays, inside loops and in their gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

# The cells of a value that are marked as sources of another cell, when all steps are followed.
SOURCES = """const [name, cell, of] = arguments, box = document.getElementById('all-the-way');
    if (!box.checked) box.click();
    const cells = [...document.querySelectorAll('g.cell')];
    const at = cells.find(made => made.cellOf.name === name && made.cellOf.cell === cell);
    at.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    return cells.filter(made => made.cellOf.name === of && made.classList.contains(arguments[3]))
        .map(made => made.cellOf.cell).sort((a, b) => a - b)"""
FACT = "return document.getElementById('cell-fact').textContent"
Build = Callable[[tf.Tensor], tf.Tensor]


def running_sums(x: tf.Tensor) -> tf.Tensor:
    """Row i is the sum of the rows up to i, written one by one."""
    rows = tf.TensorArray(tf.float32, 3).unpack(x)

    def turn(i: tf.Tensor, total: tf.Tensor, sums: tf.TensorArray) -> tuple[tf.Tensor, tf.Tensor, tf.TensorArray]:
        total = tf.add(total, rows.read(i), name="total")
        return i + 1, total, sums.write(i, total)

    begin = [tf.constant(0), tf.zeros([2]), tf.TensorArray(tf.float32, 3)]
    sums: tf.Tensor = tf.while_loop(lambda i, *rest: i < 3, turn, begin, name="turns")[2].pack(name="sums")
    return sums


def page_of(build: Build, path: Path, gradient: bool = False) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3, 2], name="x")
        result = tf.multiply(build(x), 1.0, name="out")
        if gradient:
            weight = tf.placeholder(tf.float32, [3, 2], name="weight")
            result = tf.multiply(tf.gradients(result * weight, x)[0], 1.0, name="out_1")
    feeds = {x: np.arange(6.0).reshape(3, 2)} | ({weight: np.ones([3, 2])} if gradient else {})
    return graph.export(path, play=True, fetches=[result], feeds=feeds)


def rows_apart(x: tf.Tensor) -> tf.Tensor:
    """Two rows of three, in another order."""
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unpack(x)
    return tf.concat(0, [array.gather([2, 0]), tf.expand_dims(array.read(2), 0)])


def parts(x: tf.Tensor) -> tf.Tensor:
    return tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2]).concat()


@pytest.mark.parametrize(("build", "cells"), [
    (running_sums, {0: [0], 3: [1, 3], 4: [0, 2, 4]}), (rows_apart, {0: [4], 3: [1], 5: [5]}),
    (parts, {0: [0], 5: [5]}),
])  # fmt: skip
def test_a_number_comes_from_what_was_written(
    browser: Browser, tmp_path: Path, build: Build, cells: dict[int, list[int]]
) -> None:
    browser.open(page_of(build, tmp_path / "page.html"))
    for cell, wanted in cells.items():
        assert browser.run(SOURCES, "out:0", cell, "x:0", "source-cell") == wanted
    for element in range(6):  # and the other way
        goes = browser.run(SOURCES, "x:0", element, "out:0", "target-cell")
        assert [cell in goes for cell in cells] == [element in wanted for wanted in cells.values()], (element, goes)


def test_a_step_leads_through_the_array_to_the_iteration_that_wrote(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(running_sums, tmp_path / "page.html"))
    browser.run(SOURCES, "sums:0", 3, "x:0", "source-cell")
    browser.run("document.getElementById('all-the-way').click()")
    assert "made of turns/body/total_1:0[1] of iteration 1 = 4" in browser.run(FACT)


CASES = [(running_sums, 2, [2, 4]), (rows_apart, 0, [2]), (parts, 3, [3])]


@pytest.mark.parametrize(("build", "cell", "wanted"), CASES)
def test_a_gradient_comes_through_the_arrays_of_gradients(
    browser: Browser, tmp_path: Path, build: Build, cell: int, wanted: list[int]
) -> None:
    browser.open(page_of(build, tmp_path / "page.html", gradient=True))
    assert browser.run(SOURCES, "out_1:0", cell, "weight:0", "source-cell") == wanted
