"""Linear dimensions: whatever is computed with symbols must hold for every size put in their place."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import penstock as tf
from penstock import Dimension
from penstock.graph.shapes.dimension import Dim, merge_dims, unknown
from penstock.graph.shapes.size_claims import claiming

NAMES = ("n", "m", "k")
Env = Mapping[str, int]


@dataclass(frozen=True)
class Term:
    """A dimension and, independently of it, what it means once the names have sizes."""

    dim: Dimension
    meaning: Callable[[Env], int]


def substituted(dim: Dimension, env: Env) -> int:
    """The dimension's own expression, worked out."""
    assert dim.is_named
    return dim.const + sum(count * env[str(symbol.name)] for symbol, count in dim.terms)


environments = st.fixed_dictionaries({name: st.integers(0, 9) for name in NAMES})


def leaves() -> st.SearchStrategy[Term]:
    numbers = st.integers(0, 9).map(lambda v: Term(Dimension(v), lambda env: v))
    names = st.sampled_from(NAMES).map(lambda name: Term(Dimension(name), lambda env: env[name]))
    return numbers | names


def combined(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    factor = st.integers(0, 4)

    def plus(a: Term, b: Term) -> Term:
        return Term(a.dim + b.dim, lambda env: a.meaning(env) + b.meaning(env))

    def minus(a: Term, b: Term) -> Term:
        return Term(a.dim - b.dim, lambda env: a.meaning(env) - b.meaning(env))

    def times(a: Term, by: int) -> Term:
        return Term(a.dim * by, lambda env: a.meaning(env) * by)

    def times_from_the_left(a: Term, by: int) -> Term:
        return Term(by * a.dim, lambda env: a.meaning(env) * by)

    def plus_int(a: Term, by: int) -> Term:
        return Term(by + a.dim, lambda env: a.meaning(env) + by)

    def from_int(a: Term, by: int) -> Term:
        return Term(by - a.dim, lambda env: by - a.meaning(env))

    return (
        st.builds(plus, inner, inner)
        | st.builds(minus, inner, inner)
        | st.builds(times, inner, factor)
        | st.builds(times_from_the_left, inner, factor)
        | st.builds(plus_int, inner, factor)
        | st.builds(from_int, inner, factor)
    )


terms = st.recursive(leaves(), combined, max_leaves=8)


@given(terms, environments)
def test_sums_differences_and_multiples_mean_what_the_numbers_give(term: Term, env: Env) -> None:
    assert substituted(term.dim, env) == term.meaning(env)


@given(terms)
def test_what_equals_a_dimension_finds_it_in_a_dict(term: Term) -> None:
    for other in (*NAMES, str(term.dim), *range(-5, 6), *map(np.int64, range(-5, 6)), True, term.dim + 0):
        if term.dim == other:
            assert hash(term.dim) == hash(other)
            assert {other: 1}.get(term.dim) == {term.dim: 1}.get(other) == 1


def test_a_named_size_is_found_by_its_name() -> None:
    n = Dimension("n")
    assert n == "n" and hash(n) == hash("n") and len({n, "n", n * 2 - n}) == 1
    sizes: dict[object, int] = {"n": 8}
    assert sizes[n] == 8 and {n} == {"n"} and 2 * n not in {"n", "2*n"}
    assert tf.TensorShape(["n", 2]) == ("n", 2) and hash(tf.TensorShape(["n", 2])) == hash(("n", 2))


@given(terms, terms)
def test_equal_expressions_are_equal_whatever_way_they_were_written(a: Term, b: Term) -> None:
    assert a.dim + b.dim == b.dim + a.dim
    assert hash(a.dim + b.dim) == hash(b.dim + a.dim)
    assert str(a.dim + b.dim) == str(b.dim + a.dim)
    assert a.dim + b.dim - b.dim == a.dim
    assert (a.dim + b.dim) * 3 == a.dim * 3 + b.dim * 3


@given(terms, terms)
def test_dimensions_are_equal_exactly_if_no_sizes_tell_them_apart(a: Term, b: Term) -> None:
    # A linear expression is decided by its value at zero and at one step along each name.
    points = [dict.fromkeys(NAMES, 0)] + [dict.fromkeys(NAMES, 0) | {name: 1} for name in NAMES]
    assert (a.dim == b.dim) == all(a.meaning(p) == b.meaning(p) for p in points)


@given(terms, terms, st.integers(-2, 3), environments)
def test_a_quotient_is_exact_for_every_size_or_not_claimed(a: Term, b: Term, times: int, env: Env) -> None:
    for whole, meaning in ((a.dim, a.meaning(env)), (b.dim * times, b.meaning(env) * times)):
        exact = whole.divided(b.dim)
        if exact is not None:
            assert substituted(exact, env) * b.meaning(env) == meaning


@given(terms, st.integers(1, 6), environments)
def test_floor_division_by_a_number_agrees_with_the_numbers_wherever_it_claims_anything(
    a: Term, by: int, env: Env
) -> None:
    quotient = a.dim // by
    if quotient.is_named:
        assert substituted(quotient, env) == a.meaning(env) // by
    else:
        assert a.dim.terms  # of two numbers the quotient is always known


@given(terms, st.integers(1, 4))
def test_a_multiple_divides_back(a: Term, by: int) -> None:
    assert (a.dim * by) // by == a.dim


@given(terms)
def test_text_is_read_back_by_arithmetic_as_the_same_dimension(a: Term) -> None:
    if a.dim.terms:
        expression = str(a.dim)
        assert eval(expression, {name: Dimension(name) for name in NAMES}) == a.dim
    else:
        assert int(str(a.dim)) == a.dim.value


@given(terms, terms, environments)
def test_merging_keeps_what_both_say(a: Term, b: Term, env: Env) -> None:
    """In a run in which both are one size, the merged dimension is that size."""
    assume(a.meaning(env) >= 0)
    equal = b.dim + (a.meaning(env) - b.meaning(env))
    assume(equal.value is None or equal.value >= 0)
    merged = a.dim.merge_with(equal)
    if merged.is_named:
        assert substituted(merged, env) == a.meaning(env)


@given(terms, terms, environments)
def test_merging_refuses_only_what_no_run_can_have(a: Term, b: Term, env: Env) -> None:
    assume(all(d.value is None or d.value >= 0 for d in (a.dim, b.dim)))
    try:
        a.dim.merge_with(b.dim)
    except tf.errors.ShapeError:
        assert a.meaning(env) != b.meaning(env)


def test_a_known_size_is_an_int_for_python() -> None:
    four = Dimension(4)
    assert (int(four), list(range(10))[four], four.value, four == 4, hash(four) == hash(4)) == (4, 4, 4, True, True)
    assert [four < 5, four <= 3, four > 3, four >= 5] == [True, False, True, False]


def test_comparing_an_unknown_size_gives_none() -> None:
    n = Dimension("n")
    assert [n < 5, n <= 3, n > n, n >= 5] == [None] * 4


def test_an_unknown_size_is_no_int_and_says_how_to_get_it() -> None:
    with pytest.raises(TypeError, match=r"this dimension \(n\+1\) is not known until the graph runs.*tf.shape"):
        range(Dimension("n") + 1)


def test_dimensions_print_as_one_would_write_them() -> None:
    n, m = Dimension("n"), Dimension("m")
    written = [n + m, 2 * n + 1, n - 1, m - n, n - n, 3 - n, Dimension(7), Dimension(None), n + Dimension(None)]
    assert [str(d) for d in written] == ["m+n", "2*n+1", "n-1", "m-n", "0", "-n+3", "7", "?", "?"]
    assert repr(n + 1) == "Dimension(n+1)"


def test_a_product_of_sizes_equals_every_product_of_the_same() -> None:
    n, m, k = (Dimension(name) for name in "nmk")
    assert n * m == m * n
    assert hash(n * m) == hash(m * n)
    assert (n * m) * k == n * (m * k)
    assert 2 * (n * m) == (2 * n) * m
    assert n * m != n * k
    assert n * m != n * n
    assert (n * m).divided(2) is None
    assert (4 * n * m).divided(2) == 2 * (n * m)
    assert str(n * m) == "?"
    assert not (n * m).is_named
    assert (n + 1) * m != (n + 1) * m  # only products of symbols are known to be equal


def test_an_anonymous_dimension_equals_only_itself() -> None:
    unknown_size = Dimension(None)
    assert unknown_size == Dimension(unknown_size)
    assert unknown_size != Dimension(None)
    assert unknown_size - unknown_size == 0
    assert (unknown_size + 2) - unknown_size == 2
    assert unknown_size != 3


def test_a_name_is_one_dimension_everywhere_and_compares_with_its_text() -> None:
    assert Dimension("batch") == Dimension("batch") == "batch"
    assert Dimension("batch") != Dimension("rows")
    assert Dimension("batch") != "two words"
    assert Dimension("batch") + 1 != "batch"


def test_a_product_or_quotient_of_names_is_not_linear_and_remembers_why() -> None:
    product = Dimension("n") * Dimension("m")
    assert str(product) == "?"
    assert product.terms[0][0].reason == "n * m is not linear"
    quotient = (Dimension("n") + 1) // 2
    assert quotient.terms[0][0].reason == "n+1 // 2 is not linear"


def test_an_unknown_dimension_remembers_its_reason_and_operand() -> None:
    operand = object()
    symbol = unknown("it depends on the weather", operand).terms[0][0]
    assert (symbol.name, symbol.reason, symbol.operand) == (None, "it depends on the weather", operand)


@pytest.mark.parametrize("bad", [-1, True, 2.0, [], b"n", 1.5])
def test_what_is_no_size_and_no_name_is_refused(bad: object) -> None:
    with pytest.raises((ValueError, TypeError), match="Dimension"):
        Dimension(bad)


@pytest.mark.parametrize("name", ["", "two words", "3d", "n+m"])
def test_a_name_that_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be an identifier"):
        Dimension(name)


def test_numpy_integers_take_part_in_arithmetic() -> None:
    n = Dimension("n")
    assert n + np.int64(-1) == n - 1
    assert n * np.int32(2) == n + n
    assert (6 * n) // np.int8(3) == 2 * n
    assert -n + n == 0


@pytest.mark.parametrize("compute", [operator.add, operator.sub, operator.mul, operator.floordiv])
@pytest.mark.parametrize("other", [1.5, [], object()])
def test_arithmetic_with_what_is_no_size_is_a_type_error(compute: Callable[..., object], other: object) -> None:
    with pytest.raises(TypeError, match="a dimension is an int, a name, None or a Dimension"):
        compute(Dimension("n"), other)


def test_division_by_zero_is_an_error_as_for_ints() -> None:
    with pytest.raises(ZeroDivisionError):
        Dimension("n") // 0


# ---- merging, by the table of the specification -----------------------------------------------------


def test_merging_a_name_with_itself_keeps_it() -> None:
    n = Dimension("n")
    assert merge_dims(n, Dimension("n")) == n


@pytest.mark.parametrize("swap", [False, True])
def test_merging_a_name_with_a_number_gives_the_number_and_keeps_the_equation(swap: bool) -> None:
    pair: tuple[Dim, Dim] = (3, Dimension("n")) if swap else (Dimension("n"), 3)
    assert claiming(merge_dims, pair) == (3, [(Dimension("n"), 3)])


def test_merging_two_names_is_left_to_the_run() -> None:
    merged = merge_dims(Dimension("n"), Dimension("m"))
    assert str(merged) == "?"
    assert isinstance(merged, Dimension)
    assert "both n and m" in str(merged.terms[0][0].reason)


@pytest.mark.parametrize("known", [3, Dimension("n"), Dimension("n") + 1])
def test_merging_an_unknown_with_what_is_known_gives_what_is_known(known: Dim) -> None:
    assert merge_dims(Dimension(None), known) == known
    assert merge_dims(known, Dimension(None)) == known


def test_merging_two_numbers_that_differ_is_refused() -> None:
    with pytest.raises(tf.errors.ShapeError, match="Dimensions must be equal, but are 2 and 3"):
        Dimension(2).merge_with(3)


def test_compatibility_is_refused_only_where_both_sizes_are_known() -> None:
    assert Dimension("n").is_compatible_with(3)
    assert Dimension(3).is_compatible_with(None)
    assert not Dimension(3).is_compatible_with(4)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        Dimension(3).assert_is_compatible_with(4)


def test_named_dimensions_survive_pickling() -> None:
    for dim in (Dimension(3), Dimension("n"), 2 * Dimension("n") + Dimension("m") - 1):
        assert pickle.loads(pickle.dumps(dim)) == dim
