"""Which part of the drawing a page shows: the beginning when it opens, and then what the reader looks at."""

from __future__ import annotations

import contextlib
import io
import itertools
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from benchmarks.picture_corpus import corpus
from penstock.cli import demo
from penstock.lessons.lesson_folders import course
from penstock.lessons.play_page import write_play_page
from penstock.show import html_page

from ..helpers import nightly
from ..test_docs import script
from .browser import CHROMIUM, DRIVER, FRAME, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

ROOT = Path(__file__).resolve().parents[2]
# The boxes in the order of the document, as [id, x, y, width, height] within the drawing's part of the window.
_SEEN = """const room = document.getElementById('canvas').getBoundingClientRect();
    const boxes = [...document.querySelectorAll('g.box')].map(g => {
        const at = g.querySelector('.body').getBoundingClientRect();
        return [g.dataset.id, at.x - room.x, at.y - room.y, at.width, at.height, g.classList.contains('lit')]; });
    return [room.width, room.height, document.documentElement.dataset.direction, boxes]"""
_STEP = f"""const look = () => {{ {_SEEN} }};
    const before = look();
    document.getElementById('step-on').click();
    return [before, look()]"""
_STEPS = f"""const step = () => {{ {_STEP} }}, count = Number(document.getElementById('run-slider').max);
    return Array.from({{length: count}}, step)"""
_TO_START = "const s = document.getElementById('run-slider'); s.value = 0; s.dispatchEvent(new Event('input'))"


def lessons(folder: Path) -> list[Path]:
    return [write_play_page(lesson, folder / f"lesson{lesson.number}.html") for lesson in course()[::8]]


def other_lessons(folder: Path) -> list[Path]:
    numbers = {lesson.number for lesson in course()[::8]}
    others = [lesson for lesson in course() if lesson.number not in numbers]
    return [write_play_page(lesson, folder / f"lesson{lesson.number}.html") for lesson in others]


def examples(folder: Path) -> list[Path]:
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(ROOT / "examples" / "play_pages.py"))
    return [folder / f"play_{name}.html" for name in ("partition", "loop", "training")]


def front_page(folder: Path) -> list[Path]:
    front_page = script("front_page")
    front_page.write_play(folder / "front.html")
    return [folder / "front.html"]


def runs(folder: Path) -> list[Path]:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    return [job.graph.export(folder / "demo.html", fetches=job.fetches)]


def shapes(folder: Path) -> list[Path]:
    """What is wide, tall or folded into columns."""
    return pages_of(folder, "fan out to 30", "chain of 40 that", "8 chains")


def other_shapes(folder: Path) -> list[Path]:
    return pages_of(folder, "fan", "tree", "one chain of 30", "chain of 40", "example bubble", "example lstm")


def pages_of(folder: Path, *names: str) -> list[Path]:
    """Pages of the pictures whose names hold one of these."""
    made = []
    for name, picture in corpus(*names).items():
        made.append(folder / f"{name.replace(',', '')}.html")
        made[-1].write_text(html_page(picture), "utf-8")
    return made


GROUPS: list[Callable[[Path], list[Path]]] = [lessons, examples, front_page, runs, shapes]
LATER = [other_lessons, other_shapes]


def begins_in_view(screen: Browser) -> str:
    """What is wrong with what a page shows as it opens; "" if nothing is."""
    wide, tall, direction, boxes = screen.run(_SEEN)
    along, rooms = (1, (wide, tall)) if direction == "right" else (2, (tall, wide))
    start = min(box[along] for box in boxes)
    if start < 0:
        return f"the drawing begins {-start:.0f} px before the window"
    first = [box for box in boxes if box[along] < start + 60]
    across = 3 - along
    if not any(
        box[across] >= 0 and box[across] + box[across + 2] <= rooms[1] and box[along] + box[along + 2] <= rooms[0]
        for box in first
    ):
        return f"no box at the beginning is wholly in view: {[box[0] for box in first]}"
    return ""


@pytest.mark.parametrize("pages", [*GROUPS, *nightly(LATER)], ids=lambda group: group.__name__)
def test_every_page_opens_at_the_beginning_of_the_flow(
    pages: Callable[[Path], list[Path]], screen: Browser, tmp_path: Path
) -> None:
    wrong = []
    size, other = (1000, 700), (1400, 900)
    screen.resize(*size)
    for path in pages(tmp_path):
        screen.open(path)
        sizes = [(*size, begins_in_view(screen))]
        size, other = other, size
        screen.resize(*size)  # a page that nobody has touched follows its window
        sizes.append((*size, begins_in_view(screen)))
        wrong += [f"{path.stem} at {width} x {height}: {text}" for width, height, text in sizes if text]
    screen.resize(1440, 900 - FRAME)
    assert not wrong, "\n".join(wrong)


