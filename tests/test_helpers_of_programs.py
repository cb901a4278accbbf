"""Files, texts, assertions and unit tests do what TensorFlow was recorded doing, in both namespaces."""

import unittest
import warnings
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


PASS_AND_FAIL: list[tuple[str, tuple[Any, ...], tuple[Any, ...], str]] = [
    ("assertEmpty", ([],), ([1],), r"\[1\] has no elements"),
    ("assertNotEmpty", ("a",), ({},), r"\{\} has elements"),
    ("assertLen", ([1], 1), ([1], 2), r"container \[1\] has the length expected_len 2"),
    ("assertSameElements", ([1, 2], [2, 1, 1]), ([1], [1, 2]), "have the same elements"),
    ("assertContainsSubset", ([1], {1, 2}), ([3], [1, 2]), "is a part of"),
    ("assertNoCommonElements", ([1], [2]), ([1], [1]), "no element in common"),
    ("assertSequenceStartsWith", ([1], [1, 2]), ([2], [1, 2]), "begins with"),
    ("assertContainsSubsequence", ([1, 2, 3], [1, 3]), ([1, 2, 3], [3, 1]), "in their order"),
    ("assertContainsInOrder", (["a", "c"], "abc"), (["c", "a"], "abc"), "stand in target 'abc'"),
    ("assertEndsWith", ("ab", "b"), ("ab", "a"), "ends with"),
    ("assertRegexMatch", ("ab", ["x", "b$"]), ("ab", ["x"]), "matches one of"),
    ("assertDeviceEqual", ("/cpu:0", "/device:CPU:0"), ("/cpu:0", "/gpu:0"), "are one device"),
    ("assertItemsEqual", ([1, 2], [2, 1]), ([1], [1, 1]), "Element counts"),
    ("assertBetween", (1, 1, 2), (3, 1, 2), "3 is not between 1 and 2"),
    ("assertSequenceAlmostEqual", ([1.0], [1.0]), ([1.0], [2.0]), "at index 0"),
    ("assertDictAlmostEqual", ({"a": 1.0}, {"a": 1.0}), ({"a": 1.0}, {"a": 2.0}), "at 'a'"),
    ("assertSameStructure", ({"a": [1]}, {"a": [1]}), ({"a": [1]}, {"a": [2]}),
     r"a\['a'\]\[0\] is 1, b\['a'\]\[0\] is 2"),
    ("assertProtoEquals", ("", v1.GraphDef()), ('node { name: "a" }', v1.GraphDef()), 'name: "a"'),
    ("assertRaisesWithLiteralMatch", (KeyError, "'a'", {}.__getitem__, "a"), (KeyError, "a", {}.__getitem__, "a"),
     "'a'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "good", "bad", "words"), PASS_AND_FAIL, ids=lambda each: str(each)[:30])
def test_an_assertion_passes_and_fails(name: str, good: Any, bad: Any, words: str) -> None:
    check = getattr(tf.test.TestCase(), name)
    check(*good)
    with pytest.raises(AssertionError, match=words):
        check(*bad)


def test_threads_of_tests_and_names_that_unittest_had() -> None:
    test: Any = tf.test.TestCase()
    thread = test.checkedThread(lambda text: int(text), ("one",))
    thread.start()
    with pytest.raises(AssertionError, match="Error in checkedThread: ValueError"):
        thread.join()
    assert not thread.is_alive()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        test.assertEquals(1, 1)
        with test.assertRaisesRegexp(KeyError, "a"):
            raise KeyError("a")
