"""Fifty graphs on which the layout of pictures is measured.

The demo and the examples, small programs (k-means, PageRank, a transformer block, an LSTM, a perceptron), and shapes
that layouts find hard: chains, fans, towers, trees, grids and random graphs with and without scopes. Every graph is the
same in each process.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import runpy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import penstock as tf
from penstock.cli import demo
from penstock.show import Arrow, Box, Picture, collapse, fit, picture_of

_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
_TYPE = "float32 (batch, 3)"
Named = Iterator[tuple[str, Picture]]


def corpus(*only: str) -> dict[str, Picture]:
    """The pictures whose names hold one of these texts, or all, in a fixed order. Of examples, only these are run."""
    made = itertools.chain(_demo(), _examples(only), _programs(), _shapes(), _random())
    return {name: fit(picture) for name, picture in made if _is_one(name, only)}


def _is_one(name: str, only: Sequence[str]) -> bool:
    return not only or any(text in name for text in only)


# ---- programs ---------------------------------------------------------------------------------------------------


def _demo() -> Named:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    picture = picture_of(job.graph, fetches=job.fetches)
    yield "demo, depth 0", collapse(picture, depth=0)
    yield "demo", picture


def _examples(only: Sequence[str]) -> Named:
    for path in sorted(_EXAMPLES.glob("*.py")):
        name = f"example {path.stem}"
        if _is_one(name, only) and (graph := _graph_of(path)) is not None:
            yield name, picture_of(graph)


def _graph_of(path: Path) -> tf.Graph | None:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = runpy.run_path(str(path))
    for value in made.values():
        graph = getattr(value, "graph", value)
        if isinstance(graph, tf.Graph):
            return graph
    return None


def _drawn(build: Callable[[], object]) -> Picture:
    with tf.Graph().as_default() as graph:
        build()
    return picture_of(graph)


def _programs() -> Named:
    yield "k-means", _drawn(lambda: _kmeans(3))
    yield "PageRank, 1 step", _drawn(lambda: _pagerank(1))
    yield "PageRank, 10 steps", _drawn(lambda: _pagerank(10))
    yield "transformer block", _drawn(lambda: _transformer(1, 2))
    yield "transformer, 3 blocks", _drawn(lambda: _transformer(3, 2))
    yield "LSTM, 2 steps", _drawn(lambda: _lstm(2))
    yield "LSTM, 6 steps", _drawn(lambda: _lstm(6))
    yield "LSTM, 6 steps, depth 0", collapse(_drawn(lambda: _lstm(6)), depth=0)
    yield "perceptron, 3 layers", _drawn(lambda: _perceptron(3))
    yield "perceptron, 12 layers", _drawn(lambda: _perceptron(12))
    yield "perceptron, 12 layers, depth 0", collapse(_drawn(lambda: _perceptron(12)), depth=0)
    yield "two towers", _drawn(lambda: _towers(2, 6))
    yield "six towers", _drawn(lambda: _towers(6, 4))
    yield "two blocks in a row of scopes", _drawn(_blocks)


def _kmeans(rounds: int) -> None:
    points = tf.placeholder(tf.float32, [None, 2], name="points")
    centres = tf.placeholder(tf.float32, [4, 2], name="centres")
    for number in range(rounds):
        with tf.name_scope(f"round_{number}"):
            difference = tf.sub(tf.expand_dims(points, 1), tf.expand_dims(centres, 0))
            nearest = tf.argmin(tf.reduce_sum(tf.square(difference), [2]), 1)
            parts = tf.dynamic_partition(points, tf.cast(nearest, tf.int32), 4)
            centres = tf.pack([tf.reduce_mean(part, [0]) for part in parts])
    tf.identity(centres, name="found")


def _pagerank(steps: int) -> None:
    links = tf.placeholder(tf.float32, [50, 50], name="links")
    with tf.name_scope("normalise"):
        out = tf.reduce_sum(links, [0], name="degree")
        moves = tf.truediv(links, tf.maximum(out, 1.0), name="moves")
    rank = tf.fill([50, 1], 0.02)
    for number in range(steps):
        with tf.name_scope(f"step_{number}"):
            rank = tf.add(tf.mul(tf.matmul(moves, rank), 0.85), 0.003, name="rank")
    tf.identity(tf.squeeze(rank), name="ranks")


def _norm(x: tf.Tensor, name: str) -> tf.Tensor:
    with tf.name_scope(name):
        mean = tf.reduce_mean(x, [1], keep_dims=True)
        centred = tf.sub(x, mean)
        variance = tf.reduce_mean(tf.square(centred), [1], keep_dims=True)
        scaled: tf.Tensor = tf.mul(centred, tf.rsqrt(tf.add(variance, 1e-5)))
        return scaled


def _softmax(x: tf.Tensor) -> tf.Tensor:
    with tf.name_scope("softmax"):
        powers = tf.exp(tf.sub(x, tf.reduce_max(x, [1], keep_dims=True)))
        shares: tf.Tensor = tf.truediv(powers, tf.reduce_sum(powers, [1], keep_dims=True))
        return shares


def _weights(name: str, rows: int, columns: int) -> tf.Tensor:
    made: tf.Tensor = tf.placeholder(tf.float32, [rows, columns], name=name)
    return made


def _transformer(blocks: int, heads: int) -> None:
    x = tf.placeholder(tf.float32, [16, 32], name="tokens")
    for number in range(blocks):
        with tf.name_scope(f"block_{number}"):
            y = _norm(x, "norm")
            with tf.name_scope("attention"):
                mixed = [_head(y, head) for head in range(heads)]
                joined = tf.matmul(tf.concat(1, mixed), _weights("w_out", 16 * heads, 32))
            x = tf.add(x, joined, name="first_sum")
            with tf.name_scope("mlp"):
                wide = tf.maximum(tf.matmul(_norm(x, "norm"), _weights("w_wide", 32, 64)), 0.0)
                narrow = tf.matmul(wide, _weights("w_narrow", 64, 32))
            x = tf.add(x, narrow, name="second_sum")
    tf.identity(x, name="out")


def _head(y: tf.Tensor, head: int) -> tf.Tensor:
    with tf.name_scope(f"head_{head}"):
        query, key, value = (tf.matmul(y, _weights(f"w_{part}", 32, 16), name=part) for part in ("q", "k", "v"))
        scores = tf.mul(tf.matmul(query, key, transpose_b=True), 0.25, name="scores")
        mixed: tf.Tensor = tf.matmul(_softmax(scores), value, name="mixed")
        return mixed


def _lstm(steps: int) -> None:
    words = tf.placeholder(tf.float32, [steps, 8, 16], name="words")
    weights, bias = _weights("weights", 48, 128), tf.placeholder(tf.float32, [128], name="bias")
    state = memory = tf.fill([8, 32], 0.0, name="zeros")
    for number, word in enumerate(tf.unpack(words)):
        with tf.name_scope(f"step_{number}"):
            gates = tf.add(tf.matmul(tf.concat(1, [word, state]), weights), bias, name="gates")
            forget, take, new, show = tf.split(1, 4, gates)
            kept = tf.mul(memory, tf.sigmoid(forget), name="kept")
            memory = tf.add(kept, tf.mul(tf.sigmoid(take), tf.tanh(new)), name="memory")
            state = tf.mul(tf.sigmoid(show), tf.tanh(memory), name="state")
    tf.identity(state, name="last")


def _dense(x: tf.Tensor, name: str, rows: int, columns: int) -> tf.Tensor:
    with tf.name_scope(name):
        product = tf.matmul(x, _weights("weights", rows, columns))
        made: tf.Tensor = tf.maximum(tf.add(product, tf.placeholder(tf.float32, [columns], name="bias")), 0.0)
        return made


def _perceptron(layers: int) -> None:
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    for number in range(layers):
        x = _dense(x, f"dense_{number}", 8, 8)
    tf.reduce_mean(x, name="mean")


def _towers(count: int, length: int) -> None:
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    ends = []
    for number in range(count):
        with tf.name_scope(f"tower_{number}"):
            y = x
            for layer in range(length):
                y = _dense(y, f"dense_{layer}", 8, 8) if layer % 2 else tf.tanh(y)
            ends.append(y)
    tf.add_n(ends, name="sum")


def _blocks() -> None:
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    for number in range(2):
        with tf.name_scope(f"block_{number}"):
            y = tf.identity(x, name="input") if number else tf.tanh(tf.square(tf.exp(x)))
            for layer in range(3):
                y = _dense(y, f"dense_{layer}", 8, 8)
            tf.reduce_mean(y, name="result")


# ---- shapes -----------------------------------------------------------------------------------------------------


def _picture(
    arrows: list[tuple[str, str]], groups: Mapping[str, tuple[str, ...]] | None = None, label: str = ""
) -> Picture:
    names = list(dict.fromkeys(name for pair in arrows for name in pair))
    places = groups or {}
    boxes = tuple(Box(name, name, type="Add", detail=(_TYPE,), group=places.get(name, ())) for name in names)
    return Picture("", boxes, tuple(Arrow(a, b, label, tensors=(f"{a}:0",)) for a, b in arrows))


def _chain(name: str, length: int) -> list[tuple[str, str]]:
    return [(f"{name}{n}", f"{name}{n + 1}") for n in range(length)]


def _shapes() -> Named:
    yield "chain of 10", _picture(_chain("n", 9))
    yield "chain of 40", _picture(_chain("n", 39))
    yield "chain of 150", _picture(_chain("n", 149))
    yield "chain of 40 that all read one input", _picture(_chain("n", 39) + [("w", f"n{n}") for n in range(1, 40)])
    yield "residual chain of 30", _picture(_chain("n", 29) + [(f"n{n}", f"n{n + 3}") for n in range(0, 27, 3)])
    yield "fan out to 30", _picture([("x", f"y{n}") for n in range(30)])
    yield "fan in from 30", _picture([(f"x{n}", "y") for n in range(30)])
    yield "fan out to 12 and in", _picture([pair for n in range(12) for pair in (("x", f"m{n}"), (f"m{n}", "y"))])
    yield "8 chains of 8 between two nodes", _picture(
        [pair for n in range(8) for pair in (("x", f"t{n}_0"), *_chain(f"t{n}_", 7), (f"t{n}_7", "y"))])  # fmt: skip
    yield "10 separate chains of 5", _picture([pair for n in range(10) for pair in _chain(f"t{n}_", 4)])
    yield "one chain of 30 and 12 of 3", _picture(
        _chain("long", 29) + [pair for n in range(12) for pair in _chain(f"t{n}_", 2)])  # fmt: skip
    yield "binary tree, 5 levels", _picture([(f"n{n // 2}", f"n{n}") for n in range(2, 32)])
    yield "reduction tree, 5 levels", _picture([(f"n{n}", f"n{n // 2}") for n in range(2, 32)])
    yield "grid of 6 by 6", _picture(
        [(f"n{r}_{c}", f"n{r + dr}_{c + dc}") for r in range(6) for c in range(6) for dr, dc in ((1, 0), (0, 1))
         if r + dr < 6 and c + dc < 6])  # fmt: skip
    yield "butterfly of 8", _picture(
        [(f"n{s}_{n}", f"n{s + 1}_{m}") for s in range(3) for n in range(8) for m in (n, n ^ (1 << s))])
    yield "chain through 8 scopes of 5", _scoped_chain(8, 5)
    yield "chain through 20 scopes of 2", _scoped_chain(20, 2)


def _scoped_chain(scopes: int, length: int) -> Picture:
    names = [f"n{n}" for n in range(scopes * length)]
    groups = {name: (f"scope_{n // length}",) for n, name in enumerate(names)}
    return _picture(list(itertools.pairwise(names)), groups)


def _random() -> Named:
    for count, reach, more in ((40, 40, 0.2), (40, 6, 0.6), (80, 10, 0.3)):
        yield f"random, {count} nodes, reach {reach}", _picture(_random_arrows(count, reach, more), label=_TYPE)
    for count, reach, scopes in ((30, 30, 4), (60, 8, 6), (60, 20, 12)):
        arrows = _random_arrows(count, reach, 0.3)
        size = -(-count // scopes)
        groups = {f"n{n}": (f"scope_{n // size}",) for n in range(count) if n % 7}
        yield f"random, {count} nodes, {scopes} scopes", _picture(arrows, groups, _TYPE)
        nested = {name: (f"outer_{int(path[0][6:]) // 3}", *path) for name, path in groups.items()}
        if scopes > 4:
            yield f"random, {count} nodes, {scopes} nested scopes", _picture(arrows, nested, _TYPE)


def _random_arrows(count: int, reach: int, more: float) -> list[tuple[str, str]]:
    random = Random(1000 * count + reach)
    arrows = []
    for number in range(1, count):
        arrows.append((f"n{random.randrange(max(0, number - reach), number)}", f"n{number}"))
        if random.random() < more:
            arrows.append((f"n{random.randrange(max(0, number - reach), number)}", f"n{number}"))
    return list(dict.fromkeys(arrows))
