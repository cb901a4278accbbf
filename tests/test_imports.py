"""`import penstock` imports NumPy and ml_dtypes; everything else waits for its first use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAZY = ("networkx", "cupy", "cupyx", "llvmlite", "dask", "onnx", "matplotlib", "xml.etree.ElementTree", "unittest",
        "absl", "logging", "argparse", "threadpoolctl")  # fmt: skip


def modules_after(code: str, *flags: str) -> set[str]:
    """The modules a fresh interpreter has loaded after running `code`."""
    tail = "\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, *flags, "-c", code + tail]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """The modules that `import penstock` loads, warnings being errors."""
    return modules_after("import penstock", "-W", "error")


@pytest.mark.parametrize("name", LAZY)
def test_importing_the_package_does_not_import_what_is_used_later(imported: set[str], name: str) -> None:
    assert name not in imported


def test_of_other_packages_only_numpy_and_ml_dtypes_are_imported(imported: set[str]) -> None:
    others = modules_after("import numpy, ml_dtypes", "-W", "error")
    tops = {name.partition(".")[0] for name in imported - others}
    assert {top for top in tops if top not in sys.stdlib_module_names} <= {"penstock", "numpy"}


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
