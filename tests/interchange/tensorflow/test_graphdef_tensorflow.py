"""The real TensorFlow imports our GraphDefs and computes the same values.

Every op's samples become a graph each; the demo and a few whole programs come on top. TensorFlow runs in an interpreter
of its own: PENSTOCK_TF_PYTHON names one that has it. `docs/verified.md` records the last run.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes  # so that bfloat16 arrays can be unpickled by name
import numpy as np
import pytest

import penstock as tf
from penstock.cli import demo
from penstock.errors import GraphFormatError
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.nodes import Tensor
from penstock.interchange.tensorflow import read_graphdef, write_graphdef
from penstock.interchange.tensorflow.rules.arithmetic_rules import ARITHMETIC_WRITTEN
from penstock.interchange.tensorflow.rules.direct_rules import form_of
from penstock.interchange.tensorflow.rules.index_rules import INDEX_WRITTEN
from penstock.interchange.tensorflow.rules.movement_rules import MOVEMENT_WRITTEN
from tests.graph.serial.programs import program
from tests.interchange.tensorflow.flow_programs import PROGRAMS, built

PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")

SPECIAL = {**ARITHMETIC_WRITTEN, **INDEX_WRITTEN, **MOVEMENT_WRITTEN}

# Where the two systems differ by design or by a limit of TensorFlow's kernels, none of it in the GraphDef.
KNOWN = {
    "ArgSort.4": "NaN has a place in the order here, none in TensorFlow",
    "Conv2D.7": "TensorFlow's oneDNN kernels give the shape of the input for no images",
    "Conv2DBackpropFilter.3": "TensorFlow's gradients have no dilations on a CPU",
    "Conv2DBackpropInput.3": "the same",
    "Conv3D.3": "as Conv2D.7",
    "DepthwiseConv2dNative.5": "as Conv2D.7",
    "DepthwiseConv2dNativeBackpropFilter.3": "as Conv2DBackpropFilter.3",
    "DepthwiseConv2dNativeBackpropInput.3": "as Conv2DBackpropFilter.3",
    "Cast.1": "floats out of range become the nearest int here, anything in TensorFlow",
    "LinSpace.2": "TensorFlow wants at least one number",
    "Multiplex.2": "TensorFlow's GatherNd takes no empty rows",
    "Reverse.2": "TensorFlow's Reverse takes no tensor without rows",
    "SearchSorted.4": "as ArgSort",
    "Sort.4": "as ArgSort",
    "TopKV2.4": "as ArgSort",
}
# TensorFlow has no kernel for these dtypes, or its op does not list them: the graph is right, no machine there runs it.
NO_KERNEL = ("No OpKernel was registered", "not in the list of allowed values", "not in list of allowed values",
             "No registered", "Could not find device")  # fmt: skip


@dataclass
class Case:
    """A graph, its feeds by tensor name, and what to fetch; after the run, what TensorFlow answered."""

    graph: tf.Graph
    fetches: list[str]
    feeds: dict[str, Any] = field(default_factory=dict)
    answer: Any = None


def sample_cases() -> Iterator[tuple[str, Case]]:
    """One case for each sample of each op that has a GraphDef form."""
    for type, opdef in sorted(OPS.items()):
        if (form_of(type) is None and type not in SPECIAL) or opdef.sample_rule is None or opdef.facts.must_feed:
            continue
        for number, each in enumerate(opdef.sample_rule(np.random.default_rng(1))):
            with tf.Graph().as_default() as graph:
                made = opdef(*each.args, **each.kwargs)
                outputs = made if isinstance(made, (list, tuple)) else [made]
            if all(isinstance(t, Tensor) for t in outputs) and outputs:
                yield f"{type}.{number}", Case(graph, [t.name for t in outputs])


def program_cases() -> Iterator[tuple[str, Case]]:
    """Whole programs, with feeds."""
    table = demo.read_table()
    job = demo.build(table.columns, table.names)
    feeds = {job.cells.name: np.array(table.cells, object), job.species.name: np.array(table.species, np.int32)}
    yield "demo", Case(job.graph, [t.name for t in job.fetches.values()], feeds)
    yield "program", Case(*program())
    for name in PROGRAMS:
        yield f"flow {name}", Case(*built(name))


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    """All cases with TensorFlow's answers: one process for all of them."""
    folder = tmp_path_factory.mktemp("graphdefs")
    cases = dict(sample_cases()) | dict(program_cases())
    for name in list(cases):
        try:
            content = write_graphdef(cases[name].graph)
        except GraphFormatError:
            del cases[name]  # the writer refuses by name and reason; test_graphdef has these
            continue
        base = folder / f"{name}.x"
        base.with_suffix(".pb").write_bytes(content)
        base.with_suffix(".pbtxt").write_bytes(write_graphdef(cases[name].graph, text=True))
        base.with_suffix(".json").write_text(json.dumps({"fetches": cases[name].fetches}))
        base.with_suffix(".feeds").write_bytes(pickle.dumps(cases[name].feeds))
    script = Path(__file__).with_name("tensorflow_side.py")
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("PYTHONPATH", None)
    command = [PYTHON, str(script), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    for name, case in cases.items():
        case.answer = pickle.loads((folder / f"{name}.out.pickle").read_bytes())
        case.graph.add_to_collection("theirs", (folder / f"{name}.theirs.pb").read_bytes())
        case.graph.add_to_collection("theirs", (folder / f"{name}.theirs.pbtxt").read_bytes())
    return cases


def ours(case: Case) -> Any:
    with tf.Session(graph=case.graph) as session:
        return session.run(case.fetches, case.feeds)


def difference(name: str, mine: Any, theirs: Any) -> str | None:
    """How two results differ beyond the rounding of their dtype; None if they do not."""
    for a, b in zip(mine, theirs, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape or (a.dtype != b.dtype and a.dtype.kind not in "OS"):
            return f"{name}: {a.dtype} {a.shape} here, {b.dtype} {b.shape} in TensorFlow"
        if a.dtype.kind in "OS":
            if a.tolist() != b.tolist():
                return f"{name}: {a.tolist()} here, {b.tolist()} in TensorFlow"
            continue
        exact = a.dtype.kind in "iub"
        digits = 0.0 if exact else 2e-2 if a.dtype.itemsize == 2 else 2e-5 if a.dtype.itemsize in (4, 8) else 1e-9
        wide = a.dtype if a.dtype.kind in "iubc" else np.dtype(np.float64)
        if not np.allclose(a.astype(wide), b.astype(wide), rtol=digits, atol=digits, equal_nan=not exact):
            return f"{name}: {a.reshape(-1)[:4]} here, {b.reshape(-1)[:4]} in TensorFlow"
    return None


def test_tensorflow_imports_and_computes_the_same_values(answered: dict[str, Case]) -> None:
    wrong: list[str] = []
    refused: list[str] = []
    equal: list[str] = []
    for name, case in answered.items():
        if name in KNOWN:
            continue
        if isinstance(case.answer, str):
            if not any(text in case.answer for text in NO_KERNEL):
                refused.append(f"{name}: {case.answer[:300]}")
            continue
        found = difference(name, ours(case), case.answer)
        (equal if found is None else wrong).append(found or name)
    assert not wrong and not refused, "\n".join([f"{len(equal)} of {len(answered)} equal", *wrong, *refused])
    assert len(equal) > 0.7 * len(answered)
    print(len(equal), "of", len(answered), "equal")


OF_FILES = ("MergeV2Checkpoints", "RestoreV2", "SaveSlices", "SaveV2")
"""They need files: tests/train/test_meta_graph.py lets TensorFlow run them."""


def test_every_op_of_the_table_was_run_by_tensorflow_at_least_once(answered: dict[str, Case]) -> None:
    assert KNOWN.keys() <= answered.keys()
    run = {op.type for case in answered.values() if not isinstance(case.answer, str)
           for op in case.graph.get_operations()}  # fmt: skip
    written = {type for type in OPS if form_of(type)} | set(SPECIAL)
    assert written - run - {"NoOp", "MaxPoolGradGradWithArgmax", *OF_FILES} == set()


def test_what_tensorflow_writes_is_read_here(answered: dict[str, Case]) -> None:
    assert ml_dtypes.bfloat16 is not None
    for name, case in answered.items():
        binary, text = case.graph.get_collection("theirs")
        for loaded in (read_graphdef(binary), read_graphdef(text, text=True)):
            assert loaded.missing == {}, f"{name}: {loaded.reasons}"
            if isinstance(case.answer, str):
                continue
            again = Case(loaded.graph, case.fetches, case.feeds)
            assert difference(name, ours(case), ours(again)) is None
