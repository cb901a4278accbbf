"""Assertions of unit tests about arrays, tensors and nested structures of them: the methods of `tf.test.TestCase`.

A tensor is computed in the default session. The messages show where arrays differ, and by how much.
"""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype


class ArrayAssertions(unittest.TestCase):
    """The assertions about arrays."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors; see `TestCase.evaluate`."""
        raise NotImplementedError

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fails unless two arrays have the same shape and elements; NaN equals NaN.

        Args:
            a: an array, a tensor, or what NumPy makes an array of.
            b: the same.
            msg: what the failure says first.

        Raises:
            AssertionError: they differ.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllEqual([1, 2], [1, 2])
        """
        left, right = self._pair(a, b)
        self._same_shape(left, right, msg)
        if not _equal(left, right).all():
            self.fail(_difference("not equal", ~_equal(left, right), left, right, msg))

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fails if two arrays have the same shape and elements.

        Args:
            a: an array, a tensor, or what NumPy makes an array of.
            b: the same.
            msg: what the failure says first.

        Raises:
            AssertionError: they are equal.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertNotAllEqual([1, 2], [1, 3])
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(_first(msg, "The two values are equal at all elements."))

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fails unless |a - b| <= atol + rtol * |b| for all elements of two arrays, or of two equal structures of them.

        Args:
            a: an array or tensor, or a list, tuple or dict of such.
            b: the same.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            msg: what the failure says first.

        Raises:
            AssertionError: they differ.
            ValueError: one is a dict and the other is not.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllClose({"a": [1.0]}, {"a": [1.0000001]})
        """
        self._close(a, b, rtol, atol, msg, "")

    @documented_like(assertAllClose)
    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fails if `assertAllClose` does not.

        Raises:
            AssertionError: they are close.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertNotAllClose([1.0], [1.1])
        """
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(_first(msg, "The two values are close at all elements."))

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """As `assertAllClose`, with the tolerance of the dtype that has the fewest digits.

        Args:
            a: an array or tensor.
            b: the same.
            rtol, atol: the tolerances of float64.
            float_rtol, float_atol: those of float32.
            half_rtol, half_atol: those of float16.
            bfloat16_rtol, bfloat16_atol: those of bfloat16.
            msg: what the failure says first.

        Raises:
            AssertionError: they differ.

        >>> import numpy as np, penstock as tf
        >>> tf.test.TestCase().assertAllCloseAccordingToType(np.array([1.0], "f2"), np.array([1.0009], "f2"))
        """
        left, right = self._pair(a, b)
        names = {left.dtype.name, right.dtype.name}
        for dtypes, relative, absolute in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & dtypes:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(left, right, rtol, atol, msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements of `a` are greater than `comparison_target`.

        Args:
            a: an array or tensor.
            comparison_target: a number.

        Raises:
            AssertionError: one is not.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllGreater([1, 2], 0)
        """
        self.assertGreater(np.min(self._array(a)), comparison_target)

    @documented_like(assertAllGreater)
    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements of `a` are at least `comparison_target`.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllGreaterEqual([1, 2], 1)
        """
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    @documented_like(assertAllGreater)
    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements of `a` are less than `comparison_target`.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllLess([1, 2], 3)
        """
        self.assertLess(np.max(self._array(a)), comparison_target)

    @documented_like(assertAllGreater)
    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements of `a` are at most `comparison_target`.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllLessEqual([1, 2], 2)
        """
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless all elements of `target` are between two bounds.

        Args:
            target: an array or tensor.
            lower_bound: a number.
            upper_bound: a number.
            open_lower_bound: whether `lower_bound` itself is outside.
            open_upper_bound: whether `upper_bound` itself is outside.

        Raises:
            AssertionError: one is not, or is NaN.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllInRange([1, 2], 1, 2)
        """
        array = self._array(target)
        above = array > lower_bound if open_lower_bound else array >= lower_bound
        below = array < upper_bound if open_upper_bound else array <= upper_bound
        outside = ~(above & below)
        if outside.any():
            bounds = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
            self.fail(f"not in {bounds}: {_some(array[outside])} at {_places(outside)}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fails unless all elements of `target` are in a set.

        Args:
            target: an array or tensor.
            expected_set: a set or list of numbers or texts.

        Raises:
            AssertionError: one is not.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertAllInSet([1, 2, 2], {1, 2})
        """
        others = set(self._array(target).flatten().tolist()) - set(expected_set)
        if others:
            self.fail(f"{len(others)} distinct elements are not in the set {expected_set!r}: {sorted(others)[:8]!r}")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Fails unless two arrays or tensors have the same shape, that of a tensor being its static one.

        Args:
            input_a: an array, NumPy scalar or tensor.
            input_b: the same.
            msg: what the failure says first.

        Raises:
            AssertionError: the shapes differ.
            TypeError: an argument is something else.

        >>> import numpy as np, penstock as tf
        >>> tf.test.TestCase().assertShapeEqual(np.ones([2, 3]), np.zeros([2, 3]))
        """
        shapes = []
        for name, each in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(each, (np.ndarray, np.generic, Tensor)):
                raise TypeError(f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor. Instead received "
                                f"{type(each)}")  # fmt: skip
            shapes.append(tuple(each.get_shape().as_list()) if isinstance(each, Tensor) else each.shape)
        self.assertEqual(shapes[0], shapes[1], msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fails unless an array or tensor has a dtype.

        Args:
            target: an array or tensor.
            expected_dtype: a dtype of Penstock or NumPy.

        Raises:
            AssertionError: it has another one.

        >>> import numpy as np, penstock as tf
        >>> tf.test.TestCase().assertDTypeEqual(np.ones(2, "float32"), tf.float32)
        """
        self.assertEqual(as_dtype(self._array(target).dtype), as_dtype(expected_dtype))

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """Fails unless two numbers differ by at most `err`.

        Args:
            f1: a number.
            f2: a number.
            err: the tolerance.
            msg: what the failure says last.

        Raises:
            AssertionError: they differ by more.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertNear(1.0, 1.05, 0.1)
        """
        left, right = self._array(f1).squeeze(), self._array(f2).squeeze()
        if left != right and not abs(left - right) <= err:
            after = "" if msg is None else f" ({msg})"
            self.fail(f"{left:f} != {right:f} +/- {err:f} (difference: {abs(left - right):g}){after}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Fails unless two lists of numbers have the same length, and their elements differ by at most `err`.

        Args:
            farray1: a list of numbers.
            farray2: a list of numbers.
            err: the tolerance.
            msg: what the failure says last.

        Raises:
            AssertionError: they differ.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertArrayNear([1.0, 2.0], [1.0, 2.05], 0.1)
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for left, right in zip(farray1, farray2, strict=True):
            self.assertNear(left, right, err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Fails unless the Euclidean norm of the difference of two arrays is below `err`.

        Args:
            ndarray1: an array or tensor.
            ndarray2: an array or tensor of the same shape.
            err: the tolerance.
            msg: what the failure says first.

        Raises:
            AssertionError: it is not.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertNDArrayNear([1.0, 2.0], [1.0, 2.05], 0.1)
        """
        left, right = self._pair(ndarray1, ndarray2)
        self._same_shape(left, right, msg)
        self.assertLess(float(np.linalg.norm(left - right)), err, msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Fails unless a text begins with another.

        Args:
            actual: a text.
            expected_start: its start.
            msg: what the failure says last.

        Raises:
            AssertionError: it does not.

        >>> import penstock as tf
        >>> tf.test.TestCase().assertStartsWith("float32", "float")
        """
        if not actual.startswith(expected_start):
            after = "" if msg is None else f" : {msg!r}"
            self.fail(f"{actual!r} does not start with {expected_start!r}{after}")

    # ---- the parts --------------------------------------------------------------------------

    def _array(self, value: Any) -> Any:
        return np.asarray(self.evaluate(value) if isinstance(value, Tensor) else value)

    def _pair(self, a: Any, b: Any) -> tuple[Any, Any]:
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            a, b = self.evaluate([a, b])  # in one run, since they may be random
        return self._array(a), self._array(b)

    def _same_shape(self, left: Any, right: Any, msg: str | None) -> None:
        if left.shape != right.shape:
            contents = f" with contents {right!r}" if right.size < 500 else ""
            self.fail(_first(msg, f"Shape mismatch: expected {left.shape}, got {right.shape}{contents}."))

    def _close(self, a: Any, b: Any, rtol: float, atol: float, msg: str | None, path: str) -> None:
        a, b = (each._asdict() if hasattr(each, "_asdict") else each for each in (a, b))
        if isinstance(a, Mapping) is not isinstance(b, Mapping):
            raise ValueError(_first(msg, f"Can't compare dict to non-dict, a{path} vs b{path}."))
        if isinstance(a, Mapping):
            self.assertCountEqual(a, b, f"mismatched keys: a{path} has {list(a)}, but b{path} has {list(b)}.")
            for key in a:
                self._close(a[key], b[key], rtol, atol, msg, f"{path}[{key}]")
            return
        if isinstance(a, (list, tuple)) and _is_nested(a):
            if len(a) != len(b):
                self.fail(_first(msg, f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)}."))
            for i, (left, right) in enumerate(zip(a, b, strict=True)):
                self._close(left, right, rtol, atol, msg, f"{path}[{i}]")
            return
        left, right = self._pair(a, b)
        where = f"a{path} is different from b{path}." if path else None
        self._same_shape(left, right, msg or where)
        left, right = (each.astype(np.float32) if each.dtype.kind == "V" else each for each in (left, right))
        with np.errstate(invalid="ignore"):
            is_close = np.isclose(left, right, rtol=rtol, atol=atol, equal_nan=True)
        if not is_close.all():
            told = _difference("not close", ~is_close, left, right, msg or where)
            apart = np.abs(np.atleast_1d(left - right)[np.atleast_1d(~is_close)])
            self.fail(f"{told}\nnot close dif = {_some(apart)}\ntolerance: rtol = {rtol}, atol = {atol}")


def _is_nested(values: Any) -> bool:
    """Whether a list holds tensors, dicts or arrays of different shapes, so that it makes no array itself."""
    if any(isinstance(each, (Tensor, Mapping)) or hasattr(each, "_asdict") for each in values):
        return True
    try:
        return np.asarray(values).dtype == object
    except ValueError:
        return True


def _equal(left: Any, right: Any) -> Any:
    kinds = {left.dtype.kind, right.dtype.kind}
    if kinds <= set("USO") and kinds & set("SO"):  # texts may be str or bytes
        texts = [[each.encode() if isinstance(each, str) else each for each in array.flat] for array in (left, right)]
        return np.array([a == b for a, b in zip(*texts, strict=True)], bool).reshape(left.shape)
    same = np.asarray(left == right)
    return same | ((left != left) & (right != right))


def _difference(words: str, where: Any, left: Any, right: Any, msg: str | None) -> str:
    where = np.atleast_1d(where)
    lines = [f"{words} where = {_places(where)}", f"{words} lhs = {_some(np.atleast_1d(left)[where])}",
             f"{words} rhs = {_some(np.atleast_1d(right)[where])}",
             f"{where.sum()} of {where.size} elements differ; dtype = {left.dtype}, shape = {left.shape}"]  # fmt: skip
    return _first(msg, "\n".join(lines))


def _places(where: Any) -> str:
    found = [tuple(map(int, place)) if where.ndim > 1 else int(place[0]) for place in np.argwhere(where)[:8]]
    return f"{found}{' ...' if where.sum() > 8 else ''}"


def _some(values: Any) -> str:
    return f"{values[:8].tolist()}{' ...' if len(values) > 8 else ''}"


def _first(msg: str | None, text: str) -> str:
    return f"{msg}\n{text}" if msg else text
