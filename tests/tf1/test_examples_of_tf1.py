"""The programs of examples/tf1 run unchanged and print what TensorFlow 2.21 was recorded printing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from penstock.tf1.checked_programs import check_programs

from ..helpers import some_nightly
from ..warm_python import ROOT
from .programs import run_tf1

FOLDER = ROOT / "examples" / "tf1"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
RECORDED: dict[str, list[str]] = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))
NOT_RECORDED = {
    "char_rnn": [
        "step 0 loss 2.6", "final loss is below 1.5: True", "sample of 24 characters",
    ],
    "seq2seq_attention": [
        "first loss is about log(10): True", "last loss is below half of it: True",
        "decoded 32 sequences of at most 5",
    ],
}  # fmt: skip
"""Those that need tf.contrib or a recurrent cell, which TensorFlow 2.21 does not have."""
NUMBER = re.compile(r"-?\d+\.\d+")
ERAS = {"autoencoder": "0", "kmeans": "0", "softmax_regression": "0"}


def test_there_are_twelve() -> None:
    assert len(PROGRAMS) == 12 and set(PROGRAMS) == {*RECORDED, *NOT_RECORDED}


@pytest.mark.parametrize("name", some_nightly(PROGRAMS, {*PROGRAMS} - {"seq2seq_attention"}))
def test_a_program_prints_what_was_recorded(name: str, tmp_path: Path) -> None:
    run = run_tf1(tmp_path, str(FOLDER / f"{name}.py"))
    assert run.returncode == 0 and run.stderr == "", run.stderr
    if name in NOT_RECORDED:
        assert all(words in run.stdout for words in NOT_RECORDED[name]), run.stdout
        return
    lines = run.stdout.splitlines()
    assert [NUMBER.sub("#", line) for line in lines] == [NUMBER.sub("#", line) for line in RECORDED[name]]
    for line, wanted in zip(lines, RECORDED[name], strict=True):
        pairs = zip(NUMBER.findall(line), NUMBER.findall(wanted), strict=True)
        assert all(float(got) == pytest.approx(float(want), rel=1e-3, abs=1e-4) for got, want in pairs), (line, wanted)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_check_says_that_all_is_here(name: str) -> None:
    (text,), code = check_programs([str(FOLDER / f"{name}.py")], None)
    assert code == 0 and f"names are here; TensorFlow {ERAS.get(name, '1')}.x" in text, text
