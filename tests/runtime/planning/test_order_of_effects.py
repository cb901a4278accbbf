"""What must come first does: control inputs and effects, in every plan, pass and executor."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.execution.inter_op import parallel_segments
from penstock.runtime.passes.pipeline import ALL_PASSES

from ...helpers import op_of
from ...reference import expected

HEAVY = 1_000_000
CONFIGS = {
    "default": tf.SessionConfig(),
    "no passes": tf.SessionConfig(passes=()),
    "two threads": tf.SessionConfig(threads=2),
    "two threads, no passes": tf.SessionConfig(threads=2, passes=()),
    **{f"only {name}": tf.SessionConfig(passes=(name,), threads=2) for name in ALL_PASSES},
}


class Log:
    """A kernel that notes who begins and who ends; the operand's first number says who it is."""

    def __init__(self) -> None:
        self.events: list[tuple[str, int]] = []
        self._lock = threading.Lock()

    def __call__(self, x: Any) -> Any:
        who = int(x.reshape(-1)[0])
        with self._lock:
            self.events.append(("begin", who))
        result = np.sort(x.copy())  # heavy enough that another thread could get in between
        result = x + 1
        with self._lock:
            self.events.append(("end", who))
        return result


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_step_begins_after_the_one_that_it_waits_for_has_ended(config: tf.SessionConfig) -> None:
    log = Log()
    first, second = (np.full(HEAVY, who, "f4") for who in (1, 2))
    x, y = tf.placeholder(tf.float32, [HEAVY]), tf.placeholder(tf.float32, [HEAVY])
    with op_of(log, pure=False) as noting:
        a = noting(x, name="a")
        with tf.control_dependencies([a]):
            b = noting(y, name="b")
        session = tf.Session(config=config)
        plan = session.plan([a, b], [x, y])
        where = {step.node: i for i, step in enumerate(plan.steps)}
        assert plan.steps[where["b"]].after == (where["a"],)
        assert f"after step {where['a'] + 1}" in str(plan)
        for _ in range(3):
            log.events.clear()
            session.run([a, b], {x: first, y: second})
            assert log.events == [("begin", 1), ("end", 1), ("begin", 2), ("end", 2)]


def test_steps_that_wait_for_one_another_are_in_different_parts() -> None:
    x, y = tf.placeholder(tf.float32, [HEAVY]), tf.placeholder(tf.float32, [HEAVY])
    a = tf.cumsum(x)
    session = tf.Session(config=tf.SessionConfig(passes=()))
    beside = parallel_segments(session.plan([a, tf.cumsum(y)], [x, y]))
    assert beside is not None and [(p.start, p.stop) for p in beside if p.independent] == [(0, 2)]
    with tf.control_dependencies([a]):
        b = tf.cumsum(y)
    assert parallel_segments(session.plan([a, b], [x, y])) is None


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_effects_that_meet_run_in_the_order_of_creation(config: tf.SessionConfig) -> None:
    log = Log()
    inputs = [tf.placeholder(tf.float32, [HEAVY]) for _ in range(3)]
    with op_of(log, stateful=True, elementwise=True) as noting:
        made = [noting(x) for x in inputs]
        outcome = made[2] + made[0]
        session = tf.Session(config=config)
        session.run([outcome, made[1]], {x: np.full(HEAVY, who, "f4") for who, x in enumerate(inputs)})
    assert [who for _, who in log.events] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("facts", [{"stateful": True}, {"pure": False}])
def test_an_elementwise_op_with_effects_is_in_no_group(facts: dict[str, bool]) -> None:
    x = tf.placeholder(tf.float32, [4])
    with op_of(lambda x: x + 1, elementwise=True, **facts) as effect:
        plan = tf.Session().plan(tf.exp(effect(tf.negative(x))) * 2.0, [x])
    assert "OnlyForThisTest" in [step.op for step in plan.steps]


def test_an_op_with_effects_is_not_evaluated_while_building() -> None:
    calls: list[Any] = []

    def law(x: Any) -> Any:
        calls.append(x)
        return x

    with op_of(lambda x: x, pure=False) as volatile:
        OPS["OnlyForThisTest"].value(law)
        n = volatile(tf.constant([3]))
        y = tf.zeros(n)
        assert not calls and y.shape.raw is not None and not isinstance(y.shape.raw[0], int)


def test_what_writes_runs_although_its_value_is_known_without_it() -> None:
    calls: list[int] = []

    def note(x: Any) -> Any:
        calls.append(1)
        return x + 1

    x = tf.placeholder(tf.float32, [4])
    with op_of(note, stateful=True) as effect:
        y = tf.shape(effect(x)) + 1
        for config in CONFIGS.values():
            calls.clear()
            assert tf.Session(config=config).run(y, {x: [1, 2, 3, 4]}).tolist() == [5]
            assert calls == [1]


