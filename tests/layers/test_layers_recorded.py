"""`tf.layers` does what TensorFlow was recorded doing: variables, names, outputs, gradients, updates."""

import numpy as np
import pytest

import penstock.compat.v1 as tf

from ..golden_cases import EXTRA, Json, decode, read
from ..golden_extra.layer_cases import PROGRAMS, evaluate

RECORDED = {case["name"]: case["expect"] for case in read(EXTRA / "layers.json")["cases"]}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_does_what_was_recorded(name: str) -> None:
    want: Json = RECORDED[name]
    got = evaluate(tf, name, lambda graph: tf.Session(graph=graph))
    for part in ("variables", "trainable", "updates"):
        assert got[part] == want[part]
    # Ours are parts of a scope where TensorFlow has one node of another kind.
    assert [each.split("/")[0] for each in got["names"]] == [each.split("/")[0] for each in want["names"]]
    for part in ("outputs", "gradients", "after"):
        for found, recorded in zip(got[part], want[part], strict=True):
            value = decode(recorded)
            assert found.dtype == value.dtype
            size = max(1.0, float(np.abs(value).max())) if value.size else 1.0
            assert np.allclose(found, value, rtol=1e-5, atol=1e-5 * size), part
