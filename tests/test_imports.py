"""`import penstock` imports NumPy and ml_dtypes; everything else waits for its first use."""

import ast
import gc
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.graph.common import lazy_import
from penstock.graph.common.lazy_import import LATER

from .helpers import in_thread, nightly
from .warm_python import run_fresh

ROOT = Path(__file__).resolve().parents[1]
LAZY = ("networkx", "cupy", "cupyx", "llvmlite", "dask", "onnx", "matplotlib", "xml.etree.ElementTree", "unittest",
        "absl", "logging", "argparse", "threadpoolctl")  # fmt: skip


TELL_MODULES = "\nimport sys, json; print(json.dumps(sorted(sys.modules)))\n"


def modules_told(done: subprocess.CompletedProcess[str]) -> list[set[str]]:
    """The modules that a program had loaded wherever it told them."""
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [set(json.loads(line)) for line in done.stdout.splitlines()]


def modules_after(code: str) -> set[str]:
    """The modules that are loaded after running `code`, where nothing but `import penstock` was done before."""
    return modules_told(run_fresh(code + TELL_MODULES))[-1]


def modules_of_python(code: str) -> list[set[str]]:
    """The modules that a new Python tells, warnings being errors."""
    command = [sys.executable, "-W", "error", "-c", code]
    return modules_told(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False))


@pytest.fixture(scope="module")
def imports() -> list[set[str]]:
    """The modules that are loaded after `import numpy, ml_dtypes`, and after `import penstock` behind it."""
    return modules_of_python(f"import numpy, ml_dtypes{TELL_MODULES}import penstock{TELL_MODULES}")


@pytest.fixture(scope="module")
def imported(imports: list[set[str]]) -> set[str]:
    """The modules that `import penstock` loads."""
    return imports[1]


@pytest.mark.parametrize("name", LAZY)
def test_importing_the_package_does_not_import_what_is_used_later(imported: set[str], name: str) -> None:
    assert name not in imported


def test_of_other_packages_only_numpy_and_ml_dtypes_are_imported(imports: list[set[str]]) -> None:
    tops = {name.partition(".")[0] for name in imports[1] - imports[0]}
    assert {top for top in tops if top not in sys.stdlib_module_names} <= {"penstock", "numpy"}


def test_the_package_imports_few_modules_of_its_own(imported: set[str]) -> None:
    own = {name for name in imported if name.partition(".")[0] == "penstock"}
    folders = {name for name in own if (ROOT / name.replace(".", "/") / "__init__.py").exists()}
    assert len(own - folders) <= 200  # a folder's own module is a docstring
    assert not {name for name in own if name.startswith(("penstock.runtime", "penstock.interchange"))}


TRAINING = """
import penstock.compat.v1 as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)[:, 0] - 1.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 10, 0.9)
"""


def test_a_program_that_trains_does_not_import_files_queues_and_every_op() -> None:
    both = run_fresh(f"{TRAINING}{TELL_MODULES}saver = tf.train.Saver(){TELL_MODULES}")
    found, saved = modules_told(both)
    below = ("penstock.interchange", "penstock.queues", "penstock.runtime", "penstock.summary", "penstock.data")
    assert not {name for name in found if name.startswith((*below, "penstock.train.checkpoints", "penstock.every_op"))}
    assert "penstock.train.checkpoints.saver" in saved


EVERY_OP = """
import penstock, penstock.every_op
from penstock.graph.declare.op_declaration import OPS
print(*OPS)
"""


def test_a_file_may_hold_any_op_that_a_module_of_ops_declares() -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / "penstock" / "ops").rglob("*.py")]
    said = {name for text in texts for name in re.findall(r"(?<![\w.])op\(\s*[\"'](\w+)[\"']", text)}
    assert len(said) > 300
    assert said - set(run_fresh(EVERY_OP).stdout.split()) == set()


def test_the_stub_of_tf_train_has_what_it_imports_later() -> None:
    tree = ast.parse((ROOT / "penstock" / "train" / "__init__.pyi").read_text("utf-8"))
    lines = {each.name for line in tree.body if isinstance(line, ast.ImportFrom) for each in line.names}
    functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    import penstock

    names = set(LATER[penstock.train.__name__])
    assert names <= lines | functions and names <= set(dir(penstock.train))
    for name in names:
        assert getattr(penstock.train, name).__name__


