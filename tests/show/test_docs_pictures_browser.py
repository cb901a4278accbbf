"""The pictures in the documents as a browser lays them out: every text is in its box and meets no other."""

from __future__ import annotations

from typing import Any

import pytest

from ..helpers import every_case
from ..test_docs_pictures import PICTURES
from .browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

# All pictures, each in a frame of one page: to open a page takes longer than to draw a picture.
MEASURE = """
const box = (e) => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
const measured = (drawn) => {
  const groups = [...drawn.querySelectorAll("g.box, g.cell")].filter(g => g.querySelector("rect"));
  return {
    page: box(drawn.querySelector("rect.page")),
    boxes: groups.map(g => ({rect: box(g.querySelector("rect")), texts: [...g.querySelectorAll("text")].map(box)})),
    labels: [...drawn.querySelectorAll("text.arrow-label, text.label, text.scope-label")].map(box),
  };
};
document.body.replaceChildren();
return arguments[0].map(text => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.width = 1400;
  frame.height = 1000;
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  frame.contentDocument.body.append(drawn);
  return measured(drawn);
});
"""


@pytest.fixture(scope="module")
def measured(fresh_browser: Browser) -> dict[str, Any]:
    """Where the parts of each picture are."""
    fresh_browser.draw(False)
    fresh_browser.show_nothing()
    places = fresh_browser.run(MEASURE, [path.read_text("utf-8") for path in PICTURES])
    return {path.stem: place for path, place in zip(PICTURES, places, strict=True)}


@every_case("name", [path.stem for path in PICTURES])
def test_no_label_leaves_its_box_or_meets_another(name: str, measured: dict[str, Any]) -> None:
    found = measured[name]
    assert found["boxes"]
    for box in found["boxes"]:
        assert inside(box["rect"], found["page"])
        assert all(inside(text, box["rect"]) for text in box["texts"]), box
    assert all(inside(label, found["page"]) for label in found["labels"])
    rects = [shrunk(box["rect"]) for box in found["boxes"] if box["texts"]]  # a swatch of the legend has none
    labels = [shrunk(label) for label in found["labels"]]
    for number, one in enumerate(rects):
        assert not any(meet(one, other) for other in rects[number + 1 :])
        assert not any(meet(one, label) for label in labels)
    for number, one in enumerate(labels):
        assert not any(meet(one, other) for other in labels[number + 1 :])


def inside(inner: list[float], outer: list[float]) -> bool:
    return (
        inner[0] >= outer[0] - 0.5
        and inner[1] >= outer[1] - 0.5
        and inner[2] <= outer[2] + 0.5
        and inner[3] <= outer[3] + 0.5
    )


def shrunk(box: list[float]) -> list[float]:
    """Neighbouring cells share a border, and the room of a line of text is taller than its letters."""
    return [box[0] + 1.5, box[1] + 2.5, box[2] - 1.5, box[3] - 2.5]


def meet(a: list[float], b: list[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
