"""Planted faults can still be planted; whether the tests find them is seen by `python -m tests.faults`."""

import ast

from ..helpers import every_case
from .every_fault import FAULTS
from .planted_fault import ROOT, Fault

EVERY = [fault for each in FAULTS.values() for fault in each]


@every_case("fault", EVERY)
def test_each_can_be_planted(fault: Fault) -> None:
    text = fault.planted()
    assert fault.old != fault.new
    if fault.file.endswith(".py"):
        ast.parse(text)
    for path in fault.tests:
        assert (ROOT / path).exists(), path


def test_each_has_words_of_its_own() -> None:
    words = [fault.what for fault in EVERY]
    assert len(set(words)) == len(words)
