"""Graphs inside ops in a run: passes, plans, memory, effects and errors of bodies, beside the reference executor."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import extend
from penstock.errors import InternalError
from penstock.graph.model.nesting import within
from penstock.graph.model.subgraph import bodies_of
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.ir.body_stages import body_of, stage_of
from penstock.runtime.ir.stage import Stage
from penstock.runtime.observe.run_record import members_of
from penstock.runtime.passes.pipeline import ALL_PASSES, first_stage, optimise
from penstock.runtime.passes.stage_verifier import verify
from penstock.runtime.planning.plan import Plan

from ...holders import RUNS, call, count_up, either, twice
from ...op_samples import same
from ...reference import Failure, expected, reference

CONFIGS = {
    "as written": tf.SessionConfig(passes=(), arena=False),
    "all passes": tf.SessionConfig(verify=True),
    "checked": tf.SessionConfig(check=True),
    "one thread": tf.SessionConfig(threads=1),
}


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        RUNS.clear()
        yield


def numbers(*shape: int) -> Any:
    return (np.arange(int(np.prod(shape))).reshape(shape) / 4 + 0.25).astype("f4")


def as_expected(fetches: Sequence[tf.Tensor], feeds: dict[tf.Tensor, Any]) -> list[Any]:
    """Run under every config, twice, and compare with the reference executor; the results."""
    want = expected(fetches, feeds)
    got: list[Any] = []
    for which, config in CONFIGS.items():
        with tf.Session(config=config) as session:
            for _ in range(2):
                kept = {tensor: value.copy() for tensor, value in feeds.items()}
                got = session.run(list(fetches), feeds)
                for tensor, one, other in zip(fetches, got, want, strict=True):
                    assert same(one, other), f"{which}: {tensor.name} is {one}, not {other}"
                assert all(np.array_equal(feeds[t], kept[t]) for t in feeds), which
    return got


def planned(fetches: Any, feeds: Sequence[tf.Tensor] = (), **config: Any) -> Plan:
    return tf.Session(config=tf.SessionConfig(**config)).plan(fetches, feeds)


def staged(fetches: Sequence[tf.Tensor], fed: Sequence[tf.Tensor], *passes: str) -> Stage:
    return optimise(first_stage(list(fetches), [], list(fed)), kernel_for, passes or ALL_PASSES, check=True)


# ---- values -------------------------------------------------------------------------------------


def test_a_body_runs_on_operands_and_captures_of_feeds_constants_and_intermediates() -> None:
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3])
    c, e = tf.constant([1.0, 2.0, 3.0]), tf.exp(w)
    y, z = call(lambda a: (a * w + c, tf.reduce_sum(a * e, 0)), [x])
    as_expected([y, z, e], {x: numbers(4, 3), w: numbers(3)})


def test_a_body_inside_a_body_runs() -> None:
    x, w = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
    y = twice(lambda a: twice(lambda b: b * w - tf.exp(-a), [a])[0], [x])
    as_expected(y, {x: numbers(3), w: numbers(3)})


@pytest.mark.parametrize("which", [True, False])
def test_one_of_two_bodies_runs(which: bool) -> None:
    p, x, w = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [2])
    y = either(p, lambda a: (a * 2.0, a), lambda a: (tf.concat(0, [a, w]), w), [x])
    as_expected(y, {p: np.array(which), x: numbers(5), w: numbers(2)})


def test_a_body_may_give_its_operands_views_of_them_constants_and_one_thing_twice() -> None:
    x = tf.placeholder(tf.float32, [4, 3])
    doubled = x * 2.0

    def function(a: tf.Tensor) -> list[tf.Tensor]:
        constant = tf.constant([1.0, 2.0])
        return [a, a[1:], tf.transpose(a), constant, constant, tf.reshape(a, [-1])]

    found = call(function, [doubled])
    results = as_expected([doubled, *found], {x: numbers(4, 3)})
    for i, one in enumerate(results):
        assert one.flags.writeable
        assert not any(np.may_share_memory(one, other) for other in results[:i])


def test_what_a_body_gives_is_not_written_over_by_an_update_in_place() -> None:
    x = tf.placeholder(tf.float32, [4])
    doubled = x * 2.0
    (kept,) = call(lambda a: a, [doubled])
    changed = tf.tensor_scatter_nd_update(doubled, [[0]], [9.0])
    also = tf.tensor_scatter_nd_update(call(lambda a: tf.constant([1.0, 2.0]), [x])[0], [[1]], [9.0])
    as_expected([changed, also, kept], {x: numbers(4)})
    session = tf.Session()
    assert [session.run(also, {x: numbers(4)}).tolist() for _ in range(2)] == [[1.0, 9.0], [1.0, 9.0]]


def test_a_body_updates_in_place_what_it_has_made_itself() -> None:
    x = tf.placeholder(tf.float32, [4])

    def function(a: tf.Tensor) -> list[tf.Tensor]:
        return [tf.tensor_scatter_nd_update(a, [[0]], [9.0]), tf.tensor_scatter_nd_update(a * 2.0, [[0]], [9.0])]

    found = call(function, [x * 3.0])
    as_expected(found, {x: numbers(4)})
    (step,) = [s for s in planned(found, [x]).steps if s.op == "TestCall"]
    (body,) = [a for a in step.args if isinstance(a, Plan)]
    assert [s.donor is not None for s in body.steps if s.op == "TensorScatterUpdate"] == [False, True]


def test_large_values_inside_bodies_lie_in_memory_that_is_used_again() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = twice(lambda a: tf.reverse(tf.exp(-a) * 0.5, [True]) + tf.cumsum(a) * 0.0, [x])
    as_expected([y[0], tf.reverse(y[0], [True])], {x: numbers(200_000)})


def test_strings_bools_and_scalars_pass_through_bodies() -> None:
    s, b = tf.placeholder(tf.string, [2]), tf.placeholder(tf.bool, [2])
    y = call(lambda a, c: (tf.add(a, a), tf.logical_not(c), tf.reduce_sum([1.0, 2.0]), tf.size(a)), [s, b])
    as_expected(y, {s: np.array([b"a", b"bc"], object), b: np.array([True, False])})


def test_a_tensor_fed_in_the_middle_leaves_nothing_of_what_a_body_knew_of_it() -> None:
    x = tf.placeholder(tf.float32, [6])
    shape = tf.constant([2, 3])
    y = tf.reshape(x, shape)
    (rows,) = call(lambda a: tf.shape(a), [y])
    (total,) = call(lambda a: call(lambda b: tf.reduce_sum(b, 1), [a])[0], [y])
    assert total.shape.raw == (2,)
    as_expected([rows, total], {x: numbers(6)})
    as_expected([rows, total], {x: numbers(6), shape: np.array([3, 2], np.int32)})
    as_expected([rows, total], {y: numbers(2, 3)})


def test_named_sizes_are_those_of_the_run() -> None:
    x = tf.placeholder(tf.float32, ["n", 2])
    y = call(lambda a: tf.concat(0, [a, a]) * tf.cast(tf.shape(a)[0], tf.float32), [x])
    assert str(y[0].shape) == "(2*n, 2)"
    for size in (1, 3, 0):
        as_expected(y, {x: numbers(size, 2)})


def test_a_claim_about_a_size_is_checked_where_the_body_runs_and_nowhere_else() -> None:
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, ["n"], name="x")

    def strict(a: tf.Tensor) -> tf.Tensor:
        return tf.shape(tf.pack([a, tf.constant([1.0, 2.0, 3.0])]))

    y = either(p, strict, lambda a: tf.shape(a), [x])[0]
    session = tf.Session()
    assert session.run(y, {p: True, x: numbers(3)}).tolist() == [2, 3]
    assert session.run(y, {p: False, x: numbers(5)}).tolist() == [5]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'the size n is 5 .*(?s:.*)inside "either"'):
        session.run(y, {p: True, x: numbers(5)})


def test_a_shape_that_is_set_inside_a_body_is_checked() -> None:
    x = tf.placeholder(tf.float32, [None])

    def function(a: tf.Tensor) -> tf.Tensor:
        made = tf.exp(a, name="made")
        made.set_shape([3])
        return tf.shape(made)

    (y,) = call(function, [x])
    as_expected([y], {x: numbers(3)})
    for config in CONFIGS.values():
        with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape said that call/body/made:0"):
            tf.Session(config=config).run(y, {x: numbers(4)})


# ---- effects ------------------------------------------------------------------------------------


@pytest.mark.parametrize("passes", [None, ()])
def test_effects_inside_happen_once_for_each_run_of_the_body_and_in_order(passes: tuple[str, ...] | None) -> None:
    x = tf.placeholder(tf.float32, [])
    first = count_up(x)
    (loud,) = twice(lambda a: call(lambda b: count_up(b) * 10.0, [a + 1.0])[0], [x])
    (ignored,) = call(lambda a: tf.with_dependencies([count_up(a + 100.0)], a), [x])
    last = count_up(x + 5.0)
    session = tf.Session(config=tf.SessionConfig(passes=passes, verify=True))
    fetched = [last, ignored, loud, first]
    session.run(fetched, {x: 1.0})
    assert RUNS == [1.0, 2.0, 21.0, 101.0, 6.0]
    RUNS.clear()
    reference(fetched, {x: np.array(1.0, "f4")})
    assert RUNS == [1.0, 2.0, 21.0, 101.0, 6.0]


def test_a_holder_with_an_effect_inside_is_not_merged_and_another_is() -> None:
    x = tf.placeholder(tf.float32, [3])
    quiet = [call(lambda a: tf.exp(a * 2.0) + x, [x])[0] for _ in range(2)]
    loud = [call(lambda a: count_up(a), [x])[0] for _ in range(2)]
    other = [call(lambda a, k=k: tf.exp(a * k) + x, [x])[0] for k in (3.0, 2.0)]
    assert [s.op for s in planned([*quiet, *loud], [x]).steps] == ["TestCall"] * 3
    assert [s.op for s in planned([*quiet, *other], [x]).steps] == ["TestCall"] * 2
    as_expected([*quiet, *loud, *other], {x: numbers(3)})


def test_bodies_that_differ_in_their_results_alone_are_not_merged() -> None:
    x = tf.placeholder(tf.float32, [3])
    made: list[Callable[[tf.Tensor], Any]] = [
        lambda a: (tf.exp(a), a), lambda a: (a, tf.exp(a)), lambda a: (a, a), lambda a: (a, a * 1.0),
    ]  # fmt: skip
    found = [t for function in made for t in call(function, [x])]
    as_expected(found, {x: numbers(3)})


# ---- errors -------------------------------------------------------------------------------------


def test_an_error_inside_names_the_path_and_both_lines() -> None:
    x, k = tf.placeholder(tf.int32, [None], name="x"), tf.placeholder(tf.int32, [], name="k")
    y = call(lambda a: call(lambda b: tf.div(b, k, name="ratio"), [a], name="in"), [x], name="out")
    for config in CONFIGS.values():
        session = tf.Session(config=config)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y, {x: [1, 2], k: 0})
        lines = str(caught.value).splitlines()
        assert lines[1].startswith('  in node "out/body/in/body/ratio" (FloorDiv)  test_body_stages.py:')
        assert '"out/body/in/body/k:0" int32 []' in str(caught.value)
        assert lines[-2].startswith('  inside "out/body/in" (TestCall)  holders.py:')
        assert lines[-1].startswith('  inside "out" (TestCall)  holders.py:')
        assert caught.value.op.name == "out/body/in/body/ratio"
        assert session.run(y, {x: [4, 6], k: 2})[0].tolist() == [2, 3]


def test_a_failure_inside_is_that_of_the_reference() -> None:
    x = tf.placeholder(tf.int32, [2])
    (bad,) = call(lambda a: tf.gather([10, 20], a, name="pick"), [x])
    (unused,) = call(lambda a: (tf.gather([10, 20], a), a)[1], [x])
    run = reference([bad, unused], {x: np.array([0, 7], np.int32)})
    assert run.failures == [Failure("call/body/pick", tf.errors.InvalidArgumentError)]
    assert tf.Session().run(unused, {x: [0, 7]}).tolist() == [0, 7]


def test_a_holder_that_nobody_reads_any_more_still_tells_what_fails_inside() -> None:
    n = tf.placeholder(tf.int32, [2], name="n")
    (safe,) = call(lambda a: tf.exp(tf.cast(a, tf.float32)), [n])
    (unsafe,) = call(lambda a: 7 // a, [n])
    zeros = [tf.shape(t)[0] for t in (safe, unsafe)]
    assert [s.op for s in planned(zeros[:1], [n]).steps] == []
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"call_1/body"):
        tf.Session().run(zeros, {n: [1, 0]})


def test_a_kernel_that_calls_a_body_with_too_few_arrays_is_told() -> None:
    @extend.op("TestTooFew", out=lambda operands, body: tuple(t.dtype for t in body.outputs))
    def too_few(  # type: ignore[empty-body]  # as all ops
        operands: extend.Tensors, body: extend.Body, name: str | None = None
    ) -> list[tf.Tensor]:
        """Calls its body with nothing."""

    try:
        too_few.shape(lambda operands, body: [t.shape for t in body.outputs])
        too_few.kernel(lambda xp, operands, body: body())
        x = tf.placeholder(tf.float32, [])
        y = too_few([x], extend.subgraph(tf.exp, [x]))
        with pytest.raises(InternalError, match="a body of 1 inputs was called with 0 arrays"):
            tf.Session().run(y, {x: 1.0})
    finally:
        from penstock.graph.declare.op_declaration import OPS

        del OPS["TestTooFew"]


# ---- passes -------------------------------------------------------------------------------------


def inner_types(stage: Stage) -> list[str]:
    return [op.type for op in within(stage.operations) if op.opdef.type != "TestCall"]


def test_every_pass_works_inside_bodies() -> None:
    x = tf.placeholder(tf.float32, [3])

    def function(a: tf.Tensor) -> tf.Tensor:
        two = tf.constant(1.0) + tf.constant(1.0)
        return tf.transpose(tf.transpose(call(lambda b: tf.exp(b * two) + tf.exp(b * two), [a])[0]))

    y = call(function, [x])
    written = staged(y, [x], "fold")
    assert "Const" in inner_types(written)
    assert [op.name for op in within(written.operations) if op.type == "Const"] == ["call/body/add"]
    assert inner_types(staged(y, [x], "merge")).count("Exp") == 1
    assert inner_types(staged(y, [x], "simplify")).count("Transpose") == 0
    fused = staged(y, [x], "merge", "fuse")
    assert inner_types(fused).count("Fused") == 1
    as_expected(y, {x: numbers(3)})


def test_a_pass_shares_the_bodies_that_it_does_not_change() -> None:
    x = tf.placeholder(tf.float32, [3])
    y = call(lambda a: tf.reverse(a, [True]), [x])
    before = first_stage(y, [], [x])
    assert optimise(before, kernel_for, ALL_PASSES) is before


def test_a_group_holds_the_operations_themselves() -> None:
    x = tf.placeholder(tf.float32, [3])
    y = tf.exp(x * 2.0)
    (group,) = [op for op in staged([y], [x]).operations if op.type == "Fused"]
    (body,) = bodies_of(group)
    assert body.operations == (y.op.inputs[0].op, y.op)
    assert body.outputs == (y,)


def test_the_verifier_looks_into_bodies() -> None:
    x = tf.placeholder(tf.float32, [3])
    y = call(lambda a: tf.exp(tf.reverse(a, [True])), [x])
    stage = first_stage(y, [], [x])
    verify(stage)
    (op,) = stage.operations
    body = bodies_of(op)[0]
    broken = stage_of(body)
    broken = Stage(broken.operations[1:], broken.feeds, broken.fetches)
    op.args = (op.args[0], body_of(broken, body))
    with pytest.raises(InternalError, match=r"reads .*, which nothing before it makes"):
        verify(stage)
    op.args = (op.args[0], body_of(Stage(body.operations, (), body.outputs), body))
    with pytest.raises(InternalError):
        verify(stage)


# ---- plans --------------------------------------------------------------------------------------


def test_a_plan_prints_its_bodies_indented() -> None:
    x, w = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.float32, [3], name="w")
    y = call(lambda a: call(lambda b: tf.reverse(b * w, [True]), [a], name="in")[0], [x], name="out")
    assert str(planned(y, [x, w])) == (
        "feed t0 = x:0\n"
        "feed t1 = w:0\n"
        't2 = TestCall([t0, t1], <1 step>)  # "out"  free t0 t1\n'
        "    feed t0 = out/body/a:0\n"
        "    feed t1 = out/body/w:0\n"
        '    t2 = TestCall([t0, t1], <2 steps>)  # "out/body/in"  free t0 t1\n'
        "        feed t0 = out/body/in/body/b:0\n"
        "        feed t1 = out/body/in/body/w:0\n"
        "        const t3 = bool (1,)\n"
        '        t2 = Mul(t0, t1)  # "out/body/in/body/mul"  free t0 t1\n'
        '        t4 = Reverse(t2, t3)  # "out/body/in/body/Reverse"  free t2\n'
        "        fetch t4\n"
        "    fetch t2\n"
        "fetch t2"
    )


def test_plans_with_bodies_compare_and_pickle() -> None:
    x = tf.placeholder(tf.float32, [3])
    y, z = [call(lambda a, c=c: tf.add(tf.exp(a * 2.0), [1.0, 2.0, c]), [x]) for c in (3.0, 4.0)]
    plan = planned(y, [x])
    again = pickle.loads(pickle.dumps(plan))
    assert plan == planned(y, [x])
    assert again == plan
    assert plan != planned(z, [x])
    session = tf.Session()
    session.replace_plan(y, [x], again)
    assert np.array_equal(session.run(y, {x: numbers(3)})[0], expected(y, {x: numbers(3)})[0])


def test_the_shape_that_a_user_claims_of_a_result_is_checked() -> None:
    x = tf.placeholder(tf.float32, [None])
    (y,) = call(lambda a: tf.exp(a), [x])
    y.set_shape([3])
    as_expected([y], {x: numbers(3)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape said that call:0"):
        tf.Session().run(y, {x: numbers(4)})


def test_a_listener_of_values_checks_bodies_too() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    (y,) = call(lambda a: tf.maximum(tf.log(a, name="bad"), 0.0), [x])
    session = tf.Session(config=tf.SessionConfig(watch=True))
    with pytest.raises(tf.errors.NonFiniteError, match="call/body/bad"):
        session.run(y, {x: [1.0, -1.0]})


# ---- what can be seen of a run ------------------------------------------------------------------


def test_an_explanation_tells_of_the_nodes_inside() -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    (y,) = call(lambda a: tf.reverse(tf.exp(a * 3.0 + a * 3.0, name="e"), [True], name="r"), [x])
    (lost,) = call(lambda a: tf.exp(a, name="e"), [x])
    found = tf.Session().explain(y, {x: [1.0, 2.0, 3.0]})
    assert "call/body/e" in found.built
    assert [a.node for a in found.pruned] == ["x", "call_1", "call_1/body/e"]
    assert found.why("call/body/mul_1") == (
        "call/body/mul_1: merged with call/body/mul, then inside the group call/body/e = "
        "Exp(Add(Mul(%0, %1), Mul(%0, %1)))"
    )
    assert found.why("call/body/r") == "call/body/r: kept: inside step 1 of 1, call"
    assert found.why(lost.op.name) == "call_1: not needed by any fetch"
    assert [g.node for g in found.groups] == ["call/body/e"]


def test_a_record_names_the_nodes_inside_a_step() -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    (y,) = call(lambda a: call(lambda b: tf.reverse(tf.exp(b * 2.0), [True]), [a], name="in")[0], [x])
    metadata = tf.RunMetadata()
    tf.Session().run(y, {x: numbers(3)}, run_metadata=metadata)
    assert metadata.record is not None
    (step,) = metadata.record.plan.steps
    assert members_of(step) == (
        "call/body/in", "call/body/in/body/Exp", "call/body/in/body/mul", "call/body/in/body/Exp",
        "call/body/in/body/Reverse",
    )  # fmt: skip


def test_a_device_that_is_not_there_is_told_of_a_node_inside_too() -> None:
    x = tf.placeholder(tf.float32, [3], name="x")

    def function(a: tf.Tensor) -> tf.Tensor:
        with tf.device("/gpu:7"):
            return tf.exp(a, name="there")

    (y,) = call(function, [x])
    as_expected([y], {x: numbers(3)})
    hard = tf.Session(config=tf.SessionConfig(allow_soft_placement=False))
    with pytest.raises(tf.errors.InvalidArgumentError, match="call/body/there"):
        hard.run(y, {x: numbers(3)})


def test_a_checked_run_looks_at_a_value_no_longer_than_it_is_needed() -> None:
    """`a` may lie in x or in the update, and does in the update: that memory is filled when nothing reads `a`."""
    x = tf.placeholder(tf.float32, [4])
    updated = tf.tensor_scatter_nd_update(x, [[0]], [9.0])
    a, _ = call(lambda one, two: (two, one), [x, updated])
    last = tf.reverse(tf.reverse(a, [True]) * x, [True])
    as_expected([last, x + 1.0], {x: numbers(4)})
