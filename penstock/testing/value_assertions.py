"""Assertions of unit tests about lists, texts, messages and threads that TensorFlow's `tf.test.TestCase` had."""

from __future__ import annotations

import math
import os
import re
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from ..graph.common.lazy_import import load
from ..graph.declare.shared_docs import named
from ..graph.devices.device_spec import DeviceSpec

Check = Callable[..., None]


def _of_one(name: str, words: str, good: str, holds: Callable[[Any], bool]) -> Check:
    """An assertion about one value. good: the text of an argument that passes."""

    @named(name, words=words, good=good)
    def check(self: unittest.TestCase, container: Any, msg: str | None = None) -> None:
        """Fails unless a list, text, dict or set {words}.

        Args:
            container: the value.
            msg: what the failure says last.

        Raises:
            AssertionError: it fails.

        >>> import penstock as tf
        >>> tf.test.TestCase().{name}({good})
        """
        if not holds(container):
            self.fail(f"it does not hold that {container!r:.300} {words}{_last(msg)}")

    return check


def _of_two(
    name: str, first: str, second: str, words: str, good: str, holds: Callable[[Any, Any], bool]
) -> Check:
    """An assertion about two values: `words` says with their names what holds of them."""

    @named(name, words=words.format(first=f"`{first}`", second=f"`{second}`"), good=good)
    def check(self: unittest.TestCase, first_value: Any, second_value: Any, msg: str | None = None) -> None:
        """Fails unless {words}.

        Args:
            first_value: the first of them.
            second_value: the second.
            msg: what the failure says last.

        Raises:
            AssertionError: it fails.

        >>> import penstock as tf
        >>> tf.test.TestCase().{name}({good})
        """
        if not holds(first_value, second_value):
            told = words.format(first=f"{first} {first_value!r:.300}", second=f"{second} {second_value!r:.300}")
            self.fail(f"it does not hold that {told}{_last(msg)}")

    return check


def _last(msg: str | None) -> str:
    return "" if msg is None else f" : {msg}"


def _in_order(whole: Any, parts: Any) -> bool:
    """Whether `parts` stand in `whole` in this order, with others between them."""
    left = iter(whole)
    return all(any(part == each for each in left) for part in parts)


def _found_in_order(texts: Sequence[str], text: str) -> bool:
    place = 0
    for each in [texts] if isinstance(texts, str) else texts:
        place = text.find(each, place)
        if place < 0:
            return False
        place += len(each)
    return True


def _matches(text: Any, patterns: Any) -> bool:
    return any(re.search(each, text) for each in ([patterns] if isinstance(patterns, str) else patterns))


def _device(name: Any) -> str:
    return DeviceSpec.from_string(str(name or "")).to_string()


