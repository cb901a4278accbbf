"""The time to draw a graph of N nodes in every form, and the response time of its page.

python -m benchmarks.pages              50 and 100,000 nodes
python -m benchmarks.pages 10000        another size

Seconds are those of the CPU, in a process that has drawn something small before. With Chromium and chromedriver the
pages are opened too: a click is timed from the event until the next frame has been drawn, the slowest of each kind.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np

import penstock as tf
from tests.show.browser import CHROMIUM, DRIVER, Browser

FORMS = ("txt", "dot", "svg", "html", "mmd", "json", "graphml", "pb", "pbtxt")
RUN_FORMS = ("html", "svg", "json", "trace.json", "perfetto.json")
_TIMED = """
const does = new Function(arguments[0]);
return new Promise((done) => requestAnimationFrame(() => {
  const start = performance.now();
  if (does() === false) return done(null);
  document.body.getBoundingClientRect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
}));"""
_CLICK = "if (!made) return false; made.dispatchEvent(new MouseEvent('click', {bubbles: true}));"
_INPUT = "if (!made || !made.offsetParent) return false; made.value = %s; made.dispatchEvent(new Event('input'));"
GESTURES = {
    "open a run of levels": "const all = [...document.querySelectorAll('g.box.levels, g.box.group')];"
                            "const made = all[all.length >> 1];" + _CLICK,
    "a node": "const made = document.querySelector('g.box:not(.levels):not(.group)');" + _CLICK,
    "another node": "const all = [...document.querySelectorAll('g.box:not(.levels):not(.group)')];"
                    "const made = all[all.length - 1];" + _CLICK,
    "an edge": "const made = document.querySelector('g.arrow');" + _CLICK,
    "search": "const made = document.getElementById('search');" + _INPUT % "'9'",
    "next stage": "document.dispatchEvent(new KeyboardEvent('keydown', {key: ']'}));",
    "stage after that": "document.dispatchEvent(new KeyboardEvent('keydown', {key: ']'}));",
    "last stage": "const made = document.querySelector('.stop:last-child');" + _CLICK,
    "first step of the run": "if (document.getElementById('runbar').hidden) return false;"
                             "document.dispatchEvent(new KeyboardEvent('keydown', {key: '.'}));",
    "a step in the middle": "const made = document.getElementById('run-slider');" + _INPUT % "made.max >> 1",
    "the step after it": "if (document.getElementById('runbar').hidden) return false;"
                         "document.dispatchEvent(new KeyboardEvent('keydown', {key: '.'}));",
    "let go": "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));",
}  # fmt: skip


def chain(count: int, scopes: bool = False) -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """`count` nodes, half of them constants, whose steps no pass joins; with `scopes` a hundred in each scope."""
    with tf.Graph().as_default() as graph:
        fed = made = tf.placeholder(tf.float32, [8], name="x")
        for number in range(count // 4):
            with tf.name_scope(f"block_{number // 25}/") if scopes else nullcontext():
                made = tf.reverse(tf.cumsum(made), [True])
    return graph, fed, made


def wide(count: int) -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """A tenth of `count` layers of ten nodes that read two of the layer before, all of which fuse."""
    with tf.Graph().as_default() as graph:
        fed = tf.placeholder(tf.float32, [8], name="x")
        layer: list[tf.Tensor] = [fed] * 10
        for _ in range(count // 10):
            layer = [tf.add(layer[at], layer[(at * 7 + 3) % 10]) for at in range(10)]
        made = tf.add_n(layer)
    return graph, fed, made


def recorded(graph: tf.Graph, fed: tf.Tensor, made: tf.Tensor) -> tf.RunRecord:
    """A run of it with its record."""
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(made, {fed: np.ones(8, np.float32)}, run_metadata=metadata)
    assert metadata.record is not None
    return metadata.record


def export_lines(what: str, export: Callable[[Path], object], forms: Sequence[str], folder: Path) -> list[Path]:
    """Write every form; a line of figures for each; the paths of the pages."""
    pages = []
    for form in forms:
        path = folder / f"{what.replace(' ', '-')}.{form}"
        start = time.process_time()
        export(path)
        took = time.process_time() - start
        print(f"{what:32} {form:14} {took:8.3f} s {path.stat().st_size / 1e6:9.2f} MB", flush=True)
        pages += [path] if form == "html" else []
    return pages


def answer_lines(path: Path) -> None:
    """Open the page and time its answers."""
    browser = Browser()
    try:
        start = time.perf_counter()
        browser.open(path)
        print(f"{path.stem:32} opens in {time.perf_counter() - start:.2f} s; answers, ms:", end=" ")
        slowest: dict[str, float] = {}
        for _ in range(2):
            for name, script in GESTURES.items():
                took = browser.run(_TIMED, script)
                if took is not None:
                    slowest[name] = max(slowest.get(name, 0.0), float(took))
        print(", ".join(f"{name} {took:.0f}" for name, took in slowest.items()), flush=True)
    finally:
        browser.close()


def main(counts: Sequence[int]) -> None:
    """Print the figures of graphs of these sizes."""
    with tempfile.TemporaryDirectory() as place:
        folder, pages = Path(place), []
        small, fed, end = chain(10)
        small.export(folder / "first.html")
        recorded(small, fed, end).export(folder / "first.html")
        for count in counts:
            made = {"chain": chain(count), "scopes": chain(count, True), "wide": wide(count)}
            for name, (graph, fed, end) in made.items():
                forms, run_forms = (FORMS, RUN_FORMS) if name == "chain" else (["html"], ["html"])
                pages += export_lines(f"{name} {count}", graph.export, forms, folder)
                pages += export_lines(f"run of {name} {count}", recorded(graph, fed, end).export, run_forms, folder)
        if CHROMIUM and DRIVER:
            for path in pages:
                answer_lines(path)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [50, 100_000])
