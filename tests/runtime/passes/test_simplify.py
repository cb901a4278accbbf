"""Tests of the rules, most of them driven by the example and the near misses of each rule."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.nodes import Tensor
from penstock.runtime.ir.stage import Notes
from penstock.runtime.passes.rules.arithmetic_identities import CastCast, represents_all
from penstock.runtime.passes.rules.rule import Emitter, Rule, node
from penstock.runtime.passes.rules.rule_table import RULES
from penstock.runtime.passes.simplify import Simplify

from ... import random_graphs
from ...helpers import op_of
from ...op_samples import same
from .rules import EXAMPLES, NEAR_MISSES
from .stages import after, apply, run, stage_of, types, unlike

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


# ---- every rule ---------------------------------------------------------------------------------


@each_rule
def test_a_rule_fires_on_its_example(rule: Rule) -> None:
    example = EXAMPLES[rule.name]()
    _, notes = apply(Simplify((rule,)), stage_of(example.fetches, list(example.feeds)))
    assert {n.rule for n in notes.notes if n.applied} == {rule.name}


@each_rule
@pytest.mark.parametrize("passes", [("simplify",), None], ids=["alone", "with all passes"])
def test_a_rule_changes_no_bit_of_its_example(rule: Rule, passes: tuple[str, ...] | None) -> None:
    example = EXAMPLES[rule.name]()
    want, got = run(example.fetches, example.feeds, ()), run(example.fetches, example.feeds, passes)
    assert unlike(example.fetches, got, want) == []


@each_rule
def test_every_new_node_carries_the_lines_of_those_it_replaces(rule: Rule) -> None:
    example = EXAMPLES[rule.name]()
    stage = stage_of(example.fetches, list(example.feeds))
    made, _ = apply(Simplify((rule,)), stage)
    old = {*stage.operations, *(feed.op for feed in stage.feeds)}
    for before, now in zip(stage.fetches, made.fetches, strict=True):
        if now.op not in old and now.op.type != "Const":
            assert set(before.op.origins) <= set(now.op.origins)
    assert all(op.origins for op in made.operations)


@each_rule
def test_a_second_walk_finds_nothing_to_do(rule: Rule) -> None:
    example = EXAMPLES[rule.name]()
    made, _ = after("simplify", stage_of(example.fetches, list(example.feeds)))
    again, notes = after("simplify", made)
    assert again is made
    assert not [n for n in notes.notes if n.applied]


@each_rule
def test_a_rule_leaves_fewer_or_as_many_nodes(rule: Rule) -> None:
    example = EXAMPLES[rule.name]()
    stage = stage_of(example.fetches, list(example.feeds))
    assert len(types(apply(Simplify((rule,)), stage)[0])) <= len(types(stage))


@each_rule
def test_a_rule_states_its_law_and_that_it_ends(rule: Rule) -> None:
    doc = type(rule).__doc__ or ""
    assert "->" in rule.law
    assert "xact" in doc
    assert "It ends because" in " ".join(doc.split())


@each_rule
def test_a_near_miss_is_refused_in_words_and_gives_the_same_result(rule: Rule) -> None:
    for miss in NEAR_MISSES.get(rule.name, tuple)():
        _, notes = apply(Simplify((rule,)), stage_of(miss.fetches, list(miss.feeds)))
        assert not [n for n in notes.notes if n.applied], miss.says
        assert any(miss.says in n.reason for n in notes.notes), [n.reason for n in notes.notes]
        want, got = run(miss.fetches, miss.feeds, ()), run(miss.fetches, miss.feeds, None)
        assert unlike(miss.fetches, got, want) == []


# ---- the driver ---------------------------------------------------------------------------------


def test_a_stage_on_which_no_rule_fires_is_returned_as_it_is() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    stage = stage_of(tf.exp(x) + 1.0, [x])
    assert after("simplify", stage)[0] is stage


def test_rules_work_on_what_other_rules_made() -> None:
    x = tf.placeholder(tf.float32, ["n", 2])
    y = tf.transpose(tf.identity(tf.transpose(tf.reshape(x, [-1, 2]) * 1.0)))
    made, _ = after("simplify", stage_of(y, [x]))
    assert made.operations == ()
    assert made.fetches == (x,)


def test_a_chain_of_casts_comes_to_one() -> None:
    x = tf.placeholder(tf.int8, ["n"])
    y = tf.cast(tf.cast(tf.cast(tf.cast(x, tf.int16), tf.int32), tf.int64), tf.float64)
    assert types(after("simplify", stage_of(y, [x]))[0]) == ["Cast"]


def test_a_node_that_waits_or_is_waited_for_stays() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    waited_for = tf.identity(x)
    with tf.control_dependencies([waited_for]):
        waits = tf.identity(x)
    stage = stage_of(waits, [x])
    made, notes = after("simplify", stage)
    assert made is stage
    assert {n.reason for n in notes.notes} == {"its place in the order of effects is fixed"}


def test_an_inner_node_that_waits_stays() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    with op_of(lambda x: x, stateful=True) as effect:
        done = effect(x)
        with tf.control_dependencies([done]):
            inner = tf.negative(x)
        stage = stage_of(tf.negative(inner), [x])
        assert after("simplify", stage)[0] is stage


def test_a_target_stays() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = tf.identity(x)
    stage = stage_of([], [x], [y.op])
    assert after("simplify", stage)[0] is stage


def test_a_tensor_with_a_claimed_shape_stays_and_is_checked() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.identity(x)
    y.set_shape([2])
    stage = stage_of(y, [x])
    assert after("simplify", stage)[0] is stage
    with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape"):
        run([y], {x: [1.0]}, None)


def test_nodes_on_different_devices_stay() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    with tf.device("/gpu:0"):
        inner = tf.negative(x)
    made, notes = after("simplify", stage_of(tf.negative(inner), [x]))
    assert types(made) == ["Neg", "Neg"]
    assert [n.reason for n in notes.notes] == ["its nodes ask for different devices"]


def test_a_fed_tensor_between_two_nodes_is_not_looked_through() -> None:
    x = tf.placeholder(tf.float32, [2])
    inner = tf.negative(x)
    y = tf.negative(inner)
    assert run([y], {inner: [1.0, 2.0]}, None)[0].tolist() == [-1.0, -2.0]


def test_a_rule_that_never_ends_is_stopped() -> None:
    class Forever(Rule):
        """x -> x, again and again. Exact."""

        pattern = node(OPS["Neg"], "x")
        check = staticmethod(lambda x: None)

        def rewrite(self, make: Emitter, x: Tensor) -> Tensor:
            return make.result(OPS["Neg"], x)

    x = tf.placeholder(tf.float32, ["n"])
    made = Simplify((Forever(),)).run(stage_of(-x, [x]), Notes())
    assert types(made) == ["Neg"]


def test_an_operation_without_results_is_no_obstacle() -> None:
    x = tf.placeholder(tf.int32, [0, 2])
    assert tf.unpack(x) == []
    rows = tf.get_default_graph().get_operations()[-1]
    stage = stage_of([], [x], [rows])
    assert after("simplify", stage)[0] is stage


# ---- casts --------------------------------------------------------------------------------------

_NAMES = ("bool", *random_graphs.SIGNED, *random_graphs.UNSIGNED, *random_graphs.FLOATS, *random_graphs.COMPLEX)
_NUMBERS = list(map(tf.as_dtype, _NAMES))
_FLOATS = (0.0, -0.0, np.nan, np.inf, -np.inf, 0.1, -2.5, 127.5, 255.9, 65504.0, 65520.0, 3e38, -1e-40, 2**31, 2**63)


def awkward(dtype: tf.DType) -> Any:
    if dtype.is_bool:
        return np.array([True, False])
    if dtype.is_integer:
        near = [2**k + d for k in (0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63) for d in (-1, 0, 1)]
        return np.array([v for n in near for v in (n, -n) if dtype.min <= v <= dtype.max], dtype.np)
    with np.errstate(all="ignore"):
        real = np.array([v for n in _FLOATS for v in (n, -n)]).astype(dtype.np)
        return real + 1j * real[::-1] if dtype.is_complex else real


@pytest.mark.parametrize("a", _NUMBERS, ids=lambda d: d.name)
def test_casts_that_are_merged_give_the_same_bits_for_awkward_values(a: tf.DType) -> None:
    rule = CastCast()
    x = tf.placeholder(a, [None])
    value = awkward(a)
    pairs = [(b, c) for b in _NUMBERS for c in _NUMBERS if rule.check(x, b, c) is None]
    assert (a, a) in pairs or not represents_all(a, a)
    twice = [tf.cast(tf.cast(x, b), c) for b, c in pairs]
    once = [tf.cast(x, c) for _, c in pairs]
    want, got = run(twice, {x: value}, ()), run(once, {x: value}, ())
    assert [pair for pair, w, g in zip(pairs, want, got, strict=True) if not same(w, g)] == []


def test_a_dtype_holds_those_whose_values_survive_the_way_there_and_back() -> None:
    for narrow in _NUMBERS:
        x = tf.placeholder(narrow, [None])
        value = awkward(narrow)
        for wide in _NUMBERS:
            if represents_all(wide, narrow):
                (back,) = run([tf.cast(tf.cast(x, wide), narrow)], {x: value}, ())
                assert same(back, value), (narrow, wide)
    assert represents_all(tf.float64, tf.int32)
    assert not represents_all(tf.float32, tf.int32)
    assert not represents_all(tf.float16, tf.bfloat16)
    assert not represents_all(tf.uint64, tf.int8)


@pytest.mark.parametrize("narrow", [tf.int8, tf.uint8, tf.int16, tf.uint16], ids=lambda dtype: dtype.name)
def test_a_float_holds_exactly_the_ints_all_of_whose_values_survive(narrow: tf.DType) -> None:
    x = tf.placeholder(narrow, [None])
    every = np.arange(narrow.min, narrow.max + 1).astype(narrow.np)
    for wide in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
        (back,) = run([tf.cast(tf.cast(x, wide), narrow)], {x: every}, ())
        assert represents_all(wide, narrow) == same(back, every), wide


@pytest.mark.parametrize("first", [[-1, 3], [-1, 2, 3]])
def test_a_size_that_is_left_open_beside_a_0_is_that_of_the_tensor_reshaped(first: list[int]) -> None:
    x = tf.placeholder(tf.float32, ["n", 6])
    y = tf.reshape(tf.reshape(x, first), [-1, 0])
    feeds = {x: np.zeros((0, 6), "f4")}
    want = np.zeros((0, 6)).reshape(first)
    for passes in ((), ("simplify",), None):
        assert run([y], feeds, passes)[0].shape == (np.prod([size for size in want.shape if size]), 0)


# ---- what must stay -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [
        lambda x: tf.reshape(tf.reshape(x, [2, 3]), [-1]),
        lambda x: tf.transpose(tf.transpose(x, [1, 0]), [1, 0]),
        lambda x: tf.squeeze(tf.expand_dims(x, 5), [5]),
        lambda x: tf.concat(0, tf.split(0, 2, x)),
        lambda x: tf.pack(tf.unpack(x, 2)),
        lambda x: tf.slice(x, [0], [-1]),
        lambda x: tf.pad(x, [[0, 0]]),
        lambda x: tf.tile(x, [1]),
    ],
)
def test_an_error_of_the_run_is_the_same_error_with_all_passes(build: Callable[[Tensor], Tensor]) -> None:
    x = tf.placeholder(tf.float32)
    y = build(x)
    told = []
    for passes in ((), None):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            run([y], {x: np.ones((3, 1, 5), "f4")}, passes)
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_minus_one_in_a_shape_of_an_empty_tensor_keeps_its_meaning() -> None:
    x = tf.placeholder(tf.float32, ["n", 6])
    y = tf.reshape(tf.reshape(x, [-1, 2, 3]), tf.pack([tf.shape(x)[0], -1]))
    feeds = {x: np.ones((0, 6), "f4")}
    assert run([y], feeds, ())[0].shape == run([y], feeds, None)[0].shape


# ---- the stitch of partitions -------------------------------------------------------------------


def pipeline(
    x: Tensor, p: Tensor, functions: Sequence[Callable[[Tensor], Tensor]], numbers: Tensor | None = None, **names: str
) -> Tensor:
    """The reference page's pipeline with a function for each part."""
    count = len(functions)
    rows = tf.range(tf.shape(x)[0]) if numbers is None else numbers
    places = tf.dynamic_partition(rows, p, count, name=names.get("places"))
    parts = tf.dynamic_partition(x, p, count, name=names.get("parts"))
    return tf.dynamic_stitch(places, [f(part) for f, part in zip(functions, parts, strict=True)], name=names.get("y"))


