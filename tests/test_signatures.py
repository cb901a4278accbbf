"""Signatures and docstrings of public names as `help`, editors and type checkers show them; what `dir` lists."""

from __future__ import annotations

import ast
import inspect
import json
import os
import pydoc
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import penstock as tf
from penstock.compat import v1
from penstock.graph.declare.op_declaration import OpDef

from .helpers import COMPILED
from .test_public_docstrings import PUBLIC, Public
from .warm_python import run_fresh, run_warm

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "MYPYPATH": str(ROOT)}
OPS = {
    name: value
    for module in (tf, tf.nn)
    for name in module.__all__
    if isinstance(value := getattr(module, name), OpDef)
}


STUBS = ("api_common", "api_0x", "imported_later", "nn_common")


def stubs() -> dict[str, ast.FunctionDef]:
    """The functions of the stubs."""
    texts = [(ROOT / "penstock" / "api" / f"{name}.pyi").read_text("utf-8") for name in STUBS]
    trees = [ast.parse(text) for text in texts]
    return {each.name: each for tree in trees for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_the_stubs_are_up_to_date() -> None:
    made = run_warm([str(ROOT / "docs" / "make_stubs.py")])
    assert made.returncode == 0, made.stdout + made.stderr


def test_every_op_is_a_function_of_a_stub_with_its_parameters_and_docstring() -> None:
    found = stubs()
    members = {name: getattr(tf, name, None) or getattr(tf.nn, name) for name in found.keys() - OPS.keys()}
    assert found.keys() >= OPS.keys() and {"assert_less", "scatter_add"} <= members.keys()
    for name, function in {**OPS, **members}.items():
        arguments = found[name].args
        assert [each.arg for each in arguments.args] == list(inspect.signature(function).parameters), name
        assert ast.get_docstring(found[name]) == (inspect.getdoc(function) or "").strip(), name


@pytest.mark.parametrize("name", ["exp", "add", "reduce_sum", "argmax", "gather", "sigmoid"])
def test_help_begins_with_the_signature_and_the_docstring(name: str) -> None:
    lines = pydoc.render_doc(getattr(tf, name), renderer=vars(pydoc)["plaintext"]).split("\n")
    assert lines[2].startswith(f"{name}(") and "TensorLike" in lines[2] and "Tensor" in lines[2].rpartition("->")[2]
    assert lines[3].strip() == (getattr(tf, name).__doc__ or "").strip().split("\n")[0]


def test_an_op_in_a_class_stays_unbound() -> None:
    class Model:
        activation: Any = OPS["relu"]

    assert Model().activation is Model.activation is OPS["relu"]


def test_an_op_prints_with_its_parameters() -> None:
    assert repr(tf.exp) == "<op exp(x, name=None)>"


def annotations_of(public: Public) -> list[str]:
    """The annotations of a function as they are written."""
    if inspect.isclass(public.object) and issubclass(public.object, (BaseException, ModuleType)):
        return []
    signature = inspect.signature(public.object)
    found = [each.annotation for each in signature.parameters.values()] + [signature.return_annotation]
    return [each if isinstance(each, str) else inspect.formatannotation(each) for each in found]


def test_no_type_in_a_public_signature_is_private() -> None:
    found = {public.path: [t for t in annotations_of(public) if re.search(r"(?<![\w.])_\w", t)] for public in PUBLIC}
    lines = [f"{path}: {text}" for path, private in found.items() for text in private]
    assert not lines, "\n".join(lines)


PROGRAM = (ROOT / "tests" / "typed_program.py").read_text("utf-8")
WRONG = (ROOT / "tests" / "wrongly_typed_calls.py").read_text("utf-8")


@pytest.mark.nightly  # 8 s, and `mypy` of the whole tree checks both files with the tests
def test_a_program_passes_mypy_and_a_wrong_call_does_not(tmp_path: Path) -> None:
    cache = str(Path(os.environ[COMPILED]) / "mypy")  # it takes what did not change from the run before
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", cache]
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(re.sub(r"  # type: ignore.*", "", WRONG))
    files = ["right.py", "wrong.py"]
    done = subprocess.run([*command, *files], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    errors = [tuple(line.split(":")[:2]) for line in done.stdout.splitlines() if "error:" in line]
    wrong = [str(number) for number, line in enumerate(WRONG.splitlines(), 1) if "# type: ignore" in line]
    assert len(wrong) == 3 and errors == [("wrong.py", number) for number in wrong], done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_a_program_passes_pyright(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(f"# pyright: strict\n{PROGRAM}")
    settings = {"extraPaths": [str(ROOT)], "reportMissingTypeStubs": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(["pyright", "right.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# ---- dir ----------------------------------------------------------------------------------------

SUBMODULES = {"app", "bitwise", "compat", "config", "contrib", "data", "debugging", "distributions", "dtypes", "errors",
              "extend", "flags", "gfile", "graph_util", "image", "initializers", "io", "layers", "linalg", "logging",
              "lookup", "losses", "manip", "math", "metrics", "nn", "python_io", "random", "rnn_cell", "saved_model",
              "seq2seq", "show", "signal", "sparse", "spectral", "strings", "summary", "test", "testing", "train",
              "v1"}  # fmt: skip


NAMESPACES = ("tf", "v1", "tf.nn", "v1.nn", "tf.errors", "tf.config", "tf.train", "tf.losses", "tf.layers", "tf.random")
READ = f"""
import json
import types
import penstock as tf
from penstock.compat import v1
modules = [eval(name) for name in {NAMESPACES!r}]
kinds = [[(name, isinstance(getattr(each, name), types.ModuleType)) for name in dir(each)] for each in modules]
print(json.dumps([kinds, [getattr(each, "__all__", []) for each in modules]]))
"""


def test_dir_lists_public_names_only() -> None:
    # As in a program, which reaches modules by their names; tests have imported what is inside of them.
    done = run_fresh(READ)
    assert done.returncode == 0, done.stderr
    kinds, listed = json.loads(done.stdout)
    for namespace, names, public in zip(NAMESPACES, kinds, listed, strict=True):
        shown = {name for name, _ in names}
        assert {name for name, is_module in names if is_module} <= SUBMODULES, namespace
        assert "annotations" not in shown, namespace
        assert {name for name in shown if name[0] == "_"} <= {"__doc__", "__version__"}, namespace
        assert set(public) <= shown, namespace


def test_dir_of_the_package_is_all_of_it_and_submodules() -> None:
    assert set(dir(tf)) - set(tf.__all__) <= SUBMODULES | {"__doc__", "__version__"}
    assert set(dir(tf)) - SUBMODULES - {"__doc__"} <= set(dir(v1))
