"""What a play page says of its fetches is what `session.run` gives: examples of control flow and gradients."""

from __future__ import annotations

import contextlib
import doctest
import io
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.session.session import Session

from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

EXAMPLES = ("cond", "case", "while_loop", "map_fn", "scan", "foldl", "foldr", "gradients", "hessians", "jvp")
PLAN = "document.querySelector(`input[value=${arguments[0]}]`).click()"
# The texts of the cells of each result, and what failed.
RESULTS = """const head = [...document.querySelectorAll('#card h3')].find(m => m.textContent === 'Results'), found = {};
    for (const made of head ? head.parentElement.querySelectorAll('[data-value]') : [])
        found[made.dataset.value] = [...made.querySelectorAll('td')].map(m => m.textContent);
    const failed = document.getElementById('play-failed');
    return [found, failed.hidden ? '' : failed.textContent]"""
Program = Callable[[], tuple[Any, dict[Any, Any]]]
Pages = list[tuple[Path, dict[str, Any]]]


def loop_and_its_gradients() -> tuple[Any, dict[Any, Any]]:
    x = tf.placeholder(tf.float32, [2], name="x")
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x + 1.0), [tf.constant(0), x], name="loop")
    (dx,) = tf.gradients(y, x)
    (ddx,) = tf.gradients(dx, x)
    return [y, dx, ddx], {x: [0.5, 2.0]}


def branch_in_a_loop() -> tuple[Any, dict[Any, Any]]:
    x = tf.placeholder(tf.float32, [], name="x")

    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * 2.0, lambda: y - x)

    i, y = tf.while_loop(lambda i, y: i < 5, body, [tf.constant(0), x])
    return [i, y, *tf.gradients(y, x)], {x: 3.0}


def what_passes_remove() -> tuple[Any, dict[Any, Any]]:
    """Fetches that a pass folds, merges, fuses or renames, and one that is fed."""
    x = tf.placeholder(tf.float32, [3], name="x")
    folded = tf.constant([1.0, 2.0]) + 1.0
    first, second = tf.exp(x), tf.exp(x)
    return [folded, first, second, first + second, tf.identity(x), x], {x: [0.0, 1.0, -1.0]}


def rows_of_a_scan() -> tuple[Any, dict[Any, Any]]:
    x = tf.placeholder(tf.float32, [4, 2], name="x")
    sums = tf.scan(lambda total, row: total + row * row, x)
    return [sums, *tf.gradients(tf.reduce_sum(sums), x)], {x: np.arange(8.0).reshape(4, 2)}


def examples() -> Iterator[tuple[str, Callable[[], object]]]:
    for program in (loop_and_its_gradients, branch_in_a_loop, what_passes_remove, rows_of_a_scan):

        def run(program: Program = program) -> None:
            with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
                fetches, feeds = program()
                session.run(fetches, feeds)

        yield program.__name__, run
    for name in EXAMPLES:
        (test,) = doctest.DocTestFinder(recurse=False).find(getattr(tf, name), name)

        def run_docstring(test: doctest.DocTest = test) -> None:
            doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None, clear_globs=False)

        yield f"tf.{name}", run_docstring


def pages_of(run: Callable[[], object], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Pages:
    """A page for each run that an example makes, with what Python computes."""
    found: Pages = []
    own = Session.run
    is_busy = False

    def with_page(self: Session, fetches: Any, feed_dict: Any = None, *rest: Any, **options: Any) -> Any:
        nonlocal is_busy
        if is_busy:
            return own(self, fetches, feed_dict, *rest, **options)
        is_busy = True
        try:
            path = folder / f"{len(found)}.html"
            self.graph.export(path, fetches=fetches, feeds=feed_dict or {}, session=self, play=True)
        except ValueError:  # a variable without a value: the run is that of its initializer
            path = Path()
        finally:
            is_busy = False
        results = own(self, fetches, feed_dict, *rest, **options)
        if path.name:
            found.append((path, dict(named(fetches, results))))
        return results

    monkeypatch.setattr(Session, "run", with_page)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run()
    monkeypatch.undo()
    return found


def named(fetches: Any, results: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(fetches, dict):
        fetches, results = list(fetches.values()), list(results.values())
    if isinstance(fetches, (list, tuple)):
        for each, result in zip(fetches, results, strict=True):
            yield from named(each, result)
    elif isinstance(fetches, tf.Tensor) and np.asarray(results).dtype.kind in "fiub":
        yield fetches.name, np.asarray(results)


def number_of(text: str) -> float:
    return float({"true": "1", "false": "0"}.get(text, text))


@pytest.mark.share(5)
@pytest.mark.parametrize(("name", "run"), list(examples()), ids=lambda each: each if isinstance(each, str) else "")
def test_results_are_those_of_a_run_in_every_plan(
    browser: Browser, name: str, run: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = pages_of(run, tmp_path, monkeypatch)
    assert pages, name
    for path, wanted in pages:
        browser.open(path)
        for plan in ("written", "optimised"):
            _, (found, failed) = browser.run_each((PLAN, plan), (RESULTS,))
            assert not failed
            for tensor, value in list(wanted.items())[:6]:  # as many as the card shows
                got, told = [number_of(text) for text in found[tensor]], f"{plan} {tensor}"
                assert len(got) == value.size, told
                np.testing.assert_allclose(got, value.reshape(-1).astype(float), 1e-5, 1e-6, err_msg=told)
