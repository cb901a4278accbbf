"""Data pipelines in pictures: one line of stages from the source to the step, with what each stage was told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show import Picture, collapse, lay_out, picture_of
from penstock.show.content.screen_fit import climbs, fit_screen

from .browser import Browser

ROWS = np.arange(40, dtype=np.float32).reshape(20, 2)


def trained_on(dataset: tf.data.Dataset) -> list[Any]:
    """The loss and the step of a training on the rows of a dataset."""
    rows = dataset.make_one_shot_iterator().get_next()
    w, b = tf.Variable(tf.zeros([2, 1]), name="w"), tf.Variable(0.0, name="b")
    loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(rows, w), 1) + b), name="loss")
    return [loss, tf.train.AdamOptimizer(0.01).minimize(loss)]


def texts_of(picture: Picture) -> list[str]:
    """All that is written in boxes, in closed scopes and at arrows."""
    written = [line for box in picture.boxes for line in (*box.detail, *(each.line for each in box.constants))]
    written += [line for group in picture.groups if group.face for line in group.face.detail]
    return written + [text for arrow in picture.arrows for text in (arrow.label, arrow.type)]


STAGES: list[Callable[[tf.data.Dataset], tf.data.Dataset]] = [
    lambda rows: rows.map(lambda row: row * 2.0 + 1.0),
    lambda rows: rows.map(lambda row: tf.abs(row), num_parallel_calls=2),
    lambda rows: rows.filter(lambda row: row[0] >= 0.0),
    lambda rows: rows.shuffle(30, seed=4),
    lambda rows: rows.repeat(3),
    lambda rows: rows.take(15),
    lambda rows: rows.prefetch(2),
    lambda rows: rows.interleave(lambda row: tf.data.Dataset.from_tensors(row).repeat(2), cycle_length=2),
    lambda rows: rows.flat_map(lambda row: tf.data.Dataset.from_tensors(row)),
    lambda rows: tf.data.Dataset.zip((rows, tf.data.Dataset.range(20))).map(lambda row, _: row),
    lambda rows: rows.concatenate(tf.data.Dataset.from_tensor_slices(ROWS)),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("seed", range(8))
def test_pictures_of_random_pipelines_are_lines_from_the_source_to_the_step(seed: int) -> None:
    random = Random(seed)
    with tf.Graph().as_default() as graph:
        rows = tf.data.Dataset.from_tensor_slices(ROWS)
        for stage in random.choices(STAGES, k=random.randint(1, 6)):
            rows = stage(rows)
        fetches = trained_on(rows.batch(4))
    for asked in ((), fetches):
        picture = picture_of(graph, fetches=asked, context="cut")
        assert not [text for text in texts_of(picture) if "variant" in text]
        joined = {end for arrow in picture.arrows for end in (arrow.source, arrow.target)}
        assert not [box.id for box in picture.boxes if box.is_constant and box.id not in joined]
        assert climbs(lay_out(fit_screen(picture))) == 0
        shown = fit_screen(picture)
        places = {placed.box.id: placed.rect.y for placed in lay_out(shown).boxes}
        assert all(places[a.source] < places[a.target] for a in shown.arrows if a.kind in ("data", "control"))


def small() -> tuple[tf.Graph, list[Any]]:
    with tf.Graph().as_default() as graph:
        rows = tf.data.Dataset.from_tensor_slices(ROWS).shuffle(20, seed=3).repeat().batch(4)
        element = rows.make_one_shot_iterator().get_next()
        return graph, [tf.reduce_sum(element, name="total")]


def test_what_a_stage_was_told_stands_in_its_box() -> None:
    graph, fetches = small()
    boxes = {box.id: box for box in picture_of(graph, fetches=fetches).boxes}
    assert {box.group for name, box in boxes.items() if name not in ("IteratorGetNext", "total")} == {
        ("input pipeline",)
    }
    lines = {name: [each.line for each in box.constants] + list(box.detail) for name, box in boxes.items()}
    assert lines["BatchDatasetV2"] == ["batch_size = 4", "drop_remainder = False"]
    assert "buffer_size = 20" in lines["ShuffleDataset"] and "seed2 = 3" in lines["ShuffleDataset"]
    assert lines["OneShotIterator"] == []


def test_a_closed_pipeline_tells_its_stages_in_order() -> None:
    graph, fetches = small()
    picture = picture_of(graph, fetches=fetches, depth=0)
    (pipeline,) = [box for box in picture.boxes if box.label == "input pipeline"]
    assert pipeline.detail == (
        "from_tensor_slices: float32 (20, 2)", "shuffle: buffer_size = 20, seed2 = 3", "repeat: count = -1",
        "batch: batch_size = 4",
    )  # fmt: skip
    assert [(a.source, a.target, a.label) for a in picture.arrows if a.source == pipeline.id] == [
        ("input pipeline/", "IteratorGetNext", "")
    ]


def test_a_long_pipeline_tells_how_many_stages_it_leaves_out() -> None:
    with tf.Graph().as_default() as graph:
        rows = tf.data.Dataset.from_tensor_slices(ROWS)
        for _ in range(14):
            rows = rows.skip(1)
        total = tf.reduce_sum(rows.make_one_shot_iterator().get_next())
    (pipeline,) = [box for box in picture_of(graph, fetches=[total], depth=0).boxes if box.label == "input pipeline"]
    assert pipeline.detail[1:] == ("skip: count = 1",) * 10 + ("and 4 more stages",)


def test_a_constant_stands_in_a_pipeline_that_alone_reads_it() -> None:
    with tf.Graph().as_default() as graph:
        own, twice, shared = (tf.constant(4, tf.int64, name=name) for name in ("own", "twice", "shared"))
        rows = tf.data.Dataset.from_tensor_slices(ROWS).shuffle(own).repeat(twice).take(twice).batch(shared)
        mean = tf.reduce_sum(rows.make_one_shot_iterator().get_next()) / tf.cast(shared, tf.float32)
    groups = {box.id: box.group for box in picture_of(graph, fetches=[mean], constants="boxes").boxes}
    assert groups["own"] == groups["twice"] == ("input pipeline",) and groups["shared"] == ()


def test_a_constant_that_two_pipelines_read_stands_in_neither() -> None:
    with tf.Graph().as_default() as graph:
        shared = tf.constant(4, tf.int64, name="shared")
        both = [tf.data.Dataset.from_tensor_slices(ROWS).batch(shared) for _ in range(2)]
        totals = [tf.reduce_sum(rows.make_one_shot_iterator().get_next()) for rows in both]
    groups = {box.id: box.group for box in picture_of(graph, fetches=totals, constants="boxes").boxes}
    assert ("input pipeline 2",) in groups.values() and groups["shared"] == ()


def test_a_function_is_told_in_the_box_of_its_stage_and_opens() -> None:
    with tf.Graph().as_default() as graph:
        rows = tf.data.Dataset.range(10).map(lambda n: n * 2 + 1, num_parallel_calls=2).prefetch(1)
        element = rows.make_one_shot_iterator().get_next(name="element")
    closed = {box.id: box for box in collapse(picture_of(graph, fetches=element)).boxes}
    stage = closed["input pipeline/ParallelMapDataset/"]
    assert stage.label == "ParallelMapDataset"
    assert stage.detail == ("num_parallel_calls = 2", "function: Mul, Add")
    opened = {box.id for box in picture_of(graph, fetches=element, depth=5).boxes}
    assert {"function/mul", "function/add", "ParallelMapDataset"} <= opened


def test_an_iterator_is_drawn_behind_what_starts_it() -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("input"):
        train = tf.data.Dataset.from_tensor_slices(ROWS).batch(2)
        test = tf.data.Dataset.from_tensor_slices(ROWS[:4]).batch(2)
        iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
        iterator.make_initializer(train, name="begin_train")
        iterator.make_initializer(test, name="begin_test")
        element = iterator.get_next()
    picture = picture_of(graph, fetches=element, context="cut")
    assert all(box.kind.value != "pruned" for box in picture.boxes)
    arrows = {(arrow.source, arrow.target) for arrow in picture.arrows}
    assert {("input/begin_train", "input/IteratorV2"), ("input/begin_test", "input/IteratorV2")} <= arrows
    assert {box.group for box in picture.boxes} == {("input", "input pipeline"), ("input",)}
    assert climbs(lay_out(fit_screen(picture))) == 0


def test_a_map_that_gave_way_to_one_of_batches_is_drawn_in_data_forms_only(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        rows = tf.data.Dataset.from_tensor_slices(ROWS).map(lambda row: row / 2.0).batch(5)
        element = rows.make_one_shot_iterator().get_next()
    whole = graph.export(tmp_path / "g.picture.json").read_text("utf-8")
    names = [op.name for op in graph.get_operations() if op.type == "MapDataset"]
    assert len(names) == 2 and all(f'"{name}"' in whole for name in names)
    for fetches in ((), element):
        drawn = picture_of(graph, fetches=fetches, context="cut", depth=9)
        maps = [box for box in drawn.boxes if box.type == "MapDataset"]
        assert len(maps) == 1
        joined = {end for arrow in drawn.arrows for end in (arrow.source, arrow.target)}
        assert {box.id for box in drawn.boxes} <= joined


CLIMBING = """
return [...document.querySelectorAll('g.arrow path.line:not(.write):not(.loop)')].filter((line) => {
  const length = line.getTotalLength();
  let last = -Infinity;
  for (let at = 0; at <= length; at += 2) {
    const { y } = line.getPointAtLength(at);
    if (y < last - 1) return true;
    last = y;
  }
  return false;
}).map((line) => line.parentNode.textContent)"""
"""The arrows of which a part leads upwards."""


@pytest.mark.parametrize("size", [(1400, 900), (1000, 700)])
def test_a_page_closes_the_pipeline_before_a_line_climbs(
    tmp_path: Path, browser: Browser, size: tuple[int, int]
) -> None:
    with tf.Graph().as_default() as graph:
        numbers = tf.data.Dataset.range(20).interleave(lambda i: tf.data.Dataset.from_tensors(i).repeat(2), 2)
        rows = tf.data.Dataset.from_tensor_slices(ROWS).map(lambda row: row - 0.5).shuffle(100, seed=7)
        pairs = tf.data.Dataset.zip((rows, numbers)).map(lambda row, _: row)
        fetches = trained_on(pairs.batch(4).prefetch(1))
    browser.resize(*size)
    browser.open(graph.export(tmp_path / "page.html", fetches=fetches))
    assert browser.run(CLIMBING) == []
    shown = browser.run("return [...document.querySelectorAll('#world text')].map((each) => each.textContent)")
    assert "shuffle: buffer_size = 100, seed2 = 7" in shown and "OneShotIterator" not in shown
    assert browser.run("return document.getElementById('world').getCTM().a") >= 0.9
