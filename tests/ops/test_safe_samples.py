"""Rules that say whether an op can fail: they answer whatever is known, and say of a call that fits that it cannot."""

from __future__ import annotations

import warnings
from contextlib import nullcontext, suppress

import penstock as tf
from penstock.errors import ShapeError
from penstock.graph.building.may_fail import why_it_may_fail

from ..helpers import every_case
from ..op_samples import USERS_OPS, calls

RULED = [type for type, op in USERS_OPS.items() if op.fails_rule is not None and calls(op) and not op.facts.must_feed]


def reasons_of(type: str, known: bool) -> list[str | None]:
    """Why each sample of an op may fail, on constants or on placeholders of which nothing is known."""
    reasons = []
    for call in calls(USERS_OPS[type]):
        with tf.Graph().as_default() as graph, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with nullcontext() if known else suppress(ShapeError):  # some cannot be built without a shape
                call.with_placeholders({} if known else dict.fromkeys(call.free))
            made = [op for op in graph.get_operations() if op.opdef is call.op]
        reasons += [why_it_may_fail(op) for op in made[-1:]]
    return reasons


@every_case("type", RULED)
def test_a_call_that_fits_cannot_fail_unless_the_declaration_says_that_values_decide(type: str) -> None:
    assert (None in reasons_of(type, known=True)) == (not isinstance(USERS_OPS[type].fails_rule, str))


@every_case("type", RULED)
def test_a_rule_answers_where_nothing_is_known(type: str) -> None:
    assert all(reason is None or reason for reason in reasons_of(type, known=False))
