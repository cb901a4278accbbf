"""ONNX's own test suite, run through the backend.

    python -m tests.interchange.onnx.node_suite            compares with suite.json
    python -m tests.interchange.onnx.node_suite --write    records what fails, with the reasons below

The package onnx is needed. Models that the suite would download are left out.
"""

from __future__ import annotations

import json
import sys
import unittest
import warnings
from pathlib import Path
from typing import Any

from penstock.interchange.onnx import backend

RECORD = Path(__file__).with_name("suite.json")
REASONS = {
    "image_decoder": "images are decoded by tf.image.decode_png and its like, whose formats and rounding differ",
    "bernoulli": "random numbers: the suite expects those of NumPy's generator",
    "training_dropout": "random numbers: the suite expects those of NumPy's generator",
    "dft_inverse": "the suite expects the rounding error of its own computation, 1.9e-07, where 0 is exact",
    "attention_4d_causal_fp16": "float16: two of 192 values differ in the last bit",
    "loop16_seq_none": "the suite cannot compare a result that is a sequence within an optional value",
    "regex_full_match": "patterns are plain text with at most one .* here",
    "string_split_maxsplit": "strings are split as often as they can be here",
    "strnorm": "the case of letters is neither changed nor ignored here: it depends on a locale",
}
"""Why tests fail, by what their names contain."""


def reason_of(name: str) -> str:
    """Why a test fails; "" if that is not known."""
    return next((reason for part, reason in REASONS.items() if part in name), "")


def run_suite() -> tuple[dict[str, list[int]], dict[str, str]]:
    """For each kind of test how many pass, of how many; and what each other one said."""
    import onnx.backend.base
    import onnx.backend.test.runner as runner

    class Backend(onnx.backend.base.Backend):  # type: ignore[misc]  # the package ships no types here
        prepare = staticmethod(backend.prepare)
        run_model = staticmethod(backend.run_model)
        run_node = staticmethod(backend.run_node)
        supports_device = staticmethod(backend.supports_device)
        is_compatible = staticmethod(backend.is_compatible)

    suite = runner.Runner(Backend, "suite")
    counts: dict[str, list[int]] = {}
    failing: dict[str, str] = {}
    for kind, items in suite._test_items.items():
        if kind == "OnnxBackendRealModelTest" or kind.startswith("Real"):
            continue  # downloads
        own = counts.setdefault(kind, [0, 0])
        for name, item in sorted(items.items()):
            if not name.endswith("_cpu"):
                continue
            own[1] += 1
            try:
                _run(item, suite)
                own[0] += 1
            except unittest.SkipTest as skipped:
                failing[name] = f"skipped: {skipped}"
            except Exception as error:
                failing[name] = f"{type(error).__name__}: {str(error).strip()[:200]}"
    return counts, failing


def _run(item: Any, suite: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        item.func(suite)


def main() -> int:
    """Run the suite; 1 if it gives something else than what is recorded."""
    counts, failing = run_suite()
    print(counts)
    unexplained = {name: what for name, what in failing.items() if not reason_of(name)}
    for name, what in unexplained.items():
        print(name, what)
    if sys.argv[1:] == ["--write"]:
        data = {"passed": counts, "failing": {name: reason_of(name) for name in sorted(failing)}}
        RECORD.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
        return bool(unexplained)
    recorded = json.loads(RECORD.read_text("utf-8"))
    for name in sorted(failing.keys() ^ recorded["failing"].keys()):
        print(f"{name}: {failing.get(name, 'passes')}; recorded: {recorded['failing'].get(name, 'passes')}")
    return bool(failing.keys() != recorded["failing"].keys() or counts != recorded["passed"])


if __name__ == "__main__":
    sys.exit(main())
