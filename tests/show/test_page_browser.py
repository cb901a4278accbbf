"""The page in a real browser, from the disk: the same boxes as the picture, and every gesture does what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import penstock as tf
from penstock.cli import demo
from penstock.show import Arrow, Box, Picture, collapse, html_page, lay_out, picture_of
from penstock.show.formats.export_graph import export

from .browser import CHROMIUM, DRIVER, Browser
from .fakes import grid, pictures
from .test_page_document import hostile

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_BOXES = """return [...document.querySelectorAll('g.box')].map(g => [g.dataset.id.toWellFormed(),
    ...['x', 'y', 'width', 'height'].map(name => Number(g.querySelector('.body').getAttribute(name)))])"""
_ARROWS = """return [...document.querySelectorAll('g.arrow')].map(g => [g.dataset.from, g.dataset.to])
    .map(ends => ends.map(name => name.toWellFormed()))"""
_CLASSES = "return [...document.querySelectorAll('g.box')].map(g => [g.dataset.id, g.classList.value])"
_HUES = "return [...document.querySelectorAll(arguments[0])].map(made => made.style.getPropertyValue('--h'))"
_SLIDE = """const s = document.getElementById(arguments[0]); s.value = arguments[1];
    s.dispatchEvent(new Event('input'))"""
CARD = "return document.getElementById('card').innerText"
_LIT = "return [...document.querySelectorAll('g.box.lit')].map(g => g.dataset.id)"
_OUTSIDE = """return [...document.querySelectorAll('g.box')].flatMap(g => {
    const box = g.querySelector('.body').getBBox();
    return [...g.querySelectorAll('.name, .detail')].filter(text => text.textContent).filter(text => {
        const area = text.getBBox();
        return area.x < box.x || area.y < box.y || area.x + area.width > box.x + box.width
            || area.y + area.height > box.y + box.height;
    }).map(text => `${g.dataset.id}: ${text.textContent}`.toWellFormed())})"""
_MIDDLE = """const found = [...document.querySelectorAll(arguments[0])];
    const made = found.find(g => !arguments[1] || g.dataset.id === arguments[1]);
    const area = made.querySelector('rect').getBoundingClientRect();
    return [area.x + area.width / 2, area.y + area.height / 2]"""


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    feeds = {job.cells: table.cells, job.species: table.species}
    path = tmp_path_factory.mktemp("page") / "demo.html"
    with tf.Session(graph=job.graph) as session:
        return export(job.graph, path, fetches=job.fetches, session=session, feeds=feeds, title="the demo")


def opened(browser: Browser, picture: Picture, folder: Path) -> None:
    path = folder / "picture.html"
    path.write_text(html_page(picture), encoding="utf-8")
    browser.open(path)


def click_all(browser: Browser, button: str) -> None:
    """Press a button until nothing changes any more."""
    browser.run("""const boxes = () => [...document.querySelectorAll('g.box')].map(g => g.dataset.id).join();
        for (let before = null, count = 0; count < 12 && before !== boxes(); count++) {
            before = boxes();
            document.getElementById(arguments[0]).click();
        }""", button)  # fmt: skip


def panel(browser: Browser) -> str:
    text: str = browser.run(CARD)
    return text


def search(browser: Browser, name: str) -> None:
    browser.keys("/")
    browser.paste(name)
    browser.keys("Enter", "Escape")


def assert_drawn_as(browser: Browser, picture: Picture) -> None:
    """The page shows exactly the boxes and arrows of `picture`, where `lay_out` puts them, every label in its box."""
    # The page keeps the direction in which it drew first.
    across = browser.run("return document.documentElement.dataset.direction") == "right"
    wanted = {_well_formed(placed.box.id): placed.rect for placed in lay_out(picture, across).boxes}
    found = {name: place for name, *place in browser.run(_BOXES)}
    assert found.keys() == wanted.keys()
    for name, rect in wanted.items():
        assert found[name] == pytest.approx([rect.x, rect.y, rect.width, rect.height], abs=0.02), name
    arrows = sorted((_well_formed(arrow.source), _well_formed(arrow.target)) for arrow in picture.arrows)
    assert sorted(map(tuple, browser.run(_ARROWS))) == arrows
    assert browser.run(_OUTSIDE) == []


def _well_formed(text: str) -> str:
    """What a browser hands out of `text`: half a surrogate pair cannot leave it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ---- the same picture --------------------------------------------------------------------------------------


def _flat(count: int) -> Picture:
    boxes = tuple(Box(f"n{n}", f"n{n}", type="Add", detail=("float32 (batch, 3)",)) for n in range(count))
    arrows = tuple(Arrow(f"n{n - by}", f"n{n}", "float32 (3,)", tensors=(f"n{n - by}:0",)) for n in range(count)
                   for by in (7, 11) if n >= by)  # fmt: skip
    return Picture("flat", boxes, arrows)


@pytest.mark.parametrize("picture", [_flat(300), grid(6, 4), hostile()], ids=["300 nodes", "grid", "hostile names"])
def test_a_picture_without_closed_scopes_is_drawn_as_it_is_exported(
    browser: Browser, tmp_path: Path, picture: Picture
) -> None:
    opened(browser, picture, tmp_path)
    click_all(browser, "expand")
    assert_drawn_as(browser, picture)


