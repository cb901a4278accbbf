"""Operations and bytes follow from what ops declare and from shapes."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_cost import TRANSCENDENTAL, bytes_of, flops_of, sized, traffic_of
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dimension import Dimension
from tests.helpers import at_most, every_case, shares
from tests.op_samples import USERS_OPS, Call, calls

F, T = False, True


@pytest.mark.parametrize(
    ("type", "args", "outputs", "expected"),
    [
        ("Add", [(2, 3), (3,)], [(2, 3)], 6),
        ("Exp", [(5,)], [(5,)], 5 * TRANSCENDENTAL),
        ("Sum", [(4, 5), None, F], [()], 20),
        ("Sum", [(0, 5), None, F], [()], 0),
        ("ArgMax", [(4, 5), (), tf.int64], [(5,)], 20),
        ("Cumsum", [(4, 5), (), F, F], [(4, 5)], 20),
        ("AddN", [((4,), (4,), (4,))], [(4,)], 8),
        ("MatMul", [(2, 3), (3, 4), F, F, F, F, F, F], [(2, 4)], 2 * 2 * 3 * 4),
        ("MatMul", [(3, 2), (4, 3), T, T, F, F, F, F], [(2, 4)], 2 * 2 * 3 * 4),
        ("MatMul", [(7, 1, 2, 3), (5, 3, 4), F, F, F, F, F, F], [(7, 5, 2, 4)], 35 * 2 * 2 * 3 * 4),
        ("MatMul", [(2, 0), (0, 4), F, F, F, F, F, F], [(2, 4)], 0),
        ("Gather", [(9, 4), (2,)], [(2, 4)], 0),
        ("Reshape", [(9, 4), (1,)], [None], 0),
        ("Add", [None, (3,)], [None], None),
        ("MatMul", [None, (3, 4), F, F, F, F, F, F], [None], None),
        ("Sum", [None, None, F], [()], None),
    ],
)
def test_operations_are_counted_by_the_ops_own_rule(
    type: str, args: list[object], outputs: list[tuple[int, ...] | None], expected: int | None
) -> None:
    assert flops_of(OPS[type], args, outputs) == expected


def test_views_move_nothing_and_what_picks_reads_what_it_gives() -> None:
    table, places = (tf.float32, (1000, 8), True), (tf.int32, (4,), False)
    assert traffic_of(OPS["Reshape"], [table], 32_000) == 0
    assert traffic_of(OPS["Shape"], [table], 8) == 0
    assert traffic_of(OPS["Gather"], [table, places], 4 * 8 * 4) == 4 * 8 * 4 + 16
    assert traffic_of(OPS["Gather"], [(tf.float32, None, True), places], 128) == 128 + 16
    assert traffic_of(OPS["Gather"], [table, places], None) is None
    assert traffic_of(OPS["Add"], [(tf.float32, None, True)], 12) is None
    assert bytes_of(tf.float64, (3, 0)) == 0 and bytes_of(tf.float64, None) is None


@every_case("type", [type for type in USERS_OPS if USERS_OPS[type].facts.sharing.is_view])
def test_what_costs_nothing_as_a_view_does_give_its_operand_in_some_sample(type: str) -> None:
    """An op that always moves its elements, except where there is nothing to move, is none."""
    tried = [shared for call in calls(USERS_OPS[type]) if (shared := shares_memory(call)) is not None]
    assert not tried or any(tried), f"{type} is declared as a view, and none of its samples with elements to move is"


def shares_memory(call: Call) -> bool | None:
    """Whether a result of the kernel lies in an operand with several elements; None where it cannot be called alone."""
    operands = [
        np.asarray(each) for value in call.values for each in (value if isinstance(value, list) else [value])
        if isinstance(each, np.ndarray) and each.size > 1
    ]  # fmt: skip
    try:
        results = call.op.kernels["*"](np, *call.values[:-1])
    except (AttributeError, TypeError):  # some arguments are not plain: shapes, specifications of parts
        return None
    results = results if isinstance(results, (list, tuple)) else [results]
    return any(np.shares_memory(one, each) for one in results if isinstance(one, np.ndarray) for each in operands)


def test_a_shuffle_reads_and_writes_what_it_moves() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [100, 5], name="x")
        row = graph.cost([tf.random_shuffle(x, seed=1, name="mixed")]).node("mixed")
    assert (row.read, row.written) == (2000, 2000)


def test_sizes_are_put_into_shapes_and_must_not_go_below_zero() -> None:
    n = Dimension("n")
    sizes = {n.terms[0][0]: 2}
    assert sized((3, n + 1), sizes) == (3, 3)
    assert sized((3, Dimension("m")), sizes) is None and sized(None, sizes) is None
    with pytest.raises(ValueError, match="n-3 would be -1 with n=2"):
        sized((n - 3,), sizes)


@shares(2)
@every_case("type", [type for type in USERS_OPS if not USERS_OPS[type].facts.must_feed])
def test_the_cost_of_every_sample_is_known_from_its_shapes(type: str, most: int) -> None:
    for call in at_most(calls(USERS_OPS[type]), most):
        check(call)


def check(call: Call) -> None:
    with tf.Graph().as_default() as graph:
        tensors = call.build()
        if not tensors:
            return
        op = tensors[0].op
        open_ones = [t for t in op.outputs if not t.shape.is_known]
        expected = {t.name: [3 if d is None else d for d in t.shape.with_rank(t.shape.ndims or 0).as_list()]
                    for t in open_ones}  # fmt: skip
        cost = graph.cost(list(op.outputs), shapes=expected)
        if op.type != "Const":
            row = cost.node(op.name)
            assert row.is_known and min(row.weight, row.flops or 0) >= 0
            first = op.outputs[0]
            sizes = expected[first.name] if first.name in expected else [int(d or 0) for d in first.shape.as_list()]
            if op.opdef.draws_rule is not None and prod(sizes, start=1) > 1:
                assert row.flops, f"{op.type} draws random numbers, which are computed"
