"""The contrast of every text on a page, in both colour schemes, each colour mode and each state: at least 4.5 to 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show import Arrow, Box, LegendEntry, Picture, picture_of, svg_text
from penstock.show.page.page_document import html_page

from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

# [contrast, text, class] of every visible text whose contrast is below 4.5. What lies below a text: backgrounds of its
# ancestors in HTML, and in the drawing the rectangles that are drawn before it and contain its middle.
LOW = """
const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const known = new Map();
function rgba(colour) {
    if (!known.has(colour)) {
        context.clearRect(0, 0, 1, 1); context.fillStyle = '#0000'; context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
}
const styles = new Map(), opacities = new Map();
const kept = (map, key, make) => { if (!map.has(key)) map.set(key, make(key)); return map.get(key); };
const styleOf = (made) => kept(styles, made, getComputedStyle);
const opacity = (made) => made === null ? 1
    : kept(opacities, made, () => Number(styleOf(made).opacity) * opacity(made.parentElement));
const over = (below, [r, g, b, a], share) =>
    [r, g, b].map((part, at) => part * a * share + below[at] * (1 - a * share));
const luminance = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => { const part = colour[at] / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); }, 0);
function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}
const backgrounds = new Map();
function belowHtml(made) {
    if (made === null) return [255, 255, 255];
    return kept(backgrounds, made, () =>
        over(belowHtml(made.parentElement), rgba(styleOf(made).backgroundColor), opacity(made)));
}
const drawn = [...document.querySelectorAll('svg rect')].map(rect => [rect, rect.getBoundingClientRect()]);
function belowText(text, area) {
    const x = area.left + area.width / 2, y = area.top + area.height / 2;
    return drawn.filter(([rect, at]) => rect.ownerSVGElement === text.ownerSVGElement && at.left <= x && x <= at.right
            && at.top <= y && y <= at.bottom && rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)
        .reduce((below, [rect]) => { const style = styleOf(rect);
            if (style.fill.startsWith('url')) return below;
            return over(below, rgba(style.fill), opacity(rect) * style.fillOpacity);
        }, belowHtml(text.ownerSVGElement));
}
const low = [];
const judge = (made, text, ink, below, share) => {
    const found = contrast(over(below, rgba(ink), share), below);
    if (found < 4.5) low.push([Math.round(found * 100) / 100, text.trim().slice(0, 60),
        `${made.localName}.${made.getAttribute('class') || made.id} in ${made.parentElement.getAttribute('class')}`]);
};
let count = 0;
for (const made of document.querySelectorAll('svg text')) {
    const area = made.getBoundingClientRect();
    if (!area.width) continue;
    count++;
    judge(made, made.textContent, styleOf(made).fill, belowText(made, area), opacity(made));
}
for (const made of document.querySelectorAll('body *')) {
    if (made.closest('svg, script, noscript') || !made.checkVisibility()) continue;
    const own = [...made.childNodes].filter(each => each.nodeType === 3).map(each => each.data).join('').trim();
    const hint = made.placeholder && !made.value;
    if (!own && !hint) continue;
    count++;
    judge(made, own || made.placeholder, getComputedStyle(made, hint ? '::placeholder' : null).color, belowHtml(made),
        opacity(made) * (hint ? getComputedStyle(made, '::placeholder').opacity : 1));
}
if (count < 10) low.push(['too few texts', count]);
return low;
"""
_THEME = "document.documentElement.dataset.theme = arguments[0]"
_INPUT = """const made = document.getElementById(arguments[0]); made.value = arguments[1];
    made.dispatchEvent(new Event(made.localName === 'select' ? 'change' : 'input'))"""
_CLICK = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))"
_MIDDLE = """return [...document.querySelectorAll(arguments[0])].map(made => made.getBoundingClientRect())
    .map(area => [area.left + area.width / 2, area.top + area.height / 2])
    .find(([x, y]) => x > 0 && y > 0 && x < innerWidth && y < innerHeight)"""
_OPEN = """
const block = () => [...document.querySelectorAll('g.box.closed')].find((each) => each.dataset.id.startsWith('block'));
for (let n = 0; n < 4 && block(); n++) block().dispatchEvent(new MouseEvent('click', {bubbles: true}));
document.getElementById('fit').click();
"""
HOVERED = ("g.box .body", "g.box.closed .body", ".scope-title", "#card .link", "#fit", "#expand", ".stop", "#play")


def run_page(folder: Path) -> Path:
    """A run with NaN, infinities, a fused group, what no fetch needs, an open and a closed scope, a control edge."""
    with tf.Graph().as_default() as graph:
        y = x = tf.placeholder(tf.float32, ["batch", 4], name="x")
        for number in range(3):
            with tf.name_scope(f"block_{number}"):
                y = tf.cumsum(tf.tanh(y * 0.5, name="curve") + 1.0, name="sums")
        with tf.name_scope("bad", show="collapsed"):
            infinite = tf.cumsum(tf.log(y - y), name="infinite")
            nan = tf.subtract(infinite, infinite, name="nan")
        with tf.control_dependencies([y.op]):
            total = tf.reduce_sum(y, name="total")
        kept = tf.boolean_mask(tf.reshape(y, [-1]), tf.reshape(y, [-1]) > 0.2, name="kept")
        tf.exp(y, name="unused")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run([total, nan, kept], {x: np.ones((5, 4))}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(folder / "run.html")
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_page(tmp_path_factory.mktemp("contrast"))


@pytest.fixture(params=["light", "dark"])
def themed(browser: Browser, page: Path, request: pytest.FixtureRequest) -> Browser:
    browser.open_again(page)
    browser.run_each((_THEME, request.param), (_OPEN,))
    return browser


def low(browser: Browser) -> list[Any]:
    """The texts of the page that are hard to read."""
    found: list[Any] = browser.run(LOW)
    return found


def test_every_text_can_be_read_in_every_colour_mode(themed: Browser) -> None:
    modes = themed.run("return [...document.getElementById('colour').options].map(o => o.value)")
    assert {"kind", "type", "dtype", "time", "memory", "health"} <= set(modes)
    for stage, tried in (("0", modes), ("99", modes[::3])):
        themed.run(_INPUT, "stage-slider", stage)
        for mode in tried:
            assert themed.run_each((_INPUT, "colour", mode), (LOW,))[1] == [], (stage, mode)


def test_what_a_fetch_does_not_need_can_be_read(themed: Browser) -> None:
    themed.keys("]")
    assert themed.run("return document.querySelectorAll('g.box.pruned').length") > 0
    assert low(themed) == []


def test_every_stage_and_step_can_be_read(themed: Browser) -> None:
    for stage in range(int(themed.run("return document.getElementById('stage-slider').max"))):
        assert themed.run_each((_INPUT, "stage-slider", stage + 1), (LOW,))[1] == [], stage + 1
    for mode in ("kind", "time", "health"):
        *_, later, hard = themed.run_each(
            (_INPUT, "colour", mode), (_INPUT, "run-slider", "2"),
            ("return document.querySelectorAll('g.box.later').length",), (LOW,))  # fmt: skip
        assert later > 0 and hard == [], mode


def test_what_is_selected_found_or_on_a_path_can_be_read(themed: Browser) -> None:
    choose = (_CLICK, "g.box[data-id='block_1/curve']")
    assert themed.run_each(choose, (LOW,))[1] == []
    themed.keys("p")
    assert low(themed) == []  # the hint to choose the other end
    dim = "return document.querySelectorAll('g.box.dim').length"
    _, count, hard = themed.run_each((_CLICK, "g.box[data-id='x']"), (dim,), (LOW,))
    assert count > 0 and hard == []
    themed.keys("Escape")
    assert themed.run_each((_CLICK, "g.arrow"), (LOW,))[1] == []
    assert themed.run_each((_INPUT, "search", "curve"), (LOW,))[1] == []
    themed.keys("Escape", "?")
    assert low(themed) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_pointed_at_can_be_read(screen: Browser, page: Path, theme: str) -> None:
    screen.open_again(page)
    screen.run_each((_THEME, theme), (_OPEN,))
    screen.keys("f")
    for selector in HOVERED:
        screen.hover(*screen.run(_MIDDLE, selector))
        assert low(screen) == [], selector


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_narrow_window_can_be_read(browser: Browser, page: Path, theme: str) -> None:
    browser.resize(420, 800)
    try:
        browser.open(page)
        _, _, hard = browser.run_each((_THEME, theme), ("document.getElementById('menu').click()",), (LOW,))
        assert hard == []
    finally:
        browser.resize(1440, 900)


def painted() -> Picture:
    """Boxes of every lightness, in the paints of a caller, and one that nothing needs."""
    paints = ("#ffffff", "#fdf7ea", "#8ab", "#777777", "#f0a04b", "#345", "#000000", "#ff0000", "#00ff00", "#0000ff")
    boxes = tuple(Box(f"b{n}", f"b{n}", type="Add", detail=("float32 (3,)",), paint=p) for n, p in enumerate(paints))
    arrows = tuple(Arrow(f"b{n}", f"b{n + 1}", "float32 (3,)") for n in range(len(paints) - 1))
    return Picture("painted", boxes, arrows, legend=(LegendEntry("white", paint="#ffffff"),))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_boxes_in_any_paint_can_be_read(browser: Browser, tmp_path: Path, theme: str) -> None:
    (tmp_path / "painted.html").write_text(html_page(painted()), "utf-8")
    browser.open(tmp_path / "painted.html")
    assert browser.run_each((_THEME, theme), (LOW,))[1] == []


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_can_be_read(browser: Browser, tmp_path: Path, dark: bool) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.name_scope("outer"), tf.name_scope("inner"):
            y = tf.tanh(x, name="y")
        tf.exp(y, name="unused")
    pictures = [svg_text(picture_of(graph, fetches=y)), svg_text(painted())]
    browser.prefer(dark=dark)
    try:
        for number, svg in enumerate(pictures):
            (tmp_path / f"{number}.html").write_text(f"<body><p>{'x ' * 9}</p>{svg}", "utf-8")
            browser.visit(tmp_path / f"{number}.html")
            assert low(browser) == []
    finally:
        browser.prefer()
