"""Errors: fields and codes instead of words, and a place in the docs for each code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import CODES, BuildError, GraphFormatError
from penstock.graph.serial.limits import Limits

from .package_modules import package_modules

PACKAGE = Path(tf.__file__).parent
MODULES = sorted(p.relative_to(PACKAGE).as_posix() for p in package_modules())
MATCHING = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "replace", "find",
            "rfind", "index", "count", "split", "rsplit", "match", "search", "fullmatch", "sub", "findall"}  # fmt: skip

CASES: dict[str, Callable[[], Any]] = {
    "shape/dimensions-differ": lambda: tf.add(tf.zeros([2]), tf.zeros([3])),
    "shape/ranks-differ": lambda: tf.pack([tf.zeros([2]), tf.zeros([2, 2])]),
    "dtype/unknown": lambda: tf.placeholder("flaot32"),
    "dtype/differ": lambda: tf.add(tf.zeros([2]), tf.zeros([2], tf.int32)),
    "dtype/not-allowed": lambda: tf.exp(tf.constant("a")),
    "value/kind": lambda: tf.add(tf.zeros([2]), "text"),
    "value/none": lambda: tf.reshape(tf.zeros([2]), [None, 1]),
    "graph/two-graphs": lambda: tf.add(tf.zeros([2]), other_graphs_tensor()),
    "graph/name": lambda: tf.add(1.0, 2.0, name="two words"),
}


def other_graphs_tensor() -> tf.Tensor:
    with tf.Graph().as_default():
        return tf.constant(1.0)


@pytest.mark.parametrize("code", CASES)
def test_an_error_has_its_code(code: str) -> None:
    with tf.Graph().as_default(), pytest.raises(BuildError) as e:
        CASES[code]()
    assert e.value.code == code
    assert e.value.message in str(e.value)


def test_an_error_of_a_file_has_its_code(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.zeros([2])
        tf.constant(1)
    path = tf.save_graph(graph, tmp_path / "graph.json")
    with pytest.raises(GraphFormatError) as e:
        tf.load_graph(path, limits=Limits(nodes=1))
    assert e.value.code == "file/limit"


def test_an_error_about_another_operand_keeps_its_code_and_parts() -> None:
    error = tf.errors.ShapeError("Sizes differ", got="3", detail=" (a detail)", code="shape/dimensions-differ", dim=2)
    again = error.with_operand(operand=1, cure="Give 2.")
    assert (again.message, again.code, again.operand, again.dim, again.cure) == (
        "Sizes differ, but got 3 (a detail)", "shape/dimensions-differ", 1, 2, "Give 2."
    )  # fmt: skip


def test_every_code_has_its_place_in_the_docs() -> None:
    text = (PACKAGE.parent / "docs" / "errors.md").read_text()
    assert re.findall(r'<a id="([a-z/-]+)"></a>', text) == list(CODES)


def test_every_code_is_given_to_some_error_and_none_is_made_up() -> None:
    given = {
        word.value.value
        for module in MODULES
        if "code=" in (source := (PACKAGE / module).read_text())
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg == "code" and isinstance(word.value, ast.Constant) and "/" in str(word.value.value)
    }
    assert given == set(CODES)


def is_message(node: ast.expr, errors: set[str]) -> bool:
    """`error.message`, `error.args[0]` or `str(error)` of an error that was caught."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr in ("message", "args") and isinstance(node.value, ast.Name) and node.value.id in errors
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr")
    return called and any(isinstance(a, ast.Name) and a.id in errors for a in node.args)  # type: ignore[attr-defined]


def matches_on_messages(tree: ast.AST) -> Iterator[int]:
    """Lines that decide something by the words of an error."""
    errors = {h.name for h in ast.walk(tree) if isinstance(h, ast.ExceptHandler) and h.name} | {"error"}
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr):
            continue
        looked_at: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MATCHING:
            looked_at = [node.func.value, *node.args]
        elif isinstance(node, ast.Compare):
            looked_at = [node.left, *node.comparators]
        if any(is_message(each, errors) for each in looked_at):
            yield node.lineno


def lines_that_match(source: str) -> list[int]:
    """The same of a text, which is parsed only where an error is caught or called `error`, and its words are asked."""
    names = {"error", *re.findall(r"except\b[^:]*\bas\s+(\w+)", source)}
    either = "|".join(names)
    if not re.search(rf"\b({either})\s*\.\s*(message|args)\b|\b(str|repr)\((?s:.{{0,200}}?)\b({either})\b", source):
        return []
    return list(matches_on_messages(ast.parse(source)))


def test_no_module_decides_by_the_words_of_an_error() -> None:
    found = {module: lines_that_match((PACKAGE / module).read_text()) for module in MODULES}
    places = [f"{module}:{line}" for module, lines in found.items() for line in lines]
    assert not places, "\n".join(places)


@pytest.mark.parametrize(
    "line", ["error.message.startswith('a')", "'a' in str(error)", "re.sub('a', '', str(e))", "e.args[0] == 'a'"]
)
def test_the_search_for_such_modules_finds_them(line: str) -> None:
    for caught in ("ValueError", "(ValueError, TypeError)", "(\n    ValueError, TypeError\n)"):
        code = f"try:\n    pass\nexcept {caught} as e:\n    {line}\n"
        assert lines_that_match(code) == [code.count("\n")]


def test_the_element_that_a_kernel_refuses_is_a_field() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string, [2], name="x")
        with pytest.raises(tf.errors.InvalidArgumentError) as e:
            session.run(tf.string_to_number(x), {x: np.array(["1", "one"], object)})
    assert e.value.found == b"one" and "string_tensor[1]" in str(e.value)
