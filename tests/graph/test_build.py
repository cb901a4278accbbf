"""The life of a call: all or nothing, the user's line on every node, errors that tell the whole story."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import ALL


def line_of(function: Callable[..., Any], text: str) -> int:
    """The number of the line in `function` that contains `text`."""
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if text in line)


def state(g: tf.Graph) -> tuple[Any, ...]:
    """Everything a failed call could have left behind: nodes, and the names the next calls would get."""
    names = [g.unique_name(n, mark_as_used=False) for n in ("Add", "Add/y", "add", "x", "pack", "packed", "split", "s")]
    return len(g), [op.name for op in g.get_operations()], names, list(g.equations)


# ---- a failed call adds nothing ---------------------------------------------------------------------


def nowhere(build: Callable[[], tf.Tensor]) -> None:
    """Build inside a device function that fails."""

    def fail(op: tf.Operation) -> str:
        raise ValueError("no device")

    with tf.device(fail):
        build()


FAILING: dict[str, Callable[[tf.Tensor, tf.Tensor], Any]] = {
    "a conversion of the second operand": lambda x, i: tf.add(x, "text"),
    "a conversion after a good one": lambda x, i: tf.add(1, None),  # type: ignore[arg-type]  # the test
    "a dtype that is not allowed, after conversions": lambda x, i: tf.add(True, False),
    "two dtypes": lambda x, i: tf.add(x, i),
    "shapes": lambda x, i: tf.add(x, np.zeros((5, 4), "f4")),
    "a list of tensors of two dtypes": lambda x, i: tf.convert_to_tensor([x, i]),
    "a list of tensors of two shapes": lambda x, i: tf.convert_to_tensor([[i], [i, i]]),
    "a bad value deep in a nested list": lambda x, i: tf.add(i, [[i, 1], [2, None]]),
    "a nested list whose parts disagree": lambda x, i: tf.convert_to_tensor([[i, i], [i]]),
    "an operand in a list of operands": lambda x, i: tf.concat(0, [x, [[1.0, 2.0, 3.0, 4.0]], [["text"]]]),
    "an attribute": lambda x, i: tf.split(1, "two", x),  # type: ignore[arg-type]  # the test
    "an attribute after conversions": lambda x, i: tf.split([1], 2, [[1.0], [2.0]]),
    "a rule about a value": lambda x, i: tf.split(1, 3, x),
    "a number in place of a list": lambda x, i: tf.multiplex(7, [0]),  # type: ignore[arg-type]  # the test
    "a shape that is no shape": lambda x, i: tf.reshape(x, [[2, 6]]),
    "an invalid name": lambda x, i: tf.add(x, 1.0, name="two words"),
    "an invalid name of a constant": lambda x, i: tf.constant(1, name="two words"),
    "a placeholder with a bad shape": lambda x, i: tf.placeholder(tf.float32, [2, -1]),
    "a composite that fails in its last step": lambda x, i: tf.softmax(x, axis=7),
    "a reduction": lambda x, i: tf.reduce_sum(x, 7),
    "a wrong number of arguments": lambda x, i: tf.add(x),  # type: ignore[call-arg]  # the test
    "an argument that does not exist": lambda x, i: tf.add(x, x, axis=1),  # type: ignore[call-arg]  # the test
    "an operator": lambda x, i: x + i,
    "an operator with a converted value": lambda x, i: "text" + x,
    "an index": lambda x, i: x[0, 0, 0],
    "a device function, for a constant": lambda x, i: nowhere(lambda: tf.constant(1, name="s")),
    "a device function, for an op on tensors": lambda x, i: nowhere(lambda: tf.exp(x, name="s")),
    "an operator with a value on its left": lambda x, i: np.zeros(5, "f4") - x,
    "a NumPy function with a value on its left": lambda x, i: np.subtract([1.0, 2.0], x),
}


@pytest.mark.parametrize("what", FAILING)
def test_a_failed_call_adds_nothing(what: str) -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [3, 4], name="x")
        i = tf.placeholder(tf.int32, [], name="i")
        before = state(g)
        with pytest.raises((TypeError, ValueError)):
            FAILING[what](x, i)
        assert state(g) == before
        tf.add(x, 1.0)
        assert [op.name for op in g.get_operations()] == ["x", "i", "Add/y", "Add"]


def test_a_failed_call_inside_a_scope_leaves_the_scopes_name_to_its_operation() -> None:
    with tf.Graph().as_default() as g:
        with tf.name_scope("s") as scope:
            with pytest.raises(ValueError):
                tf.add(tf.zeros([2]), [1.0, 2.0, 3.0], name=scope)
            before = len(g)
            assert tf.add([1.0], [2.0], name=scope).name == "s:0"
            assert len(g) == before + 3
        assert tf.constant(1, name="s").name == "s_1:0"


def test_a_failed_composite_leaves_its_scope_name_free() -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        for _ in range(2):
            with pytest.raises(ValueError):
                tf.softmax(x, axis=5, name="mine")
        tf.constant(1, name="mine/")
        tf.constant(1, name="mine/")
    names = [op.name for op in g.get_operations()]
    assert len(set(names)) == len(names)


# ---- tensors of other graphs ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda mine, other: tf.add(mine, other),
        lambda mine, other: mine + other,
        lambda mine, other: tf.add(mine, [other, other]),
        lambda mine, other: tf.pack([mine, other]),
        lambda mine, other: tf.concat(0, [[mine], [other]]),
        lambda mine, other: tf.convert_to_tensor([[mine], [other]]),
    ],
)
def test_tensors_of_two_graphs_are_refused_naming_both(call: Callable[[tf.Tensor, tf.Tensor], Any]) -> None:
    with tf.Graph().as_default() as here:
        mine = tf.constant(1.0, name="mine")
    with tf.Graph().as_default() as there:
        other = tf.constant(1.0, name="other")
    with pytest.raises(ValueError, match="'other:0' belongs to") as e:
        call(mine, other)
    text = str(e.value)
    assert f"<Graph #{here.serial} of" in text
    assert f"<Graph #{there.serial} of" in text
    assert (len(here), len(there)) == (1, 1)


# ---- origins ----------------------------------------------------------------------------------------


def helper(x: tf.Tensor) -> tf.Tensor:
    return tf.add(x, 1.0)  # the line inside the helper


def test_a_node_keeps_the_file_and_line_that_made_it() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])  # the line of x
        y = helper(x)
    me = test_a_node_keeps_the_file_and_line_that_made_it
    assert (x.op.origin.file, x.op.origin.line) == (__file__, line_of(me, "# the line of x"))
    assert x.op.origin.function == me.__name__
    assert (y.op.origin.file, y.op.origin.line) == (__file__, line_of(helper, "# the line inside"))
    assert y.op.origin.function == "helper"
    assert y.op.origin.code == "return tf.add(x, 1.0)  # the line inside the helper"
    assert y.op.origin.place == f"test_build.py:{y.op.origin.line}"


def test_every_node_of_a_call_has_the_callers_line() -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [2, 3])
        start = len(g)
        _ = x + 1.0, tf.softmax(x), x[0, 1:], tf.reduce_mean(x), np.add(x, 1), tf.pack([[x, x]]), 1 - x  # the line
    line = line_of(test_every_node_of_a_call_has_the_callers_line, "# the line\n")
    assert {(op.origin.file, op.origin.line) for op in g.operations_since(start)} == {(__file__, line)}


def test_origins_are_a_tuple_and_the_first_is_the_origin() -> None:
    with tf.Graph().as_default():
        op = tf.constant(1).op
    assert op.origins == (op.origin,)


def test_two_calls_on_one_line_of_a_loop_share_their_origin() -> None:
    with tf.Graph().as_default():
        a, b = (tf.constant(i) for i in range(2))
    assert a.op.origin is b.op.origin


def test_code_without_a_file_has_an_origin_without_text() -> None:
    space = {"tf": tf}
    with tf.Graph().as_default():
        exec(compile("t = tf.constant(1)", "<made up>", "exec"), space)
    origin = space["t"].op.origin
    assert (origin.file, origin.line, origin.code) == ("<made up>", 1, "")


# ---- how an error is told ---------------------------------------------------------------------------


def lines_of_error(call: Callable[[], Any]) -> tuple[tf.errors.BuildError, list[str]]:
    with pytest.raises(tf.errors.BuildError) as e:
        call()
    return e.value, str(e.value).splitlines()


def test_an_error_tells_the_attempt_the_rule_each_operand_and_the_cure() -> None:
    me = test_an_error_tells_the_attempt_the_rule_each_operand_and_the_cure
    with tf.Graph().as_default(), tf.name_scope("tower"):
        a = tf.placeholder(tf.float32, ["batch", 3], name="a")
        b = tf.placeholder(tf.float32, ["rows", 4], name="b")
        _, lines = lines_of_error(lambda: tf.concat(0, [a, b], name="cc"))
    here = [f"test_build.py:{line_of(me, t)}" for t in ("concat(0", 'name="a"', 'name="b"')]
    assert lines[0].startswith("concat(concat_dim=0): ")
    assert lines[1].split(maxsplit=2) == [
        "'cc'", here[0], '_, lines = lines_of_error(lambda: tf.concat(0, [a, b], name="cc"))'
    ]  # fmt: skip
    rows = {line.split()[0]: line for line in lines if line.startswith("  values")}
    assert rows["values[0]"].split(maxsplit=2)[1:] == [
        here[1], '"tower/a:0" float32 (batch, 3)   a = tf.placeholder(tf.float32, ["batch", 3], name="a")'
    ]  # fmt: skip
    assert rows["values[1]"].split(maxsplit=2)[1:] == [
        here[2], '"tower/b:0" float32 (rows, 4)   b = tf.placeholder(tf.float32, ["rows", 4], name="b")'
    ]  # fmt: skip


def carets(lines: list[str]) -> list[str]:
    """What stands above each caret."""
    marked = [(lines[i - 1], line.index("^")) for i, line in enumerate(lines) if line.strip() == "^"]
    return [above[column:] for above, column in marked]


def test_the_caret_stands_under_the_dimension_at_fault() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 10, 7], name="x")
        error, lines = lines_of_error(lambda: tf.split(1, 3, x))
    (above,) = carets(lines)
    assert above.startswith("10, 7)")
    assert (error.dim, error.operand) == (1, 1)


def test_the_caret_of_a_dimension_counted_from_the_end() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [5, 2], name="x")
        y = tf.placeholder(tf.float32, [7, 5, 3], name="y")
        error, lines = lines_of_error(lambda: tf.add(x, y))
    if error.operand is not None:
        assert carets(lines)[0].startswith(("2)", "3)"))
    assert "Dimensions must be equal, but are 2 and 3" in lines[0]


def test_the_caret_stands_under_the_name_where_no_dimension_is_at_fault() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        i = tf.placeholder(tf.int64, [3], name="i")
        error, lines = lines_of_error(lambda: tf.add(x, i))
    assert carets(lines)[0].startswith('"i:0" int64 (3,)')
    assert isinstance(error, TypeError)
    assert "has type int64 that does not match type float32 of argument 'x'; operands must share one dtype" in lines[0]
    assert lines[-1].strip() == "Write tf.cast(y, tf.float32) if that is meant."


def test_a_long_list_of_operands_is_cut_but_the_one_at_fault_is_shown() -> None:
    with tf.Graph().as_default():
        values = [tf.placeholder(tf.float32, [2, 3], name=f"v{i}") for i in range(20)]
        values.append(tf.placeholder(tf.int32, [2, 3], name="odd"))
        values += values[:5]
        _, lines = lines_of_error(lambda: tf.pack(values))
    assert sum('"v' in line for line in lines) == 8
    assert carets(lines)[0].startswith('"odd:0" int32')
    assert any("operands more" in line for line in lines)


def test_the_attempt_shows_short_plain_arguments_only() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        _, lines = lines_of_error(lambda: tf.reshape(x, [3, 5]))
        _, long = lines_of_error(lambda: tf.add(x, np.zeros((100, 3), "f4")))
    assert lines[0].startswith("reshape(shape=[3, 5]): ")
    assert long[0].startswith("add: ")


def test_a_value_that_cannot_be_converted_names_the_parameter() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [2], name="x")
        error, lines = lines_of_error(lambda: tf.add(x, 1.5))
        assert isinstance(error, TypeError)
        assert "Expected int32 passed to parameter 'y', but got 1.5 of type 'float'" in lines[0]
        error, lines = lines_of_error(lambda: tf.add(x, None))  # type: ignore[arg-type]  # refused
        assert isinstance(error, ValueError)
        assert "y: None values not supported." in lines[0]
        _, lines = lines_of_error(lambda: tf.pack([x, None]))  # type: ignore[list-item]  # refused
        assert "values[1]: None values not supported." in lines[0]


def test_a_disallowed_dtype_lists_those_that_are() -> None:
    with tf.Graph().as_default():
        flags = tf.placeholder(tf.bool, [2], name="flags")
        _, lines = lines_of_error(lambda: tf.add(flags, flags))
    assert "passed to parameter 'x' has DataType bool not in list of allowed values: uint8, uint16" in lines[0]


def test_an_error_names_the_line_of_the_call_even_through_a_helper() -> None:
    def combine(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        return tf.add(a, b)  # the failing line

    with tf.Graph().as_default():
        x, y = tf.zeros([2]), tf.zeros([3])
        _, lines = lines_of_error(lambda: combine(x, y))
    assert f"test_build.py:{line_of(combine, '# the failing line')}" in lines[1]


# ---- arguments --------------------------------------------------------------------------------------


def test_the_first_tensor_decides_the_dtype_of_python_values() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [])
        assert tf.add(x, 1).dtype is tf.float64
        assert tf.concat(0, [[1, 2], [x]]).dtype is tf.float64
        assert (1 + x).dtype is tf.float64
        with pytest.raises(TypeError):
            tf.add(1, x)
        with pytest.raises(TypeError):
            tf.add(1, 2.5)


def test_a_wrong_call_shows_the_signature() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"add\(x.*y.*name.*missing a required argument: 'y'"):
        tf.add(1)  # type: ignore[call-arg]  # refused, which is the test


def test_a_tensor_where_a_python_value_must_stand_is_told() -> None:
    with tf.Graph().as_default():
        n = tf.placeholder(tf.int32, [], name="n")
        with pytest.raises(TypeError, match=r"num_split must be a Python int, not the tensor 'n:0'"):
            tf.split(0, n, [1, 2])  # type: ignore[arg-type]  # refused, which is the test


def test_a_tensor_passes_through_conversion_as_itself() -> None:
    with tf.Graph().as_default():
        t = tf.constant(1.0)
        assert tf.convert_to_tensor(t) is t
        assert tf.convert_to_tensor(t, tf.float32) is t
        words = "Tensor conversion requested dtype int32 for Tensor with dtype float32"
        with pytest.raises(ValueError, match=words):
            tf.convert_to_tensor(t, tf.int32)


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_numeric], ids=str)
def test_a_constant_is_a_copy_of_the_array_it_was_made_of(dtype: tf.DType) -> None:
    array = np.ones(3, dtype.np)
    with tf.Graph().as_default() as g:
        t = tf.constant(array)
        array[:] = 0
    with tf.Session(graph=g) as session:
        assert (session.run(t) == 1).all()