FUNCTIONS: list[Callable[[Tensor], Tensor]] = [
    lambda t: t,
    lambda t: t + 1.0,
    lambda t: tf.exp(t) * t,
    tf.negative,
    lambda t: tf.cast(tf.cast(t, tf.int32), tf.float32),
    lambda t: tf.maximum(t, 0.5) - tf.sin(t),
    tf.tanh,
    lambda t: 2.0 / t,
]


def values(rows: int = 1000) -> Any:
    rng = np.random.default_rng(3)
    found = rng.standard_normal(rows).astype("f4")
    found[::7] = np.nan
    found[1::7] = -0.0
    found[2::7] = np.inf
    return found


def fired(y: Tensor, feeds: Sequence[Tensor]) -> bool:
    """Whether the rule fired at `y` after folding and merging."""
    stage = stage_of(y, feeds)
    for name in ("fold", "merge", "simplify"):
        stage, notes = after(name, stage)
    return any(n.rule == "StitchOfPartitions" and n.applied for n in notes.notes)


def refusal(y: Tensor, feeds: Sequence[Tensor]) -> str:
    """Why it did not."""
    stage = stage_of(y, feeds)
    for name in ("fold", "merge", "simplify"):
        stage, notes = after(name, stage)
    (reason,) = [n.reason for n in notes.notes if n.rule == "StitchOfPartitions"]
    return reason


