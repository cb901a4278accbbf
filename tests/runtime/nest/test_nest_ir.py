"""The nest of a group: its text, its rules, what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import float32, float64, int64
from penstock.runtime.ir.fused_ir import Value, instructions_of
from penstock.runtime.ir.nest_ir import Load, Nest, RowReduction, Store
from penstock.runtime.ir.nest_of_body import nest_of
from penstock.runtime.ir.nest_verifier import InvalidNest, verify_nest
from penstock.runtime.ir.row_bodies import row_body_of
from penstock.runtime.ir.scalar_ir import CannotLower, ScalarStep
from penstock.runtime.nest.row_stages import row_stages
from tests.runtime.nest.by_numpy import by_numpy

from ...fuzz.of_groups import same_bits
from .nests import body_of, form_of, normalised, softmax


def test_a_nest_prints_as_its_loads_steps_reductions_and_stores() -> None:
    body = body_of(normalised, [8, 10], [10], [10])
    assert str(nest_of(body, form_of(body, (8, 10), (), (10,), (10,)))) == """\
for i, j
%0 = x0[i, j]  float32
%1 = x1[]  float32
%2 = x2[j]  float32
%3 = x3[j]  float32
%4 = reduce add over j: %0  float32
%5 = true_divide(%4, 10.0)  float32
%6 = subtract(%0, %5)  float32
%7 = square(%6)  float32
%8 = reduce add over j: %7  float32
%9 = true_divide(%8, 10.0)  float32
%10 = add(%9, %1)  float32
%11 = sqrt(%10)  float32
%12 = true_divide(%6, %11)  float32
%13 = multiply(%12, %2)  float32
%14 = add(%13, %3)  float32
y0[i, j] = %14"""


def test_a_stage_keeps_what_takes_longer_to_compute_again_than_to_read() -> None:
    body = body_of(softmax, [4, 100])
    stages = row_stages(nest_of(body, form_of(body, (4, 100))))
    assert [stage.reductions for stage in stages.stages] == [(1,), (4,), ()]
    assert stages.homes[3] == ("temporary", 0)  # exp(x - max), which is summed and then divided
    assert 2 not in stages.homes  # x - max
    first, middle, last = [stage.elements for stage in stages.stages]
    assert first is None  # the maximum reads x itself
    assert middle is not None
    assert [step.primitive for step in middle.program.steps] == ["subtract", "exp"]
    assert last is not None
    assert [step.primitive for step in last.program.steps] == ["true_divide"]


X = Load(0, "ij", float32)
SUM = RowReduction("add", Value(0), "j", float32)


@pytest.mark.parametrize(("nodes", "stores", "text"), [
    ((X, ScalarStep("add", (Value(0), Value(2)), float32)), (), "%1 reads %2, which comes later"),
    ((Load(0, "ji", float32),), (), "%0 has the axes 'ji'"),
    ((X, SUM, RowReduction("add", Value(1), "j", float32)), (), "%2 reduces %1 over j, an axis that it does not have"),
    ((X, RowReduction("add", Value(0), "j", float64)), (), "%1 reduces float32 in float64"),
    ((X, ScalarStep("reduce add", (Value(0),), float32)), (), "%1 is a reduction written as a step"),
    ((X, SUM), (Store(1, "i", Value(1)),), r"the results \[1\] are not stored once each"),
    ((X, SUM), (Store(0, "i", Value(0)),), r"y0\[i\] is stored for each j"),
])  # fmt: skip
def test_the_verifier_names_what_is_wrong(nodes: Any, stores: Any, text: str) -> None:
    with pytest.raises(InvalidNest, match=text):
        verify_nest(Nest(nodes, stores))


def test_what_numpy_makes_of_a_nest_is_what_the_group_makes() -> None:
    rng = np.random.default_rng(0)
    x, gain, bias = rng.standard_normal((7, 33)).astype("f4"), rng.random(33).astype("f4"), np.zeros(33, "f4")
    body = body_of(normalised, x.shape, gain.shape, bias.shape)
    given = (x, np.array(1e-5, "f4"), gain, bias)
    nest = nest_of(body, form_of(body, *[a.shape for a in given]))
    (found,) = by_numpy(nest, given, 7, 33)
    with tf.Graph().as_default() as graph:
        y = normalised(*[tf.constant(a) for a in (x, gain, bias)])
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
        assert same_bits(found, session.run(y))


@pytest.mark.parametrize(("build", "shapes", "reason"), [
    (lambda x, p: tf.pow(x - tf.reduce_max(x, 1, keepdims=True), p), [(9, 9), (9, 9)], "one exponent than for many"),
    (lambda x, y: x * y - tf.reduce_max(x, [1, 2], keepdims=True), [(4, 3, 9), (4, 3, 1)], "broadcast within a row"),
])  # fmt: skip
def test_what_is_no_nest_says_why(build: Any, shapes: Any, reason: str) -> None:
    body = body_of(build, *shapes)
    with pytest.raises(CannotLower, match=reason):
        nest_of(body, form_of(body, *shapes))


def test_a_mean_of_one_element_is_that_element_plus_zero() -> None:
    def build(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [1])
        return [mean, variance]

    body = body_of(build, [9, 9])
    text = str(nest_of(body, form_of(body, (9, 9))))
    assert "= add(%2, 0.0)" in text
    assert ", 1.0)" in text


def test_a_sum_that_picks_one_element_of_a_row_is_a_load_of_it() -> None:
    rows = row_body_of("SparseSoftmaxCrossEntropyWithLogits", (float32, int64), (2, 1), (None, None))
    body = instructions_of(rows.graph)
    form = form_of(body, (3, 5), (3, 1), (5,))
    nest = nest_of(body, form, places=2)
    assert "= x0[i, x1[i]]  float32" in str(nest)
    assert str(nest).count("reduce add") == 1  # of the powers
    assert str(nest_of(body, form)).count("reduce add") == 2
    rng = np.random.default_rng(0)
    operands = rng.standard_normal((3, 5)).astype("f4"), np.array([0, 4, 2]), np.arange(5, dtype="i4")
    for one, other in zip(by_numpy(nest, operands, 3, 5), by_numpy(nest_of(body, form), operands, 3, 5), strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_number_that_says_which_element_is_read_must_be_loaded() -> None:
    load = Load(0, "i", float32, at=1)
    with pytest.raises(InvalidNest, match="no number of the row says"):
        verify_nest(Nest((load,), (Store(0, "i", Value(0)),)))
