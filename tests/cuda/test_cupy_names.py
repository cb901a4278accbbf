"""What the package asks of CuPy is there: names, parameters, and the names of what the played CuPy has itself."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock
from penstock.runtime.backends import find_backend, missing_reason

from . import record_cupy_names
from .cupy_names import RECORD, check_call
from .fake_cupy import FakeCupy, FakeGpu, Graph, Stream, _Cuda

MODULES = {"xp": "cupy", "cupy": "cupy", "_cupy": "cupy", "cuda": "cuda", "runtime": "runtime"}
"""What the package calls an array module and its parts."""


def _name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def test_every_name_that_backends_and_kernels_of_a_gpu_ask_for_is_cupys() -> None:
    root, asked = Path(penstock.__file__).parent / "runtime", 0
    for path in [*(root / "cuda").glob("*.py"), *(root / "backends").glob("cupy*.py"), root / "backends/devices.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Attribute):
                continue
            owner = MODULES.get(_name_of(node.value))
            if owner is not None and not node.attr.startswith("__") and (owner, node.attr) != ("cupy", "_cupy"):
                asked += 1
                assert node.attr in RECORD[owner], f"{path.name}, line {node.lineno}: {owner}.{node.attr}"
    assert asked > 60


def test_the_played_cupy_has_nothing_that_cupy_has_not() -> None:
    own = [(Stream, "Stream"), (Graph, "Graph"), (_Cuda, "cuda"), (FakeCupy, "cupy")]
    for thing, owner in own:
        names = {name for name in vars(thing) if not name.startswith("_")}
        assert names <= set(RECORD[owner]), owner


def test_names_and_parameters_that_cupy_lacks_are_refused() -> None:
    xp = FakeCupy()
    for name in ("frompyfunc", "nditer", "char"):
        assert hasattr(np, name)
        with pytest.raises(AttributeError, match=f"cupy has no attribute '{name}'"):
            getattr(xp, name)
    x = xp.asarray(np.arange(3))
    with pytest.raises(AttributeError, match="ndarray has no attribute 'resize'"):
        x.resize()
    with pytest.raises(TypeError, match="stable"):
        xp.argsort(x, stable=True)


@pytest.mark.gpu
def test_the_record_is_that_of_the_cupy_that_is_installed() -> None:
    gpu = find_backend("gpu")
    if gpu is None:
        pytest.skip(missing_reason("gpu"))
    missing = {name for name in RECORD["cupy"] if not hasattr(gpu.xp, name)}
    assert not missing
    names: Any = record_cupy_names.names_of(gpu.xp.ndarray)
    assert set(RECORD["ndarray"]) <= set(names)


def test_a_call_as_cupys_signature_has_it_is_taken() -> None:
    check_call("cupy", "argsort", (1,), {"kind": "stable"})
    assert FakeGpu.xp.argsort(FakeGpu.xp.asarray(np.array([2, 1])), kind="stable").tolist() == [1, 0]
