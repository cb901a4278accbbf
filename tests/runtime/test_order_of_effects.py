"""What must come first does: control inputs and effects, in every plan, pass and executor."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.opdef import OPS
from penstock.runtime.pipeline import ALL_PASSES
from penstock.runtime.side_by_side import parts_of

from ..helpers import op_of

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
        assert f"after step {where['a']}" in str(plan)
        for _ in range(3):
            log.events.clear()
            session.run([a, b], {x: first, y: second})
            assert log.events == [("begin", 1), ("end", 1), ("begin", 2), ("end", 2)]


def test_steps_that_wait_for_one_another_are_in_different_parts() -> None:
    x, y = tf.placeholder(tf.float32, [HEAVY]), tf.placeholder(tf.float32, [HEAVY])
    a = tf.cumsum(x)
    session = tf.Session(config=tf.SessionConfig(passes=()))
    beside = parts_of(session.plan([a, tf.cumsum(y)], [x, y]))
    assert beside is not None and [(p.start, p.stop) for p in beside if p.apart] == [(0, 2)]
    with tf.control_dependencies([a]):
        b = tf.cumsum(y)
    assert parts_of(session.plan([a, b], [x, y])) is None


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