def test_names_that_are_imported_later_are_found_without_the_main_module_and_by_import_lines() -> None:
    modules_after("from penstock.train import Saver, batch\nassert Saver.__name__ == 'Saver'")
    modules_after("""
import penstock.train
try:
    penstock.train.Sever
except AttributeError as error:
    assert str(error) == "module 'penstock.train' has no attribute 'Sever'"
else:
    raise AssertionError("found")
""")


def test_the_collector_waits_while_a_module_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(lazy_import, "import_module", lambda name: seen.append(gc.isenabled()))
    monkeypatch.setattr(lazy_import, "_loaded", set())
    assert gc.isenabled()
    lazy_import.load("penstock.math")
    in_thread(lambda: lazy_import.load("penstock.nn"))
    assert seen == [False, False] and gc.isenabled()
    gc.disable()
    try:
        lazy_import.load("penstock.strings")
        assert seen == [False, False, False] and not gc.isenabled()
    finally:
        gc.enable()


def test_an_op_that_is_not_imported_yet_is_found_by_its_name(tmp_path: Path) -> None:
    save = f"""
import penstock as tf
y = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop")
tf.save_graph(tf.get_default_graph(), {str(tmp_path / "loop.json")!r})
"""
    assert run_fresh(save).returncode == 0
    load = """
import sys
import penstock as tf
from penstock.extend import find_op
assert "penstock.ops.control.while_op" not in sys.modules
"""
    by_name = load + "assert find_op('While').type == 'While'"
    by_file = load + f"""
graph = tf.load_graph({str(tmp_path / "loop.json")!r})
with tf.Session(graph=graph) as session:
    assert session.run([op for op in graph.get_operations() if op.type == "While"][0].outputs[0]) == 3
"""
    declared = load + """
from penstock.extend import Float, op
try:
    op("While")(exec("def f(x: Float, name=None): pass", globals()) or f)
except ValueError as error:
    assert "'While' is declared already" in str(error)
else:
    raise AssertionError("declared twice")
"""
    for code in (by_name, by_file, declared):
        assert "penstock.ops.control.while_op" in modules_after(code)


def test_every_name_can_be_imported_from_a_fresh_package() -> None:
    code = """
from penstock import *
import penstock
assert all(hasattr(penstock, name) for name in dir(penstock)), dir(penstock)
from penstock.compat import v1
assert all(hasattr(v1, name) for name in dir(v1))
assert Session is penstock.Session is v1.Session and gradients is v1.gradients
from builtins import print
"""
    modules_after(code)


def test_building_and_running_need_nothing_more() -> None:
    code = """
import penstock as tf
x = tf.placeholder(tf.float32, ["n"])
with tf.Session() as session:
    session.run(tf.reduce_sum(tf.square(x) + 1.0), {x: [1.0, 2.0]})
tf.get_default_graph().summary()
"""
    assert not modules_after(code) & {"networkx", "cupy", "cupyx"}


def test_networkx_comes_with_the_first_view_of_a_graph() -> None:
    assert "networkx" in modules_after("import penstock as tf; tf.Graph().to_networkx()")


def test_the_tests_and_their_helpers_are_not_imported_by_the_package(imported: set[str]) -> None:
    assert not {name for name in imported if name.startswith(("tests", "pytest", "hypothesis"))}
    assert "penstock.compat.v1" not in imported


VARIABLES = sorted({
    name for path in (ROOT / "penstock").rglob("*.py")
    for name in re.findall(r"\bPENSTOCK_[A-Z_]+", path.read_text(encoding="utf-8"))
})  # fmt: skip
REFUSING = "PENSTOCK_JIT"
"""A word that is none of its words is refused."""


@pytest.mark.parametrize("variables", [
    [REFUSING], [each for each in VARIABLES if each != REFUSING], *nightly([[each] for each in VARIABLES])
], ids=" ".join)  # fmt: skip
def test_every_variable_of_the_environment_may_be_set_before_the_import(variables: list[str], tmp_path: Path) -> None:
    code = "import penstock as tf; print(tf.Session().run(tf.constant(1.0) + 1.0))"
    environment = os.environ | {each: str(tmp_path / f"{each}.txt") for each in variables}
    environment |= {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    if variables == [REFUSING] and done.returncode:
        assert REFUSING in done.stderr
        return
    assert (done.returncode, done.stdout) == (0, "2.0\n"), done.stderr
