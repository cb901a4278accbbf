"""Opening and closing a scope in a real browser: the title stays where it is, the rest moves there in a short time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock.cli import demo
from penstock.show import Picture, collapse, html_page, lay_out, picture_of

from .browser import CHROMIUM, DRIVER, Browser
from .test_page_browser import assert_drawn_as

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_TITLE = """const made = [...document.querySelectorAll('g.scope')].find(g => g.dataset.path === arguments[0])
    || [...document.querySelectorAll('g.box')].find(g => g.dataset.id === `${arguments[0]}/`);
    const at = made.querySelector('.scope-label, .name').getBoundingClientRect();
    return [at.x + at.width / 2, at.y + at.height / 2]"""
_PLACES = """return [...document.querySelectorAll('g.box')].map(g => {
    const at = g.querySelector('.body').getBoundingClientRect();
    return [g.dataset.id, at.x, at.y]; })"""
_CLICK = """const made = [...document.querySelectorAll('g.scope')].find(g => g.dataset.path === arguments[0]);
    (made ? made.querySelector('.scope-title')
        : [...document.querySelectorAll('g.box')].find(g => g.dataset.id === `${arguments[0]}/`))
        .dispatchEvent(new MouseEvent('click', {bubbles: true}))"""
_IS_MOVING = "return document.getElementById('canvas').classList.contains('moving')"
# Every frame until the animation has ended, with the places of the boxes in it.
_FILM = f"""const [name, id] = arguments, frames = [], places = () => {{ {_PLACES} }};
    const made = [...document.querySelectorAll('g.scope')].find(g => g.dataset.path === name);
    const title = made ? made.querySelector('.scope-title')
        : [...document.querySelectorAll('g.box')].find(g => g.dataset.id === `${{name}}/`);
    title.dispatchEvent(new MouseEvent('click', {{bubbles: true}}));
    const start = performance.now();
    return new Promise(done => {{
        const look = () => {{
            frames.push(places().find(([box]) => box === id).slice(1));
            if (document.getElementById('canvas').classList.contains('moving')) requestAnimationFrame(look);
            else done([frames, performance.now() - start]);
        }};
        look();
    }})"""


@pytest.fixture
def still(screen: Browser) -> Browser:
    return screen


@pytest.fixture
def moving(screen: Browser) -> Iterator[Browser]:
    screen.prefer(motion=True)
    yield screen
    screen.prefer()


def three_towers() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 4], name="x")
        made = []
        for name in ("left", "middle", "right"):
            with tf.name_scope(name, show="collapsed"):
                y = tf.tanh(x * 2.0, name="first")
                with tf.name_scope("inner"):
                    y = tf.exp(y) + tf.exp(-y)
                made.append(y)
        tf.concat(1, made, name="end")
    return graph


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return three_towers().export(tmp_path / "towers.html")


def open_page(browser: Browser, path: Path) -> None:
    browser.open(path)
    browser.run("document.dispatchEvent(new Event('pointerdown'))")  # an untouched page follows the size of its window


def click(browser: Browser, name: str) -> None:
    browser.click(*browser.run(_TITLE, name))


def places(browser: Browser) -> dict[str, Any]:
    return {name: place for name, *place in browser.run(_PLACES)}


def test_the_title_of_a_clicked_scope_stays_under_the_pointer(still: Browser, page: Path) -> None:
    open_page(still, page)
    for name in ("middle", "middle/inner"):
        before = still.run(_TITLE, name)
        still.click(*before)
        assert still.run(_TITLE, name) == pytest.approx(before, abs=6)  # the font is measured without the browser
        opened = places(still)
        still.click(*before)  # the same place again closes it
        assert still.run(_TITLE, name) == pytest.approx(before, abs=1)
        click(still, name)
        assert places(still) == {box: pytest.approx(place, abs=1) for box, place in opened.items()}


def test_boxes_beside_an_opened_scope_keep_their_order(still: Browser, page: Path) -> None:
    open_page(still, page)
    click(still, "middle")
    found = places(still)
    assert found["left/"][0] < found["middle/first"][0] < found["right/"][0]


def test_what_stands_beside_each_other_keeps_its_order_through_every_click(still: Browser, tmp_path: Path) -> None:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    still.resize(2000, 1300)  # in which many scopes are open at first
    open_page(still, job.graph.export(tmp_path / "demo.html", fetches=job.fetches))
    for name in ("setosa", "columns", "virginica", "summary", "setosa", "partition", "columns", "read", "virginica"):
        before = places(still)
        still.run(_CLICK, name)
        after = places(still)
        shared = [(place, after[box]) for box, place in before.items() if box in after]
        assert len(shared) > 10
        for (old, new), (old_other, new_other) in itertools.combinations(shared, 2):
            beside = abs(old[1] - old_other[1]) < 10 and abs(new[1] - new_other[1]) < 10
            assert not beside or (old[0] - old_other[0]) * (new[0] - new_other[0]) > 0
    still.resize(1440, 900)


def test_closing_what_was_opened_gives_the_same_drawing_again(still: Browser, tmp_path: Path) -> None:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    open_page(still, job.graph.export(tmp_path / "demo.html", fetches=job.fetches))
    before = places(still)
    for name in ("setosa", "columns", "columns", "setosa"):
        still.run(_CLICK, name)
    assert places(still) == {box: pytest.approx(place, abs=1) for box, place in before.items()}


def test_boxes_move_to_their_places_and_are_there_in_the_end(moving: Browser, page: Path) -> None:
    open_page(moving, page)
    before = places(moving)["end"]
    frames, _ = moving.run(_FILM, "middle", "end")
    assert frames[0] == pytest.approx(before, abs=1)  # the first frame is what was there
    assert frames[-1] == pytest.approx(places(moving)["end"], abs=0.1)
    down = [y for _, y in frames]
    assert down == sorted(down) and down[0] < down[-1]
    moving.run(_FILM, "middle", "end")
    assert places(moving)["end"] == pytest.approx(before, abs=1)
    assert not moving.run("return document.querySelectorAll('#world [transform], #world [style*=opacity]').length")


def test_after_the_animation_the_drawing_is_that_of_the_exported_picture(moving: Browser, tmp_path: Path) -> None:
    picture = picture_of(three_towers())
    opened = collapse(Picture(picture.title, picture.boxes, picture.arrows), depth=1)
    path = tmp_path / "towers.html"
    path.write_text(html_page(picture), encoding="utf-8")
    open_page(moving, path)
    for name in ("left", "middle", "right"):
        moving.run(_FILM, name, "end")
    assert not moving.run(_IS_MOVING)
    assert_drawn_as(moving, opened)


def test_nothing_is_animated_for_readers_who_ask_for_less_motion(still: Browser, page: Path) -> None:
    open_page(still, page)
    frames, _ = still.run(_FILM, "middle", "end")
    assert len(frames) == 1


def test_a_large_drawing_is_not_animated(moving: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        with tf.name_scope("small"):
            y = tf.tanh(x)
        for _ in range(130):
            y = tf.add(tf.identity(x), y)
    open_page(moving, graph.export(tmp_path / "large.html"))
    before = places(moving).keys()
    frames, _ = moving.run(_FILM, "small", "x")
    assert len(frames) == 1 and before ^ places(moving).keys() == {"small/", "small/Tanh"}


def test_a_row_opens_into_closed_members_and_closes_again(still: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        for _ in range(5):
            with tf.name_scope("step"):
                for _ in range(12):
                    x = tf.tanh(x)
    path = graph.export(tmp_path / "steps.html")
    open_page(still, path)
    assert places(still).keys() == {"x", "step x5/"}
    click(still, "step x5")
    assert places(still).keys() == {"x", "step/", "step_1/", "step_2/", "step_3/", "step_4/"}
    hues = "return [...document.querySelectorAll('g.box.hue')].map(g => g.style.getPropertyValue('--h'))"
    assert len(still.run(hues)) == 5 and len(set(still.run(hues))) == 1
    click(still, "step x5")
    assert places(still).keys() == {"x", "step x5/"}
    assert len(lay_out(picture_of(graph, repeats="fold", depth=0)).boxes) == 2


def test_a_pointer_that_moves_on_at_once_after_a_click_does_not_drag_the_picture(still: Browser, page: Path) -> None:
    open_page(still, page)
    before = places(still)
    still.run("""const canvas = document.getElementById('canvas');
        for (const [kind, x] of [['pointerdown', 300], ['pointerup', 300], ['pointermove', 400]])
            canvas.dispatchEvent(new PointerEvent(kind, {pointerId: 1, clientX: x, clientY: 300, bubbles: true}))""")
    assert places(still) == before
