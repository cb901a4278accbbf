"""Files, texts, assertions and unit tests do what TensorFlow was recorded doing, in both namespaces."""

import unittest
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
import penstock.compat.v1 as v1

from .golden_cases import EXTRA, read
from .golden_extra.helper_programs import GROUPS, outcome

RECORDED = read(EXTRA / "helpers.json")

EXCEPTIONS: dict[str, str] = {}
"""Calls that do something else, with the reason."""


@pytest.mark.parametrize("module", [tf, v1], ids=["penstock", "v1"])
@pytest.mark.parametrize("group", GROUPS)
def test_helpers_do_what_was_recorded(group: str, module: Any, tmp_path: Path) -> None:
    lines = []
    assert [label for label, _ in GROUPS[group]] == list(RECORDED[group])
    for i, (label, call) in enumerate(GROUPS[group]):
        folder = tmp_path / str(i)
        folder.mkdir()
        found, wanted = outcome(module, call, str(folder)), RECORDED[group][label]
        is_same = found == wanted or ("errors" in wanted and set(wanted["errors"]) <= set(found.get("errors", ())))
        if is_same == (label in EXCEPTIONS):
            lines.append(f"{label}: {found}, recorded: {wanted}")
    assert not lines, "\n".join(lines)


def test_setting_up_again_in_a_block_of_the_test_leaves_nothing_behind() -> None:
    class Twice(tf.test.TestCase):
        def test_once(self) -> None:
            with tf.Graph().as_default():
                self.setUp()
                tf.constant(1)

        def test_then(self) -> None:
            self.assertEqual(tf.get_default_graph().get_operations(), [])

    report = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Twice).run(report)
    assert report.testsRun == 2 and report.wasSuccessful(), report.errors