def test_a_profile_does_not_repeat_an_effect() -> None:
    x = tf.placeholder(tf.float32, [4])
    calls: list[int] = []

    def note(x: Any) -> Any:
        calls.append(1)
        return x + 1

    with op_of(note, stateful=True) as effect:
        y = effect(x, name="writer")
        with pytest.raises(TypeError, match=r"'writer'.*which reads world and writes world"):
            tf.Session().profile(y, {x: [1, 2, 3, 4]})
        assert not calls
        tf.Session().profile(y, {x: [1, 2, 3, 4]}, runs=1, warmup=0)
        assert calls == [1]


def test_a_rule_does_not_see_through_an_effect() -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    with op_of(lambda x: x.copy(), stateful=True, elementwise=True) as effect:
        turned = tf.transpose(effect(tf.transpose(x)))
        plan = tf.Session().plan(turned, [x])
    assert [step.op for step in plan.steps] == ["Transpose", "OnlyForThisTest", "Transpose"]


# ---- effects that a pass would exchange for less memory or for a larger group ---------------------


def noting(log: list[float]) -> Any:
    def note(x: Any) -> Any:
        log.append(float(x.reshape(-1)[0]))
        return x.copy()

    return note


def in_order(fetches: list[tf.Tensor], feeds: dict[tf.Tensor, Any], log: list[float], config: tf.SessionConfig) -> None:
    """The run gives what the reference gives, and the effects of the reference in its order."""
    log.clear()
    want = expected(fetches, feeds)
    effects = list(log)
    log.clear()
    with tf.Session(graph=fetches[0].graph, config=config) as session:
        for got, each in zip(session.run(fetches, feeds), want, strict=True):
            np.testing.assert_array_equal(got, each)
    assert log == effects


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_less_memory_is_no_reason_to_exchange_two_effects(config: tf.SessionConfig) -> None:
    """The second effect first would spare the memory of the first one's result while the second is worked on."""
    log: list[float] = []
    x, y = tf.placeholder(tf.float32, [300, 300]), tf.placeholder(tf.float32, [300, 300])
    with op_of(noting(log), stateful=True) as noted:
        first, second = noted(tf.cumsum(x)), noted(tf.cumsum(y))
        used = [tf.reduce_sum(tf.cumsum(second)), tf.reduce_sum(tf.cumsum(first))]
        feeds = {x: np.full((300, 300), 1.0, "f4"), y: np.full((300, 300), 2.0, "f4")}
        in_order(used, feeds, log, config)
        assert log == [1.0, 2.0]


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_group_does_not_lie_on_both_sides_of_an_effect(config: tf.SessionConfig) -> None:
    """tanh(x) comes before the first effect, which comes before the second, whose result is added to it."""
    log: list[float] = []
    x, y = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
    with op_of(noting(log), stateful=True) as noted:
        early = tf.tanh(x)
        noted_early = noted(early)
        late = tf.exp(early + noted(y))
        in_order([late, noted_early], {x: np.zeros(4, "f4"), y: np.full(4, 2.0, "f4")}, log, config)
        assert log == [0.0, 2.0]


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_an_effect_that_a_group_needs_does_not_overtake_the_one_before(config: tf.SessionConfig) -> None:
    """The group of tanh and exp stands where tanh was, before both effects, and needs the second."""
    log: list[float] = []
    x, y = tf.placeholder(tf.float32, [2, 2]), tf.placeholder(tf.float32, [2, 2])
    with op_of(noting(log), stateful=True) as noted:
        early = tf.tanh(x)
        first, second = noted(y), noted(y + 1.0)
        late = tf.exp(early) + tf.matmul(second, second)
        in_order([late, first], {x: np.zeros((2, 2), "f4"), y: np.full((2, 2), 2.0, "f4")}, log, config)
        assert log == [2.0, 3.0]


def test_a_step_with_an_effect_is_not_beside_others() -> None:
    """Its kernel runs on the thread of the caller, as in a run without other threads."""
    x, y = tf.placeholder(tf.float32, [HEAVY]), tf.placeholder(tf.float32, [HEAVY])
    with op_of(lambda array: array.copy(), stateful=True) as noted:
        fetches = [tf.cumsum(x), noted(x, name="noted"), tf.cumsum(y), tf.cumsum(y, reverse=True)]
        with tf.Session(config=tf.SessionConfig(passes=())) as session:
            plan = session.plan(fetches, [x, y])
        parts = parallel_segments(plan) or []
    (position,) = [i for i, step in enumerate(plan.steps) if step.node == "noted"]
    assert any(part.independent for part in parts)
    assert not any(part.independent and part.start <= position < part.stop for part in parts)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_nothing_is_written_after_what_failed_although_only_its_shape_is_asked_for(config: tf.SessionConfig) -> None:
    calls: list[int] = []

    def note(x: Any) -> Any:
        calls.append(1)
        return x + 0

    x = tf.placeholder(tf.int32, [None, 3])
    with op_of(note, stateful=True) as effect:
        updated = tf.tensor_scatter_nd_update(tf.negative(x), [[3]], [[1, 2, 3]])
        y = tf.equal(x, effect(tf.shape(updated)[1] + 1))
        session = tf.Session(config=config)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: np.zeros((3, 3), "i4")})
        assert not calls
        session.run(y, {x: np.zeros((4, 3), "i4")})
        assert calls == [1]