def test_opened_and_closed_scopes_are_laid_out_as_in_the_exported_picture(browser: Browser, tmp_path: Path) -> None:
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    picture = picture_of(job.graph, fetches=job.fetches)
    opened(browser, picture, tmp_path)
    click_all(browser, "expand")
    assert_drawn_as(browser, picture)
    click_all(browser, "collapse")
    assert_drawn_as(browser, collapse(picture, depth=0))


@pytest.mark.parametrize("examples", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_random_pictures_are_laid_out_alike_in_python_and_in_the_page(
    browser: Browser, tmp_path: Path, examples: int
) -> None:
    @seed(20)
    @settings(max_examples=examples, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(picture=pictures())
    def check(picture: Picture) -> None:
        opened(browser, picture, tmp_path)
        click_all(browser, "expand")
        assert_drawn_as(browser, picture)
        click_all(browser, "collapse")
        assert_drawn_as(browser, collapse(picture, depth=0))

    check()


# ---- safe and offline -----------------------------------------------------------------------------------------


def test_no_request_leaves_the_page_and_the_console_stays_silent(browser: Browser, demo_page: Path) -> None:
    browser.requests()
    browser.log("browser")
    browser.open(demo_page)
    click_all(browser, "expand")
    search(browser, "setosa/low")
    browser.run("document.getElementById('theme').click()")
    assert browser.requests() == [demo_page.as_uri()]
    assert browser.log("browser") == []


def test_hostile_names_run_nothing_and_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    opened(browser, hostile(), tmp_path)
    click_all(browser, "expand")
    assert browser.run("return document.querySelectorAll('script').length") == 2
    names = browser.run("return [...document.querySelectorAll('.name')].map(text => text.textContent.toWellFormed())")
    assert "<script>alert(1)</script>" in names and "&lt;b&gt;" in names and "🎉" in names
    search(browser, "alert(2)")
    assert "</script><script>alert(2)</script>" in panel(browser)
    assert browser.log("browser") == []  # an alert would have stopped the driver before


# ---- gestures -------------------------------------------------------------------------------------------------


def test_a_click_on_a_box_tells_its_line_and_its_neighbours(screen: Browser, demo_page: Path) -> None:
    screen.open(demo_page)
    screen.click(*screen.run(_MIDDLE, "g.box", "read/numbers"))
    text = panel(screen)
    assert re.search(r"demo\.py:\d+", text) and "numbers = string_to_number(cells" in text
    assert "StringToNumber" in text and "in the run (150, 4)" in text
    assert "read/cells" in text and "In the recorded run" in text
    screen.run("[...document.querySelectorAll('#card .link')].find(a => a.textContent === 'read/cells').click()")
    assert screen.run("return document.querySelector('g.box.selected').dataset.id") == "read/cells"


def test_search_opens_what_is_closed_and_shows_the_node(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    click_all(browser, "collapse")
    assert "setosa/low" not in {name for name, *_ in browser.run(_BOXES)}
    browser.keys("/", *"setosa/low")
    assert browser.run("return document.querySelector('#results li b').textContent") == "setosa/low"
    assert browser.run("return document.querySelectorAll('g.box.found').length") > 0
    browser.keys("Enter")
    assert browser.run("return document.querySelector('g.box.selected').dataset.id") == "setosa/low"
    assert browser.run("const a = document.querySelector('g.box.selected').getBoundingClientRect();"
                       "return a.x > 0 && a.y > 0 && a.right < innerWidth && a.bottom < innerHeight")  # fmt: skip


def test_a_click_opens_a_scope_and_a_click_on_its_title_closes_it(screen: Browser, demo_page: Path) -> None:
    screen.open(demo_page)
    click_all(screen, "collapse")
    title = """const at = document.querySelector(arguments[0]).getBoundingClientRect();
        return [at.x + at.width / 2, at.y]"""
    before = screen.run(title, "g.box[data-id='read/'] .name")
    screen.click(*screen.run(_MIDDLE, "g.box", "read/"))
    assert "read/cells" in {name for name, *_ in screen.run(_BOXES)}
    assert screen.run(title, "g.scope[data-path=read] .scope-label") == pytest.approx(before, abs=3)
    screen.click(*screen.run(_MIDDLE, "g.scope[data-path=read] .scope-title", ""))
    assert "read/" in {name for name, *_ in screen.run(_BOXES)}


def test_the_arrow_keys_walk_between_neighbours(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    search(browser, "read/numbers")
    selected = "return document.querySelector('g.box.selected').dataset.id"
    across = browser.run("return document.documentElement.dataset.direction") == "right"
    up, right, left, down = ("Left", "Down", "Up", "Right") if across else ("Up", "Right", "Left", "Down")
    browser.keys(up)
    assert browser.run(selected) == "read/cells"
    browser.keys(right)
    assert browser.run(selected) == "read/species"
    browser.keys(left, down)
    assert browser.run(selected) == "read/numbers"
    browser.keys("Escape")
    assert browser.run("return document.querySelectorAll('g.box.selected').length") == 0


def test_the_wheel_zooms_where_it_points_and_dragging_moves(screen: Browser, demo_page: Path) -> None:
    screen.open(demo_page)
    read = "const m = document.getElementById('world').getCTM(); return [m.a, m.e, m.f]"
    scale, x, y = screen.run(read)
    screen.drag((300, 300), (340, 360))
    assert screen.run(read) == pytest.approx([scale, x + 40, y + 60], abs=1.5)
    screen.wheel(400, 300, -300)
    larger = screen.run(read)[0]
    assert larger > scale * 1.2
    screen.keys("-", "-")
    assert screen.run(read)[0] == pytest.approx(larger * 0.64, rel=0.01)
    screen.keys("f")
    area = screen.run("return document.getElementById('world').getBoundingClientRect().toJSON()")
    stage = screen.run("return document.getElementById('stage').getBoundingClientRect().toJSON()")
    assert area["top"] >= stage["top"] and area["bottom"] <= stage["bottom"] and area["right"] <= stage["right"]


def test_an_edge_leads_to_its_other_end(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    search(browser, "read/cells")
    browser.run("document.querySelector(\"g.arrow[data-from='read/cells'] .reach\")"
                ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")  # fmt: skip
    assert browser.run("return document.querySelector('g.box.selected').dataset.id") == "read/numbers"


def test_a_path_is_found_and_lit(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    search(browser, "read/cells")
    browser.keys("p")
    search(browser, "setosa/scaled")
    lit = set(browser.run("return [...document.querySelectorAll('g.box.onpath')].map(g => g.dataset.id)"))
    assert {"read/cells", "read/numbers", "partition/rows", "setosa/scaled"} <= lit
    hops = browser.run("return document.querySelectorAll('g.arrow.lit').length")
    assert hops == len(lit) - 1


def test_the_stages_change_the_nodes_that_they_name(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    click_all(browser, "expand")
    data: dict[str, Any] = browser.run("return JSON.parse(document.getElementById('data').textContent)")
    for number, view in enumerate(data["views"]):
        drawn = data["views"][view.get("same", number)]["boxes"]
        _, shown = browser.run_each((_SLIDE, "stage-slider", number), (_CLASSES,))
        classes = dict(shown)
        assert classes.keys() == {box[0] for box in drawn}, view["name"]
        for name in ("new", "changed"):
            assert {box for box, value in classes.items() if name in value.split()} == {box for box, _ in view[name]}
        if view["faded"]:
            grey = {box for box, value in classes.items() if "pruned" in value.split()}
            assert grey == set(view["faded"])
            assert next(iter(view["faded"].values())) in panel(browser)


def test_each_step_of_the_run_lights_its_node(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    click_all(browser, "expand")
    steps = browser.run("return JSON.parse(document.getElementById('data').textContent).facts.run")
    for number in (1, len(steps) // 2, len(steps)):
        _, lit, bar = browser.run_each(
            (_SLIDE, "run-slider", number), (_LIT,), ("return document.getElementById('runbar').innerText",))
        assert lit == [steps[number - 1][0]]
        assert f"step {number} of {len(steps)}" in bar


def test_every_colour_has_a_legend_that_explains_it(browser: Browser, demo_page: Path) -> None:
    browser.open_again(demo_page)
    names = browser.run("return [...document.querySelectorAll('#colour option')].map(option => option.value)")
    assert names == ["kind", "type", "dtype", "device", "group", "order", "time", "bytes", "memory", "health"]
    choose = """const c = document.getElementById('colour'); c.value = arguments[0];
        c.dispatchEvent(new Event('change'))"""
    count = "return document.querySelectorAll(arguments[0]).length"
    for name in names:
        _, fills, legend, ramped, ramps = browser.run_each(
            (choose, name), (_HUES, "g.box.hue"), (_HUES, "#legend .hue"), (count, "g.box.ramped"),
            (count, "#legend .ramp"))  # fmt: skip
        assert set(fills) == set(legend), name
        assert bool(ramped) == bool(ramps), name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_keeps_its_contrast(browser: Browser, demo_page: Path, theme: str) -> None:
    browser.open_again(demo_page)
    browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
    pairs = browser.run("""const of = (made, name) => getComputedStyle(made)[name];
        const boxes = [...document.querySelectorAll('g.box:not(.pruned)')];
        return boxes.flatMap(g => [...g.querySelectorAll('.name, .detail')]
            .map(text => [of(text, 'fill'), of(g.querySelector('.body'), 'fill')]))""")
    assert pairs and all(_contrast(ink, fill) >= 4.5 for ink, fill in pairs)


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    levels = np.array([int(part) / 255 for part in re.findall(r"\d+", colour)[:3]])
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_a_large_graph_opens_and_answers_a_click_at_once(browser: Browser, tmp_path: Path) -> None:
    opened(browser, _flat(5000), tmp_path)
    assert len(browser.run(_BOXES)) <= 300
    browser.run("document.querySelector('g.box.closed').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    assert 24 < len(browser.run(_BOXES)) <= 300
    assert browser.run(_OUTSIDE) == []