class ValueAssertions(unittest.TestCase):
    """The assertions about other values than arrays."""

    assertEmpty = _of_one("assertEmpty", "has no elements", "[]", lambda each: len(each) == 0)
    assertNotEmpty = _of_one("assertNotEmpty", "has elements", "[1]", lambda each: len(each) > 0)
    assertLen = _of_two("assertLen", "container", "expected_len", "{first} has the length {second}", "[1, 2], 2",
                        lambda container, count: len(container) == count)  # fmt: skip
    assertSameElements = _of_two(
        "assertSameElements", "expected_seq", "actual_seq", "{first} and {second} have the same elements",
        "[1, 2], [2, 1, 1]", lambda a, b: all(x in b for x in a) and all(x in a for x in b),
    )  # fmt: skip
    assertContainsSubset = _of_two(
        "assertContainsSubset", "expected_subset", "actual_set", "{first} is a part of {second}", "[1], [1, 2]",
        lambda a, b: all(x in b for x in a),
    )  # fmt: skip
    assertNoCommonElements = _of_two(
        "assertNoCommonElements", "expected_seq", "actual_seq", "{first} and {second} have no element in common",
        "[1], [2]", lambda a, b: not any(x in b for x in a),
    )  # fmt: skip
    assertSequenceStartsWith = _of_two(
        "assertSequenceStartsWith", "prefix", "whole", "{second} begins with {first}", "[1], [1, 2]",
        lambda prefix, whole: list(whole[: len(prefix)]) == list(prefix),
    )  # fmt: skip
    assertContainsSubsequence = _of_two(
        "assertContainsSubsequence", "container", "subsequence", "{first} has the elements of {second} in their order",
        "[1, 2, 3], [1, 3]", _in_order,
    )  # fmt: skip
    assertContainsInOrder = _of_two(
        "assertContainsInOrder", "strings", "target", "{first} stand in {second} in their order",
        "['a', 'c'], 'abc'", _found_in_order,
    )  # fmt: skip
    assertEndsWith = _of_two("assertEndsWith", "actual", "expected_end", "{first} ends with {second}",
                             "'float32', '32'", lambda text, end: bool(text.endswith(end)))  # fmt: skip
    assertRegexMatch = _of_two("assertRegexMatch", "actual_str", "regexes", "{first} matches one of {second}",
                               "'float32', ['t[0-9]']", _matches)  # fmt: skip
    assertDeviceEqual = _of_two("assertDeviceEqual", "device1", "device2", "{first} and {second} are one device",
                                "'/cpu:0', '/device:CPU:0'", lambda a, b: _device(a) == _device(b))  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name in OLDER:
            return getattr(self, OLDER[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """Fails unless `minv <= value <= maxv`.

        Args:
            value: a number.
            minv: the least.
            maxv: the most.
            msg: what the failure says last.

        Raises:
            AssertionError: it is outside.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertBetween(2, 1, 3)
        """
        if not minv <= value <= maxv:
            self.fail(f"{value!r} is not between {minv!r} and {maxv!r}{_last(msg)}")

    def assertProtoEquals(self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None) -> None:
        """Fails unless a message has the fields of another; says which lines of their texts differ.

        Args:
            expected_message_maybe_ascii: a message, or the text of one.
            message: a message.
            msg: what the failure says last.

        Raises:
            AssertionError: they differ.
            ValueError: the text is none of such a message.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertProtoEquals('node { name: "a" }', tf.GraphDef(node=[tf.NodeDef(name="a")]))
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            load("penstock.interchange.protos.message_texts")
            from ..interchange.protos.message_texts import Parse

            expected = Parse(expected, type(message)())
        if expected != message:
            self.assertMultiLineEqual(str(expected), str(message), msg)
            self.fail(f"the messages differ{_last(msg)}")  # with equal texts, such as two NaNs

    def assertSequenceAlmostEqual(
        self, expected_seq: Any, actual_seq: Any, places: int | None = None, msg: str | None = None, delta: Any = None
    ) -> None:
        """Fails unless two lists of numbers are equal to some decimal places, or within `delta`.

        Args:
            expected_seq: the first list.
            actual_seq: the second.
            places: how many decimal places; 7 where neither is said.
            msg: what the failure says last.
            delta: the largest difference.

        Raises:
            AssertionError: they differ.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertSequenceAlmostEqual([1.0, 2.0], [1.0, 2.05], delta=0.1)
        """
        self.assertEqual(len(expected_seq), len(actual_seq), f"the lengths differ{_last(msg)}")
        for place, (left, right) in enumerate(zip(expected_seq, actual_seq, strict=True)):
            self.assertAlmostEqual(left, right, places, f"at index {place}{_last(msg)}", delta)

    def assertDictAlmostEqual(
        self, a: Any, b: Any, places: int | None = None, msg: str | None = None, delta: Any = None
    ) -> None:
        """Fails unless two dicts have the same keys, with numbers that are nearly equal.

        Args:
            a: a dict.
            b: a dict.
            places: how many decimal places; 7 where neither is said.
            msg: what the failure says last.
            delta: the largest difference.

        Raises:
            AssertionError: they differ.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertDictAlmostEqual({"a": 1.0}, {"a": 1.00000001})
        """
        self.assertEqual(set(a), set(b), f"the keys differ{_last(msg)}")
        for key in a:
            self.assertAlmostEqual(a[key], b[key], places, f"at {key!r}{_last(msg)}", delta)

    def assertSameStructure(self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None) -> None:
        """Fails unless two nested lists and dicts are equal; says at which place they differ.

        Args:
            a: a structure.
            b: the other.
            aname: what the failure calls the first.
            bname: what it calls the second.
            msg: what the failure says last.

        Raises:
            AssertionError: they differ.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertSameStructure({"a": [1, 2]}, {"a": [1, 2]})
        """
        place = _difference(a, b, "")
        if place is not None:
            self.fail(f"{aname}{place[0]} is {place[1]!r:.100}, {bname}{place[0]} is {place[2]!r:.100}{_last(msg)}")

    def assertRaisesWithLiteralMatch(
        self, expected_exception: Any, expected_exception_message: str, callable_obj: Any = None, *args: Any,
        **kwargs: Any,
    ) -> Any:
        """A `with` block, or a call, that fails unless it raises an error whose whole message is the given one.

        Args:
            expected_exception: the class of the error.
            expected_exception_message: its message, `str(error)`.
            callable_obj: what to call; None for a `with` block.
            args: its arguments.
            kwargs: its keywords.

        Returns:
            A context manager, or None after a call.

        Raises:
            AssertionError: no error is raised, or another.

        >>> import penstock as tf
        >>> with tf.test.TestCase().assertRaisesWithLiteralMatch(KeyError, "'a'"):
        ...     {}["a"]
        """
        block = self._raising(expected_exception, expected_exception_message)
        if callable_obj is None:
            return block
        with block:
            callable_obj(*args, **kwargs)
        return None

    @contextmanager
    def _raising(self, kind: Any, message: str) -> Iterator[None]:
        with self.assertRaises(kind) as raised:
            yield
        self.assertEqual(message, str(raised.exception))

    def checkedThread(self, target: Callable[..., Any], args: Any = (), kwargs: Any = None) -> CheckedThread:
        """A thread whose error fails the test: `join` raises it.

        Args:
            target: what the thread calls.
            args: its arguments.
            kwargs: its keywords.

        Returns:
            A thread, to be started and joined.

        Raises:
            AssertionError (of `join`): the call raised an error.

        >>> import penstock as tf
        >>> thread = tf.test.TestCase().checkedThread(print, ("in a thread",))
        >>> thread.start(); thread.join()
        in a thread
        """
        return CheckedThread(self, target, args, kwargs or {})

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A `with` block in which a stream's file descriptor is a file of its own.

        Args:
            stream: `sys.stderr`, `sys.stdout` or another that has `fileno`.

        Returns:
            A context manager that gives an object whose `contents()` is the text that was written.

        Raises:
            OSError: the stream has no descriptor.

        >>> import os, sys, penstock as tf
        >>> with tf.test.TestCase().captureWritesToStream(sys.__stderr__) as written:
        ...     count = os.write(2, b"to the descriptor")
        >>> written.contents()
        'to the descriptor'
        """
        descriptor = stream.fileno()
        kept = os.dup(descriptor)
        with tempfile.NamedTemporaryFile() as file:
            stream.flush()
            os.dup2(file.fileno(), descriptor)
            written = CapturedWrites(file.name)
            try:
                yield written
            finally:
                stream.flush()
                os.dup2(kept, descriptor)
                os.close(kept)
                written.close()


class CapturedWrites:
    """What was written to a stream in a `with` block of `captureWritesToStream`."""

    def __init__(self, path: str) -> None:
        self._path, self._text = path, ""

    def contents(self) -> str:
        """The text so far, or all of it after the block."""
        if self._path:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                self._text = file.read()
        return self._text

    def close(self) -> None:
        """Keeps the text: the file goes away."""
        self.contents()
        self._path = ""


class CheckedThread:
    """A thread that a test starts, and whose error its `join` tells the test."""

    def __init__(self, test: unittest.TestCase, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._test, self._error = test, ""

        def run() -> None:
            try:
                target(*args, **kwargs)
            except Exception as error:
                self._error = f"Error in checkedThread: {type(error).__name__}: {error}"

        self._thread = threading.Thread(target=run)

    def start(self) -> None:
        """Starts it."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end; the test fails if it raised an error."""
        self._thread.join()
        if self._error:
            self._test.fail(self._error)

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()


def _difference(a: Any, b: Any, place: str) -> tuple[str, Any, Any] | None:
    """Where two structures differ, with what stands there in each."""
    if isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) == set(b):
        pairs = [(f"[{key!r}]", a[key], b[key]) for key in a]
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        pairs = [(f"[{i}]", left, right) for i, (left, right) in enumerate(zip(a, b, strict=True))]
    else:
        is_equal = a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))
        return None if is_equal else (place, a, b)
    return next((found for at, left, right in pairs if (found := _difference(left, right, place + at))), None)


OLDER: Final = {
    "assert_": "assertTrue", "assertAlmostEquals": "assertAlmostEqual", "assertEquals": "assertEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual", "assertNotEquals": "assertNotEqual",
    "assertNotRegexpMatches": "assertNotRegex", "assertRaisesRegexp": "assertRaisesRegex",
    "assertRegexpMatches": "assertRegex", "failUnless": "assertTrue", "failIf": "assertFalse",
    "assertItemsEqual": "assertCountEqual",
    "failUnlessEqual": "assertEqual", "failIfEqual": "assertNotEqual", "failUnlessRaises": "assertRaises",
}  # fmt: skip
"""Names of unittest that a newer Python took away -> those that it has."""
