"""Every sample of every op as an ONNX model, and what becomes of it: written or refused, and its digest.

    python -m tests.interchange.onnx.exported_samples

runs each model in onnxruntime (or, where that has no kernel for a dtype, in the evaluator of the package `onnx`),
compares with Penstock's values, and records the digests of models that agree in exported.json.
The packages onnx and onnxruntime are needed for that; the test that uses the record needs none.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import penstock as tf
import penstock.derivatives.rule_namespace  # declares every op
from penstock.errors import GraphFormatError
from penstock.graph.common.hooks import hooks
from penstock.interchange.onnx.model_writer import DEFAULT_OPSET
from penstock.interchange.onnx.wire.onnx_messages import ModelProto
from penstock.interchange.wire.wire_format import decode, encode

hooks.declare_every_op()

from tests.op_samples import CONSTANT, USERS_OPS, Call, all_known, calls, runnable  # noqa: E402  # all ops must be declared

RECORD = Path(__file__).with_name("exported.json")
RANDOM = {"Multinomial", "RandomStandardNormal", "RandomUniform", "RandomUniformInt"}
"""Give other numbers of the same distribution: shapes and dtypes are compared."""

DIFFERS = {
    "ArgMax-4": "which element is the largest beside nan", "ArgMin-4": "which element is the smallest beside nan",
    "ArgSort-4": "where nan stands", "Sort-4": "where nan stands", "TopKV2-4": "where nan stands",
    "LRN-1": "float64: onnxruntime has no kernel, and the evaluator treats as many channels as there are images",
    "MaxPool3DGrad-4": "float64: onnxruntime has no kernel, and the evaluator cannot do groups of a ConvTranspose",
}
"""Samples whose values elsewhere differ, and why."""


def sampled() -> Iterator[Call]:
    """Every sample that runs."""
    for type in sorted(USERS_OPS):
        yield from (call for call in calls(USERS_OPS[type]) if runnable(call))


def exported(call: Call, opset: int | None = None) -> tuple[bytes, dict[str, Any], list[Any]]:
    """The model of a sample, what it is fed, and its values here.

    Operands are inputs of the model; where ONNX wants to know some before a run, those that say how the others are
    treated (axes, sizes) are constants.

    Raises:
        GraphFormatError: it has no ONNX form.
    """
    fed = all_known(call)
    try:
        return _exported(call, fed, opset)
    except GraphFormatError:
        told = {place for place, _, operand in call.op.operands if operand.host}
        return _exported(call, {at: CONSTANT if at[0] in told else shape for at, shape in fed.items()}, opset)


def _exported(call: Call, fed: Any, opset: int | None) -> tuple[bytes, dict[str, Any], list[Any]]:
    with tf.Graph().as_default() as graph:
        fetches, feeds = call.with_placeholders(fed)
        named = {f"out{i}": tensor for i, tensor in enumerate(fetches)}
        if not named:
            raise GraphFormatError("it has no results")
        content = tf.save_onnx(None, named, list(feeds), opset=opset or DEFAULT_OPSET)
        model = decode(ModelProto, memoryview(content))
        names = [info.name for info in model.graph.inputs]
        want = tf.Session(graph=graph).run(fetches, feeds)
    return content, dict(zip(names, feeds.values(), strict=True)), want


def digest(content: bytes) -> str:
    """A digest of the graph of a model."""
    model = decode(ModelProto, memoryview(content))
    return hashlib.sha256(encode(model.graph)).hexdigest()[:12]


def agree(got: Any, want: Any) -> bool:
    """Whether two arrays are equal up to rounding."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return False
    if want.dtype.kind in "OS":
        return bool(_as_text(want).tolist() == _as_text(got).tolist())
    if got.dtype != want.dtype:
        return False
    if want.dtype.kind in "biu":
        return bool((got == want).all())
    near = 1e-2 if want.dtype.itemsize == 2 else 1e-4
    if want.dtype.name == "bfloat16":
        near = 5e-2
    if want.dtype.kind == "c":
        return bool(np.allclose(got, want, near, near / 10, equal_nan=True))
    return bool(np.allclose(got.astype(np.float64), want.astype(np.float64), near, near / 10, equal_nan=True))


def run_elsewhere(content: bytes, feeds: dict[str, Any]) -> tuple[str, list[Any]]:
    """The values that onnxruntime computes, or the evaluator of the package onnx, and which of the two."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        given = {name: _as_text(np.asarray(value)) for name, value in feeds.items()}
        return "onnxruntime", session.run(None, given)
    except Exception as error:
        if "INVALID" in str(error) and "NOT_IMPLEMENTED" not in str(error) and "bfloat16" not in str(error):
            raise
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load_model_from_string(content))
    return "evaluator", evaluator.run(None, {name: np.asarray(value) for name, value in feeds.items()})


def _as_text(array: Any) -> Any:
    if array.dtype.kind not in "OSU":
        return array
    texts = [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]
    return np.array(texts, object).reshape(array.shape)


def main() -> int:
    """Run every sample elsewhere; record those that agree."""
    wrong, record = 0, {}
    ran: Counter[str] = Counter()
    reasons: dict[str, list[str]] = defaultdict(list)
    for call in sampled():
        if sys.argv[1:] and call.op.type not in sys.argv[1:]:
            continue
        try:
            content, feeds, want = exported(call)
        except GraphFormatError as error:
            ran["refused"] += 1
            reasons[str(error).splitlines()[-1].strip()[:90]].append(str(call))
            if sys.argv[1:]:
                print(call, str(error).splitlines()[-1])
            continue
        try:
            where, got = run_elsewhere(content, feeds)
            fits = call.op.type in RANDOM or all(agree(a, b) for a, b in zip(got, want, strict=True))
        except Exception as error:
            where, fits, got = "fails", False, [str(error)[:300]]
        ran[where if fits else "differs"] += 1
        if fits and str(call) not in DIFFERS:
            record[str(call)] = [where, digest(content)]
        elif str(call) not in DIFFERS:
            wrong += 1
            print(call, where, *[str(v).replace("\n", " ")[:150] for v in got])
            print("    ", *[f"{v.dtype} {v.shape}" for v in map(np.asarray, feeds.values())], "->",
                  *[str(v).replace("\n", " ")[:150] for v in want])  # fmt: skip
    for reason, names in reasons.items():
        print(len(names), reason, " ".join(names[:12]))
    print(dict(ran))
    if not sys.argv[1:]:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(record.items()))
        RECORD.write_text("{\n" + lines + "\n}\n", "utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main()))
