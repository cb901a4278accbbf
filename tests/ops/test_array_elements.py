"""The values of TensorArrays: they never change, whatever is written to others that come from the same one."""

from __future__ import annotations

import threading
import tracemalloc
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import InvalidArgumentError
from penstock.graph.shapes.dtypes import bfloat16, float32, float64
from penstock.ops.tensor_array.array_elements import ArrayFacts, Elements, boxed, content_of
from penstock.ops.tensor_array.gradient_elements import gradient_of, rows_or_zeros
from penstock.ops.tensor_array.variant_sums import add_element, add_variants

ONES = np.ones(2, np.float32)


def array(size: int = 3, **facts: Any) -> Elements:
    return Elements(ArrayFacts(float32, **facts), size)


def values(elements: Elements) -> dict[int, Any]:
    return {index: None if value is None else value.tolist() for index, value in elements.items()}


def test_a_write_leaves_the_old_value_as_it_is() -> None:
    old = array()
    new = old.write(1, ONES)
    assert values(old) == {} and values(new) == {1: [1, 1]}


def test_two_writes_to_one_value_do_not_see_each_other() -> None:
    start = array().write(0, ONES)
    first, second = start.write(1, ONES * 2), start.write(1, ONES * 3)
    assert values(first) == {0: [1, 1], 1: [2, 2]}
    assert values(second) == {0: [1, 1], 1: [3, 3]}
    assert values(first.write(2, ONES)) == {0: [1, 1], 1: [2, 2], 2: [1, 1]}


def test_clearing_leaves_the_old_value_as_it_is() -> None:
    old = array().write(0, ONES)
    new = old.cleared([0])
    assert old.read(0).tolist() == [1, 1]
    with pytest.raises(InvalidArgumentError, match="read index 0 twice"):
        new.read(0)
    with pytest.raises(InvalidArgumentError, match="already been read"):
        new.write(0, ONES)


def test_nothing_is_written_where_one_of_several_elements_may_not_be() -> None:
    start = array()
    with pytest.raises(InvalidArgumentError, match="index 3"):
        start.write_all([(0, ONES), (3, ONES)])
    assert values(start.write(1, ONES)) == {1: [1, 1]}


def test_values_of_one_index_add_up_where_elements_are_sums() -> None:
    start = array(0, dynamic=True, sums=True)
    first = start.write(4, ONES)
    second = first.write_all([(4, ONES), (4, ONES), (2, ONES)])
    assert values(first) == {4: [1, 1]}
    assert values(second) == {4: [3, 3], 2: [1, 1]} and second.size == 5


def test_a_sum_in_place_is_seen_by_no_other_value() -> None:
    start = array(0, dynamic=True, sums=True).write(0, ONES)
    other = start.write(1, ONES)
    start.add_in_place(0, ONES)
    assert values(start) == {0: [2, 2]} and values(other) == {0: [1, 1], 1: [1, 1]}
    last = other.write(0, ONES)
    last.add_in_place(0, ONES)
    assert values(last) == {0: [3, 3], 1: [1, 1]} and values(other) == {0: [1, 1], 1: [1, 1]}


def test_a_sum_needs_one_shape_and_one_dtype() -> None:
    start = array(0, dynamic=True, sums=True).write(0, ONES)
    for other in (np.ones(3, "f4"), np.ones((1, 2), "f4"), np.ones(2)):
        for add in (start.write, start.add_in_place):
            with pytest.raises(InvalidArgumentError, match=r"existing shape is \[2\]|dtype is float"):
                add(0, other)
        with pytest.raises(InvalidArgumentError, match="a sum needs TensorArrays, or arrays of one dtype and shape"):
            run(add_variants, boxed(ONES), boxed(other))
    assert values(start) == {0: [1, 1]}


def test_a_sum_of_wrapped_variants_adds_what_they_hold() -> None:
    inner = boxed(ONES)
    total = content_of(run(add_variants, boxed(inner), boxed(inner)))
    assert content_of(total).tolist() == [2, 2] and content_of(inner).tolist() == [1, 1]


