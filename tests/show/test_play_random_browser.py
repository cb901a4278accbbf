"""Random ops on the play page draw the numbers that the session draws, bit by bit, in every run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.play.play_data import play_data

from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of, kernel_page

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

# Three runs, an edit of a constant between them that draws nothing anew, the first run of the optimised plan.
RUNS = """
function drawCase(data) {
  const play = newPlay(data), found = [];
  const look = () => play.frame.plan.fetches.map(slot => tensorToData(play.frame.values[slot]));
  finish(runPlay(play));
  found.push(look());
  for (let i = 0; i < 2; i++) { finish(runAgain(play)); found.push(look()); }
  finish(resetPlay(play));
  finish(selectPlan(play, "optimised"));
  found.push(look());
  return found;
}
"""


@pytest.fixture(scope="module")
def kernels() -> Path:
    return kernel_page(RUNS)


def drawn(without_seeds: bool) -> list[Any]:
    """Every distribution and dtype."""
    floats: list[Any] = [tf.float32, tf.float64, tf.float16]
    found = [op([5], dtype=dtype, seed=number) for number, dtype in enumerate(floats)
             for op in (tf.random_uniform, tf.random_normal, tf.truncated_normal)]  # fmt: skip
    found += [
        tf.random_uniform([3, 2], -5, 9, dtype=tf.int32, seed=3),
        tf.random_uniform([4], 0, 1 << 40, dtype=tf.int64, seed=4),
        tf.random_shuffle(tf.range(9), seed=9),
        tf.random_shuffle(tf.reshape(tf.range(12), [4, 3]), seed=9),
        tf.random_uniform([0, 3], seed=1),
        tf.multinomial([[0.1, 2.0, -np.inf, 0.5], [np.nan, 0.0, 0.0, 1.0]], 7, seed=13),
        tf.multinomial(np.zeros([3, 2]), 2, seed=14, output_dtype=tf.int32),
    ]
    found += of_rejections()
    if without_seeds:
        found += [tf.random_normal([3]), tf.random_gamma([2], 3.0)]

    def add(i: Any, total: Any) -> Any:
        return i + 1, total + tf.random_uniform([2], seed=11)

    total = tf.while_loop(lambda i, total: i < 3, add, [0, tf.zeros([2])])[1]
    taken = tf.cond(total[0] > 0.5, lambda: tf.random_normal([2], seed=12), lambda: tf.zeros([2]))
    return [*found, total, taken]


def of_rejections() -> list[Any]:
    """Draws that are tried until one fits: how many words they take depends on the words."""
    boxes = tf.constant([[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 1.0, 0.9]]])
    classes = tf.constant([[3], [5]], tf.int64)
    found: list[Any] = [
        *(tf.random_gamma([4], [0.3, 1.0, 2.5, 40.0], dtype=dtype, seed=5) for dtype in (tf.float32, tf.float16)),
        tf.random_gamma([3], [1.5, 7.0], beta=2.0, dtype=tf.float64, seed=6),
        tf.random_gamma([2], [-1.0, np.nan], seed=6),
        *tf.image.sample_distorted_bounding_box([50, 40, 3], boxes, seed=7, min_object_covered=0.5),
        *tf.image.sample_distorted_bounding_box([9, 7, 1], boxes[:, :0], seed=8, use_image_if_no_bounding_boxes=True),
    ]
    for unique, count in ((True, 8), (False, 6), (True, 12)):
        found.append(tf.nn.uniform_candidate_sampler(classes, 1, 6, unique, count, seed=9)[0])
        found.append(tf.nn.log_uniform_candidate_sampler(classes, 1, 6, unique, count, seed=9)[0])
        found.append(tf.nn.learned_unigram_candidate_sampler(classes, 1, 6, unique, count, seed=9)[0])
        found.append(tf.nn.fixed_unigram_candidate_sampler(classes, 1, 6, unique, count, seed=9,
                                                           unigrams=[0.5, 3.0] * (count // 2))[0])  # fmt: skip
    weights = [float(n) for n in range(13)]
    found.append(tf.nn.fixed_unigram_candidate_sampler(classes, 1, 5, True, 8, num_reserved_ids=2, num_shards=2,
                                                       shard=1, unigrams=weights, seed=9)[0])  # fmt: skip
    return [*found, *tf.nn.all_candidate_sampler(classes, 1, 9, True, seed=9)]


@pytest.mark.parametrize("runs_before", [0, 2])
def test_the_numbers_of_a_page_are_those_of_the_session(page: Browser, runs_before: int) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        fetches = drawn(without_seeds=runs_before > 0)
        for _ in range(runs_before):
            session.run(fetches)
        data = play_data(session.graph, fetches, {}, session)
        assert not [step for plan in data["plans"].values() for step in plan["steps"] if "given" in step]
        wanted = [session.run(fetches) for _ in range(3)]
    for run, values in zip(page.run("return drawCase(arguments[0])", data), [*wanted, wanted[0]], strict=True):
        for tensor, got, want in zip(fetches, run, values, strict=True):
            np.testing.assert_array_equal(array_of(got), want, err_msg=tensor.name)


def test_an_edit_keeps_the_numbers_and_undo_brings_earlier_ones_back(browser: Browser, tmp_path: Any) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        noise = tf.random_uniform([2], seed=5, name="noise")
        tf.assign_add(tf.Variable([0.0, 0.0], name="sum"), x * noise, name="out")
        session.run(tf.global_variables_initializer())
        path = session.graph.export(tmp_path / "noise.html", play=True, fetches=[noise, "out:0"], session=session,
                                    feeds={x: [1.0, 2.0]})  # fmt: skip
        wanted = [session.run(noise) for _ in range(2)]
    cells = """return [...document.querySelectorAll('g.cell')].filter(m => m.cellOf.name === arguments[0])
        .map(m => Number(m.lastChild.textContent))"""

    def noise_is(want: Any) -> None:
        np.testing.assert_allclose(browser.run(cells, noise.name), want, atol=1e-4)

    browser.open(path, "#edit=x:0[0]=7")
    noise_is(wanted[0])
    browser.run("document.getElementById('run-again').click()")
    noise_is(wanted[1])
    browser.run("document.getElementById('undo').click()")
    noise_is(wanted[0])
    browser.run("document.getElementById('redo').click()")
    noise_is(wanted[1])


def test_numbers_that_the_page_cannot_draw_are_those_of_the_first_run_and_say_so(
    browser: Browser, tmp_path: Path
) -> None:
    """The session draws others in its second run, so what reads them is no longer a result of the run that is shown."""
    with tf.Graph().as_default() as graph:
        rate = tf.placeholder(tf.float32, [2], name="rate")
        total = tf.reduce_sum(tf.random_poisson(rate, [3], seed=1, name="counts"), name="total")
    browser.open(graph.export(tmp_path / "poisson.html", play=True, feeds={rate: [2.0, 3.0]}, fetches=total))
    kinds = """return Object.fromEntries([...document.querySelectorAll('g.box')].map(g =>
        [g.dataset.id, ['recorded', 'stale'].find(kind => g.classList.contains(kind)) ?? '']))"""
    says = "return document.querySelector('#runbar .says').textContent"
    drawn = next(op.name for op in graph.get_operations() if op.type == "RandomPoissonV2")
    before = browser.run(kinds)
    assert before[drawn] == "recorded" and before["total"] == ""
    browser.run("document.getElementById('run-again').click()")
    after = browser.run(kinds)
    assert after[drawn] == after["total"] == "stale" and "recorded and not recomputed" in browser.run(says)
    browser.run("document.getElementById('undo').click()")
    assert browser.run(kinds) == before
