"""Names: what each call's nodes are called. The long lists are TensorFlow 2.21's own answers (graph mode)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from ..helpers import in_thread


def constant(name: str) -> str:
    return tf.constant(1, name=name).name


def test_names_in_nested_repeated_and_reentered_scopes_are_those_of_tensorflow() -> None:
    found = []
    with tf.Graph().as_default():
        found += [constant(name) for name in ("a", "a", "A", "a_1", "a")]
        with tf.name_scope("a") as outer:
            found += [outer, constant("x")]
            with tf.name_scope("b") as inner:
                found += [inner, constant("x"), constant("x")]
            with tf.name_scope("b") as again:
                found.append(again)
            with tf.name_scope(inner):
                found.append(constant("x"))
            with tf.name_scope(None):
                found.append(constant("x"))
            with tf.name_scope(""):
                found.append(constant("x"))
            with tf.name_scope("s/"):
                found.append(constant("x"))
            with tf.name_scope("t/u") as path:
                found += [path, constant("v/w")]
        with tf.name_scope("t") as free:
            found.append(free)
        with tf.name_scope("A") as other_case:
            found.append(other_case)
        found += [constant("a/x/"), constant("t")]
    assert found == [
        *("a:0", "a_1:0", "A_2:0", "a_1_1:0", "a_3:0"),
        *("a_4/", "a_4/x:0", "a_4/b/", "a_4/b/x:0", "a_4/b/x_1:0", "a_4/b_1/", "a_4/b/x_2:0"),
        *("x:0", "x_1:0", "s/x:0", "a_4/t/u/", "a_4/t/u/v/w:0", "t/", "A_5/", "a/x:0", "t_1:0"),
    ]  # fmt: skip


def test_constants_made_for_arguments_are_named_after_the_parameter() -> None:
    """TensorFlow's names for the same calls."""
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.add(x, 1.0)
        x + 2.0
        tf.add(x, [1.0, 2.0], name="shifted")
        tf.convert_to_tensor([tf.placeholder(tf.float32, [], name="p"), 1.0])
    names = [op.name for op in g.get_operations()]
    assert names == ["x", "Add/y", "Add", "add_1/y", "add_1", "shifted/y", "shifted", "p", "packed/1", "packed"]


def test_a_second_list_gets_a_name_of_its_own_for_all_its_parts() -> None:
    with tf.Graph().as_default() as g:
        p = tf.placeholder(tf.float32, [], name="p")
        tf.convert_to_tensor([p, 1.0])
        tf.convert_to_tensor([[p, 1.0]])
        with tf.name_scope("s"):
            tf.convert_to_tensor([1.0, p], name="mine")
    names = [op.name for op in g.get_operations()]
    assert names == ["p", "packed/1", "packed", "packed_1/0/1", "packed_1/0", "packed_1", "s/mine/0", "s/mine"]


def test_a_list_inside_a_list_names_its_parts_by_position() -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.add(tf.placeholder(tf.float32, [2, 2], name="m"), [[x, 1.0], [2.0, x]], name="sum")
    made = [op.name for op in g.get_operations()]
    assert made == ["x", "m", "sum/y/0/1", "sum/y/0", "sum/y/1/0", "sum/y/1", "sum/y", "sum"]


def test_the_same_scope_object_enters_the_same_scope_again() -> None:
    with tf.Graph().as_default():
        block = tf.name_scope("tower")
        with block as first:
            a = constant("a")
        with block as second:
            b = constant("b")
        with tf.name_scope(block) as third:
            c = constant("c")
    assert first == second == third == "tower/"
    assert [a, b, c] == ["tower/a:0", "tower/b:0", "tower/c:0"]


def test_a_scope_is_left_when_its_block_ends_by_an_exception() -> None:
    with tf.Graph().as_default():
        with pytest.raises(RuntimeError), tf.name_scope("a"), tf.name_scope("b"):
            raise RuntimeError
        assert constant("x") == "x:0"


