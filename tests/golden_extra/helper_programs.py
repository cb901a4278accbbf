"""Calls of TensorFlow's helpers (files, texts, assertions, unit tests): `record_helpers.py` records what they do.

Each entry is (label, call). A call gets the module, a folder of its own that `fill` has filled, and returns what is
recorded: a JSON value. `outcome` makes that, or the class of the error, for both packages.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[Any, str], Any]


def fill(folder: str) -> None:
    """The files that the calls find."""
    Path(folder, "a.txt").write_bytes(b"one\ntwo\nthree")
    Path(folder, "b.bin").write_bytes(b"\xff\x00\n\xfe")
    Path(folder, ".hidden").write_bytes(b"")
    Path(folder, "logs", "first").mkdir(parents=True)
    Path(folder, "logs", "events").write_bytes(b"e")


def _file(tf: Any, folder: str, name: str, mode: str = "r") -> Any:
    return tf.gfile.GFile(os.path.join(folder, name), mode)


def _written(tf: Any, folder: str, mode: str, *contents: Any) -> Any:
    with _file(tf, folder, "a.txt", mode) as file:
        for content in contents:
            file.write(content)
    return Path(folder, "a.txt").read_bytes().decode("latin1")


def _moved(tf: Any, folder: str) -> Any:
    with _file(tf, folder, "a.txt") as file:
        file.seek(4)
        found: list[Any] = [file.read(3), file.tell()]
        file.seek(-2, 1)
        found.append(file.read(2))
        file.seek(-3, 2)
        return [*found, file.read(), file.tell(), file.seekable(), file.mode]


def _sought(tf: Any, folder: str, offset: int, whence: int) -> Any:
    with _file(tf, folder, "a.txt") as file:
        file.seek(offset, whence)


def _both_ways(tf: Any, folder: str) -> Any:
    with _file(tf, folder, "new", "w+") as file:
        file.write("abc")
        file.flush()
        file.seek(0)
        return file.read()


def _again(tf: Any, folder: str) -> Any:
    file = _file(tf, folder, "a.txt")
    file.read()
    file.close()
    file.close()
    return file.read()


def _untouched(tf: Any, folder: str) -> Any:
    _file(tf, folder, "empty", "w").close()
    return os.path.exists(os.path.join(folder, "empty"))


def _in(folder: str, *names: str) -> str:
    return os.path.join(folder, *names)


def _shown(folder: str, paths: Any) -> Any:
    return sorted(path.replace(folder, "D") for path in paths)


def _walked(tf: Any, folder: str, name: str, in_order: bool) -> Any:
    found = tf.gfile.Walk(_in(folder, name), in_order)
    return [[top.replace(folder, "D"), sorted(inner), sorted(files)] for top, inner, files in found]


def _stat(tf: Any, folder: str, name: str) -> Any:
    found = tf.gfile.Stat(_in(folder, name))
    return [None if found.is_directory else found.length, found.is_directory, type(found.mtime_nsec).__name__]


FILES: list[tuple[str, Call]] = [
    ("read", lambda tf, d: _file(tf, d, "a.txt").read()),
    ("read 3", lambda tf, d: _file(tf, d, "a.txt").read(3)),
    ("read bytes", lambda tf, d: list(_file(tf, d, "b.bin", "rb").read())),
    ("read what is no text", lambda tf, d: _file(tf, d, "b.bin").read()),
    ("readline", lambda tf, d: _file(tf, d, "a.txt").readline()),
    ("readlines", lambda tf, d: _file(tf, d, "a.txt").readlines()),
    ("iterate", lambda tf, d: list(_file(tf, d, "a.txt"))),
    ("iterate bytes", lambda tf, d: [list(line) for line in _file(tf, d, "b.bin", "rb")]),
    ("size", lambda tf, d: _file(tf, d, "a.txt").size()),
    ("fast", lambda tf, d: tf.gfile.FastGFile(_in(d, "a.txt")).read()),
    ("name", lambda tf, d: _file(tf, d, "a.txt").name.replace(d, "D")),
    ("open a missing file", lambda tf, d: _file(tf, d, "no") and None),
    ("read a missing file", lambda tf, d: _file(tf, d, "no").read()),
    ("size of a missing file", lambda tf, d: _file(tf, d, "no").size()),
    ("read a folder", lambda tf, d: _file(tf, d, "logs").read()),
    ("mode x", lambda tf, d: _file(tf, d, "a.txt", "x")),
    ("mode rt", lambda tf, d: _file(tf, d, "a.txt", "rt").read()),
    ("write to a file for reading", lambda tf, d: _written(tf, d, "r", "x")),
    ("read a file for writing", lambda tf, d: _file(tf, d, "new", "w").read()),
    ("write", lambda tf, d: _written(tf, d, "w", "h\u00e9\n", b"x")),
    ("append", lambda tf, d: _written(tf, d, "a", "more")),
    ("write an int", lambda tf, d: _written(tf, d, "w", 3)),
    ("write in a missing folder", lambda tf, d: _file(tf, d, "no/x", "w").write("x")),
    ("seek", _moved),
    ("seek before the start", lambda tf, d: _sought(tf, d, -1, 0)),
    ("seek from nowhere", lambda tf, d: _sought(tf, d, 0, 7)),
    ("write and read", _both_ways),
    ("use after close", _again),
    ("a file that nothing is written to", _untouched),
    ("exists", lambda tf, d: [tf.gfile.Exists(_in(d, each)) for each in ("a.txt", "no", "logs", "logs/first")]),
    ("exists nothing", lambda tf, d: tf.gfile.Exists("")),
    ("exists bytes", lambda tf, d: tf.gfile.Exists(_in(d, "a.txt").encode())),
    ("exists path", lambda tf, d: tf.gfile.Exists(Path(d, "a.txt"))),
    ("exists None", lambda tf, d: tf.gfile.Exists(None)),
    ("exists file scheme", lambda tf, d: tf.gfile.Exists("file://" + _in(d, "a.txt"))),
    ("exists other scheme", lambda tf, d: tf.gfile.Exists("foo://b/x")),
    ("read other scheme", lambda tf, d: tf.gfile.GFile("foo://b/x").read()),
    ("is directory", lambda tf, d: [tf.gfile.IsDirectory(_in(d, each)) for each in ("a.txt", "no", "logs")]),
    ("mkdir", lambda tf, d: [tf.gfile.MkDir(_in(d, "m")), tf.gfile.MkDir(_in(d, "m")), os.path.isdir(_in(d, "m"))]),
    ("mkdir deep", lambda tf, d: tf.gfile.MkDir(_in(d, "q", "r"))),
    ("makedirs", lambda tf, d: [tf.gfile.MakeDirs(_in(d, "q", "r")), tf.gfile.MakeDirs(_in(d, "q", "r"))]),
    ("makedirs over a file", lambda tf, d: tf.gfile.MakeDirs(_in(d, "a.txt"))),
    ("list", lambda tf, d: sorted(tf.gfile.ListDirectory(d))),
    ("list a file", lambda tf, d: tf.gfile.ListDirectory(_in(d, "a.txt"))),
    ("list nothing", lambda tf, d: tf.gfile.ListDirectory(_in(d, "no"))),
    ("glob", lambda tf, d: _shown(d, tf.gfile.Glob(_in(d, "*.txt")))),
    ("glob all", lambda tf, d: _shown(d, tf.gfile.Glob(_in(d, "*")))),
    ("glob list", lambda tf, d: _shown(d, tf.gfile.Glob([_in(d, "a*"), _in(d, "logs", "*")]))),
    ("glob class", lambda tf, d: _shown(d, tf.gfile.Glob(_in(d, "[ab].*")))),
    ("glob one", lambda tf, d: _shown(d, tf.gfile.Glob(_in(d, "?.txt")))),
    ("glob exact", lambda tf, d: _shown(d, tf.gfile.Glob(_in(d, "a.txt")))),
    ("glob nothing", lambda tf, d: _shown(d, tf.gfile.Glob(_in(d, "no", "*")))),
    ("copy", lambda tf, d: [tf.gfile.Copy(_in(d, "a.txt"), _in(d, "c")), Path(d, "c").read_text()]),
    ("copy over", lambda tf, d: tf.gfile.Copy(_in(d, "b.bin"), _in(d, "a.txt"), True)),
    ("copy to what exists", lambda tf, d: tf.gfile.Copy(_in(d, "b.bin"), _in(d, "a.txt"))),
    ("copy nothing", lambda tf, d: tf.gfile.Copy(_in(d, "no"), _in(d, "c"))),
    ("copy a folder", lambda tf, d: tf.gfile.Copy(_in(d, "logs"), _in(d, "c"))),
    ("copy to a missing folder", lambda tf, d: tf.gfile.Copy(_in(d, "a.txt"), _in(d, "no", "c"))),
    ("rename", lambda tf, d: [tf.gfile.Rename(_in(d, "a.txt"), _in(d, "c")), sorted(os.listdir(d))]),
    ("rename over", lambda tf, d: [tf.gfile.Rename(_in(d, "a.txt"), _in(d, "b.bin"), True), sorted(os.listdir(d))]),
    ("rename to what exists", lambda tf, d: tf.gfile.Rename(_in(d, "a.txt"), _in(d, "b.bin"))),
    ("rename nothing", lambda tf, d: tf.gfile.Rename(_in(d, "no"), _in(d, "c"))),
    ("rename a folder", lambda tf, d: [tf.gfile.Rename(_in(d, "logs"), _in(d, "c")), sorted(os.listdir(d))]),
    ("stat", lambda tf, d: _stat(tf, d, "a.txt")),
    ("stat of a folder", lambda tf, d: _stat(tf, d, "logs")),
    ("stat of nothing", lambda tf, d: _stat(tf, d, "no")),
    ("remove", lambda tf, d: [tf.gfile.Remove(_in(d, "a.txt")), sorted(os.listdir(d))]),
    ("remove nothing", lambda tf, d: tf.gfile.Remove(_in(d, "no"))),
    ("remove a folder", lambda tf, d: tf.gfile.Remove(_in(d, "logs"))),
    ("walk", lambda tf, d: _walked(tf, d, "logs", True)),
    ("walk inside out", lambda tf, d: _walked(tf, d, "logs", False)),
    ("walk nothing", lambda tf, d: _walked(tf, d, "no", True)),
    ("walk a file", lambda tf, d: _walked(tf, d, "a.txt", True)),
    ("delete", lambda tf, d: [tf.gfile.DeleteRecursively(_in(d, "logs")), sorted(os.listdir(d))]),
    ("delete a file", lambda tf, d: tf.gfile.DeleteRecursively(_in(d, "a.txt"))),
    ("delete nothing", lambda tf, d: tf.gfile.DeleteRecursively(_in(d, "no"))),
]

_TEXTS = ("x", b"x", 3, None, b"h\xc3\xa9", b"\xff", np.str_("a"), 1.5, bytearray(b"q"), Path("/a"))


def _text(name: str, value: Any) -> Call:
    def call(tf: Any, folder: str) -> Any:
        found = getattr(tf.compat, name)(value)
        return ["bytes", found.decode("latin1")] if isinstance(found, (bytes, bytearray)) else [type(found).__name__,
                                                                                                str(found)]  # fmt: skip

    return call


TEXTS: list[tuple[str, Call]] = [
    (f"{name}({value!r})", _text(name, value))
    for name in ("as_bytes", "as_text", "as_str", "as_str_any", "path_to_str")
    for value in _TEXTS
] + [
    ("as_bytes in latin1", lambda tf, d: list(tf.compat.as_bytes("h\u00e9", encoding="latin1"))),
    ("as_text in latin1", lambda tf, d: tf.compat.as_text(b"h\xe9", "latin1")),
]  # fmt: skip


def _run(tf: Any, fetch: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        found = session.run(fetch, feeds)
    return None if found is None else np.asarray(found).tolist()


def _x(tf: Any, shape: Any = (None, 3), name: str = "x") -> Any:
    return tf.placeholder(tf.float32, None if shape is None else list(shape), name=name)


def _static(name: str, *values: Any) -> Call:
    def call(tf: Any, folder: str) -> Any:
        getattr(tf.debugging, name)(*values)

    return call


def _shapes(*pairs: tuple[Any, Any], feeds: tuple[Any, ...] = ()) -> Call:
    """The assertion about placeholders of given static shapes; with feeds it is run too."""

    def call(tf: Any, folder: str) -> Any:
        tensors = [_x(tf, shape, f"t{i}") for i, (shape, _) in enumerate(pairs)]
        check = tf.debugging.assert_shapes([(t, said) for t, (_, said) in zip(tensors, pairs, strict=True)])
        if feeds:
            return _run(tf, check, {t: np.ones(s) for t, s in zip(tensors, feeds, strict=True)})
        return check.type

    return call


ASSERTIONS: list[tuple[str, Call]] = [
    ("equal", _static("assert_equal", [1, 2], [1, 3])),
    ("equal holds", _static("assert_equal", [1, 2], [1, 2])),
    ("equal of shapes", _static("assert_equal", [1, 2], [1, 2, 3])),
    ("none equal", _static("assert_none_equal", [1, 2], [1, 3])),
    ("less", _static("assert_less", [1, 2], [1, 3])),
    ("less equal", _static("assert_less_equal", [1, 4], [1, 3])),
    ("greater", _static("assert_greater", [1, 4], [1, 3])),
    ("greater equal", _static("assert_greater_equal", [1, 2], [1, 3])),
    ("positive", _static("assert_positive", [1, 0])),
    ("negative", _static("assert_negative", [-1, 0])),
    ("non negative", _static("assert_non_negative", [1, -1])),
    ("non positive", _static("assert_non_positive", [1, 0])),
    ("near", _static("assert_near", [1.0, 0.0], [1.0, 0.5])),
    ("rank", _static("assert_rank", [1, 0], 2)),
    ("rank at least", _static("assert_rank_at_least", [1, 0], 2)),
    ("rank in", _static("assert_rank_in", [1, 0], (0, 2))),
    ("scalar", _static("assert_scalar", [1, 0])),
    ("integer", _static("assert_integer", [1.0, 0.0])),
    ("near runs", lambda tf, d: _run(tf, tf.assert_near([1.0, 0.0], [1.0, 0.5]))),
    ("same float dtype", lambda tf, d: tf.assert_same_float_dtype([_x(tf), None]).name),
    ("same float dtype of nothing", lambda tf, d: tf.assert_same_float_dtype().name),
    ("same float dtype given", lambda tf, d: tf.assert_same_float_dtype(None, tf.float16).name),
    ("same float dtype differs", lambda tf, d: tf.assert_same_float_dtype([_x(tf)], tf.float64)),
    ("same float dtype mixed", lambda tf, d: tf.assert_same_float_dtype([_x(tf), tf.constant(1.0, tf.float64)])),
    ("same float dtype of ints", lambda tf, d: tf.assert_same_float_dtype([tf.constant(1)])),
    ("same float dtype int", lambda tf, d: tf.assert_same_float_dtype([], tf.int32)),
    ("same float dtype of a tensor", lambda tf, d: tf.assert_same_float_dtype(_x(tf))),
    *[(f"proper iterable {value!r}", lambda tf, d, value=value: tf.assert_proper_iterable(value))
      for value in (1, "s", b"s", np.ones(2), (1, 2), {1: 2}, None, range(3))],
    ("proper iterable tensor", lambda tf, d: tf.assert_proper_iterable(_x(tf))),
    ("shapes", _shapes(((None, 3), ("N", 3)))),
    ("shapes differ", _shapes(((None, 3), ("N", 4)))),
    ("shapes of another rank", _shapes(((None, 3), ("N",)))),
    ("shapes with a common name", _shapes(((2, 3), ("N", "Q")), ((4, 3), ("N", "Q")))),
    ("shapes with a common name that fit", _shapes(((2, 3), ("N", "Q")), ((3,), ("Q",)))),
    ("shapes with the last sizes", _shapes(((2, 3, 4), (..., 4)))),
    ("shapes with other last sizes", _shapes(((2, 3, 4), (..., 5)))),
    ("shapes as a text", _shapes(((2, 3, 4), "*DE"))),
    ("shapes as numbers in a text", _shapes(((2, 3), "23"))),
    ("shapes with a dot", _shapes(((2, 3), ".3"))),
    ("shapes with None", _shapes(((2, 3), (None, 3)))),
    ("shapes not given", _shapes(((2, 3), None))),
    ("shapes of a scalar", _shapes(((), ()))),
    ("shapes of a scalar as a vector", _shapes(((), ("N",)), ((1,), ("N",)))),
    ("shapes of a vector as a scalar", _shapes(((3,), ()))),
    ("shapes with the rest in the middle", _shapes(((2, 3), ("A", ..., "B")))),
    ("shapes that are a number", _shapes(((2, 3), 5.0))),
    ("shapes run", _shapes(((None, 3), ("N", "Q")), (None, ("Q",)), feeds=((2, 3), (3,)))),
    ("shapes run and differ", _shapes(((None, 3), ("N", "Q")), (None, ("Q",)), feeds=((2, 3), (4,)))),
    ("shapes run with another rank", _shapes((None, ("Q",)), feeds=((4, 1),))),
    ("shapes run with another size", _shapes((None, ("Q", 3)), feeds=((4, 1),))),
    ("shapes run with last sizes", _shapes((None, (..., "Q")), ((None,), ("Q",)), feeds=((5, 4, 3), (3,)))),
    ("shapes run of a scalar", _shapes((None, ("Q",)), ((None,), ("Q",)), feeds=((), (1,)))),
    ("all finite", lambda tf, d: _run(tf, tf.debugging.assert_all_finite([1.0, 2.0], "m"))),
    ("not all finite", lambda tf, d: _run(tf, tf.debugging.assert_all_finite([1.0, np.inf], "m"))),
    *[(f"order of {value}", lambda tf, d, value=value: [
        _run(tf, tf.debugging.is_non_decreasing(tf.constant(value, tf.float32))),
        _run(tf, tf.debugging.is_strictly_increasing(tf.constant(value, tf.float32)))])
      for value in ([1, 2, 2], [1, 2, 3], [3, 1], [], [[1, 2], [3, 4]], [1.0, np.nan])],
    ("order of texts", lambda tf, d: tf.debugging.is_non_decreasing(["a"])),
    ("numeric", lambda tf, d: [tf.debugging.is_numeric_tensor(value)
                               for value in (_x(tf), 1, tf.constant("a"), tf.constant(True), tf.constant(1))]),
]  # fmt: skip


def _checked(test: Callable[[Any, Any], Any]) -> Call:
    """Whether a unit test passes: "passes", "fails" or the class of its error."""

    def call(tf: Any, folder: str) -> Any:
        class One(tf.test.TestCase):  # type: ignore[misc]  # its module is an argument
            def runTest(self) -> None:
                test(tf, self)

        import unittest

        found = unittest.TestResult()
        One().run(found)
        if found.errors:
            return found.errors[0][1].strip().splitlines()[-1].partition(":")[0].rpartition(".")[2]
        return "fails" if found.failures else "passes"

    return call


_NAN = float("nan")
_ARRAYS: list[tuple[str, str, tuple[Any, ...]]] = [
    ("equal", "assertAllEqual", ([1, 2], [1, 2])),
    ("not equal", "assertAllEqual", ([1, 2], [1, 3])),
    ("equal NaN", "assertAllEqual", ([1, _NAN], [1, _NAN])),
    ("equal of other shapes", "assertAllEqual", ([1, 2], [[1, 2]])),
    ("equal texts", "assertAllEqual", (["a"], [b"a"])),
    ("not all equal", "assertNotAllEqual", ([1, 2], [1, 3])),
    ("not all equal, but they are", "assertNotAllEqual", ([1, 2], [1, 2])),
    ("close", "assertAllClose", ([1.0, 2.0], [1.0, 2.0000001])),
    ("not close", "assertAllClose", ([1.0, 2.0], [1.0, 2.1])),
    ("close by tolerance", "assertAllClose", ([1.0, 2.0], [1.0, 2.1], 0.1)),
    ("close NaN", "assertAllClose", ([1.0, _NAN], [1.0, _NAN])),
    ("close of other shapes", "assertAllClose", ([1.0, 2.0], [1.0])),
    ("close dicts", "assertAllClose", ({"a": [1.0], "b": {"c": 2.0}}, {"b": {"c": 2.0}, "a": [1.0]})),
    ("dicts that differ", "assertAllClose", ({"a": [1.0]}, {"a": [1.5]})),
    ("dicts of other keys", "assertAllClose", ({"a": [1.0]}, {"b": [1.0]})),
    ("a dict and a list", "assertAllClose", ({"a": [1.0]}, [1.0])),
    ("close lists of arrays", "assertAllClose", ([np.ones(2), np.ones(3)], [np.ones(2), np.ones(3)])),
    ("lists of arrays that differ", "assertAllClose", ([np.ones(2), np.ones(3)], [np.ones(2), np.zeros(3)])),
    ("lists of other lengths", "assertAllClose", ([np.ones(2), np.ones(3)], [np.ones(2)])),
    ("not all close", "assertNotAllClose", ([1.0], [2.0])),
    ("not all close, but they are", "assertNotAllClose", ([1.0], [1.0])),
    ("close by dtype", "assertAllCloseAccordingToType", (np.array([1.0], "f2"), np.array([1.0009], "f2"))),
    ("not close by dtype", "assertAllCloseAccordingToType", (np.array([1.0], "f4"), np.array([1.0009], "f4"))),
    ("greater", "assertAllGreater", ([1, 2], 0)),
    ("not greater", "assertAllGreater", ([1, 2], 1)),
    ("greater equal", "assertAllGreaterEqual", ([1, 2], 1)),
    ("less", "assertAllLess", ([1, 2], 3)),
    ("not less", "assertAllLess", ([1, 2], 2)),
    ("less equal", "assertAllLessEqual", ([1, 2], 2)),
    ("in range", "assertAllInRange", ([1.0, 2.0], 1.0, 2.0)),
    ("not in range", "assertAllInRange", ([1.0, 2.0], 1.0, 2.0, True)),
    ("in set", "assertAllInSet", ([1, 2, 2], {1, 2, 3})),
    ("not in set", "assertAllInSet", ([1, 2, 4], {1, 2, 3})),
    ("shapes", "assertShapeEqual", (np.ones((2, 3)), np.zeros((2, 3)))),
    ("other shapes", "assertShapeEqual", (np.ones((2, 3)), np.zeros((3, 2)))),
    ("shapes of lists", "assertShapeEqual", ([1], [2])),
    ("near", "assertNear", (1.0, 1.05, 0.1)),
    ("not near", "assertNear", (1.0, 1.2, 0.1)),
    ("array near", "assertArrayNear", ([1.0, 2.0], [1.0, 2.05], 0.1)),
    ("array not near", "assertArrayNear", ([1.0, 2.0], [1.0, 2.5], 0.1)),
    ("norm near", "assertNDArrayNear", (np.ones(3), np.ones(3) + 0.01, 0.1)),
    ("norm not near", "assertNDArrayNear", (np.ones(3), np.zeros(3), 0.1)),
    ("starts with", "assertStartsWith", ("abc", "ab")),
    ("starts with another", "assertStartsWith", ("abc", "b")),
    ("dtype", "assertDTypeEqual", (np.array([1], "f4"), np.float32)),
    ("another dtype", "assertDTypeEqual", (np.array([1], "f4"), np.int32)),
]


def _is_wrong(tf: Any, test: Any, words: str, kind: Any = None) -> None:
    x = tf.placeholder(tf.float32, [2])
    with test.session() as session:
        raises = test.assertRaisesOpError(words) if kind is None else test.assertRaisesWithPredicateMatch(kind, words)
        with raises:
            session.run(tf.check_numerics(x, "bad weights"), {x: [1.0, np.nan]})


def _two_sessions(tf: Any, test: Any) -> None:
    with test.cached_session() as one:
        pass
    with test.cached_session() as two:
        test.assertIs(one, two)
    with test.session() as three:
        test.assertIsNot(one, three)


def _asserted(name: str, values: tuple[Any, ...]) -> Callable[[Any, Any], Any]:
    return lambda tf, test: getattr(test, name)(*values)


UNIT_TESTS: list[tuple[str, Call]] = [
    (f"test {label}", _checked(_asserted(name, values)))
    for label, name, values in _ARRAYS
] + [
    ("test evaluate", _checked(lambda tf, test: test.assertAllEqual(test.evaluate([tf.constant([1]), tf.constant([2])]),
                                                                    [[1], [2]]))),
    ("test tensors", _checked(lambda tf, test: test.assertAllClose(tf.constant([1.0]), tf.constant([1.0])))),
    ("test that tensors differ", _checked(lambda tf, test: test.assertAllEqual(tf.constant([1]), [2]))),
    ("test static shapes", _checked(lambda tf, test: test.assertShapeEqual(np.ones((2, 3)), tf.ones([2, 3])))),
    ("test sessions", _checked(_two_sessions)),
    ("test an error", _checked(lambda tf, test: _is_wrong(tf, test, "bad weights"))),
    ("test another error", _checked(lambda tf, test: _is_wrong(tf, test, "good weights"))),
    ("test an error's class", _checked(lambda tf, test: _is_wrong(tf, test, "bad", tf.errors.InvalidArgumentError))),
    ("test another class", _checked(lambda tf, test: _is_wrong(tf, test, "bad", tf.errors.NotFoundError))),
    ("test the same numbers", _checked(lambda tf, test: test.assertAllEqual(np.random.randint(0, 1000, 3),
                                                                            [396, 397, 398]))),
    ("test the folder", _checked(lambda tf, test: test.assertEqual(test.get_temp_dir(), test.get_temp_dir()))),
]  # fmt: skip

GROUPS = {"files": FILES, "texts": TEXTS, "assertions": ASSERTIONS, "unit tests": UNIT_TESTS}


def outcome(tf: Any, call: Call, folder: str) -> Any:
    """What a call gives: {"value": ...}, or {"errors": [names of the classes of its error]}."""
    fill(folder)
    try:
        with tf.Graph().as_default():
            return {"value": call(tf, folder)}
    except Exception as error:
        names = [kind.__name__ for kind in type(error).__mro__]
        return {"errors": sorted({"ValueError", "TypeError", *dir(tf.errors)}.intersection(names))}
