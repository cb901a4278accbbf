"""Errors of a run: TensorFlow's class, the node, the user's line, the shapes that came in."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf

from ...helpers import op_of


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def failure(fetch: Any, feeds: dict[tf.Tensor, Any] | None = None, trace: bool = False) -> tf.errors.OpError:
    with tf.Session(graph=tf.get_default_graph()) as session, pytest.raises(tf.errors.OpError) as e:
        session.run(fetch, feeds, run_metadata=tf.RunMetadata() if trace else None)
    return e.value


def raising(error: BaseException) -> Callable[[Any], Any]:
    def kernel(x: Any) -> Any:
        raise error

    return kernel


@pytest.mark.parametrize("trace", [False, True])
def test_an_error_names_the_node_its_line_and_each_input_with_its_shape_in_this_run(trace: bool) -> None:
    table = tf.placeholder(tf.float32, [None, 2], name="table")  # the table
    rows = tf.placeholder(tf.int32, [None], name="rows")  # the rows
    with tf.name_scope("tower"):
        picked = tf.gather(table, rows, name="picked")  # the call
    error = failure(picked, {table: np.zeros((3, 2)), rows: [1, 7]}, trace)
    first, node, params, indices = str(error).splitlines()
    assert type(error) is tf.errors.InvalidArgumentError
    assert first == error.message
    assert "indices[1] = 7 is not in [0, 3)" in first
    assert node.split()[:6] == ["in", "node", '"tower/picked"', "(Gather)", picked.op.origin.place, "picked"]
    assert node.endswith("# the call")
    assert params.split()[:6] == ["params", '"table:0"', "float32", "[3,", "2]", table.op.origin.place]
    assert params.endswith("# the table")
    assert indices.split()[:5] == ["indices", '"rows:0"', "int32", "[2]", rows.op.origin.place]
    assert indices.endswith("# the rows")
    assert error.op is picked.op
    assert error.error_code == 3


def test_operands_in_lists_are_named_by_position() -> None:
    a, b = (tf.placeholder(tf.float32, name=n) for n in "ab")
    joined = tf.concat(0, [a, b])
    text = str(failure(joined, {a: np.zeros((2, 3)), b: np.zeros((2, 4))}))
    assert 'values[0]  "a:0" float32 [2, 3]' in text
    assert 'values[1]  "b:0" float32 [2, 4]' in text


def test_shapes_that_do_not_broadcast_are_told_in_tensorflows_words() -> None:
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    error = failure(tf.add(x, y, name="sum"), {x: [1, 2], y: [1, 2, 3]})
    assert type(error) is tf.errors.InvalidArgumentError
    assert error.message == "Incompatible shapes: [2] vs. [3]"
    assert 'in node "sum" (Add)' in str(error)


@pytest.mark.parametrize(
    ("raised", "kind", "words"),
    [
        (tf.errors.InvalidArgumentError(message="bad"), tf.errors.InvalidArgumentError, "bad"),
        (tf.errors.UnimplementedError(message="none"), tf.errors.UnimplementedError, "none"),
        (tf.errors.NotFoundError(message="gone"), tf.errors.NotFoundError, "gone"),
        (MemoryError("too large"), tf.errors.ResourceExhaustedError, "out of memory: too large"),
        (ZeroDivisionError("why"), tf.errors.InternalError, "ZeroDivisionError: why"),
        (ValueError("odd"), tf.errors.InternalError, "the kernel of OnlyForThisTest failed: ValueError: odd"),
    ],
)
def test_what_a_kernel_raises_becomes_an_error_of_tensorflows_family(
    raised: Exception, kind: type[tf.errors.OpError], words: str
) -> None:
    with op_of(raising(raised), stateful=True) as failing:
        node = failing(tf.placeholder_with_default(1.0, []), name="node")
        error = failure(node)
    assert type(error) is kind
    assert words in str(error).splitlines()[0]
    assert error.op is node.op
    assert "test_run_errors.py" in str(error).splitlines()[1]


def test_an_unforeseen_error_keeps_its_cause_and_a_deliberate_one_hides_the_executor() -> None:
    cause = ValueError("odd")
    with op_of(raising(cause), stateful=True) as failing:
        assert failure(failing(tf.placeholder_with_default(1.0, []))).__cause__ is cause
    error = failure(tf.gather([1, 2], [5]))
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_an_interrupt_is_not_swallowed() -> None:
    with op_of(raising(KeyboardInterrupt()), stateful=True) as failing:
        node = failing(tf.placeholder_with_default(1.0, []))
        with tf.Session(graph=tf.get_default_graph()) as session, pytest.raises(KeyboardInterrupt):
            session.run(node)


def test_the_family_is_complete_and_each_class_has_tensorflows_code() -> None:
    codes = {
        "CancelledError": 1, "UnknownError": 2, "InvalidArgumentError": 3, "DeadlineExceededError": 4,
        "NotFoundError": 5, "AlreadyExistsError": 6, "PermissionDeniedError": 7, "ResourceExhaustedError": 8,
        "FailedPreconditionError": 9, "AbortedError": 10, "OutOfRangeError": 11, "UnimplementedError": 12,
        "InternalError": 13, "UnavailableError": 14, "DataLossError": 15,
    }  # fmt: skip
    for name, code in codes.items():
        kind = getattr(tf.errors, name)
        assert issubclass(kind, tf.errors.OpError)
        assert kind.error_code == code
        error = kind(None, None, "words")
        assert (error.message, str(error), error.op, error.node_def) == ("words", "words", None, None)


def test_build_errors_are_the_built_in_errors_a_programmer_expects() -> None:
    assert issubclass(tf.errors.ShapeError, ValueError)
    assert issubclass(tf.errors.ValueRuleError, ValueError)
    assert issubclass(tf.errors.GraphError, ValueError)
    assert issubclass(tf.errors.FeedError, ValueError)
    assert issubclass(tf.errors.FetchError, ValueError)
    assert issubclass(tf.errors.DTypeError, TypeError)
    assert issubclass(tf.errors.UseError, TypeError)
    assert issubclass(tf.errors.SessionClosedError, RuntimeError)
    assert not issubclass(tf.errors.OpError, (ValueError, TypeError))


def test_an_error_keeps_its_words_after_pickling() -> None:
    error = failure(tf.gather([1, 2], [5]))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, str(again)) == (type(error), error.message, str(error))
    assert again.op is None  # operations do not leave their process


def test_a_division_by_zero_in_a_group_beside_a_kernel_from_elsewhere_is_told_without_a_warning() -> None:
    x, n = tf.placeholder(tf.int32, [3]), tf.placeholder(tf.int32, [])
    with op_of(lambda x: x.copy()) as outside:
        error = failure([x * 2 // n, outside(x + 5)], {x: [1, 2, 3], n: 0})
    assert isinstance(error, tf.errors.InvalidArgumentError) and "by zero" in error.message