def test_a_default_scope_name_serves_where_none_is_given() -> None:
    with tf.Graph().as_default(), tf.name_scope(None, "softmax") as a, tf.name_scope("mine", "softmax") as b:
        pass
    assert (a, b) == ("softmax/", "softmax/mine/")


def test_a_scope_takes_the_graph_of_its_values() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1, name="x")
    with tf.name_scope("s", values=[x]):
        y = tf.add(x, x)
    assert y.name == "s/Add:0"
    assert y.graph is g
    with tf.Graph().as_default():
        other = tf.constant(1, name="other")
    with pytest.raises(ValueError, match=r"'other:0' belongs to .* other values to"):
        tf.name_scope("s", values=[x, other])


def test_a_scope_object_of_another_graph_is_refused() -> None:
    with tf.Graph().as_default():
        block = tf.name_scope("a")
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"belongs to .* the default graph is"):
        tf.name_scope(block)


@pytest.mark.parametrize("name", ["_a", "a b", "-a", "/a", "a+b", "é", "", "a:0", "a\n"])
def test_what_is_no_name_is_refused_with_the_rule(name: str) -> None:
    with tf.Graph().as_default() as g:
        with pytest.raises(ValueError, match="not a valid scope name or operation name: names are made of letters"):
            tf.constant(1, name=name)
        assert len(g) == 0


@pytest.mark.parametrize("name", [".a", "9", "a-b", "a\\b", "a>b", "A_1", "a.b/c-d"])
def test_what_is_a_name_is_used_as_it_is(name: str) -> None:
    with tf.Graph().as_default():
        assert constant(name) == f"{name}:0"


def test_inside_a_scope_a_name_may_begin_with_an_underscore_or_a_dash() -> None:
    with tf.Graph().as_default(), tf.name_scope("s"):
        assert [constant("_a"), constant("-a"), constant(".a")] == ["s/_a:0", "s/-a:0", "s/.a:0"]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="'_a' is not a valid scope name"):
        tf.name_scope("_a")


def test_a_name_that_is_no_string_is_a_type_error() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="name=7: a name is a str, not int"):
        tf.add(1, 2, name=7)  # type: ignore[arg-type]  # refused, which is the test


@given(st.lists(st.tuples(st.sampled_from("aAbB"), st.sampled_from(["", "_1", "_2", "/x"])), max_size=25))
def test_names_are_unique_whatever_the_case_of_their_letters(parts: list[tuple[str, str]]) -> None:
    with tf.Graph().as_default() as g:
        for letter, rest in parts:
            tf.constant(0, name=letter + rest)
    names = [op.name.lower() for op in g.get_operations()]
    assert len(set(names)) == len(names) == len(parts)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["a", "A", "b", "a_1"])), max_size=25))
def test_scopes_and_operations_share_one_set_of_names(steps: list[tuple[bool, str]]) -> None:
    names = []
    with tf.Graph().as_default():
        for is_scope, name in steps:
            if is_scope:
                with tf.name_scope(name) as scope:
                    names.append(scope[:-1].lower())
            else:
                names.append(tf.constant(0, name=name).op.name.lower())
    assert len(set(names)) == len(names)


def test_an_operation_may_be_called_as_its_scope_is_and_only_one() -> None:
    with tf.Graph().as_default():
        with tf.name_scope("softmax") as scope:
            inner = constant("shifted")
            result = constant(scope)
        second = constant("softmax")
    assert [inner, result, second] == ["softmax/shifted:0", "softmax:0", "softmax_1:0"]


def test_unique_name_reserves_or_only_looks() -> None:
    g = tf.Graph()
    assert [g.unique_name("a", mark_as_used=False), g.unique_name("a"), g.unique_name("a")] == ["a", "a", "a_1"]
    with g.name_scope("s"):
        assert g.unique_name("a") == "s/a"


def test_threads_have_scopes_of_their_own() -> None:
    g = tf.Graph()

    def build() -> str:
        with g.as_default():
            return constant("x")

    with g.as_default(), tf.name_scope("mine"):
        assert in_thread(build) == "x:0"
        assert constant("x") == "mine/x:0"
