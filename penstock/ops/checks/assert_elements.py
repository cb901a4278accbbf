"""Assertions that compare elements: assert_equal, assert_less ... and assert_positive ...

Each is a node `Assert` after a comparison. Where constants show the result while building, one that holds is no node
but a `NoOp`, and one that does not is an error of the call: an InvalidArgumentError, as in TensorFlow, and a
ValueError, as every error of a call. `assert_near` is always left to the run, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ...errors import DTypeError, StaticAssertionError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.shared_docs import documented_like, named
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Operation, Tensor
from ..control.control import no_op
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.composite import composite
from ..elementwise.arithmetic import abs as abs_op
from ..elementwise.arithmetic import add, multiply, subtract
from ..elementwise.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from ..reduce.reductions import reduce_all
from ..text.value_text import first_elements
from .assertion import Assert

PUBLIC_NAMES = {
    "start debugging": (
        "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive"
    ),
}

Data = Sequence[TensorLike] | None


def _asserted(
    holds: Tensor,
    rule: str,
    shown: Sequence[tuple[str, Tensor]],
    data: Data,
    summarize: int | None,
    message: str | None,
    only_run: bool = False,
) -> Operation:
    """The assertion that all of `holds` are true; `shown` are the tensors that its error tells, with their labels.

    only_run: it is left to the run even if constants show the result, as TensorFlow does for some.
    """
    known = None if only_run else known_value(holds)
    if known is not None and known.all():
        return no_op(name="static_checks_determined_all_ok")
    if known is not None:
        values = [(label, each, known_value(each)) for label, each in shown]
        found = "; ".join([f"{label} ({each.name}) is {first_elements(value, summarize or 3)}"
                           for label, each, value in values if value is not None])  # fmt: skip
        raise StaticAssertionError(f"{message + ': ' if message else ''}{rule}: {found}".rstrip(": "))
    if data is None:
        data = [rule + ":"]
        for label, each in shown:
            data += [f"{label} ({each.name}) = ", each]
    return Assert(reduce_all(holds), data if message is None else [message, *data], summarize)


class ComparingAssertion(Protocol):
    """An assertion about the elements of two tensors."""

    def __call__(
        self,
        x: TensorLike,
        y: TensorLike,
        data: Data = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Operation: ...


class SignAssertion(Protocol):
    """An assertion about the elements of one tensor."""

    def __call__(
        self,
        x: TensorLike,
        data: Data = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Operation: ...


# ---- between the elements of two tensors --------------------------------------------------------


def _comparison(
    name: str, compare: Callable[..., Tensor], sign: str, other: str, dtypes: str = "ints or floats of any shape"
) -> ComparingAssertion:
    """The assertion x sign y. Its example compares [1, 3] with `other`."""

    @composite(name)
    @named(name, sign=sign, other=other, dtypes=dtypes)
    def assertion(
        x: TensorLike,
        y: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Operation:
        """An operation that fails unless x {sign} y for all elements, with the shapes broadcast. No elements are fine.

        Args:
            x: {dtypes}.
            y: the same dtype.
            data: a list of tensors that the error shows instead of `x` and `y`.
            summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
            message: what it says first.

        Returns:
            The operation, for `tf.control_dependencies`; it has no output.

        Raises:
            TypeError: the dtypes differ, or `data` is not a list.
            ValueError: the shapes cannot be broadcast.
            InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, [None], name="x")
        ...     with tf.control_dependencies([tf.{name}(x, {other})]):
        ...         y = tf.identity(x)
        ...     try:
        ...         session.run(y, {x: [1, 3]})
        ...     except tf.errors.InvalidArgumentError as error:
        ...         print(error.message.partition(" [x")[0])
        assertion failed: [Condition x {sign} y did not hold element-wise:]

        Source: TensorFlow 1.x, `tf.{name}`.
        """
        holds = compare(x, y)
        shown = list(zip("xy", holds.op.inputs, strict=True))
        return _asserted(holds, f"Condition x {sign} y did not hold element-wise", shown, data, summarize, message)

    return assertion


assert_equal = _comparison("assert_equal", equal, "==", "[1.0, 2.0]", "any dtype and shape")
assert_none_equal = _comparison("assert_none_equal", not_equal, "!=", "[1.0, 2.0]", "any dtype and shape")
assert_less = _comparison("assert_less", less, "<", "3.0")
assert_less_equal = _comparison("assert_less_equal", less_equal, "<=", "2.0")
assert_greater = _comparison("assert_greater", greater, ">", "1.0")
assert_greater_equal = _comparison("assert_greater_equal", greater_equal, ">=", "2.0")


# ---- between elements and 0 ---------------------------------------------------------------------


def _comparison_with_zero(name: str, compare: Callable[..., Tensor], sign: str) -> SignAssertion:
    """The assertion x sign 0."""

    @composite(name)
    @named(name, sign=sign)
    def assertion(
        x: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Operation:
        """An operation that fails unless x {sign} 0 for all elements. No elements are fine.

        Args:
            x: ints or floats of any shape.
            data: a list of tensors that the error shows instead of `x`.
            summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
            message: what it says first.

        Returns:
            The operation, for `tf.control_dependencies`; it has no output.

        Raises:
            TypeError: `x` has another dtype, or `data` is not a list.
            InvalidArgumentError: constants show that the condition does not hold; when run: it does not hold.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.int32, [None], name="x")
        ...     check = tf.{name}(x, message="of x")
        ...     try:
        ...         session.run(check, {x: [1, 0, -1]})
        ...     except tf.errors.InvalidArgumentError as error:
        ...         print(error.message)
        assertion failed: [of x] [Condition x {sign} 0 did not hold element-wise:] [x (x:0) = ] [1 0 -1]

        Source: TensorFlow 1.x, `tf.{name}`.
        """
        tensor = convert_to_tensor(x)
        rule = f"Condition x {sign} 0 did not hold element-wise"
        return _asserted(compare(tensor, zeros_like(tensor)), rule, [("x", tensor)], data, summarize, message)

    return assertion


assert_positive = _comparison_with_zero("assert_positive", greater, ">")
assert_negative = _comparison_with_zero("assert_negative", less, "<")
assert_non_negative = _comparison_with_zero("assert_non_negative", greater_equal, ">=")
assert_non_positive = _comparison_with_zero("assert_non_positive", less_equal, "<=")


# ---- nearly equal -------------------------------------------------------------------------------

_SPACING = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
"""The distance from 1 to the next number."""


@composite("assert_near")
@documented_like(assert_equal)
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless |x - y| < atol + rtol * |y| for all elements, with the shapes broadcast.

    Args:
        x: floats or complex numbers.
        rtol: the tolerance relative to `y`; None (the default) means 10 times the spacing of the dtype's numbers at 1.
        atol: the absolute tolerance, with the same default.

    Raises:
        TypeError: the dtypes differ or are others, or `data` is not a list.
        ValueError: the shapes cannot be broadcast.
        InvalidArgumentError (when run): the condition does not hold.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [2])
    ...     session.run(tf.assert_near(x, [1.0, 2.0]), {x: [1.0, 2.0000001]})
    """
    difference = subtract(x, y)
    left, right = difference.op.inputs
    real = difference.dtype.real_dtype
    if real.name not in _SPACING:
        raise DTypeError(f"x and y must be floats or complex numbers, not {real}; write tf.assert_equal(x, y)")
    spacing = 10.0 * _SPACING[real.name]
    given = [convert_to_tensor(spacing if each is None else each, real) for each in (rtol, atol)]
    holds = less(abs_op(difference), add(given[1], multiply(given[0], abs_op(right))))
    rule = "x and y not equal to tolerance"
    if rtol is None and atol is None:
        rule = f"x and y not equal to tolerance rtol = atol = {spacing:g}"
    return _asserted(holds, rule, [("x", left), ("y", right)], data, summarize, message, only_run=True)