def test_what_a_part_is_read_for_several_times_is_computed_once_for_all_rows() -> None:
    def doubled(part: Tensor) -> Tensor:
        for _ in range(6):
            part = tf.add(part, part * part)
        return part

    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [doubled, tf.negative])
    assert fired(y, [x, p])
    made, _ = after("simplify", stage_of(y, [x, p]))
    assert types(made).count("Add") == types(made).count("Mul") == 6


@pytest.mark.parametrize("count", range(2, 9))
def test_a_stitch_of_k_parts_becomes_a_select(count: int) -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, FUNCTIONS[:count])
    feeds = {x: values(), p: np.random.default_rng(4).integers(0, count, 1000).astype("i4")}
    assert fired(y, [x, p])
    want, got = run([y], feeds, ()), run([y], feeds, None)
    assert unlike([y], got, want) == []
    empty = {x: np.zeros(0, "f4"), p: np.zeros(0, "i4")}
    assert run([y], empty, None)[0].shape == (0,)


def test_more_than_eight_parts_stay() -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    assert refusal(pipeline(x, p, [tf.negative] * 9), [x, p]) == "there are 9 parts; the rule applies to 2 to 8"


def test_the_select_has_no_check_where_the_labels_come_from_a_bool() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = pipeline(x, tf.cast(x > 0.0, tf.int32), [tf.negative, tf.exp])
    made, _ = after("simplify", stage_of(y, [x]))
    assert types(made) == ["Greater", "Neg", "Exp", "Select"]


