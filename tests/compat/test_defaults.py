"""Arguments that a call of `compat.v1` leaves out are what they are in TensorFlow; `REASONS` has the others."""

from __future__ import annotations

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import penstock.compat.v1 as tf

from ..golden_extra.record_defaults import defaults_of

RECORDED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "golden_extra" / "defaults.json").read_text("utf-8")
)
REASONS = {
    "*decode_image(channels)": "0 is said for None, as in decode_jpeg",
    "nn.lrn(*)": "None stands for the same number: a call may use either of two names",
    "nn.local_response_normalization(*)": "None stands for the same number: a call may use either of two names",
    "nn.softmax_cross_entropy_with_logits(dim)": "None stands for -1: `axis` is its other name",
    "one_hot(axis)": "-1 is said for None",
    "scatter_*(use_locking)": "it makes no difference",
}


def test_what_a_call_leaves_out_is_what_it_is_in_tensorflow() -> None:
    ours = dict(defaults_of(tf))
    both = [(name, p) for name, plain in RECORDED.items() for p in plain if p in ours.get(name, {})]
    assert len(both) > 1000
    other = {}
    for name, parameter in both:
        one, recorded = ours[name][parameter], RECORDED[name][parameter]
        # 1 and 1.0 are one number, 1 and True are not
        if one != recorded or isinstance(one, bool) != isinstance(recorded, bool):
            other[f"{name}({parameter})"] = (one, recorded)
    assert {key: found for key, found in other.items() if not any(fnmatch(key, reason) for reason in REASONS)} == {}
    assert [reason for reason in REASONS if not any(fnmatch(key, reason) for key in other)] == []
