"""The play page in a browser: edits flow, undo brings back, cells tell where they came from, links show it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from .browser import CHROMIUM, DRIVER, Browser
from .test_page_contrast_browser import LOW

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

# What the drawing shows: the texts of the cells of each value.
CELLS = """const found = {};
    for (const made of document.querySelectorAll('g.cell'))
        (found[made.cellOf.name] ??= [])[made.cellOf.cell] = made.lastChild.textContent;
    return found"""
MARKED = """const found = [];
    for (const made of document.querySelectorAll('g.cell.' + arguments[0]))
        found.push(made.cellOf.name + ' ' + made.cellOf.cell);
    return found.sort()"""
PLACE = """const made = [...document.querySelectorAll('g.cell')]
        .find(m => m.cellOf.name === arguments[0] && m.cellOf.cell === arguments[1]);
    const area = made.getBoundingClientRect(); return [area.x + area.width / 2, area.y + area.height / 2]"""
PRESS_CELL = """[...document.querySelectorAll('g.cell')]
        .find(m => m.cellOf.name === arguments[0] && m.cellOf.cell === arguments[1])
        .dispatchEvent(new MouseEvent('click', {bubbles: true}))"""
PRESS = "document.getElementById(arguments[0]).click()"
PLAN = "document.querySelector(`input[value=${arguments[0]}]`).click()"
TEXT = "return document.getElementById(arguments[0]).textContent"
FADED = "return [...document.querySelectorAll('g.box.pruned')].map(m => m.dataset.id)"
CARD = "return document.getElementById('card').innerText"
CHOOSE = """document.querySelector(`g.box[data-id="${arguments[0]}"]`)
    .dispatchEvent(new MouseEvent('click', {bubbles: true}))"""
RESULTS = """const head = [...document.querySelectorAll('#card h3')].find(m => m.textContent === 'Results');
    return head ? [...head.parentElement.querySelectorAll('[data-value]')].map(m => m.dataset.value) : []"""
SLIDE = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('input'))"


def partition(path: Path) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        labels = tf.placeholder(tf.int32, [4], name="labels")
        low, high = tf.dynamic_partition(x, labels, 2, name="parts")
        places = tf.dynamic_partition(tf.range(4), labels, 2, name="places")
        done = tf.dynamic_stitch(places, [low * 10.0, tf.negative(high, name="minus")], name="back")
        small = tf.cast(x, tf.int8, name="small")
    feeds = {x: np.array([1, 2, 3, 4], np.float32), labels: [0, 1, 1, 0]}
    return graph.export(path, play=True, feeds=feeds, fetches=[done, small])


def loop(path: Path) -> Path:
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [], name="a")
        _, root = tf.while_loop(
            lambda i, r: i < 5, lambda i, r: (i + 1, (r + a / r) / 2.0), [tf.constant(0), a], name="newton"
        )
        tf.cond(root > 1, lambda: root * 2.0, lambda: root - 1.0, name="choice")
    return graph.export(path, play=True, feeds={a: 2.0}, fetches=["newton:1", "choice:0"])


def train(path: Path) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0, 3.0], name="x")
        w = tf.Variable([0.0], name="w")
        loss = tf.reduce_mean(tf.square(w * x - 2.0 * x), name="loss")
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss, name="step")
        tf.random_uniform([2], seed=1, name="noise")
    return graph.export(path, play=True, fetches=[loss, step])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("play")
    made = {"partition": partition, "loop": loop, "train": train}
    return {name: make(folder / f"{name}.html") for name, make in made.items()}


def cells(browser: Browser) -> dict[str, list[str]]:
    found: dict[str, list[str]] = browser.run(CELLS)
    return found


def edit(browser: Browser, name: str, cell: int, text: str) -> None:
    browser.run_each((CHOOSE, name.partition(":")[0]), (PRESS_CELL, name, cell))
    browser.keys(*text, "Enter")


def errors(browser: Browser) -> list[Any]:
    return [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"]


def test_a_page_is_small_and_asks_for_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    for path in pages.values():
        assert path.stat().st_size < 400_000
        browser.requests()
        browser.open(path)
        assert [url for url in browser.requests() if not url.startswith("file:")] == []
        assert errors(browser) == []


def test_an_edit_changes_everything_after_it_and_undo_brings_it_back(screen: Browser, pages: dict[str, Path]) -> None:
    screen.open_again(pages["partition"])
    before = cells(screen)
    assert before["back:0"] == ["10", "-2", "-3", "40"]
    screen.keys("f")
    screen.run(CHOOSE, "x")
    screen.click(*screen.run(PLACE, "x:0", 1))  # by hand, as a reader does
    screen.keys(*"7.5", "Enter")
    after = cells(screen)
    assert after["x:0"] == ["1", "7.5", "3", "4"]
    assert after["back:0"] == ["10", "-7.5", "-3", "40"]
    assert screen.run(MARKED, "changed-cell") == ["back:0 1", "minus:0 0", "parts:1 0", "small:0 1", "x:0 1"]
    assert "back:0: 1 cell changed" in screen.run(TEXT, "play-live")
    edit(screen, "labels:0", 1, "0")  # another number of rows in each part
    assert cells(screen)["parts:1"] == ["3"]
    assert cells(screen)["back:0"] == ["10", "75", "-3", "40"]
    screen.run(PRESS, "undo")
    assert cells(screen) == after
    screen.run(PRESS, "undo")
    assert cells(screen) == before
    screen.run(PRESS, "redo")
    assert cells(screen) == after
    screen.run(PRESS, "reset")
    assert cells(screen) == before
    assert errors(screen) == []


def test_a_text_that_does_not_fit_is_told_in_one_line(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open_again(pages["partition"])
    browser.keys("f")
    edit(browser, "labels:0", 0, "1.5")
    assert "int32 holds whole numbers" in browser.run(TEXT, "cell-says")
    browser.keys("Escape")
    assert cells(browser)["labels:0"] == ["0", "1", "1", "0"]
    for text, shown in [("nan", "nan"), ("-inf", "-inf"), ("-0", "-0")]:
        edit(browser, "x:0", 2, text)
        assert cells(browser)["x:0"][2] == shown
    assert cells(browser)["minus:0"][1] == "0"


def test_a_step_that_fails_says_so_and_what_follows_is_empty(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open_again(pages["partition"])
    browser.keys("f")
    edit(browser, "labels:0", 0, "9")
    assert browser.run(TEXT, "play-failed").startswith("parts failed: ")
    assert browser.run("return document.querySelector('g.box.failed').dataset.id") == "parts"
    assert "back:0" not in cells(browser)
    browser.run(PRESS, "undo")
    assert cells(browser)["back:0"] == ["10", "-2", "-3", "40"]
    assert errors(browser) == []


def test_a_cell_shows_where_it_came_from_and_goes(screen: Browser, pages: dict[str, Path]) -> None:
    screen.open_again(pages["partition"])
    screen.keys("f")
    screen.hover(*screen.run(PLACE, "parts:1", 1))
    assert screen.run(MARKED, "source-cell") == ["x:0 2"]
    assert screen.run(MARKED, "target-cell") == ["minus:0 1"]
    assert screen.run("return document.querySelectorAll('.cell-line').length") == 2
    assert screen.run(TEXT, "cell-fact") == "parts:1[1] = 3; float32; made of x:0[2]; goes into minus:0[1]"
    screen.keys("t")
    assert screen.run(MARKED, "target-cell") == ["back:0 2", "minus:0 1"]
    screen.hover(*screen.run(PLACE, "back:0", 3))
    assert screen.run(MARKED, "source-cell") == ["mul/y:0 0", "mul:0 1", "parts:0 1", "x:0 3"]
    screen.keys("t")


def test_steps_show_values_as_they_are_computed(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open_again(pages["partition"])
    every = cells(browser)
    browser.run(SLIDE, "run-slider", 0)
    given = {"x:0", "labels:0", "mul/y:0", "range/start:0", "range/limit:0", "range/delta:0"}
    assert set(cells(browser)) == given & set(every)
    seen = len(cells(browser))
    for _ in range(3):
        browser.keys(".")
        assert len(cells(browser)) >= seen
        seen = len(cells(browser))
        assert browser.run("return document.querySelectorAll('g.box.lit').length") == 1
    browser.keys(",")
    assert len(cells(browser)) <= seen
    browser.run(SLIDE, "run-slider", 99)
    assert cells(browser) == every


def test_an_edit_while_the_run_plays_breaks_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["partition"])
    browser.run("document.getElementById('speed').value = 'fast'")
    browser.run(PRESS, "play")
    for text in ("5", "6", "7"):
        # At once: the next step of the run shows its own card, which may have a constant to edit.
        browser.run(CHOOSE + "; document.querySelector('#card td.editable').click()", "x")
        browser.keys(*text, "Enter")
    if browser.run(TEXT, "play") == "Stop":
        browser.run(PRESS, "play")
    browser.run(SLIDE, "run-slider", 99)
    assert cells(browser)["back:0"][0] == "70"
    assert errors(browser) == []


def test_only_what_a_fetch_needs_is_computed(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open_again(pages["partition"])
    browser.run(CHOOSE, "small")
    browser.run(PRESS, "fetch-only")
    assert {"parts", "places", "back", "labels"} <= set(browser.run(FADED))
    assert "back:0" not in cells(browser)
    assert cells(browser)["small:0"] == ["1", "2", "3", "4"]
    assert "fetch=small:0" in browser.run("return location.hash")
    browser.run(CHOOSE, "small")
    browser.run(PRESS, "fetch-only")
    assert cells(browser)["back:0"] == ["10", "-2", "-3", "40"]


def test_the_optimised_plan_computes_the_same_and_shows_instructions(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["train"])
    loss = cells(browser)["loss:0"]
    browser.run(PLAN, "optimised")
    assert cells(browser)["loss:0"] == loss
    fused = browser.run("return document.querySelector('g.box.fused, g.box.fetched').dataset.id")
    browser.run(CHOOSE, fused)
    assert "Instructions of this step" in browser.run(CARD)
    browser.run(PLAN, "written")
    assert "Instructions of this step" not in browser.run(CARD)
    assert errors(browser) == []


def test_fetched_results_of_a_loop_with_gradients_are_shown_in_every_plan(browser: Browser, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [], name="a")
        root = tf.while_loop(lambda i, r: i < 5, lambda i, r: (i + 1, (r + a / r) / 2.0), [0, a], name="newton")[1]
        same = tf.identity(root, name="rr")
        (slope,) = tf.gradients(root, a, name="g")
        chosen = tf.cond(a > 1.0, lambda: tf.exp(a), lambda: a, name="choice")
        (other,) = tf.gradients(chosen, a, name="h")
    fetches = [root, same, slope, chosen, other]
    browser.open(graph.export(tmp_path / "page.html", play=True, feeds={a: 2.0}, fetches=fetches))
    names = [each.name for each in fetches]
    for plan in ("optimised", "written"):
        browser.run(PLAN, plan)
        assert browser.run(RESULTS) == names, plan
    assert errors(browser) == []


def test_running_again_trains_as_python_does(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["train"])
    for _ in range(3):
        browser.keys("x")
    value = float(cells(browser)["w:0"][0])
    want, slope = 0.0, float(np.mean(2 * np.square([1, 2, 3])))
    for _ in range(3):
        want -= 0.05 * slope * (want - 2)
    assert value == pytest.approx(want, rel=1e-4)
    assert browser.run(TEXT, "run-count") == "run 4"
    browser.run(PRESS, "reset")
    assert cells(browser)["w:0"] == ["0"]


def test_what_the_page_cannot_compute_is_recorded_and_says_so(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["train"], "#fetch=noise:0")
    if "noise:0" in cells(browser):
        browser.run(CHOOSE, "noise")
        assert "no kernel" in browser.run(CARD)
    assert errors(browser) == []


def test_an_iteration_and_the_branch_taken(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["loop"])
    browser.run(SLIDE, "loop-slider", 0)
    assert cells(browser)["newton/body/r:0"] == ["2"]
    browser.run(SLIDE, "loop-slider", 2)
    assert float(cells(browser)["newton/body/r:0"][0]) == pytest.approx(1.4167, abs=1e-3)
    assert "choice/true/mul:0" in cells(browser)
    assert "choice/false/sub:0" not in cells(browser)
    browser.keys("f")
    edit(browser, "a:0", 0, "0.01")
    assert "choice/false/sub:0" in cells(browser)
    assert "choice/true/mul:0" not in cells(browser)
    assert "iteration 2" in browser.run(TEXT, "loop-says")


def test_a_link_shows_the_same_again(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open_again(pages["partition"])
    browser.keys("f")
    edit(browser, "x:0", 1, "7.5")
    edit(browser, "labels:0", 3, "1")
    browser.run(SLIDE, "run-slider", 2)
    shown, address = cells(browser), browser.run("return location.hash")
    browser.open(pages["partition"], address)
    assert cells(browser) == shown
    assert browser.run("return location.hash") == address
    for hostile in (
        "#edit=x:0%5B99%5D=1,nothing%5B0%5D=2,run*9999,%5B%5D=&fetch=none&cell=x%5B7%5D",
        "#edit=__proto__%5B0%5D=1&plan=x&around=a%5B9%5D",
    ):
        browser.open(pages["partition"], hostile)
        assert errors(browser) == []


def test_the_keyboard_reaches_and_edits_every_cell(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open_again(pages["partition"])
    browser.run(CHOOSE, "x")
    browser.run("document.querySelector('#card td').focus()")
    browser.keys("Right", "Right", "8", "Enter")
    assert cells(browser)["x:0"] == ["1", "2", "8", "4"]
    assert browser.run("return document.activeElement.localName") == "td"
    told = browser.run("""const grid = document.querySelector('#card [role=grid]');
        return [grid.getAttribute('aria-label'), grid.querySelectorAll('[role=gridcell][tabindex="0"]').length]""")
    assert told == ["x:0, float32 (4,)", 1]
    unnamed = browser.run("""return [...document.querySelectorAll('button, input, select')]
        .filter(m => m.offsetParent && !(m.textContent.trim() || m.ariaLabel || m.closest('label')))
        .map(m => m.outerHTML)""")
    assert unnamed == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(browser: Browser, pages: dict[str, Path], scheme: str) -> None:
    browser.open(pages["partition"], "#edit=x:0%5B1%5D=7.5&at=parts&cell=parts:0%5B0%5D")
    if browser.run("return document.documentElement.dataset.theme") != scheme:
        browser.keys("d")
    browser.keys("f")
    assert browser.run(LOW) == []


def test_a_narrow_window_has_room_for_everything(screen: Browser, pages: dict[str, Path]) -> None:
    try:
        screen.resize(420, 800)
        screen.open(pages["train"])
        wide = screen.run("""return [document.documentElement.scrollWidth,
            document.getElementById('canvas').clientHeight]""")
        assert wide[0] <= 420
        assert wide[1] > 250
        off = screen.run("""return [...document.querySelectorAll('footer button, footer input, footer select')]
            .filter(m => m.offsetParent && m.getBoundingClientRect().right > 421).map(m => m.outerHTML)""")
        assert off == []
    finally:
        screen.command("Emulation.clearDeviceMetricsOverride")


def test_origins_pass_from_iteration_to_iteration(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["loop"], "#cell=newton/body/r:0[0]")
    fact = "return document.getElementById('cell-fact').textContent"
    assert "made of a:0" in browser.run(fact)
    browser.run(SLIDE, "loop-slider", 2)
    made = browser.run(fact)
    assert "made of newton/body/truediv_1:0 of iteration 1 = " in made
    guess = 2.0
    for _ in range(2):
        guess = (guess + 2.0 / guess) / 2.0
    assert float(made.partition(" of iteration 1 = ")[2].split(";")[0]) == pytest.approx(guess, rel=1e-4)
    browser.open(pages["loop"], "#cell=newton/body/truediv_1:0[0]&around=newton[1]")
    assert "goes into newton/body/r:0 of iteration 2" in browser.run(fact)
    browser.open(pages["loop"], "#cell=newton/body/truediv_1:0[0]&around=newton[4]")
    assert "goes into newton:1" in browser.run(fact)
    browser.open(pages["loop"], "#cell=newton:1[0]")
    assert "made of newton/body/truediv_1:0 of iteration 4" in browser.run(fact)


def test_a_constant_inside_a_loop_can_be_edited(browser: Browser, pages: dict[str, Path]) -> None:
    def newton(divisor: float) -> float:
        guess = 2.0
        for _ in range(5):
            guess = (guess + 2.0 / guess) / divisor
        return guess

    browser.open(pages["loop"])
    assert float(cells(browser)["newton:1"][0]) == pytest.approx(newton(2.0), rel=1e-4)
    browser.open(pages["loop"], "#edit=newton/body/truediv_1/y:0[0]=4")
    assert float(cells(browser)["newton:1"][0]) == pytest.approx(newton(4.0), rel=1e-4)
    assert cells(browser)["newton/body/truediv_1/y:0"] == ["4"]
    browser.run(PRESS, "undo")
    assert float(cells(browser)["newton:1"][0]) == pytest.approx(newton(2.0), rel=1e-4)
    browser.run(PRESS, "redo")
    browser.run(PLAN, "optimised")
    assert float(cells(browser)["newton:1"][0]) == pytest.approx(newton(4.0), rel=1e-4)
    browser.run(PRESS, "reset")
    assert float(cells(browser)["newton:1"][0]) == pytest.approx(newton(2.0), rel=1e-4)


_VIEW = "return document.getElementById('world').getAttribute('transform')"
_SMALLEST = """const scale = document.getElementById('world').getCTM().a;
    return Math.min(...[...document.querySelectorAll('#world text')].filter(each => each.checkVisibility())
        .map(each => parseFloat(getComputedStyle(each).fontSize) * scale))"""


@pytest.mark.share(2)
@pytest.mark.parametrize("size", [(1400, 900), (1000, 700)])
@pytest.mark.parametrize("name", ["partition", "loop", "train"])
def test_texts_can_be_read_at_first_and_the_map_covers_no_box(
    screen: Browser, pages: dict[str, Path], name: str, size: tuple[int, int]
) -> None:
    screen.resize(*size)
    screen.open(pages[name])
    assert screen.run(_SMALLEST) >= 8.99
    assert screen.run("return document.getElementById('map').closest('aside') !== null")
    screen.resize(1440, 900)


def test_the_drawing_is_where_it_was_when_the_steps_have_been_played(screen: Browser, pages: dict[str, Path]) -> None:
    screen.resize(1000, 700)
    screen.open(pages["train"])
    before = screen.run(_VIEW)
    screen.run("const s = document.getElementById('speed'); s.value = 'fast'; s.dispatchEvent(new Event('change'))")
    screen.run("const wait = window.wait = setTimeout; window.setTimeout = (work, time) => wait(work, time / 20)")
    screen.keys(" ")
    played = screen.run("""const button = document.getElementById('play');
        return new Promise(done => {
            const ask = () => button.textContent === 'Play' ? done(document.getElementById('run-slider').value)
                                                            : window.wait(ask, 5);
            ask();
        }).finally(() => { window.setTimeout = window.wait; })""")
    assert int(played) > 3
    assert screen.run(_VIEW) == before
    screen.resize(1440, 900)


def test_a_card_says_the_edited_value_of_a_constant(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["train"])
    browser.keys("f")
    edit(browser, "step/learning_rate:0", 0, "0.1")
    browser.run(CHOOSE, "step/learning_rate")
    assert "0.1" in browser.run("return [...document.querySelectorAll('#card dd')].map(each => each.innerText)")
