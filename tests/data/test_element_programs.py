"""Datasets that choose, group, pad or count elements give what TensorFlow 2.21's compat.v1 gave when recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock.compat import v1

from .element_programs import PROGRAMS
from .guide_programs import results

RECORDED = json.loads(Path(__file__).with_name("element_programs.json").read_text())


def test_every_program_is_recorded_and_none_failed() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
    assert not [name for name, result in RECORDED.items() if isinstance(result, str) and "Error:" in result]


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_what_tensorflow_gives(name: str) -> None:
    assert json.loads(json.dumps(results(v1, [name], PROGRAMS)))[name] == RECORDED[name]
