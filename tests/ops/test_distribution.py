"""Each op that says how it works on shards gives the whole when shards are joined as it says."""

from typing import Any

import pytest

import penstock as tf
from penstock.graph.declare.distributing import how_combined, says_how
from penstock.graph.declare.distribution import Along, Distributed
from penstock.graph.declare.op_declaration import OpDef, find_op

from ..helpers import at_most, every_case, shares
from ..op_samples import OF_VARIANTS, USERS_OPS, calls
from .shard_cases import Static, cases, differs, ways_to_cut

ROUNDED = {"MatMul", "Einsum", *(type for type in USERS_OPS if type.startswith(("Conv2D", "Conv3D", "DepthwiseConv")))}
"""Ops that sum in an order that depends on how many rows there are."""

NOT_SAMPLED = {"Pad", "If", "While"}
"""Ops whose samples need every axis, or that have none: test_distributing.py, test_bodies_in_shards.py."""

may_be_a_trap = pytest.mark.filterwarnings("ignore::penstock.MistakeWarning")
"""A sample with named sizes is a broadcast trap."""

SAYING = [op for type, op in USERS_OPS.items() if says_how(op) and type not in OF_VARIANTS]


@may_be_a_trap
@shares(4)
@every_case("op", SAYING, parts=2, by_day=1)
def test_joined_shards_are_the_whole(op: OpDef[Any, Any], most: int) -> None:
    with tf.Graph().as_default():
        answers = [(case, case.answer()) for call in calls(op) for case in cases(call)]
        distributed = [(case, answer) for case, answer in answers if isinstance(answer, Distributed)]
        for case, answer in at_most(distributed, most):
            for ends in ways_to_cut(case.size):
                found = differs(case, answer, ends, op.type in ROUNDED)
                assert found is None, f"{case}, cut at {ends}: {found}"
    assert distributed or op.type in NOT_SAMPLED, f"none of the samples of {op.type} is distributed"


LESS_KNOWN: dict[str, Static] = {
    "sizes of other axes": lambda a, cut: ["batch" if cut == Along(i) else None for i in range(a.ndim)],
    "sizes of half of the axes": lambda a, cut: [
        "batch" if cut == Along(i) else size if i % 2 else None for i, size in enumerate(a.shape)
    ],
    "ranks of what is whole": lambda a, cut: (
        ["batch" if cut == Along(i) else None for i in range(a.ndim)] if cut is not None else None
    ),
    "names": lambda a, cut: [None] * a.ndim,
    "other axes of the name": lambda a, cut: [
        "batch" if cut is not None and size == a.shape[cut.axis] else size for size in a.shape
    ],
}


@may_be_a_trap
@pytest.mark.slow
@pytest.mark.parametrize("static", LESS_KNOWN.values(), ids=LESS_KNOWN)
def test_joined_shards_are_the_whole_where_less_is_known(static: Static) -> None:
    distributed = 0
    for op in SAYING:
        with tf.Graph().as_default():
            for case in (case for call in calls(op) for case in cases(call, static)):
                answer = case.answer()
                if isinstance(answer, Distributed):
                    distributed += 1
                    for ends in ways_to_cut(case.size):
                        found = differs(case, answer, ends, op.type in ROUNDED)
                        assert found is None, f"{case}, cut at {ends}: {found}"
    assert distributed > 500


def test_ops_of_the_usual_families_say_how() -> None:
    silent = [op.type for op in USERS_OPS.values() if (op.facts.elementwise or op.reduction) and not says_how(op)]
    assert not silent
    assert {type for type, op in USERS_OPS.items() if op.facts.moves and not says_how(op)} <= {"DiagPart", "ShardOf"}


def test_no_rule_is_lost() -> None:
    assert len(SAYING) >= 230


def test_the_table_of_ops_says_what_the_rules_say() -> None:
    assert how_combined(find_op("Mean")) == "mean"
    assert how_combined(find_op("MatMul")) == "sum"
    assert how_combined(find_op("Exp")) is how_combined(find_op("Qr")) is None
