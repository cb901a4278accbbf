"""The fragment of a page's URL in a real browser: links show the same, back and forward work, garbage does nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.show import html_page

from ..helpers import case, nightly
from .browser import CHROMIUM, DRIVER, FOLLOW, Browser
from .test_page_browser import click_all, panel, search
from .test_page_document import hostile

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

_HASH = "return location.hash"
_STEP = """const s = document.getElementById('run-slider'); s.value = arguments[0];
    s.dispatchEvent(new Event('input'))"""
_COLOUR = """const c = document.getElementById('colour'); c.value = arguments[0];
    c.dispatchEvent(new Event('change'))"""
_ELEMENTS = "return document.querySelectorAll('script, img').length"
_SHOWN = """const value = (name) => document.getElementById(name).value;
    const ids = (picked) => [...document.querySelectorAll(picked)]
        .map(g => (g.dataset.id || g.dataset.path).toWellFormed()).sort();
    return {boxes: ids('g.box'), scopes: ids('g.scope'), selected: ids('g.box.selected, g.scope.selected'),
        lit: ids('g.box.lit'), onpath: ids('g.box.onpath'), found: ids('g.box.found'), colour: value('colour'),
        search: value('search'), stage: value('stage-slider'), step: value('run-slider'),
        card: document.querySelector('#card h2').innerText}"""


_HEADING = "return document.querySelector('#card h2').innerText.toWellFormed()"
# Of each box: the address when it is chosen and what the panel says; how many boxes are selected at another address,
# and what the panel says when the first address is back.
_EACH_BOX = f"""const follow = async function () {{ {FOLLOW} }}, heading = () => {{ {_HEADING} }}, seen = [];
    for (const box of document.querySelectorAll('g.box')) {{
        box.dispatchEvent(new MouseEvent('click', {{bubbles: true}}));
        const one = [location.hash, heading()];
        await follow("#colour=type");
        one.push(document.querySelectorAll('g.box.selected').length);
        await follow(one[0]);
        seen.push([...one, heading()]);
    }}
    return seen"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        made = []
        for times, name in enumerate(("setosa", "virginica")):
            with tf.name_scope(name), tf.name_scope("deep"):
                made.append(tf.cumsum(tf.cumsum(tf.tile(x, [1, 1 + times]), name="low"), name="high"))
        y = tf.concat(1, made, name="both")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones((2, 3), np.float32)}, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(tmp_path_factory.mktemp("address") / "a run.html")
    return path


def shown(browser: Browser) -> dict[str, Any]:
    found: dict[str, Any] = browser.run(_SHOWN)
    return found


def test_the_first_address_is_empty_and_what_changes_stands_in_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    click_all(browser, "collapse")
    assert "at=" not in browser.run(_HASH)
    browser.open(page)
    assert browser.run(_HASH) == ""
    browser.run(_COLOUR, "time")
    assert browser.run(_HASH) == "#colour=time"
    browser.run(_STEP, 2)
    assert browser.run(_HASH) == "#step=2&colour=time"
    browser.keys("/")
    browser.paste("low")
    assert browser.run(_HASH) == "#step=2&colour=time&search=low"
    browser.keys("Escape")
    browser.run(_STEP, 0)
    browser.run(_COLOUR, "kind")
    browser.keys("[")
    assert browser.run(_HASH).startswith("#stage=")


GESTURES = [
    ("]", "]"), (".", ".", "."), ("/", *"both", "Enter"), ("/", *"low", "Enter", "Enter", "Escape"), ("c", "c"),
    ("o", "o", "o"),
    ("/", *"(batch, 3)"), ("/", *"x", "Enter", "Escape", "p", "/", *"both", "Enter", "Escape"),
    ("o", "o", "/", *"setosa/low", "Escape", "]", "]", "]", ".", "/", *"high", "Enter"),
]  # fmt: skip


def test_a_link_shows_the_same(browser: Browser, page: Path) -> None:
    for number, gestures in enumerate(GESTURES):
        with case(" ".join(gestures)):
            browser.open_again(page)
            browser.keys(*gestures)
            before, fragment = browser.run_each((_SHOWN,), (_HASH,))
            browser.follow("#colour=type", fragment)
            assert browser.run_each((_SHOWN,), (_HASH,)) == [before, fragment]
            if number % 8 == 0:  # opening takes a hundred times as long as following
                browser.open(page, fragment)
                assert browser.run_each((_SHOWN,), (_HASH,)) == [before, fragment]
            assert browser.log("browser") == []


