"""Static shapes: what they say must be true of every run, whatever sizes the names and unknowns turn out to have."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import penstock as tf
from penstock import Dimension, TensorShape
from penstock.graph.shapes.dimension import Dim, Symbol
from penstock.graph.shapes.shape import as_shape, broadcast, merge_shapes, unknown_dims, unknown_rank

NAMES = ("n", "m")
Sizes = Mapping[str, int]

small = st.sampled_from([0, 1, 1, 2, 3])
environments = st.fixed_dictionaries(dict.fromkeys(NAMES, small))
dims: st.SearchStrategy[Any] = (
    small
    | st.sampled_from(NAMES)
    | st.none()
    | st.builds(lambda name, by, plus: Dimension(name) * by + plus, st.sampled_from(NAMES), st.integers(1, 2), small)
)
known_ranks = st.lists(dims, max_size=4).map(TensorShape)
shapes = known_ranks | st.just(TensorShape(None))


def runs(data: st.DataObject, *given_shapes: TensorShape) -> list[tuple[int, ...]]:
    """Concrete shapes for `given_shapes` in one run: a name has one size, an unknown dimension any."""
    sizes: dict[Symbol, int] = {}

    def size(dim: Dim) -> int:
        if isinstance(dim, int):
            return dim
        total = dim.const
        for symbol, count in dim.terms:
            if symbol not in sizes:
                sizes[symbol] = data.draw(small)
            total += count * sizes[symbol]
        return total

    def concrete(shape: TensorShape) -> tuple[int, ...]:
        if shape.raw is None:
            return tuple(data.draw(st.lists(small, max_size=4)))
        return tuple(map(size, shape.raw))

    found = [concrete(shape) for shape in given_shapes]
    return found


def agrees(static: TensorShape, actual: tuple[int, ...]) -> bool:
    """Could a tensor with this static shape be of that size? Numbers must match, the rest may be anything."""
    return static.is_compatible_with(list(actual))


# ---- broadcasting -----------------------------------------------------------------------------------


@given(shapes, shapes, st.data())
def test_broadcasting_never_contradicts_a_run(a: TensorShape, b: TensorShape, data: st.DataObject) -> None:
    left, right = runs(data, a, b)
    try:
        actual = np.broadcast_shapes(left, right)
    except ValueError:
        return  # this run fails, so nothing was promised about it
    assert agrees(broadcast(a, b), actual)


@given(known_ranks, known_ranks, st.data())
def test_a_refused_broadcast_fails_in_every_run(a: TensorShape, b: TensorShape, data: st.DataObject) -> None:
    left, right = runs(data, a, b)
    try:
        broadcast(a, b)
    except tf.errors.ShapeError:
        with pytest.raises(ValueError):
            np.broadcast_shapes(left, right)


@given(known_ranks, known_ranks, environments)
def test_names_that_survive_a_broadcast_have_the_size_of_the_result(
    a: TensorShape, b: TensorShape, env: Sizes
) -> None:
    """Expressions in names are promises about sizes too, not only numbers."""
    left, right = as_sizes(a, env), as_sizes(b, env)
    assume(left is not None and right is not None)
    assert left is not None and right is not None
    try:
        actual = np.broadcast_shapes(left, right)
    except ValueError:
        return
    static = broadcast(a, b).raw
    assert static is not None
    for dim, size in zip(static, actual, strict=True):
        if isinstance(dim, int) or dim.is_named:
            assert value_of(dim, env) == size


def as_sizes(shape: TensorShape, env: Sizes) -> tuple[int, ...] | None:
    raw = shape.raw
    if raw is None or not all(isinstance(d, int) or d.is_named for d in raw):
        return None
    return tuple(value_of(d, env) for d in raw)


def value_of(dim: Dim, env: Sizes) -> int:
    return dim if isinstance(dim, int) else dim.const + sum(c * env[str(s.name)] for s, c in dim.terms)


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ([2, 3], [2, 3], "(2, 3)"),
        ([3], [2, 3], "(2, 3)"),
        ([], [2, None], "(2, ?)"),
        ([2, 1], [1, 3], "(2, 3)"),
        ([None], [1], "(?,)"),
        ([None], [3], "(3,)"),
        ([None], [0], "(?,)"),
        ([None], [None], "(?,)"),
        (["n"], ["n"], "(n,)"),
        (["n", 1], [3], "(n, 3)"),
        (["n"], [1], "(n,)"),
        (["n"], [3], "(3,)"),
        (["n"], ["m"], "(?,)"),
        ([0], [1], "(0,)"),
        (None, [3], "<unknown>"),
    ],
)
def test_broadcasting_by_the_table_of_the_specification(a: Any, b: Any, result: str) -> None:
    assert str(broadcast(as_shape(a), as_shape(b))) == result
    assert str(broadcast(as_shape(b), as_shape(a))) == result


def test_an_unknown_dimension_broadcast_with_itself_is_kept() -> None:
    shape = TensorShape([None, 3])
    assert broadcast(shape, TensorShape(shape)) == shape


def test_sizes_that_cannot_broadcast_are_refused_with_both_shapes_and_the_place_from_the_end() -> None:
    words = r"Dimensions must be equal, but are 2 and 3.*\(2, 4\), \(3, 4\)"
    with pytest.raises(tf.errors.ShapeError, match=words) as e:
        broadcast(TensorShape([2, 4]), TensorShape([3, 4]))
    assert e.value.dim == -2


# ---- merging ----------------------------------------------------------------------------------------


@given(shapes, shapes, st.data())
def test_merging_never_contradicts_a_run_in_which_both_hold(
    a: TensorShape, b: TensorShape, data: st.DataObject
) -> None:
    (actual,) = runs(data, a)
    assume(agrees(b, actual))
    assert agrees(merge_shapes(a, b), actual)


@given(shapes, shapes)
def test_merging_refuses_exactly_what_is_incompatible(a: TensorShape, b: TensorShape) -> None:
    if a.is_compatible_with(b):
        merge_shapes(a, b)
    else:
        with pytest.raises(tf.errors.ShapeError):
            merge_shapes(a, b)


@given(shapes, shapes)
def test_merging_forgets_no_number(a: TensorShape, b: TensorShape) -> None:
    assume(a.is_compatible_with(b))
    merged = merge_shapes(a, b)
    for part in (a, b):
        if part.raw is not None:
            assert merged.raw is not None
            for mine, theirs in zip(merged.raw, part.raw, strict=True):
                assert not isinstance(theirs, int) or mine == theirs


def test_merging_names_the_dimension_and_both_shapes() -> None:
    words = r"Dimension 0 in both shapes must be equal, but are 2 and 3\. Shapes are \(2, 5\) and \(3, 5\)\."
    with pytest.raises(tf.errors.ShapeError, match=words) as e:
        TensorShape([2, 5]).merge_with([3, 5])
    assert e.value.dim == 0
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 1 and 2"):
        TensorShape([2]).merge_with([2, 2])


def test_merging_takes_the_better_known_of_each_dimension() -> None:
    assert str(TensorShape([None, 3, "n"]).merge_with([2, None, "n"])) == "(2, 3, n)"
    assert str(TensorShape(None).merge_with([2, None])) == "(2, ?)"
    assert str(TensorShape([2, None]).merge_with(None)) == "(2, ?)"


# ---- what a shape says ------------------------------------------------------------------------------


def test_a_known_shape_answers_everything() -> None:
    shape = TensorShape([2, 3])
    assert (shape.ndims, shape.rank, len(shape), shape.num_elements()) == (2, 2, 2, 6)
    assert shape.as_list() == [2, 3]
    assert shape.is_fully_defined()
    assert [d.value for d in shape] == [2, 3]
    assert shape.dims == [Dimension(2), Dimension(3)]


def test_unknown_dimensions_are_none_in_lists() -> None:
    shape = TensorShape(["batch", None, 3])
    assert shape.as_list() == [None, None, 3]
    assert (shape.ndims, shape.num_elements(), shape.is_fully_defined()) == (3, None, False)


def test_an_unknown_rank_says_so_when_asked_for_more() -> None:
    shape = TensorShape(None)
    assert (shape.ndims, shape.dims, shape.num_elements(), bool(shape)) == (None, None, None, False)
    assert str(shape) == "<unknown>"
    assert repr(shape) == "TensorShape(None)"
    for ask in (shape.as_list, lambda: len(shape), lambda: list(shape)):
        with pytest.raises(ValueError, match="unknown"):
            ask()
    assert str(shape[1:]) == "<unknown>"
    assert shape[0].value is None


def test_a_shape_of_rank_zero_is_true_and_has_one_element() -> None:
    assert TensorShape([])
    assert TensorShape([]).num_elements() == 1
    assert str(TensorShape([])) == "()"


@pytest.mark.parametrize(
    ("given_dims", "text"),
    [(3, "(3,)"), ("n", "(n,)"), ((), "()"), (np.array([2, 3]), "(2, 3)"), (range(2), "(0, 1)"),
     ([Dimension("n") + 1, 2], "(n+1, 2)"), ((np.int64(4), None), "(4, ?)")],
)  # fmt: skip
def test_a_shape_is_made_from_what_people_write(given_dims: Any, text: str) -> None:
    assert str(TensorShape(given_dims)) == text


@pytest.mark.parametrize(
    ("bad", "kind"), [([-1], ValueError), ([2.0], TypeError), ([[2]], TypeError), ([True], TypeError)]
)
def test_what_is_no_dimension_is_refused(bad: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="Dimension"):
        TensorShape(bad)


def test_slices_and_items_of_a_shape() -> None:
    shape = TensorShape(["n", 2, 3])
    assert str(shape[1:]) == "(2, 3)"
    assert str(shape[::-1]) == "(3, 2, n)"
    assert str(shape[: Dimension(2)]) == "(n, 2)"
    assert shape[0] == "n"
    assert shape[-1] == 3
    with pytest.raises(IndexError):
        shape[3]


@given(known_ranks, known_ranks)
def test_concatenation_joins_dimensions(a: TensorShape, b: TensorShape) -> None:
    joined = a + b
    assert joined[: len(a)] == a
    assert joined[len(a) :] == b
    assert joined == a.concatenate(b)


def test_shapes_add_up_with_lists_on_either_side() -> None:
    shape = TensorShape(["n"])
    more, unknown = [2, None], TensorShape(None)
    assert str(shape + more) == "(n, 2, ?)"
    assert str(more + shape) == "(2, ?, n)"
    assert str(shape + unknown) == "<unknown>"
    assert str(unknown + more) == "<unknown>"


def test_shapes_compare_with_lists_where_none_stands_for_no_number() -> None:
    assert TensorShape([2, 3]) == [2, 3]
    assert TensorShape([2, 3]) == (2, 3)
    assert TensorShape([2, "n"]) == [2, None]
    assert TensorShape([2, "n"]) == [2, "n"]
    assert TensorShape([2, 3]) != [2, None]
    assert TensorShape([2, 3]) != [2]
    assert TensorShape(None) != [2]
    assert TensorShape([2]) != "two"


def test_two_anonymous_dimensions_are_not_equal_but_compatible() -> None:
    assert TensorShape([None]) != TensorShape([None])
    assert TensorShape([None]).is_compatible_with([None])


def test_compatibility_needs_ranks_and_numbers_to_agree() -> None:
    shape = TensorShape([2, None, "n"])
    assert shape.is_compatible_with([2, 3, 4])
    assert shape.is_compatible_with(None)
    assert not shape.is_compatible_with([3, None, None])
    assert not shape.is_compatible_with([2, 3])
    with pytest.raises(ValueError, match=r"Shapes \(2, \?, n\) and \(3, 1, 1\) are incompatible"):
        shape.assert_is_compatible_with([3, 1, 1])


def test_with_rank_gives_a_rank_or_refuses() -> None:
    assert str(TensorShape(None).with_rank(2)) == "(?, ?)"
    shape = TensorShape([2, None])
    assert shape.with_rank(2) is shape
    assert shape.with_rank_at_least(2) is shape
    with pytest.raises(ValueError, match="must be rank 3 but is rank 2"):
        shape.with_rank(3)
    with pytest.raises(ValueError, match="at least rank 3 but is rank 2"):
        shape.with_rank_at_least(3)


def test_a_shape_is_frozen_and_can_be_a_key() -> None:
    shape = TensorShape([2, "n"])
    with pytest.raises((AttributeError, TypeError)):
        shape[0] = 3  # type: ignore[index]  # refused, which is the test
    assert {shape: 1}[TensorShape([2, "n"])] == 1


@pytest.mark.parametrize("written", [None, [], [2, 3], ["n", 2], [Dimension("n") * 2 + 1]])
def test_shapes_survive_pickling_and_copying(written: Any) -> None:
    shape = TensorShape(written)
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert copy.deepcopy(shape) == shape


def test_an_anonymous_dimension_is_a_new_one_after_pickling() -> None:
    assert str(pickle.loads(pickle.dumps(TensorShape([None, 2])))) == "(?, 2)"


def test_unknown_shapes_remember_why() -> None:
    assert unknown_rank("it was never said", "operand").why == ("it was never said", "operand")
    dims_ = unknown_dims(2, "it was never said").raw
    assert dims_ is not None
    assert [d.terms[0][0].reason for d in dims_ if isinstance(d, Dimension)] == ["it was never said"] * 2


# ---- named dimensions in a graph --------------------------------------------------------------------


def test_a_placeholder_prints_its_names_and_open_dimensions() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 3, None])
    assert f"{x.dtype} {x.shape}" == "float32 (batch, 3, ?)"
    assert x.shape.as_list() == [None, 3, None]


def test_an_open_dimension_keeps_its_identity_through_a_node() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.placeholder(tf.float32, [None])
        assert (x + x).shape == x.shape
        assert (x + y).shape != x.shape


def test_placeholders_declared_with_one_shape_object_have_open_dimensions_of_their_own() -> None:
    shape = TensorShape([None])
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    assert x.shape != y.shape
