"""Pages in a notebook: one document for all of them, which a later output, an opened file or an export still finds."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import penstock as tf
from penstock.show import html_page
from penstock.show.formats import notebook_page
from penstock.show.formats.notebook_page import Documents, page_output

from .browser import CHROMIUM, DRIVER, Browser

needs_browser = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")
_HEADS = "return [...document.querySelectorAll('iframe')].length"
_STILLS = "return [...document.querySelectorAll('.penstock-still img')].filter(i => i.naturalWidth > 100).length"


def a_graph(name: str = "x") -> tf.Graph:
    with tf.Graph().as_default() as graph:
        tf.sqrt(tf.placeholder(tf.float32, ["n"], name=name), name="root")
    return graph


def shown(graph: tf.Graph) -> str:
    found = graph._repr_html_()
    assert found is not None
    return found


class Notebook:
    """A played shell of a notebook: which cell runs, and how often one has run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, named: bool = True) -> None:
        self.named = named
        self.shell = SimpleNamespace(kernel=None, execution_count=0, user_ns={"In": [""]}, get_parent=self.parent)
        self.cell = ""
        module = SimpleNamespace(get_ipython=lambda: self.shell)
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setattr(notebook_page, "DOCUMENTS", Documents())

    def parent(self) -> dict[str, Any]:
        return {"metadata": {"cellId": self.cell} if self.named else {}}

    def run(self, cell: str, *graphs: tf.Graph) -> list[bool]:
        """For each page that the cell shows, whether it holds the document."""
        self.cell = cell
        self.shell.execution_count += 1
        self.shell.user_ns["In"].append(f"source of {cell}")
        return ['type="text/plain"' in shown(graph) for graph in graphs]


@pytest.mark.parametrize("named", [True, False])
def test_the_first_output_holds_the_document_and_so_does_a_cell_that_is_run_again(
    named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook, graph = Notebook(monkeypatch, named), a_graph()
    assert notebook.run("first", graph, graph) == [True, False]
    assert notebook.run("second", graph) == [False]
    assert notebook.run("third", graph) == [False]
    assert notebook.run("second", graph, graph) == [True, False]
    assert notebook.run("first", graph) == [True]


def test_outside_a_notebook_and_in_colab_every_output_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ['type="text/plain"' in shown(a_graph()) for _ in range(2)] == [True, True]
    notebook = Notebook(monkeypatch)
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    assert notebook.run("first", a_graph(), a_graph()) == [True, True]


def test_an_output_holds_data_and_still_picture_and_ten_take_a_fifth_of_ten_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notebook, graph = Notebook(monkeypatch), a_graph()
    outputs = []
    for number in range(10):
        notebook.run(str(number))
        outputs.append(shown(graph))
    page = html_page(graph, title="graph of 2 operations")
    assert sum(map(len, outputs)) * 5 < 10 * len(html.escape(page))
    for output in outputs:
        data = re.findall(r'<script type="application/json">(.*?)</script>', output)
        assert json.loads(data[0])["title"] == "graph of 2 operations"
        svg = base64.b64decode(re.findall(r"data:image/svg\+xml;base64,([^\"]*)", output)[0])
        assert b">root<" in svg
    packed = re.findall(r'<script type="text/plain">(.*?)</script>', outputs[0])[0]
    assert gzip.decompress(base64.b64decode(packed)).decode().startswith("<!DOCTYPE html>")


def test_text_of_a_user_cannot_end_an_element() -> None:
    output = page_output(html_page(a_graph(), title="</script><b>"), "<svg>&</svg>", html.escape("</script><b>"))
    assert "</script><b>" not in output and output.count("<script") == output.count("</script>") == 3


# ---- in a browser -------------------------------------------------------------------------------


def outputs_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    notebook = Notebook(monkeypatch)
    found = []
    for number in range(3):
        notebook.run(str(number))
        found.append(shown(a_graph(f"x{number}")))
    return found


def opened(browser: Browser, folder: Path, outputs: list[str], attributes: str = "") -> None:
    path = folder / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset='utf-8'><body {attributes}>{''.join(outputs)}</body>", "utf-8")
    browser.visit(path)


def waited(browser: Browser, script: str, wanted: object) -> object:
    """The value of a script once it is `wanted`; its last value if it never is."""
    for _ in range(100):
        found: object = browser.run(script)
        if found == wanted:
            break
        browser.run("return new Promise((done) => setTimeout(done, 50))")
    return found


@needs_browser
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
def test_every_page_of_a_notebook_is_drawn_wherever_the_document_stands(
    order: tuple[int, ...], browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = outputs_of(monkeypatch)
    opened(browser, tmp_path, [outputs[number] for number in order])
    assert waited(browser, _HEADS, 3) == 3
    assert browser.run(_STILLS) == 0
    words = "return [...document.querySelectorAll('iframe')].map(f => [f.sandbox.value, /x\\d/.exec(f.srcdoc)[0]])"
    assert browser.run(words) == [["allow-scripts allow-downloads", f"x{number}"] for number in order]


@needs_browser
def test_without_the_document_the_still_pictures_stay(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(browser, tmp_path, outputs_of(monkeypatch)[1:])
    assert waited(browser, _STILLS, 2) == 2
    assert browser.run(_HEADS) == 0
    assert "Run this cell again" in browser.run("return document.body.innerText")


@needs_browser
@pytest.mark.parametrize(("light", "scheme"), [("true", "light"), ("false", "dark")])
def test_a_page_has_the_theme_of_the_notebook(
    light: str, scheme: str, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(browser, tmp_path, outputs_of(monkeypatch)[:1], f'data-jp-theme-light="{light}"')
    assert waited(browser, _HEADS, 1) == 1
    assert browser.run("return document.querySelector('iframe').style.colorScheme") == scheme


# ---- a real kernel ------------------------------------------------------------------------------

_KERNEL = """
import nbclient, nbformat
first = "import penstock as tf\nwith tf.Graph().as_default() as g:\n    x = tf.constant(1)\ng"
cells = [nbformat.v4.new_code_cell(text) for text in (first, "g", "g")]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
print([len(cell.outputs[0]["data"]["text/html"]) for cell in notebook.cells])
"""


def test_a_kernel_writes_the_document_once() -> None:
    command = [sys.executable, "-c", "import nbclient, ipykernel"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs nbclient and ipykernel")
    done = subprocess.run([sys.executable, "-c", _KERNEL], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    first, second, third = json.loads(done.stdout.splitlines()[-1])
    assert first > 3 * second and abs(second - third) < 100