def test_back_and_forward_go_through_selections_openings_and_colours(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.keys("/")
    browser.paste("setosa/deep/low")
    states = [shown(browser)]
    browser.keys("Enter", "Escape")
    states.append(shown(browser))
    browser.run(_COLOUR, "order")
    states.append(shown(browser))
    browser.keys("c")
    states.append(shown(browser))
    browser.keys("]")
    states.append(shown(browser))
    moves = [(browser.back, state) for state in reversed(states[:-1])]
    moves += [(browser.forward, state) for state in states[1:]]
    for move, wanted in moves:
        move()
        # The panel tells the changes of a stage when it is chosen, and the selected node after that.
        assert {**shown(browser), "card": ""} == {**wanted, "card": ""}


def test_steps_replace_the_entry_of_the_history(browser: Browser, page: Path) -> None:
    browser.open(page)
    search(browser, "both")
    for number in (1, 2, 3, 4, 2):
        browser.run(_STEP, number)
        assert browser.run(_HASH).startswith(f"#step={number}")
    browser.back()  # the first step is an entry, the others replace it
    assert browser.run(_HASH) == "#at=both" and shown(browser)["step"] == "0"


@pytest.mark.nightly
def test_many_changes_are_not_refused_by_the_browser(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.log("browser")
    for _ in range(3):
        browser.run("for (let n = 0; n < 100; n++) for (const key of ['.', ',']) "
                    "document.dispatchEvent(new KeyboardEvent('keydown', {key}));")  # fmt: skip
        browser.run("for (let n = 0; n < 100; n++) for (const key of ['ArrowDown', 'ArrowUp']) "
                    "document.dispatchEvent(new KeyboardEvent('keydown', {key}));")  # fmt: skip
    assert browser.log("browser") == []


GARBAGE = [
    "#", "##", "#&&&=", "#=x", "#step", "#step=", "#step=-1", "#step=1e3", "#step=NaN", "#at=%", "#at=%ff",
    "#at=nowhere", "#at=constructor", "#at=__proto__", "#colour=__proto__", "#colour=constructor", "#colour=red",
    "#stage=7", "#path=,", "#open=,,,", "#stage=toString", "#path=x", "#open=__proto__,nowhere,%", "#path=x,nowhere",
    "#shut=nowhere", "#step=99999999999999999999", "#at=<img src=x onerror=alert(1)>", "#open=" + "a," * 20000,
    "#search=<script>alert(1)</script>", "#unknown=1&step=x", "#search=%00%01%E2%80%AE",
]  # fmt: skip


@pytest.mark.parametrize("garbage", [GARBAGE[::2], *nightly([GARBAGE[1::2]])], ids=len)
def test_a_fragment_of_garbage_changes_nothing(garbage: list[str], browser: Browser, page: Path) -> None:
    """A page that is opened with it is one that is opened without; one that showed something else is so again."""
    browser.open(page)
    plain = {**shown(browser), "search": "", "found": []}

    def check(found: dict[str, Any], count: int, fragment: str) -> None:
        assert {**found, "search": "", "found": []} == plain, fragment
        assert count == 2, fragment

    changed = "#at=both&step=2&colour=time&open=setosa"
    browser.follow(changed)
    assert shown(browser)["selected"] == ["both"]
    scripts = [each for fragment in garbage for each in ((FOLLOW, changed, fragment), (_SHOWN,), (_ELEMENTS,))]
    values = browser.run_each(*scripts)
    for fragment, found, count in zip(garbage, values[1::3], values[2::3], strict=True):
        check(found, count, fragment)
    assert browser.log("browser") == []
    for fragment in garbage[3::12]:  # opening takes a hundred times as long as following
        browser.open(page, fragment)
        found, count = browser.run_each((_SHOWN,), (_ELEMENTS,))
        check(found, count, fragment)
        assert browser.log("browser") == [], fragment


_PARTS = [*"=&,#%+:/ab0123456789<>\"' ", "step=", "at=", "open=", "shut=", "&", "colour=", "stage=", "both"]


@pytest.mark.parametrize("examples", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_random_fragments_open_a_page_that_works(browser: Browser, page: Path, examples: int) -> None:
    @seed(20)
    @settings(max_examples=examples, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(parts=st.lists(st.sampled_from(_PARTS), max_size=40))
    def check(parts: list[str]) -> None:
        browser.open(page, "#" + quote("".join(parts), safe="=&,#%+:/"))
        assert shown(browser)["boxes"]
        browser.keys("]")
        search(browser, "both")
        assert "both" in panel(browser)
        assert browser.log("browser") == []

    check()


def test_hostile_names_survive_the_way_through_an_address(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(html_page(hostile()), encoding="utf-8")
    browser.open(path)
    click_all(browser, "expand")
    chosen = browser.run(_EACH_BOX)
    assert len(chosen) == len(hostile().boxes)
    for number, (fragment, before, count, after) in enumerate(chosen):
        assert not set("<>\"' \n").intersection(fragment), fragment
        assert count == 0
        assert after == before or "at=" not in fragment  # half a surrogate pair cannot be written
        if number == 0:
            browser.open(path, fragment)
            assert browser.run(_HEADING) == before or "at=" not in fragment
    assert browser.log("browser") == []


def test_a_page_in_a_frame_shows_its_address_and_leaves_the_history_alone(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    outer = tmp_path / "outer.html"
    frame = f"<iframe id=f width=1200 height=700 src='{page.as_uri()}#step=2&colour=time'></iframe>"
    script = "<script>f.onload = () => { document.documentElement.dataset.ready = 'yes'; };</script>"
    outer.write_text(f"<!DOCTYPE html>{frame}{script}")
    browser.renew()  # because a history holds at most 50 entries
    browser.open(outer)
    count = browser.run("return history.length")
    browser.frame("f")
    assert shown(browser)["step"] == "2" and shown(browser)["colour"] == "time"
    browser.keys("[", "]")
    browser.run(_COLOUR, "kind")
    assert browser.run(_HASH) == "#step=2&colour=time"
    browser.frame(None)
    assert browser.run("return history.length") == count