def test_the_page_s_own_program_with_its_labels_written_twice_becomes_a_select() -> None:
    x = tf.placeholder(tf.float32, ["n"])
    mask = tf.not_equal(x, -1.0)
    parts = tf.dynamic_partition(x, tf.cast(mask, tf.int32), 2)
    parts[1] = parts[1] + 1.0
    places = tf.dynamic_partition(tf.range(tf.shape(x)[0]), tf.cast(mask, tf.int32), 2)
    assert fired(tf.dynamic_stitch(places, parts), [x])


@pytest.mark.parametrize(
    "numbers",
    [lambda x, p: tf.range(tf.size(p)), lambda x, p: tf.range(0, tf.shape(x)[0]), lambda x, p: tf.range(tf.size(x))],
)
def test_the_range_may_be_written_in_several_ways(numbers: Callable[[Tensor, Tensor], Tensor]) -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    assert fired(pipeline(x, p, [tf.negative, tf.exp], numbers(x, p)), [x, p])


@pytest.mark.parametrize("rows", [5, 400_000])
def test_a_range_of_a_constant_may_be_folded_or_not(rows: int) -> None:
    x, p = tf.placeholder(tf.float32, [rows]), tf.placeholder(tf.int32, [rows])
    assert fired(pipeline(x, p, [tf.negative, tf.exp], tf.range(rows)), [x, p])
    shorter = pipeline(x, p, [tf.negative, tf.exp], tf.constant(np.arange(rows, dtype="i4")[::-1]))
    assert "is not known to be range(n)" in refusal(shorter, [x, p])


def test_names_and_other_readers_of_the_labels_do_not_matter() -> None:
    x, p = tf.placeholder(tf.float32, ["n"], name="data"), tf.placeholder(tf.int32, ["n"], name="kinds")
    y = pipeline(x, p, [tf.negative, tf.exp], parts="taken", places="where", y="again")
    total = tf.reduce_sum(p)
    feeds = {x: [1.0, 2.0, 3.0], p: [0, 1, 1]}
    assert fired(y, [x, p])
    assert unlike([y, total], run([y, total], feeds, None), run([y, total], feeds, ())) == []


