"""What the site opens with: a picture of a run that moves, and a page that computes."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def front_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("front_page", ROOT / "docs" / "front_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["front_page"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def picture(front_page: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("front") / "run.svg"
    front_page.write_run(path)
    return path.read_text("utf-8")


def test_the_boxes_of_the_picture_light_up_in_the_order_of_the_run(picture: str) -> None:
    root = ElementTree.fromstring(picture)
    titles = {box.findtext(f"{SVG}title", "").partition("\n")[0]: box.get("class", "").split()[-1]
              for box in root.iter(f"{SVG}g") if box.get("class", "").startswith("box ")}  # fmt: skip
    assert titles == {"x": "seen0", "Mean": "seen1", "sub": "seen2", "Square": "seen3", "distance": "seen4"}
    begins = [float(re.findall(rf"@keyframes seen{at}{{0%,([\d.]+)%", picture)[0]) for at in range(5)]
    assert begins == sorted(begins) and begins[0] == 0 and begins[-1] < 70


def test_the_numbers_below_the_boxes_are_those_of_the_run(picture: str) -> None:
    root = ElementTree.fromstring(picture)
    texts = [(text.get("class", "").split()[-1], text.text) for text in root.iter(f"{SVG}text")
             if text.get("class", "").startswith("value ")]  # fmt: skip
    assert ("seen1", "[4. 2. 3.]") in texts and ("seen4", "[ 9.  9. 24.]") in texts
    assert [text for at, text in texts if at == "seen0"] == ["[[1. 2. 3.]", " [3. 4. 5.]", " [8. 0. 1.]]"]
    _, _, _, high = map(float, str(root.get("viewBox")).split())
    assert all(float(text.get("y", 0)) + 28 < high for text in root.iter(f"{SVG}text"))


def test_a_dot_goes_along_each_arrow_before_its_box_lights_up(picture: str) -> None:
    root = ElementTree.fromstring(picture)
    dots = [(dot.get("class", "").split()[-1], dot[0].get("path")) for dot in root.iter(f"{SVG}circle")]
    assert [at for at, _ in dots] == ["flow1", "flow2", "flow2", "flow3", "flow4"]
    arrows = {path.get("d") for path in root.iter(f"{SVG}path")}
    assert {path for _, path in dots} <= arrows
    assert "prefers-reduced-motion:reduce" in picture and "<script" not in picture


def test_the_index_has_both_before_its_lists(front_page: ModuleType) -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    text = front_page.with_front(index)
    assert text.index("# Penstock") < text.index('src="front/run.svg"') < text.index('src="front/play.html"')
    assert text.index('src="front/play.html"') < text.index("\n## Learn")
    assert text.endswith(index.partition("\n## ")[2])


def test_pages_with_search_words_are_there() -> None:
    conf = (ROOT / "docs" / "conf.py").read_text("utf-8")
    pages = re.findall(r'^    "([\w-]+)": \(', conf, re.MULTILINE)
    assert "play" in pages and all((ROOT / "docs" / f"{page}.md").is_file() for page in pages)
