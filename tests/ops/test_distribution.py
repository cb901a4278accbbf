"""Each op that says how it works on shards gives the whole when shards are joined as it says."""

from typing import Any

import pytest

import penstock as tf
from penstock.graph.distributing import says_how
from penstock.graph.distribution import Distributed
from penstock.graph.op_declaration import OpDef

from ..op_samples import OF_VARIANTS, USERS_OPS, calls
from .shard_cases import cases, differs, ways_to_cut

ROUNDED = {"MatMul", "Einsum"}
"""Ops that sum in an order that depends on how many rows there are."""

NOT_SAMPLED = {"Pad"}
"""Ops whose samples need every axis: tests/graph/test_distributing.py."""

SAYING = [op for type, op in USERS_OPS.items() if says_how(op) and type not in OF_VARIANTS]


@pytest.mark.parametrize("op", SAYING, ids=lambda op: op.type)
def test_joined_shards_are_the_whole(op: OpDef[Any, Any]) -> None:
    distributed = 0
    with tf.Graph().as_default():
        for call in calls(op):
            for case in cases(call):
                answer = case.answer()
                if isinstance(answer, Distributed):
                    distributed += 1
                    for ends in ways_to_cut(case.size):
                        found = differs(case, answer, ends, op.type in ROUNDED)
                        assert found is None, f"{case}, cut at {ends}: {found}"
    assert distributed or op.type in NOT_SAMPLED, f"none of the samples of {op.type} is distributed"
