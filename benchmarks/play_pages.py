"""The time in which a play page reacts to an edit: python -m benchmarks.play_pages

A chain of n nodes on (10, 10) float32, all of which change with each edit. "computed" is the time that the script takes
from the key until everything is computed and written, "drawn" the time until styles and layout are done too.
Medians and the slowest of 21 edits, ms, in Chromium.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import numpy as np

import penstock as tf
from tests.show.browser import Browser

COUNTS = (50, 200)
_EDIT = """
document.querySelector('#card td.editable').click();
const field = document.getElementById('cell-editor');
field.value = arguments[0];
const start = performance.now();
field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
const computed = performance.now() - start;
document.body.getBoundingClientRect();
document.getElementById('world').getBBox();
return [computed, performance.now() - start];"""


def chain(count: int, path: Path) -> Path:
    """A page of `count` nodes, the half of them constants that the others read."""
    with tf.Graph().as_default() as graph:
        fed = made = tf.placeholder(tf.float32, [10, 10], name="x")
        for _ in range(count // 2):
            made = tf.tanh(made * 1.01)
    feeds = {fed: np.linspace(-1, 1, 100, dtype=np.float32).reshape(10, 10)}
    return graph.export(path, play=True, feeds=feeds, fetches=made, constants="labels")


def main() -> None:
    """Print a line for each number of nodes."""
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for count in COUNTS:
                path = chain(count, Path(folder, f"chain-{count}.html"))
                browser.open(path, "#at=x")
                taken = [browser.run(_EDIT, str(number / 10)) for number in range(21)]
                computed, drawn = ([float(pair[at]) for pair in taken] for at in (0, 1))
                told = (f"{statistics.median(times):.1f} (slowest {max(times):.1f})" for times in (computed, drawn))
                size = path.stat().st_size / 1000
                print(f"{count:4} nodes, {size:.0f} kB: computed {next(told)}, drawn {next(told)} ms", flush=True)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
