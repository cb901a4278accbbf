"""The page of a recorded run of a loop: a slider over its iterations, in the data and in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.page.page_run import run_facts

from .browser import CHROMIUM, DRIVER, Browser

IN_BROWSER = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")
_ITERATION = """const s = document.getElementById('loop-slider'); s.value = arguments[0];
    s.dispatchEvent(new Event('input'))"""
_TEXT = "return document.querySelector(`g.box[data-id='${arguments[0]}']`).textContent"
_LATER = "return [...document.querySelectorAll('g.box.later')].map(g => g.dataset.id)"


def recorded(steps: int = 5) -> tf.RunRecord:
    """A loop whose body adds x in odd iterations, and doubles in even ones."""
    metadata = tf.RunMetadata()
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, ["n"], name="x")

        def body(i: Any, h: Any) -> Any:
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: h * 2.0, lambda: h + x, name="choice")

        _, h = tf.while_loop(lambda i, h: i < steps, body, [0, x], name="steps")
        session.run(tf.reduce_sum(h, name="y"), {x: np.ones(2)}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    return metadata.record


def test_a_record_keeps_what_ran_in_each_iteration() -> None:
    step = recorded().step("steps")
    conditions = [body for body in step.inside if body.part == 0]
    bodies = [body for body in step.inside if body.part == 1]
    assert [body.iteration for body in conditions] == [0, 1, 2, 3, 4, 5]
    assert [body.iteration for body in bodies] == [0, 1, 2, 3, 4]
    (third,) = [inner for inner in bodies[2].steps if inner.op == "If"]
    assert third.results[0].value is not None
    assert third.results[0].value.preview == "[6. 6.]"
    assert [inner.op for branch in third.inside for inner in branch.steps] == ["Mul"]


def test_a_run_without_values_runs_loops_as_they_are() -> None:
    metadata = tf.RunMetadata()
    i = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
    tf.Session(graph=i.graph).run(i, options=tf.RunOptions(), run_metadata=metadata)
    assert metadata.record is not None
    assert all(step.inside == () for step in metadata.record.steps)


def test_a_page_takes_some_iterations_of_a_long_loop() -> None:
    facts = run_facts(recorded(4_000))
    (loop, around), *_ = [(node, around) for node, repeats, around in facts["loops"] if repeats]
    assert (loop, around) == ("steps", -1)
    kept, times, values = facts["loopRuns"][0][""]
    assert len(kept) == len(times) == len(values["steps/body/add:0"]) < 700
    assert kept[0] == 0 and kept[-1] > 3_840


@IN_BROWSER
def test_the_slider_shows_the_values_of_an_iteration(browser: Browser, tmp_path: Path) -> None:
    browser.open(recorded().export(tmp_path / "loop.html"))
    assert "int32 () = 1" in browser.run(_TEXT, "steps/body/add")
    assert "float32 (2,)" in browser.run(_TEXT, "steps/body/choice")
    assert "steps/body/choice/false/add" in browser.run(_LATER)
    browser.run(_ITERATION, 3)
    assert "int32 () = 4" in browser.run(_TEXT, "steps/body/add")
    assert "steps/body/choice/true/mul" in browser.run(_LATER)
    assert "steps/body/choice/false/add" not in browser.run(_LATER)
    says = browser.run("return document.getElementById('loop-says').textContent")
    assert says.startswith('iteration 3 of "steps" took ')
    assert browser.log("browser") == []
