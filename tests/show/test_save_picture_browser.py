"""Copying and saving the drawing of a page: what is open now, in the colours of now, as SVG and PNG."""

from __future__ import annotations

import re
import struct
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_SVG = "{http://www.w3.org/2000/svg}"
_TEXTS = """return [...document.querySelectorAll('#world text:not(.sign)')].map(each => each.textContent)"""
_COLOUR = """const c = document.getElementById('colour'); c.value = arguments[0];
    c.dispatchEvent(new Event('change'))"""
_MIDDLE = """const area = document.getElementById(arguments[0]).getBoundingClientRect();
    return [area.left + area.width / 2, area.top + area.height / 2]"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with tf.Graph().as_default() as graph:
        y = x = tf.placeholder(tf.float32, ["batch", 4], name="x")
        for name in ("first", "second"):
            with tf.name_scope(name, show="collapsed" if name == "first" else None):
                y = tf.cumsum(tf.tanh(y, name="curve"), name="sums")
        with tf.control_dependencies([y.op]):
            tf.reduce_sum(y, name="total")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run("total:0", {x: np.ones((5, 4))}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(tmp_path_factory.mktemp("save") / "run.html", title="Größe & <more>")
    return path


@pytest.fixture
def opened(screen: Browser, page: Path, tmp_path: Path) -> Browser:
    screen.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    screen.open(page)
    return screen


def saved(screen: Browser, folder: Path, suffix: str) -> bytes:
    """Click on "Save picture" and on the button of the form, and read the file."""
    screen.click(*screen.run(_MIDDLE, "save"))
    screen.click(*screen.run(_MIDDLE, f"save-{suffix}"))
    target = folder / f"Größe-more.{suffix}"
    for _ in range(400):
        if target.exists() and target.stat().st_size:
            return target.read_bytes()
        time.sleep(0.05)
    raise AssertionError(f"{target.name} was not saved; there are {[each.name for each in folder.iterdir()]}")


def size_of(svg: str) -> tuple[float, float]:
    found = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


def test_the_saved_svg_shows_what_is_open(opened: Browser, tmp_path: Path) -> None:
    svg = saved(opened, tmp_path, "svg").decode()
    root = ElementTree.fromstring(svg)
    texts = [each.text for each in root.iter(f"{_SVG}text")]
    shown = opened.run(_TEXTS)
    assert "first" in shown and "second" in shown and "sums" in shown
    assert texts[0] == "Größe & <more>" and texts[1 : 1 + len(shown)] == shown
    legend = opened.run("return [...document.querySelectorAll('#legend .entry')].map(each => each.textContent)")
    assert texts[1 + len(shown) :] == [entry.replace(" (click to open)", "") for entry in legend]
    opened.run("document.getElementById('expand').click()")
    (tmp_path / "Größe-more.svg").unlink()
    more = ElementTree.fromstring(saved(opened, tmp_path, "svg").decode())
    assert [each.text for each in more.iter(f"{_SVG}text")].count("sums") == 2


def test_the_saved_svg_needs_nothing_from_the_page(opened: Browser, tmp_path: Path) -> None:
    opened.run(_COLOUR, "time")
    opened.run("document.documentElement.dataset.theme = 'dark'")
    svg = saved(opened, tmp_path, "svg").decode()
    assert "var(" not in svg and "color-mix" not in svg and "click to" not in svg
    assert set(re.findall(r"url\(([^)]*)\)", svg)) <= {"#head", "#head-control", "#head-lit"}
    colours = set(re.findall(r"fill:(#\w+)", svg))
    fills = opened.run("""return [...document.querySelectorAll('g.box.pruned .body, .map-box')].slice(0, 1)
        .map(each => getComputedStyle(document.body).backgroundColor)""")
    assert len(colours) > 4 and fills == ["rgb(20, 25, 31)"] and 'fill="#14191f"' in svg


def test_the_saved_png_has_two_pixels_for_each_unit(opened: Browser, tmp_path: Path) -> None:
    svg = saved(opened, tmp_path, "svg").decode()
    png = saved(opened, tmp_path, "png")
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == pytest.approx([2 * side for side in size_of(svg)], abs=1)
    assert opened.run("return document.getElementById('hint').textContent") == "Größe-more.png is saved."
    assert opened.log("browser") == []
    assert [url for url in opened.requests() if url.startswith("http")] == []


def test_only_what_the_window_shows_is_saved_on_request(opened: Browser, tmp_path: Path) -> None:
    whole = size_of(saved(opened, tmp_path, "svg").decode())
    (tmp_path / "Größe-more.svg").unlink()
    opened.run("document.getElementById('save-window').checked = true")
    for _ in range(4):
        opened.run("document.getElementById('in').click()")
    part = size_of(saved(opened, tmp_path, "svg").decode())
    assert part[1] < whole[1]


def test_the_svg_is_copied_as_text(opened: Browser) -> None:
    opened.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    opened.keys("s")
    opened.click(*opened.run(_MIDDLE, "copy-svg"))
    text = opened.run("return navigator.clipboard.readText()")
    assert ElementTree.fromstring(text).tag == f"{_SVG}svg"
    assert opened.run("return document.getElementById('hint').textContent") == "The SVG is in the clipboard."


def test_without_a_clipboard_the_old_way_is_left(opened: Browser) -> None:
    opened.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    opened.keys("s")
    opened.click(*opened.run(_MIDDLE, "copy-svg"))
    assert opened.run("return document.getElementById('hint').textContent") == "The SVG is in the clipboard."
