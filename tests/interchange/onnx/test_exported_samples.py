"""Every sample of every op is written as ONNX as it was when onnxruntime agreed, and is read back with equal values."""

from __future__ import annotations

import json

import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.interchange.onnx import backend
from tests.helpers import nightly
from tests.interchange.onnx.exported_samples import DIFFERS, RANDOM, RECORD, agree, digest, exported, sampled

NOT_READ_BACK = {
    "Conv2DBackpropFilter-7": "a convolution without channels is an error here",
    "Conv3DBackpropFilterV2-3": "a convolution without channels is an error here",
    "DepthwiseConv2dNativeBackpropFilter-5": "a convolution without channels is an error here",
    "Conv3DBackpropInputV2-2": "the gradient of a dilated convolution of volumes does not exist here",
    "DynamicStitch-2": "to place nothing in nothing is an error here",
    "ParallelDynamicStitch-2": "to place nothing in nothing is an error here",
}
"""Samples whose model other programs run, and why it is an error here; all but one are of empty arrays."""


@pytest.mark.parametrize("every", [8, *nightly([1])])
def test_samples_are_written_as_they_were_when_another_program_agreed_and_are_read_back_with_equal_values(
    every: int,
) -> None:
    record = json.loads(RECORD.read_text("utf-8"))
    digests: dict[str, str] = {}
    wrong: dict[str, str] = {}
    tried = list(sampled())[::every]
    names = set(map(str, tried))
    for call in tried:
        try:
            content, feeds, want = exported(call)
        except GraphFormatError:
            continue
        digests[str(call)] = digest(content)
        if call.op.type in RANDOM:
            continue
        try:
            got = backend.prepare(content).run(feeds)
            if not all(map(agree, got, want)):
                wrong[str(call)] = "other values"
        except (GraphFormatError, tf.errors.OpError) as error:
            wrong[str(call)] = str(error)
    recorded = record.keys() & names if every > 1 else record.keys()
    changed = sorted(name for name in recorded if digests.get(name) != record[name][1])
    assert changed == [], "run python -m tests.interchange.onnx.exported_samples where onnxruntime is installed"
    assert digests.keys() - recorded == DIFFERS.keys() & names
    assert wrong.keys() == NOT_READ_BACK.keys() & names, wrong
