"""Effects: one record of what an op touches, what may be done with it, and what must come first."""

from typing import Annotated, Any

import pytest

import penstock as tf
from penstock.graph.declare.effects import (
    PURE,
    VOLATILE,
    WORLD,
    WORLD_CHANGING,
    EffectOrder,
    Effects,
    effect_order,
    effects_of,
    union,
)
from penstock.graph.declare.op_declaration import OPS, op
from penstock.graph.declare.signature import Attr, T
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.shape import TensorShape

from ..helpers import op_of

READS = Effects(reads=frozenset({"v"}))
WRITES = Effects(writes=frozenset({"v"}))
BOTH = Effects(reads=frozenset({"v"}), writes=frozenset({"v"}))
OTHER = Effects(writes=frozenset({"w"}))
ALL = (PURE, READS, WRITES, BOTH, OTHER, VOLATILE, WORLD_CHANGING)


def test_only_what_neither_reads_nor_writes_is_pure() -> None:
    assert [e.is_pure for e in ALL] == [True, False, False, False, False, False, False]


def test_what_is_pure_may_be_computed_early_merged_rewritten_dropped_and_repeated() -> None:
    assert all([PURE.may_evaluate, PURE.may_fold, PURE.may_merge, PURE.may_rewrite, PURE.may_drop, PURE.may_repeat])
    assert PURE.may_capture


@pytest.mark.parametrize("effects", ALL[1:], ids=str)
def test_what_touches_a_resource_stays_as_it_was_written(effects: Effects) -> None:
    assert not any([effects.may_evaluate, effects.may_fold, effects.may_merge, effects.may_rewrite])
    assert effects.may_drop == effects.may_repeat == (not effects.writes)


def test_a_limit_of_a_pure_op_bars_what_it_names_and_nothing_else() -> None:
    unbounded = Effects(foldable=False)
    assert unbounded.is_pure and not unbounded.may_fold and unbounded.may_merge and unbounded.may_evaluate
    late = Effects(evaluable=False)
    assert not late.may_evaluate and late.may_fold


def test_a_write_that_may_be_done_again_says_so() -> None:
    assert not WRITES.may_repeat
    assert Effects(writes=frozenset({"v"}), repeatable=True).may_repeat


@pytest.mark.parametrize("a", ALL, ids=str)
@pytest.mark.parametrize("b", ALL, ids=str)
def test_two_effects_meet_where_one_writes_what_the_other_touches(a: Effects, b: Effects) -> None:
    touched = {name for name in a.writes if name in b.reads | b.writes} | {n for n in b.writes if n in a.reads}
    assert a.conflicts_with(b) == b.conflicts_with(a) == bool(touched)


def test_a_write_comes_after_the_last_write_and_the_reads_since() -> None:
    order: EffectOrder[str] = EffectOrder()
    assert order.follow("r0", READS) == []
    assert order.follow("w1", WRITES) == ["r0"]
    assert order.follow("r1", READS) == ["w1"]
    assert order.follow("r2", READS) == ["w1"]
    assert order.follow("o", OTHER) == []
    assert order.follow("w2", BOTH) == ["w1", "r1", "r2"]
    assert order.follow("w3", WRITES) == ["w2"]


def test_the_effects_of_several_are_those_of_all() -> None:
    assert union([PURE, PURE]) is PURE
    both = union([READS, OTHER, PURE])
    assert both.reads == {"v"} and both.writes == {"w"}
    assert not union([PURE, Effects(foldable=False)]).may_fold


def test_several_may_do_what_all_of_them_may() -> None:
    late, unbounded = Effects(evaluable=False), Effects(foldable=False)
    assert not union([late, unbounded]).may_fold and not union([late, unbounded]).may_evaluate
    assert union([late, late]).may_fold and union([unbounded, unbounded]).may_evaluate
    again = Effects(writes=frozenset({"v"}), repeatable=True)
    assert union([again, READS]).may_repeat and not union([again, OTHER]).may_repeat


def test_they_print_as_words() -> None:
    assert [str(PURE), str(READS), str(BOTH)] == ["no effects", "reads v", "reads v and writes v"]


@pytest.mark.parametrize(
    ("facts", "effects"),
    [({}, PURE), ({"pure": False}, VOLATILE), ({"stateful": True}, WORLD_CHANGING), ({"effects": BOTH}, BOTH),
     ({"pure": False, "stateful": True}, WORLD_CHANGING)],
)  # fmt: skip
def test_short_forms_stand_for_a_record(facts: dict[str, Any], effects: Effects) -> None:
    with op_of(lambda x: x, **facts) as made:
        node = made(tf.constant([1.0])).op
    assert effects_of(node) == effects and node.opdef.is_pure == (effects == PURE)


@pytest.mark.parametrize("facts", [{"effects": BOTH, "pure": True}, {"effects": "writes"}])
def test_effects_are_said_once_and_as_a_record(facts: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="effects"), op_of(lambda x: x, **facts):
        pass


def test_attributes_of_one_use_may_decide() -> None:
    @op("WritesWhatItIsTold")
    def told(x: T, resource: Annotated[str, Attr(str)], name: str | None = None) -> Tensor:  # type: ignore[empty-body]  # a declaration
        """Its operand."""

    try:

        @told.shape
        def _(x: Tensor, resource: str) -> TensorShape:
            return x.shape

        @told.effects_by
        def _(x: Any, resource: str) -> Effects:
            return Effects(writes=frozenset({resource})) if resource else PURE

        with tf.Graph().as_default() as graph:
            x = tf.constant([1.0], name="x")
            made = [told(x, each, name=f"to_{each or 'none'}") for each in ("v", "w", "", "v")]
    finally:
        del OPS["WritesWhatItIsTold"]
    assert not told.is_pure
    assert [str(effects_of(t.op)) for t in made] == ["writes v", "writes w", "no effects", "writes v"]
    order = effect_order(graph.get_operations())
    assert {op.name: [b.name for b in before] for op, before in order.items()} == {"to_v_1": ["to_v"]}


def test_no_listed_op_of_the_package_is_left_without_a_record() -> None:
    impure = {name for name, opdef in OPS.items() if not opdef.is_pure}
    assert "Placeholder" in impure
    assert all(isinstance(opdef.facts.effects, Effects) for opdef in OPS.values())
    assert WORLD in VOLATILE.reads