def middle(box: list[Any]) -> tuple[float, float]:
    return box[1] + box[3] / 2, box[2] + box[4] / 2


def swapped(before: dict[str, list[Any]], after: dict[str, list[Any]]) -> list[tuple[str, str]]:
    """The pairs of boxes that stand beside each other before and after, the other way round."""
    found = []
    for a, b in itertools.combinations([name for name in before if name in after], 2):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (middle(places[name]) for places in (before, after) for name in (a, b))
        if abs(ay - by) < 10 and abs(cy - dy) < 10 and (ax - bx) * (cx - dx) < 0:
            found.append((a, b))
    return found


def drawn_as(name: str, boxes: dict[str, list[Any]]) -> str:
    """The box in view in which an operation stands: its own, or that of the closed scope around it."""
    parts = name.split("/")
    paths = [name, *("/".join(parts[:count]) + "/" for count in range(len(parts), 0, -1))]
    return next((path for path in paths if path in boxes), "")


@pytest.mark.parametrize("number", [9, *nightly([11, 13])])
def test_a_step_that_opens_a_scope_keeps_what_the_reader_sees(number: int, screen: Browser, tmp_path: Path) -> None:
    screen.resize(1400, 900)
    screen.open(write_play_page(course()[number - 1], tmp_path / "page.html"))
    screen.run(_TO_START)
    opened = 0
    for (wide, tall, _, old), (_, _, _, new) in screen.run(_STEPS):
        before, after = ({box[0]: box for box in boxes} for boxes in (old, new))
        lit = next((box for box in new if box[5]), None)
        if lit is None:  # only the plan has it
            continue
        seen, now = before[drawn_as(lit[0], before)], middle(lit)
        assert lit[1] >= 0 and lit[2] >= 0 and lit[1] + lit[3] <= wide and lit[2] + lit[4] <= tall
        assert not swapped(before, after)
        for axis, room, margin in ((0, wide, 60), (1, tall, 70)):
            if margin + lit[3 + axis] / 2 < middle(seen)[axis] < room - margin - lit[3 + axis] / 2:
                assert now[axis] == pytest.approx(middle(seen)[axis], abs=3), f"{lit[0]} was {seen[0]}"
        opened += before.keys() != after.keys()
    assert opened
    screen.resize(1440, 900 - FRAME)


def test_what_is_not_in_view_comes_into_it_along_one_axis(screen: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = y = tf.placeholder(tf.float32, [2], name="x")
        for _ in range(14):
            y = tf.tanh(y)
    screen.resize(1000, 700)
    screen.open(graph.export(tmp_path / "chain.html", play=True, feeds={x: [1.0, 2.0]}, fetches=y, direction="down"))
    screen.run(_TO_START)
    panned = []
    for (_, tall, _, old), (_, _, _, new) in screen.run(_STEPS)[:14]:
        assert old[0][1] == pytest.approx(new[0][1], abs=1)
        panned.append(abs(old[0][2] - new[0][2]))
        assert panned[-1] < tall / 2  # the boxes before are still there
    assert 0 < sum(by > 1 for by in panned) < 7
    screen.resize(1440, 900 - FRAME)


def test_a_value_that_needs_more_room_leaves_the_edited_box_where_it_is(screen: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        count = tf.placeholder(tf.int32, [], name="count")
        before = tf.ones([tf.minimum(count, 5)], name="before")
        above = tf.reduce_sum(tf.fill([count, 3], 1.0, name="above"), name="sum")
        below = tf.cast(count, tf.float32, name="below") * above + tf.reduce_sum(before)
    screen.resize(1000, 700)
    screen.open(graph.export(tmp_path / "room.html", play=True, feeds={count: 1}, fetches=below))
    place = """const made = [...document.querySelectorAll('g.cell')].find(m => m.cellOf.name === 'count:0');
        const area = made.getBoundingClientRect(); return [area.x + area.width / 2, area.y + area.height / 2]"""
    x, y = screen.run(place)
    old = {box[0]: box for box in screen.run(_SEEN)[3]}
    screen.click(x, y)
    screen.keys("5", "Enter")
    new = {box[0]: box for box in screen.run(_SEEN)[3]}
    assert new["above"][4] > old["above"][4]
    assert screen.run(place) == pytest.approx([x, y], abs=2)
    screen.resize(1440, 900 - FRAME)
