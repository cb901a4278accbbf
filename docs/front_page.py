"""What the site opens with: a picture of a run that moves, and a page that trains a line.

The picture is an SVG. Its boxes light up in the order in which the run computes them, dots go along the arrows, and
below each box stand the numbers that it gives. They are those of a real run. It has no script: a browser plays it in
an `<img>`. Where the reader asked for less motion, it stands still.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf

STEP, REST = 1.2, 3.0
"""Seconds from one step to the next, and at the end."""
_BOX = re.compile(r'<g class="(box [^"]*)"><title>([^\n<]+)(.*?)<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" '
                  r'height="([\d.]+)"', re.DOTALL)  # fmt: skip
_LEGEND = '<g transform="translate(28 28)">\n<g transform'
_ARROW = re.compile(r'<path class="(line[^"]*)"([^>]*) d="([^"]*)">\n<title>([^\n<]+) to ([^\n<]+)\n')
_GAP, _LINE, _LETTER = 16, 14, 6.9

MARKUP = """
```{raw} html
<figure class="front">
<img src="front/run.svg" alt="A run: boxes light up one after another, with the numbers that each one gives">
<figcaption>A graph, and a run of it. Each box gives its numbers to those that read them.</figcaption>
</figure>
<figure class="front">
<iframe src="front/play.html" title="A graph that trains a line, to play with" loading="lazy"></iframe>
<figcaption>This page computes, without a server. <em>Run 50 times</em>: the line learns, and the loss falls. Then edit
a number in <code>x</code> or <code>y</code>, and watch what follows. <a href="play.html">Make one of your own
graph.</a></figcaption>
</figure>
```
"""


def moving_picture(drawing: str, order: Sequence[str], values: Mapping[str, Any]) -> str:
    """A drawing of a graph from left to right as a picture that moves.

    Args:
        drawing: the picture, as `Graph.export` writes it to an SVG.
        order: the names of the nodes, in the order of the run.
        values: what each of them gives.
    """
    whole = STEP * len(order) + REST
    texts = {name: np.array2string(np.asarray(value), precision=2).split("\n") for name, value in values.items()}
    boxes = {found[2]: tuple(float(found[i]) for i in range(4, 8)) for found in _BOX.finditer(drawing)}
    bottom = max(y + height for _, y, _, height in boxes.values())
    numbers: list[str] = []
    for name, (x, _, width, _) in boxes.items():
        left = x + (width - _LETTER * max(map(len, texts[name]))) / 2
        for row, text in enumerate(texts[name]):
            place = f'x="{left:.1f}" y="{bottom + _GAP + _LINE * (row + 1):.1f}"'
            numbers.append(f'<text class="value seen{order.index(name)}" {place} '
                           f'xml:space="preserve">{html.escape(text)}</text>')  # fmt: skip

    def box(found: re.Match[str]) -> str:
        return found[0].replace(f'class="{found[1]}"', f'class="{found[1]} seen{order.index(found[2])}"', 1)

    def arrow(found: re.Match[str]) -> str:
        at = order.index(found[5])
        begin, end = STEP * (at - 0.6) / whole, STEP * at / whole
        numbers.append(
            f'<circle r="4" class="dot flow{at}"><animateMotion dur="{whole}s" repeatCount="indefinite" '
            f'calcMode="linear" keyPoints="0;0;1;1" keyTimes="0;{begin:.4f};{end:.4f};1" path="{found[3]}"/></circle>'
        )
        return found[0].replace(f'class="{found[1]}"', f'class="{found[1]} seen{at}"', 1)

    drawing = _ARROW.sub(arrow, _BOX.sub(box, drawing))
    return _with(drawing, "\n".join(numbers), _style(len(order), whole), _LINE * max(map(len, texts.values())))


def _style(count: int, whole: float) -> str:
    """The rules that show each step at its time."""
    rules = [".value{font:600 11.5px ui-monospace,Menlo,Consolas,monospace;fill:#1d6f42}.dot{fill:#4da673}"]
    for at in range(count):
        begin, end = 100 * STEP * at / whole, 100 * (STEP * at + 0.3) / whole
        flow = 100 * max(0.0, STEP * (at - 0.6)) / whole
        rules.append(f"@keyframes seen{at}{{0%,{begin:.2f}%{{opacity:.15}}"
                     f"{end:.2f}%,97%{{opacity:1}}100%{{opacity:.15}}}}"
                     f".seen{at}{{animation:seen{at} {whole}s linear infinite}}"
                     f"@keyframes flow{at}{{0%,{flow:.2f}%{{opacity:0}}{flow + 0.1:.2f}%,{begin:.2f}%{{opacity:1}}"
                     f"{begin + 1:.2f}%,100%{{opacity:0}}}}"
                     f".flow{at}{{opacity:0;animation:flow{at} {whole}s linear infinite}}")  # fmt: skip
    rules.append("@media(prefers-color-scheme:dark){.value{fill:#7fd6a4}}"
                 "@media(prefers-reduced-motion:reduce){*{animation:none!important}.dot{display:none}}")  # fmt: skip
    return "\n".join(rules)


def _with(drawing: str, more: str, style: str, room: float) -> str:
    """A drawing with more in its graph, more rules, and more room below the graph; its legend is left out."""
    graph, _, legend = drawing.rpartition("\n" + _LEGEND)
    found = re.search(r"translate\(0 ([\d.]+)\)", legend)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', graph)
    assert found is not None and size is not None  # so are all pictures with a legend
    width, height = size.groups()
    high = f"{float(found[1]) + 28 + room:.1f}"
    graph = graph.replace(f'height="{height}"', f'height="{high}"').replace(size[0], f'viewBox="0 0 {width} {high}"')
    graph = graph.replace("</style>", f"{style}\n</style>", 1)
    return f"{graph.removesuffix('</g>')}{more}\n</g>\n</svg>\n"


def write_run(path: Path) -> None:
    """Write the picture of the README's first program, run with its three rows."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["rows", 3], name="x")
        distance = tf.reduce_sum(tf.square(x - tf.reduce_mean(x, 0)), 1, name="distance")
    drawing = graph.export(path, fetches=distance, direction="right").read_text("utf-8")
    with tf.Session(graph=graph) as session:
        debugger = session.debug(distance, {x: [[1, 2, 3], [3, 4, 5], [8, 0, 1]]})
        debugger.go()
        order = ["x", *[step.node for step in debugger.record().plan.steps]]
        values = {name: debugger.value(name) for name in order}
    path.write_text(moving_picture(drawing, order, values), "utf-8")


def write_play(path: Path) -> None:
    """Write a page that fits a line to five points."""
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float32, ["points"], name=name) for name in "xy")
        w, b = tf.Variable(0.0, name="w"), tf.Variable(0.0, name="b")
        with tf.name_scope("error"):
            squares = tf.square(w * x + b - y, name="squares")
        loss = tf.reduce_mean(squares, name="loss")
        learn = tf.train.GradientDescentOptimizer(0.05).minimize(loss, name="learn")
    feeds = {x: [1.0, 2.0, 3.0, 4.0, 5.0], y: [3.0, 4.9, 7.1, 9.0, 11.0]}
    graph.export(path, fetches=[loss, learn], feeds=feeds, play=True, title="A line learns")


def write_front(folder: Path) -> None:
    """Write both files."""
    folder.mkdir(parents=True, exist_ok=True)
    write_run(folder / "run.svg")
    write_play(folder / "play.html")


def with_front(index: str) -> str:
    """The text of the index with both, behind its first paragraph."""
    head, _, rest = index.partition("\n## ")
    return f"---\nhide-toc: true\n---\n{head.rstrip()}\n{MARKUP}\n## {rest}"