def test_a_part_that_is_fetched_too_stays() -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    parts, places = tf.dynamic_partition(x, p, 2), tf.dynamic_partition(tf.range(tf.size(x)), p, 2)
    y = tf.dynamic_stitch(places, [parts[0], -parts[1]])
    feeds = {x: [1.0, 2.0, 3.0], p: [0, 1, 1]}
    fetches = [y, parts[1]]
    assert unlike(fetches, run(fetches, feeds, None), run(fetches, feeds, ())) == []


@pytest.mark.parametrize("label", [-1, 2])
def test_a_label_out_of_range_is_the_same_error(label: int) -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [tf.negative, tf.exp], parts="taken")
    assert fired(y, [x, p])
    told = []
    for passes in ((), None):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            run([y], {x: [1.0, 2.0, 3.0], p: [0, label, 1]}, passes)
        told.append(caught.value.message)
    assert told[0] == told[1] == f"partitions[1] = {label} is not in [0, 2)"


def test_labels_of_another_length_are_the_same_error() -> None:
    x, p = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [None])
    y = pipeline(x, p, [tf.negative, tf.exp])
    assert fired(y, [x, p])
    told = []
    for passes in ((), None):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            run([y], {x: [1.0, 2.0, 3.0], p: [0, 1]}, passes)
        told.append(caught.value.message)
    assert told[0] == told[1]


def test_an_error_names_the_node_and_the_line_of_the_partition() -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [tf.negative, tf.exp], parts="taken")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'in node "taken" \(DynamicPartition\)'):
        run([y], {x: [1.0], p: [7]}, None)


def test_rows_of_a_higher_rank_are_selected_row_by_row() -> None:
    x, p = tf.placeholder(tf.float32, ["n", 2, 3]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [lambda t: t * [1.0, 2.0, 3.0], tf.negative, lambda t: t + tf.ones([2, 1])])
    feeds = {x: values(600).reshape(100, 2, 3), p: np.arange(100, dtype="i4") % 3}
    assert fired(y, [x, p])
    assert unlike([y], run([y], feeds, None), run([y], feeds, ())) == []


def test_a_function_may_read_several_tensors_taken_apart_alike() -> None:
    x, z, p = (tf.placeholder(d, ["n"]) for d in (tf.float32, tf.float32, tf.int32))
    xs, zs = tf.dynamic_partition(x, p, 2), tf.dynamic_partition(z, p, 2)
    places = tf.dynamic_partition(tf.range(tf.size(p)), p, 2)
    y = tf.dynamic_stitch(places, [xs[0] * zs[0], tf.cast(xs[1] > zs[1], tf.float32)])
    feeds = {x: values(50), z: values(50)[::-1].copy(), p: np.arange(50, dtype="i4") % 2}
    assert fired(y, [x, z, p])
    assert unlike([y], run([y], feeds, None), run([y], feeds, ())) == []


def test_strings_are_selected_too() -> None:
    x, p = tf.placeholder(tf.string, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [lambda t: t, lambda t: tf.add(t, "!")])
    assert fired(y, [x, p])
    assert run([y], {x: ["a", "b"], p: [0, 1]}, None)[0].tolist() == [b"a", b"b!"]


def test_a_part_without_rows_changes_nothing() -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, FUNCTIONS[:3])
    feeds = {x: [1.0, 2.0], p: [1, 1]}
    assert unlike([y], run([y], feeds, None), run([y], feeds, ())) == []


INT_FUNCTIONS: list[tuple[Callable[[Tensor], Tensor], str]] = [
    (lambda t: t // t, "may fail on the rows of other parts"),
    (lambda t: tf.mod(t, 3), "may fail on the rows"),
    (lambda t: tf.pow(t, t), "may fail on the rows"),
]


@pytest.mark.parametrize(("function", "words"), INT_FUNCTIONS)
def test_a_function_that_may_fail_on_other_rows_is_refused(function: Callable[[Tensor], Tensor], words: str) -> None:
    x, p = tf.placeholder(tf.int32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [tf.negative, function])
    assert words in refusal(y, [x, p])
    assert run([y], {x: [0, 2], p: [0, 1]}, None)[0][0] == 0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t: t - tf.reduce_mean(t), "(Mean) is not elementwise"),
        (lambda t: tf.reverse(t, [True]), "(Reverse) is not elementwise"),
        (lambda t: tf.cumsum(t), "(Cumsum) is not elementwise"),
        (lambda t: tf.constant([1.0, 2.0]), "data[1] is not computed from part 1"),
        (lambda t: t + tf.placeholder_with_default([1.0], [None]), "which may have a row for each row of the part"),
    ],
)
def test_a_function_that_is_not_elementwise_is_refused(function: Callable[[Tensor], Tensor], words: str) -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    assert words in refusal(pipeline(x, p, [tf.negative, function]), [x, p])


