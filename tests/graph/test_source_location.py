"""The line that made a node is told by the file's name, and in a notebook by the number of the cell."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import penstock as tf
from penstock.graph.common.source_location import Origin, is_inside


def test_a_place_is_the_name_of_the_file_and_the_line() -> None:
    assert Origin("/home/user/model.py", 12, "main").place == "model.py:12"


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython as far as places ask it: the file `/tmp/ipykernel_1/99.py` is the code of the third cell."""

    def name_of(file: str) -> tuple[str, str] | None:
        return ("Cell", "In[3]") if file.endswith("99.py") else None

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=name_of))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


@pytest.mark.usefixtures("notebook")
def test_a_place_in_a_notebook_is_the_number_of_the_cell_and_the_line() -> None:
    assert Origin("/tmp/ipykernel_1/99.py", 2, "<module>").place == "In[3]:2"
    assert Origin("/home/user/model.py", 12, "main").place == "model.py:12"


@pytest.mark.usefixtures("notebook")
def test_tables_and_errors_name_the_cell() -> None:
    cell = "x = tf.zeros([2, 3], name='x')\ntry:\n    tf.matmul(x, x)\nexcept ValueError as error:\n    told = error"
    names: dict[str, Any] = {"tf": tf}
    with tf.Graph().as_default() as graph:
        exec(compile(cell, "/tmp/ipykernel_1/99.py", "exec"), names)
    assert "In[3]:1" in graph.summary()
    assert "In[3]:3" in str(names["told"])


@pytest.mark.parametrize("shell", [None, SimpleNamespace(), SimpleNamespace(compile=SimpleNamespace())])
def test_other_shells_have_no_cells(shell: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert Origin("/tmp/99.py", 2, "<module>").place == "99.py:2"


def test_the_line_of_a_node_of_a_layer_or_a_loss_is_that_of_the_program() -> None:
    with tf.Graph().as_default() as graph:
        tf.losses.mean_squared_error(tf.zeros([2, 1]), tf.layers.dense(tf.ones([2, 3]), 1))
        tf.summary.scalar("loss", tf.losses.get_losses()[0])
    assert {op.origin.file for op in graph.get_operations()} == {__file__}


def test_every_folder_of_the_package_is_inside_but_those_that_build_graphs_as_programs_do() -> None:
    package = Path(tf.__file__).parent
    folders = {path.name for path in package.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    outside = {name for name in folders if not is_inside(compile("", str(package / name / "x.py"), "exec"))}
    assert outside == {"cli", "lessons"}
