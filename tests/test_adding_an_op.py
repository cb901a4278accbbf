"""The op that `docs/adding-an-op.md` adds from outside works like one of the package.

The programs of the document are run as they stand there; afterwards the op is taken back.
"""

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import extend
from penstock.graph.declare.op_declaration import OPS
from penstock.ops.create import creation

from . import test_every_op as generic
from .derivatives.differences import slopes
from .helpers import EVERY
from .op_samples import USERS_OPS
from .test_docs import run_blocks

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "adding-an-op.md"
MEDIAN, MEAN = 3, 5.25
"""How many files name an op, besides its own: most are rules and kernels of it, and its tests."""
TYPE = "Interleave"
FOR_EVERY_OP = (list(USERS_OPS), generic.THAT_RUN)


@pytest.fixture(scope="module")
def interleave() -> Iterator[Any]:
    """The op, declared by the document's first program."""
    namespace: dict[str, Any] = {"__name__": "model"}
    run_blocks.run(run_blocks.programs(DOCUMENT.read_text("utf-8"))[0], "", namespace)
    yield namespace["interleave"]
    del OPS[TYPE]


def generic_tests() -> list[str]:
    tests = [(name, test) for name, test in vars(generic).items() if name.startswith("test_")]
    return [name for name, test in tests if getattr(test, "cases", None) in FOR_EVERY_OP]


def files_that_name() -> dict[str, list[str]]:
    """Op of the package -> the Python files that have its type in a string, or in a list of words, but for its own."""
    files: dict[str, list[str]] = {type: [] for type in USERS_OPS}
    own = {type: f"{op.__module__.replace('.', '/')}.py" for type, op in USERS_OPS.items()}
    for folder in ("penstock", "docs", "tests", "benchmarks"):
        for path in ROOT.joinpath(folder).rglob("*.py"):
            where = path.relative_to(ROOT).as_posix()
            strings = re.findall(r'"([A-Za-z]\w*(?: \w+)* ?)"', path.read_text("utf-8"))
            for type in {word for words in strings for word in words.split()} & files.keys():
                if own[type] != where:
                    files[type].append(where)
    return files


def test_few_files_besides_its_own_name_an_op() -> None:
    """A list of ops by hand is one more place for whoever adds an op: let the declaration say what it says."""
    files = files_that_name()
    counts = [len(each) for each in files.values()]
    names = Counter(file for each in files.values() for file in each).most_common(12)
    assert median(counts) <= MEDIAN and mean(counts) <= MEAN, f"{median(counts)}, {mean(counts):.2f}: {names}"


def test_the_document_prints_what_it_says() -> None:
    text = DOCUMENT.read_text("utf-8")
    declared = dict(OPS)
    OPS.pop(TYPE, None)
    try:
        assert run_blocks.with_real_output(text) == text
    finally:
        OPS.clear()
        OPS.update(declared)


def test_the_op_that_ships_is_shown_as_its_source_has_it() -> None:
    shown = re.findall(r"^```py\n(.*?)^```$", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    source = inspect.getsource(creation)
    begin = source.index('@op("Fill"')
    assert shown == [source[begin : source.index("@reported_as_call", begin)].rstrip() + "\n"]


def test_the_declaration_takes_about_30_lines() -> None:
    program = run_blocks.programs(DOCUMENT.read_text("utf-8"))[0]
    declaration = program[program.index("@op") :]
    assert len([line for line in declaration.splitlines() if line.strip()]) <= 30


def test_the_op_runs_and_infers_named_shapes(interleave: Any) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, ["n", None], name="x")
        y = interleave(x, x + 100, name="y")
        assert (y.name, y.op.type, y.dtype) == ("y:0", TYPE, tf.int32)
        assert str(y.shape) == "(2*n, ?)"
        assert y.shape[0] == tf.Dimension("n") * 2
        assert y.op.origin.file == __file__
        with tf.Session() as session:
            assert session.run(y, {x: [[1, 2], [3, 4]]}).tolist() == [[1, 2], [101, 102], [3, 4], [103, 104]]


def test_a_wrong_call_is_told_with_operands_and_caret_and_adds_nothing(interleave: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(np.zeros((4, 2), "f4"), name="x")
        with pytest.raises(tf.errors.ShapeError) as caught:
            interleave(x, np.zeros((4, 3), "f4"))
        lines = str(caught.value).splitlines()
        assert "Dimension 1 in both shapes must be equal, but are 2 and 3" in lines[0]
        operand, caret = lines[3], lines[4]
        assert operand[caret.index("^") :].startswith("3)")
        with pytest.raises(tf.errors.ShapeError, match=r"Use tf\.pack"):
            interleave(1.0, 2.0)
        with pytest.raises(tf.errors.DTypeError):
            interleave(x, tf.constant(np.zeros((4, 2), "i4"), name="z"))
        assert [op.name for op in graph.get_operations()] == ["x", "z"]


def test_its_gradient_equals_differences_and_is_built_where_it_is_asked_for(interleave: Any) -> None:
    rng = np.random.default_rng(0)
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float64, ["n", 2], name=name) for name in "xy")
        both = tf.square(interleave(tf.sin(x), y))
        for slope in slopes([both], [x, y], {x: rng.normal(size=(3, 2)), y: rng.normal(size=(3, 2))}):
            assert slope.symbolic is not None
            assert np.allclose(slope.symbolic, slope.numeric, rtol=slope.tolerance)
        assert "g[1::2]" in str(tf.explain_gradient(both, y))
        before = len(graph)
        (of_y,) = tf.gradients(both, y)
        assert isinstance(of_y, tf.Tensor) and str(of_y.shape) == "(n, 2)"
        made = [op.type for op in graph.get_operations()[before:]]
        assert made.count("StridedSlice") == 1


def test_an_extension_that_says_nothing_of_its_gradient_is_told_what_to_write(
    interleave: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interleave, "gradient_rule", None)
    monkeypatch.setattr(interleave, "gradient_words", "")
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0])
        both = interleave(x, x)
        before = len(graph)
        with pytest.raises(LookupError, match=r"@interleave\.gradient"):
            tf.gradients(both, x)
        assert len(graph) == before
        interleave.no_gradient("it is an example")
        assert tf.gradients(both, x) == [None]
        assert "it is an example" in str(tf.explain_gradient(both, x))


@pytest.mark.parametrize("name", generic_tests())
def test_the_op_keeps_what_every_op_promises(interleave: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(USERS_OPS, TYPE, interleave)
    check = getattr(generic, name).check
    check(TYPE, *[EVERY] * (len(inspect.signature(check).parameters) - 1))


def test_a_type_can_be_declared_only_once(interleave: Any) -> None:
    with pytest.raises(ValueError, match="'Interleave' is declared already"):

        @extend.op(TYPE)
        def again(x: extend.T, name: str | None = None) -> extend.Tensor:  # type: ignore[empty-body]  # as all ops
            """Refused."""


def test_the_door_lists_exactly_what_it_offers() -> None:
    # pytest adds names such as "@py_builtins" to modules that it looks for doctests in.
    offered = {name for name in vars(extend) if name.isidentifier() and not name.startswith("_")}
    assert offered == {name for name in vars(extend) if not name.startswith("_")}