def test_other_labels_and_another_order_are_refused() -> None:
    x, p, q = (tf.placeholder(d, ["n"]) for d in (tf.float32, tf.int32, tf.int32))
    places, parts = tf.dynamic_partition(tf.range(tf.size(x)), p, 2), tf.dynamic_partition(x, p, 2)
    others = tf.dynamic_partition(x, q, 2)
    feeds = [x, p, q]
    turned = tf.dynamic_stitch(places, parts[::-1])
    assert refusal(turned, feeds) == "data[0] is part 1; the indices have another order"
    assert "one partition, in order" in refusal(tf.dynamic_stitch(places[::-1], parts[::-1]), feeds)
    assert "is not computed from part 0" in refusal(tf.dynamic_stitch(places, others), feeds)
    crossed = [-parts[0], tf.add(parts[1], -1.0)]
    crossed[0] = tf.exp(parts[1])
    assert "reads part 1 for data[0]" in refusal(tf.dynamic_stitch(places, crossed), feeds)


def test_scalars_and_matrices_of_labels_are_refused() -> None:
    x, p = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.int32, [2, 3])
    places = tf.dynamic_partition(tf.reshape(tf.range(6), [2, 3]), p, 2)
    y = tf.dynamic_stitch(places, tf.dynamic_partition(x, p, 2))
    assert "is not known to be 1" in refusal(y, [x, p])


def test_rows_whose_number_is_not_known_to_be_that_of_the_range_are_refused() -> None:
    x, p, n = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"]), tf.placeholder(tf.int32, [])
    y = pipeline(x, p, [tf.exp, tf.exp], tf.range(n))
    assert "is not known to have a number for each row" in refusal(y, [x, p, n])


def test_a_function_may_choose_between_values_of_its_part() -> None:
    x, p = tf.placeholder(tf.float32, ["n"]), tf.placeholder(tf.int32, ["n"])
    y = pipeline(x, p, [lambda t: tf.where(t > 0.0, t, -t), lambda t: tf.clip_by_value(t, 0.0, 1.0)])
    feeds = {x: values(50), p: np.arange(50, dtype="i4") % 2}
    assert fired(y, [x, p])
    assert unlike([y], run([y], feeds, None), run([y], feeds, ())) == []


def test_numbers_that_are_nearly_neutral_change_the_result() -> None:
    x = tf.placeholder(tf.float32, [2])
    fetches = [x - (-0.0), tf.floordiv(x, 1.0), x + 0.0]
    less, floor, more = run(fetches, {x: np.array([-0.0, 2.5], "f4")}, None)
    assert less.tolist() == [0.0, 2.5] and floor.tolist() == [0.0, 2.0] and more.tolist() == [0.0, 2.5]
    assert [bool(np.signbit(each[0])) for each in (less, floor, more)] == [False, True, False]


@pytest.mark.parametrize("signs", [(re, im) for re in (0.0, -0.0) for im in (0.0, -0.0)], ids=str)
@pytest.mark.parametrize("op", [tf.add, tf.subtract])
def test_both_parts_of_a_complex_constant_must_be_neutral(op: Any, signs: tuple[float, float]) -> None:
    x = tf.placeholder(tf.complex64, [4])
    numbers = np.array([complex(re, im) for re in (0.0, -0.0) for im in (0.0, -0.0)], np.complex64)
    y = op(x, tf.constant(np.complex64(complex(*signs))))
    (got,), (want,) = run([y], {x: numbers}, None), run([y], {x: numbers}, ())
    assert got.tobytes() == want.tobytes()
    is_neutral = str(signs) == ("(-0.0, -0.0)" if op is tf.add else "(0.0, 0.0)")
    assert (y.op.name in str(tf.Session().plan(y, [x]))) != is_neutral