def test_rows_of_a_gradient_are_those_of_the_result() -> None:
    rows = boxed(gradient_of(ONES.dtype, [(1, ONES)]))
    assert run(rows_or_zeros, rows, np.array([2, 2]), float32, None, None).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(InvalidArgumentError, match=r"index 1 is float32 of shape \[2\], but float32 of shape \[1\]"):
        run(rows_or_zeros, rows, np.array([2, 1]), float32, None, None)
    with pytest.raises(InvalidArgumentError, match=r"a row for each of 3 indices"):
        run(rows_or_zeros, rows, np.array([2, 2]), float32, None, np.array([0, 1, 2]))
    with pytest.raises(InvalidArgumentError, match=r"the variant holds 1.5, not a TensorArray's elements"):
        run(add_element, boxed(cast(Any, 1.5)), np.array(0), ONES)


def run(op: Any, *operands: Any) -> Any:
    """What the kernel of an op gives."""
    return op.own_kernel(np, *operands)


def test_a_list_drops_its_last_element_and_gets_another_one() -> None:
    start = array(0, dynamic=True).replaced(0, ONES).replaced(1, ONES * 2)
    shorter = start.without_last()
    again = shorter.replaced(1, ONES * 3)
    assert [values(each) for each in (start, shorter, again)] == [
        {0: [1, 1], 1: [2, 2]}, {0: [1, 1]}, {0: [1, 1], 1: [3, 3]},
    ]  # fmt: skip
    assert values(shorter.replaced(3, ONES)) == {0: [1, 1], 3: [1, 1]}
    assert values(shorter.resized(4)) == {0: [1, 1]} and shorter.resized(4).size == 4


def test_one_write_after_the_other_copies_nothing() -> None:
    versions = [array(1000)]
    tracemalloc.start()
    for index in range(1000):
        versions.append(versions[-1].write(index, ONES))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1 << 20  # a table of its own for each would be 4 MB
    assert len(values(versions[-1])) == 1000 and len(values(versions[500])) == 500
    assert values(versions[0].write(0, ONES * 2)) == {0: [2, 2]} and values(versions[-1])[0] == [1, 1]


def test_threads_that_write_to_one_value_get_values_of_their_own() -> None:
    start = array(1000, sums=True).write(0, ONES)
    found: dict[int, Elements] = {}

    def work(number: int) -> None:
        elements = start
        for index in range(1, 200):
            elements = elements.write(index, ONES * number)
        found[number] = elements

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values(start) == {0: [1, 1]}
    for number, elements in found.items():
        assert values(elements) == {0: [1, 1]} | {index: [number, number] for index in range(1, 200)}


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("wacprs"), st.integers(0, 5)), max_size=40))
def test_any_values_are_what_copies_of_dictionaries_would_be(steps: list[tuple[int, str, int]]) -> None:
    """Each step takes a value made before, and makes another one of it."""
    facts = ArrayFacts(float64, dynamic=True, sums=True)
    made: list[tuple[Elements, dict[int, float | None], int]] = [(Elements(facts, 3), {}, 3)]
    for number, (which, step, index) in enumerate(steps):
        elements, expected, size = made[which % len(made)]
        value = np.asarray(float(number + 1))
        want = dict(expected)
        if step == "w" and not (index in want and want[index] is None):
            elements, size = elements.write(index, value), max(size, index + 1)
            want[index] = (want.get(index) or 0.0) + float(value)
        elif step == "c" and size:
            elements = elements.cleared([index % size])
            want[index % size] = None
        elif step == "p" and size:
            elements, size = elements.without_last(), size - 1
            want.pop(size, None)
        elif step == "r":
            elements, size = elements.replaced(index, value), max(size, index + 1)
            want[index] = float(value)
        elif step == "s":
            elements, size = elements.resized(index), index
            want = {key: kept for key, kept in want.items() if key < index and kept is not None} | {
                key: kept for key, kept in want.items() if key < index and kept is None
            }
        made.append((elements, want, size))
    for elements, want, size in made:
        assert values(elements) == want and elements.size == size


def test_an_element_of_bfloat16_that_was_not_written_is_zeros() -> None:
    for _ in range(20):
        np.full(4, 3.5, bfloat16.np)  # its memory is what `np.empty` would give next
        array = Elements(ArrayFacts(bfloat16), 2, (4,))
        assert array.read(0).tolist() == [0.0] * 4
