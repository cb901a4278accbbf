"""PNG and PDF: sizes, texts, a browser's pixels, and a line that says what to install."""

from __future__ import annotations

import base64
import importlib.util
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.show.content.from_graph import picture_of
from penstock.show.formats.svg import svg_text
from penstock.show.formats.svg_to_image import image_of_svg

from ..warm_python import run_warm
from .browser import CHROMIUM, DRIVER, Browser

needs_extra = pytest.mark.skipif(importlib.util.find_spec("vl_convert") is None, reason="needs penstock[pictures]")
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" viewBox="0 0 30 20"></svg>'
# Both images drawn on white, and the share of pixels with a channel that differs by more than a quarter.
_COMPARE = """return Promise.all(arguments[0].map(async (source, at) => {
    const image = new Image(); image.src = source; await image.decode();
    const canvas = document.createElement('canvas'); [canvas.width, canvas.height] = arguments[1];
    const context = canvas.getContext('2d'); context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, ...arguments[2][at]);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
})).then(([a, b]) => { let far = 0;
    for (let at = 0; at < a.length; at += 4)
        if ([0, 1, 2].some((c) => Math.abs(a[at + c] - b[at + c]) > 64)) far++;
    return far / (a.length / 4); })"""


def graph() -> tf.Graph:
    """Every kind of line and text: a scope, a control edge, a fetch, what is not needed."""
    with tf.Graph().as_default() as made:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        with tf.name_scope("dense"):
            y = tf.relu(tf.matmul(x, tf.constant(np.ones((3, 4), np.float32), name="weights")), name="y")
        with tf.control_dependencies([y.op]):
            tf.reduce_sum(y, 1, name="sums")
        tf.exp(y, name="unused")
    return made


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height in the head of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.fixture(scope="module")
def record() -> tf.RunRecord:
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph()) as session:
        session.run("sums:0", {"x:0": np.ones((2, 3))}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    return metadata.record


@needs_extra
@pytest.mark.parametrize(("scale", "by"), [(None, 2.0), (1, 1.0), (3.5, 3.5)])
def test_a_png_has_scale_pixels_for_each_unit_of_the_svg(tmp_path: Path, scale: float | None, by: float) -> None:
    made = graph()
    written = made.export(tmp_path / "g.png", scale=scale)
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg_text(picture_of(made)))
    assert found is not None
    assert size_of(written.read_bytes()) == pytest.approx([float(found[1]) * by, float(found[2]) * by], abs=1)


@needs_extra
def test_a_png_says_its_resolution() -> None:
    png = image_of_svg(_SVG, ".png", 2)
    across, down, unit = struct.unpack(">IIB", png[png.index(b"pHYs") + 4 :][:9])
    assert (across, down, unit) == (7559, 7559, 1)  # pixels for each metre: 192 for each inch


@needs_extra
@pytest.mark.parametrize("suffix", [".png", ".pdf", ".PNG"])
def test_graphs_plans_and_records_are_written_as_images(record: tf.RunRecord, tmp_path: Path, suffix: str) -> None:
    start = b"%PDF-" if suffix == ".pdf" else b"\x89PNG"
    for name, thing in (("graph", graph()), ("plan", record.plan), ("run", record)):
        written = thing.export(tmp_path / (name + suffix), title=name, colour="device")
        assert written.read_bytes().startswith(start)


@needs_extra
def test_the_fonts_of_a_pdf_are_in_the_file(tmp_path: Path) -> None:
    content = graph().export(tmp_path / "g.pdf").read_bytes()
    assert b"LiberationSans" in content and b"/FontFile2" in content


@needs_extra
@pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")
def test_a_png_shows_what_a_browser_shows(browser: Browser) -> None:
    svg = svg_text(picture_of(graph(), fetches="sums", title="größe ∑ → – <&>"))
    png = image_of_svg(svg, ".png")
    sources = [
        f"data:{kind};base64,{base64.b64encode(content).decode()}"
        for kind, content in (("image/png", png), ("image/svg+xml", svg.encode()))
    ]
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert found is not None
    sizes = [size_of(png), [2 * float(found[1]), 2 * float(found[2])]]
    assert browser.run(_COMPARE, sources, size_of(png), sizes) < 0.002  # the edges of letters


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), True, "2"])
def test_a_scale_that_is_no_positive_number_is_refused(tmp_path: Path, scale: Any) -> None:
    with pytest.raises(ValueError, match=r"the scale must be a positive number\. Write for example scale=2$"):
        graph().export(tmp_path / "g.png", scale=scale)
    assert list(tmp_path.iterdir()) == []


def test_an_image_that_would_fill_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"would have \d+ x \d+ pixels; 250,000,000 are the most"):
        graph().export(tmp_path / "g.png", scale=1000)


@pytest.mark.parametrize("suffix", [".svg", ".html", ".txt", ".pdf"])
def test_a_scale_of_another_form_is_refused(tmp_path: Path, record: tf.RunRecord, suffix: str) -> None:
    with pytest.raises(ValueError, match=r"only \.png has a scale"):
        graph().export(tmp_path / f"g{suffix}", scale=2)
    with pytest.raises(ValueError, match=r"only \.png has a scale"):
        record.export(tmp_path / f"g{suffix}", scale=2)


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.graph.common.lazy_import._loaded", set())
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # as if it were not installed
    for suffix in (".png", ".pdf"):
        with pytest.raises(ImportError) as caught:
            graph().export(tmp_path / f"g{suffix}")
        text = str(caught.value)
        assert f"{suffix} needs" in text and "pip install penstock[pictures]" in text and "\n" not in text
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_says_what_to_install(tmp_path: Path) -> None:
    tf.save_graph(graph(), tmp_path / "g.json")
    program = """
import sys
sys.modules["vl_convert"] = None
from penstock.cli import main
sys.exit(main(sys.argv[1:]))
"""
    done = run_warm(["-c", program, "export", "g.json", "-o", "g.png", "--scale", "2"], cwd=tmp_path)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "pip install penstock[pictures]" in done.stderr
