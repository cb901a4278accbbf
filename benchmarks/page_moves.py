"""How far the boxes of a page move when a scope is opened or closed.

python -m benchmarks.page_moves

Every scope of each page is clicked once to open it and once to close it, outer scopes first, each from the state in
which the page opens. Measured are, on the screen: how far the title of the clicked scope moves, how far the other boxes
move (those in view before and after), and how many pairs of boxes beside each other swap their order. The times are
those from the click to the last frame of the animation.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf
from penstock.cli import demo
from tests.show.browser import Browser

_PLACES = """const places = {};
for (const g of document.querySelectorAll('g.box')) {
  const at = g.querySelector('.body').getBoundingClientRect();
  places[g.dataset.id] = [at.x, at.y, at.width, at.height];
}
return places;"""
_TITLE = """const name = arguments[0];
const frame = [...document.querySelectorAll('g.scope')].find((g) => g.dataset.path === name);
const box = [...document.querySelectorAll('g.box')].find((g) => g.dataset.id === `${name}/`);
const text = frame ? frame.querySelector('.scope-label') : box && box.querySelector('.name');
if (!text) return null;
const at = text.getBoundingClientRect();
return [at.x + at.width / 2, at.y + at.height / 2];"""
_IS_CLOSED = "return [...document.querySelectorAll('g.box')].some((g) => g.dataset.id === `${arguments[0]}/`)"
_CLICK = """const name = arguments[0];
const frame = [...document.querySelectorAll('g.scope')].find((g) => g.dataset.path === name);
const box = [...document.querySelectorAll('g.box')].find((g) => g.dataset.id === `${name}/`);
const made = frame ? frame.querySelector('.scope-title') : box;
document.dispatchEvent(new Event('pointerdown')); // an untouched page follows the size of its window
made.dispatchEvent(new MouseEvent('click', {bubbles: true}));
const start = performance.now();
return new Promise((done) => {
  const wait = () => (document.getElementById('canvas').classList.contains('moving')
    ? requestAnimationFrame(wait) : requestAnimationFrame(() => done(performance.now() - start)));
  requestAnimationFrame(wait);
});"""
_SCOPES = """const [view] = JSON.parse(document.getElementById('data').textContent).views;
return view.scopes.map((scope) => [scope[0], scope[2]]);"""


@dataclass(slots=True)
class Moves:
    """What was measured on one page."""

    far: list[float] = field(default_factory=list)
    titles: list[float] = field(default_factory=list)
    swaps: int = 0
    pairs: int = 0
    times: list[float] = field(default_factory=list)

    def line(self, name: str) -> str:
        """A row of the table."""
        mean, most, title = statistics.fmean(self.far), max(self.far), max(self.titles)
        row = f"{len(self.times)} | {mean:.0f} | {most:.0f} | {title:.1f} | {self.swaps} of {self.pairs}"
        return f"| {name} | {row} | {max(self.times):.0f} |"


def kmeans() -> tuple[tf.Graph, Any]:
    """Five steps of k-means in a chain."""
    with tf.Graph().as_default() as graph:
        points = tf.placeholder(tf.float32, ["points", 2], name="points")
        centres = tf.placeholder(tf.float32, [3, 2], name="centres")
        for _ in range(5):
            with tf.name_scope("step"):
                apart = tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)
                nearest = tf.argmin(tf.reduce_sum(tf.square(apart), 2, name="distances"), 1, name="nearest")
                centres = tf.unsorted_segment_mean(points, nearest, 3, name="moved")
        return graph, tf.identity(centres, name="result")


def _dense(x: tf.Tensor, into: int, name: str) -> tf.Tensor:
    with tf.name_scope(name):
        width = x.shape[1].value
        kernel = tf.constant(np.zeros((width, into), np.float32), name="kernel")
        return tf.matmul(x, kernel) + tf.constant(np.zeros(into, np.float32), name="bias")


def _norm(x: tf.Tensor) -> tf.Tensor:
    with tf.name_scope("norm"):
        centred = x - tf.reduce_mean(x, 1, keep_dims=True)
        return centred / tf.sqrt(tf.reduce_mean(tf.square(centred), 1, keep_dims=True) + 1e-6)


def transformer(blocks: int = 4, heads: int = 3, width: int = 12) -> tuple[tf.Graph, Any]:
    """Blocks of attention and two dense layers."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["words", width], name="x")
        for block in range(blocks):
            with tf.name_scope(f"block_{block}"):
                with tf.name_scope("attention"):
                    mixed = []
                    for head in range(heads):
                        with tf.name_scope(f"head_{head}"):
                            query, key, value = (_dense(x, width // heads, name) for name in ("query", "key", "value"))
                            weights = tf.exp(tf.matmul(query, tf.transpose(key)) * 0.5)
                            mixed.append(tf.matmul(weights / tf.reduce_sum(weights, 1, keep_dims=True), value))
                    attended = _dense(tf.concat(1, mixed), width, "out")
                x = _norm(x + attended)
                with tf.name_scope("mlp"):
                    y = _dense(tf.tanh(_dense(x, 4 * width, "up")), width, "down")
                x = _norm(x + y)
        return graph, _dense(x, 10, "logits")


def measured(browser: Browser, page: Path) -> Moves:
    """Click every scope of a page."""
    browser.open(page)
    moves = Moves()
    for name in _clickable(browser):
        browser.open(page)
        for outer in _around(browser, name):
            if browser.run(_IS_CLOSED, outer):
                browser.run(_CLICK, outer)
        for _ in ("there", "and back"):
            places, title = browser.run(_PLACES), browser.run(_TITLE, name)
            moves.times.append(browser.run(_CLICK, name))
            after, there = browser.run(_PLACES), browser.run(_TITLE, name)
            moves.titles.append(_far(title, there))
            shared = {box: (np.array(places[box]), np.array(after[box])) for box in places.keys() & after.keys()}
            moves.far += [_far(one, other) for one, other in shared.values()]
            for one, other in _beside({box: place for box, (place, _) in shared.items()}):
                moves.pairs += 1
                moves.swaps += bool((after[one][0] - after[other][0]) * (places[one][0] - places[other][0]) < 0)
    return moves


def _clickable(browser: Browser) -> list[str]:
    """The paths of the scopes; of equal ones beside each other in a row only the first."""
    return [path for _, path in browser.run(_SCOPES) if path][:40]


def _around(browser: Browser, name: str) -> list[str]:
    """The scopes around a scope, outermost first."""
    scopes = browser.run(_SCOPES)
    number = next(at for at, (_, path) in enumerate(scopes) if path == name)
    found: list[str] = []
    while scopes[number][0] > 0:
        number = scopes[number][0]
        found.insert(0, scopes[number][1])
    return found


def _beside(places: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The pairs of boxes that stand beside each other."""
    names = sorted(places)
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            a, b = places[one], places[other]
            if a[1] < b[1] + b[3] and b[1] < a[1] + a[3]:
                yield one, other


def _far(one: Any, other: Any) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def main() -> None:
    """Print the table."""
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    graphs = {"demo": (job.graph, job.fetches), "k-means": kmeans(), "transformer": transformer()}
    browser = Browser()
    print("| page | clicks | mean, px | most, px | title, px | swapped pairs | longest, ms |")
    print("|---|---|---|---|---|---|---|")
    try:
        browser.prefer(motion=True)
        with tempfile.TemporaryDirectory() as folder:
            for name, (graph, fetches) in graphs.items():
                page = graph.export(Path(folder, f"{name}.html"), fetches=fetches)
                print(measured(browser, page).line(name), flush=True)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
