"""A page in windows of three sizes: the drawing has most of a narrow one, and nothing covers anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ..helpers import nightly
from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_AREA = """const area = document.querySelector(arguments[0]).getBoundingClientRect();
    return [area.left, area.top, area.width, area.height]"""
_SHEET = "return document.getElementById('sheet').dataset.at"
_SETTLED = """const sheet = document.getElementById('sheet');
    sheet.getAnimations().forEach(each => each.finish()); return sheet.getBoundingClientRect().top"""
_CLICK = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))"
_OUTSIDE = """return [...document.querySelectorAll('header *, aside *, footer *, #legend *')].filter(made => {
    const area = made.getBoundingClientRect();
    return area.width && made.checkVisibility() && (area.right > innerWidth + 1 || area.left < -1);
}).map(made => made.outerHTML.slice(0, 100))"""


def page_of_a_run(folder: Path) -> Path:
    """A run of some scopes, with a value of each node."""
    with tf.Graph().as_default() as graph:
        y = x = tf.placeholder(tf.float32, ["batch", 4], name="x")
        for number in range(3):
            with tf.name_scope(f"block_{number}"):
                y = tf.cumsum(tf.tanh(y * 0.5, name="curve"), name="a_rather_long_name_of_sums")
        tf.exp(y, name="unused")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones((5, 4))}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(
        folder / "run.html", title="A title that needs more room than a narrow window has"
    )
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of_a_run(tmp_path_factory.mktemp("narrow"))


@pytest.fixture
def narrow(screen: Browser, page: Path) -> Iterator[Browser]:
    screen.resize(420, 800)
    screen.open(page)
    screen.run(_SETTLED)
    yield screen
    screen.resize(1440, 900)


def area(screen: Browser, selector: str) -> list[float]:
    found: list[float] = screen.run(_AREA, selector)
    return found


def test_the_drawing_has_most_of_a_narrow_window(narrow: Browser) -> None:
    _, top, width, height = area(narrow, "#canvas")
    sheet = area(narrow, "#sheet")[1]
    assert width == 420
    assert min(top + height, sheet) - top > 0.7 * 800
    assert narrow.run(_OUTSIDE) == []


def test_the_drawing_fits_the_narrow_window_and_begins_where_the_graph_does(narrow: Browser) -> None:
    left, top, width, height = area(narrow, "g.box[data-id='x'] .body")
    assert narrow.run("return document.documentElement.dataset.direction") == "down"
    assert left >= 0 and left + width <= 420 and top < 200
    assert height > 40  # texts can be read
    narrow.resize(1440, 900)
    narrow.resize(420, 800)
    assert area(narrow, "g.box[data-id='x'] .body") == pytest.approx([left, top, width, height], abs=1)


def test_the_sheet_shows_its_heading_and_opens_by_a_tap(narrow: Browser) -> None:
    x, y, width, _ = area(narrow, "#grip")
    _, top, _, height = area(narrow, "#card h2")
    assert narrow.run(_SHEET) == "peek" and top + height <= area(narrow, "#sheet")[1] + area(narrow, "#sheet")[3]
    narrow.click(x + width / 2, y + 10)
    assert narrow.run(_SHEET) == "half" and narrow.run(_SETTLED) < 450
    _, y, _, _ = area(narrow, "#grip")
    narrow.click(x + width / 2, y + 10)
    assert narrow.run(_SHEET) == "peek"


def test_the_sheet_is_dragged_up_and_down(narrow: Browser) -> None:
    y = round(area(narrow, "#grip")[1]) + 10
    narrow.drag((210, y), (210, 380))
    assert narrow.run(_SHEET) == "half"
    narrow.drag((210, round(narrow.run(_SETTLED)) + 10), (210, 120))
    assert narrow.run(_SHEET) == "tall"
    narrow.drag((210, round(narrow.run(_SETTLED)) + 10), (210, 700))
    assert narrow.run(_SHEET) == "peek"


def test_a_selected_box_stays_above_the_sheet(narrow: Browser) -> None:
    narrow.run("document.getElementById('expand').click()")
    narrow.run("document.getElementById('grip').click()")
    narrow.run(_CLICK, "g.box[data-id='block_2/curve']")
    _, y, _, height = area(narrow, "g.box.selected .body")
    assert y + height < narrow.run(_SETTLED)
    assert "block_2/curve" in narrow.run("return document.querySelector('#card h2').innerText")


def test_tools_and_legend_are_in_the_menu(narrow: Browser) -> None:
    shown = "return document.getElementById(arguments[0]).checkVisibility()"
    assert not narrow.run(shown, "theme") and not narrow.run(shown, "legend")
    narrow.run("document.getElementById('menu').click()")
    assert narrow.run(shown, "theme") and narrow.run(shown, "legend")
    assert narrow.run(_OUTSIDE) == []
    narrow.keys("Escape")
    assert not narrow.run(shown, "theme")


def test_a_window_that_becomes_wide_has_its_tools_back(narrow: Browser) -> None:
    narrow.resize(1024, 700)
    assert narrow.run("return document.getElementById('theme').checkVisibility()")
    assert narrow.run("return document.getElementById('legend').parentNode.id") == "stage"
    assert area(narrow, "#sheet")[2:] == pytest.approx([340, area(narrow, "main")[3]], abs=1)


def touch(screen: Browser, kind: str, *places: tuple[int, int]) -> None:
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    screen.command("Input.dispatchTouchEvent", type=kind, touchPoints=points)


def test_two_fingers_zoom_and_one_moves_the_drawing(narrow: Browser) -> None:
    before = area(narrow, "g.box[data-id='x'] .body")
    touch(narrow, "touchStart", (150, 300))
    touch(narrow, "touchStart", (150, 300), (250, 300))
    for by in (10, 25, 50):
        touch(narrow, "touchMove", (150 - by, 300), (250 + by, 300))
    touch(narrow, "touchEnd")
    zoomed = area(narrow, "g.box[data-id='x'] .body")
    assert zoomed[2] == pytest.approx(2 * before[2], rel=0.02)
    assert zoomed[0] - 200 == pytest.approx(2 * (before[0] - 200), abs=4)  # the middle of the fingers stays in place
    touch(narrow, "touchStart", (150, 300))
    for by in (10, 40):
        touch(narrow, "touchMove", (150 + by, 300 + by))
    touch(narrow, "touchEnd")
    moved = area(narrow, "g.box[data-id='x'] .body")
    assert moved[2] == pytest.approx(zoomed[2]) and moved[0] - zoomed[0] == pytest.approx(40, abs=1)


@pytest.mark.parametrize("size", [*nightly([(1440, 900)]), (1024, 700), (420, 800)])
def test_the_legend_covers_nothing(screen: Browser, page: Path, size: tuple[int, int]) -> None:
    screen.resize(*size)
    screen.open(page)
    modes: list[Any] = screen.run("return [...document.getElementById('colour').options].map(o => o.value)")
    for mode in modes:
        screen.run("""const c = document.getElementById('colour'); c.value = arguments[0];
                       c.dispatchEvent(new Event('change'))""", mode)  # fmt: skip
        left, top, width, height = area(screen, "#canvas")
        if size[0] > 700:
            x, y, wide, tall = area(screen, "#legend")
            assert y >= top + height - 1 and wide <= width + 1
            assert x >= left and tall > 0
    assert screen.run(_OUTSIDE) == []
