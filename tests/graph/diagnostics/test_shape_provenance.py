"""`explain_shape` names the operands and lines that the dimensions of a tensor come from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from tests.helpers import at_most, every_case, shares
from tests.op_samples import USERS_OPS, calls, patterns


def sources(tensor: Tensor, dim: int) -> list[str]:
    """`a.0` for dimension 0 of a, `s[1]` for entry 1 of the values of s."""
    return [
        f"{place.tensor.op.name}[{place.index}]" if place.is_value else f"{place.tensor.op.name}.{place.index}"
        for place in tf.explain_shape(tensor)[dim].sources
    ]


def named(shape: list[int | str | None], name: str, dtype: tf.DType = tf.float32) -> Tensor:
    return tf.placeholder(dtype, shape, name=name)


def build(name: str) -> Tensor:
    a, b, square = named(["batch", 3], "a"), named(["m", 3], "b"), named([3, 3], "w")
    made: dict[str, Callable[[], Tensor]] = {
        "concat": lambda: tf.concat(0, [a, b]),
        "matmul": lambda: tf.matmul(a, square),
        "transposed": lambda: tf.matmul(square, a, transpose_b=True),
        "add": lambda: tf.add(a, named([3], "row")),
        "flat": lambda: tf.reshape(named([2, 3], "x"), [-1]),
        "open flat": lambda: tf.reshape(named([None, None], "x"), [-1]),
        "reshape": lambda: tf.reshape(a, named([2], "sizes", tf.int32)),
        "fill": lambda: tf.fill(tf.shape(a, name="sizes"), 1.0),
        "tile": lambda: tf.tile(a, tf.constant([2, 1], name="times")),
        "split": lambda: tf.split(1, 3, a)[2],
        "gather": lambda: tf.gather(square, named(["q"], "places", tf.int32)),
        "one_hot": lambda: tf.one_hot(named(["q"], "places", tf.int32), tf.constant(5, name="depth")),
        "range": lambda: tf.range(0, tf.constant(10, name="limit"), tf.constant(3, name="step")),
        "twice": lambda: tf.add(square, square),
        "pad": lambda: tf.pad(a, [[1, 1], [0, 2]]),
    }
    return made[name]()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("concat", [["a.0", "b.0"], ["a.1", "b.1"]]),
        ("matmul", [["a.0"], ["w.1"]]),
        ("transposed", [["w.0"], ["a.0"]]),
        ("add", [["a.0"], ["a.1", "row.0"]]),
        ("flat", [["x.0", "x.1"]]),
        ("open flat", [["x.0", "x.1"]]),
        ("fill", [["sizes[0]"], ["sizes[1]"]]),
        ("tile", [["a.0", "times[0]"], ["a.1", "times[1]"]]),
        ("split", [["a.0"], ["a.1"]]),
        ("gather", [["places.0"], ["w.1"]]),
        ("one_hot", [["places.0"], ["depth[0]"]]),
        ("range", [["limit[0]", "step[0]"]]),
        ("twice", [["w.0", "w.0"], ["w.1", "w.1"]]),
        ("pad", [["a.0"], ["a.1"]]),
    ],
)
def test_each_dimension_names_the_places_it_came_from(name: str, expected: list[list[str]]) -> None:
    with tf.Graph().as_default():
        tensor = build(name)
        assert [sources(tensor, dim) for dim in range(len(expected))] == expected


def test_the_path_leads_through_computed_sizes_to_the_placeholder() -> None:
    with tf.Graph().as_default():
        x = named(["batch", 4], "x")
        y = tf.identity(tf.zeros([tf.shape(x, name="shape")[0], 7]), name="y")
        story = tf.explain_shape(y)
    assert [str(link.place) for link in story[0].path][-2:] == ["entry 0 of shape:0", "dimension 0 of x:0 (batch, 4)"]
    assert story[0].origin is x
    assert story[0].end == "x:0 is a placeholder: its declaration says batch."
    assert "is a constant: it holds the value 7 there." in story[1].end


def test_the_text_names_lines_and_roles() -> None:
    with tf.Graph().as_default():
        a = named(["batch", 3], "a")
        text = str(tf.concat(0, [a, named(["m", 3], "b")], name="y").explain_shape())
    assert "y:0 (batch+m, 3), made by Concat  test_shape_provenance.py:" in text
    first = "dimension 0 is batch+m:\n  from dimension 0 of a:0 (batch, 3), values[0] of y  test_shape_provenance.py:"
    assert first in text
    assert "\n   and dimension 0 of b:0 (m, 3), values[1] of y" in text


def test_an_unknown_dimension_says_why_it_is_not_known() -> None:
    with tf.Graph().as_default():
        x = named(["n"], "x")
        rows = tf.where(tf.greater(x, 0.0), name="rows")
        story = tf.explain_shape(tf.identity(rows, name="y"))
    assert story[0].unknown is not None
    assert story[0].unknown.tensor is rows
    assert "not known because of Where 'rows': how many are True is known only by the run" in str(story)
    assert story[1].unknown is None


def test_an_unknown_rank_and_a_scalar_are_told() -> None:
    with tf.Graph().as_default():
        anything = tf.placeholder(tf.float32, name="anything")
        story = tf.explain_shape(tf.identity(anything, name="y"))
        total = tf.explain_shape(tf.reduce_sum(anything, name="total"))
    assert len(story) == 0 and story.rank is not None
    assert "the rank of y:0 <unknown> is not known" in str(story)
    assert total.rank is None and str(total).endswith("a scalar: it has no dimensions")


def test_what_set_shape_said_is_told_as_such() -> None:
    with tf.Graph().as_default():
        y = tf.identity(tf.placeholder(tf.float32, name="x"), name="y")
        y.set_shape([4, None])
        story = tf.explain_shape(y)
    assert story[0].end == "y:0: set_shape said 4."
    assert "left this open" in story[1].end


def test_a_size_that_no_operand_decides_is_the_ops_own() -> None:
    with tf.Graph().as_default():
        story = tf.explain_shape(tf.reduce_sum(named([4, 3], "x"), 1, keepdims=True, name="y"))
    assert story[1].sources == ()
    assert story[1].end == "Sum 'y' makes it 1; it does not depend on the size of an operand."


def looped(x: Tensor) -> Tensor:
    total: Tensor = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x), [0, tf.zeros_like(x)])[1]
    return total


@pytest.mark.parametrize(
    "build_with_graphs",
    [
        looped,
        lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0),
        lambda x: tf.map_fn(tf.square, x),
        lambda x: tf.scan(lambda a, b: a + b, x),
        lambda x: tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), tf.expand_dims(x, 2), dtype=tf.float32)[0],
    ],
)
def test_sizes_go_through_ops_that_hold_graphs(build_with_graphs: Callable[[Tensor], Tensor]) -> None:
    with tf.Graph().as_default():
        story = tf.explain_shape(build_with_graphs(named(["rows", 4], "x")))
    assert story[0].end == "x:0 is a placeholder: its declaration says rows."
    assert all("does not depend" not in one.end for one in story)


def test_several_outputs_have_their_own_stories() -> None:
    with tf.Graph().as_default():
        values, places = tf.unique(named(["n"], "x"))
        assert tf.explain_shape(places)[0].end.startswith("x:0 is a placeholder")
        assert tf.explain_shape(values)[0].unknown is not None


def test_asking_adds_nothing_to_the_graph_and_claims_nothing() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.matmul(named(["batch", "inner"], "a"), named([5, 2], "b"))
        before, claims = len(graph), list(graph.equations)
        str(tf.explain_shape(y))
        assert len(graph) == before and graph.equations == claims
        tf.add(y, 1.0)
        assert graph.equations == claims


def test_a_list_of_many_operands_is_told_in_few_questions() -> None:
    with tf.Graph().as_default():
        y = tf.concat(0, [named([2, 3], f"x{i}") for i in range(300)])
        story = tf.explain_shape(y)
    assert [len(one.sources) for one in story] == [300, 300]
    assert "and 296 places more" in str(story)


def test_a_long_chain_is_followed_to_its_end_and_shortened_in_print() -> None:
    with tf.Graph().as_default():
        y = x = named(["n"], "x")
        for _ in range(2000):
            y = tf.identity(y)
        story = tf.explain_shape(y)
    assert story[0].origin is x and len(story[0].path) == 2001
    assert len(str(story).splitlines()) < 20


def test_what_is_no_tensor_is_refused_with_the_cure() -> None:
    with pytest.raises(TypeError, match=r"explain_shape.*Give a tensor"):
        tf.explain_shape("y:0")  # type: ignore[arg-type]  # the mistake under test


@shares(1)
@every_case("type", USERS_OPS, parts=3, by_day=1)
def test_every_op_can_be_asked_whatever_is_known_of_its_operands(type: str, most: int) -> None:
    for call in at_most(calls(USERS_OPS[type]), most):
        for statics in at_most(patterns(call, 3), 6):
            with tf.Graph().as_default() as graph:
                try:
                    tensors = call.with_placeholders(statics)[0]
                except ValueError:
                    continue  # the op must know more; test_every_op says which may
                count = len(graph)
                for tensor in tensors:
                    story = tf.explain_shape(tensor)
                    assert len(story) == (tensor.shape.ndims or 0)
                    assert all(one.end and one.size == one.path[0].place.size for one in story)
                    assert str(story)
                assert len(graph) == count
