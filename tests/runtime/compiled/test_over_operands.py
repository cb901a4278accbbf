"""A group whose results lie over its operands reads each operand before it overwrites it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.shapes.dtypes import float32
from penstock.runtime.base import thread_pool
from penstock.runtime.base.pending_writes import PendingWrites
from penstock.runtime.compiled.inner_loop import TILE
from penstock.runtime.compiled.promoted_group import PromotedGroup
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.llvm import tier
from penstock.runtime.planning.aliasing import in_passes
from penstock.runtime.planning.plan import Slot

SIZES = (2, TILE - 1, TILE, TILE + 1, 3 * TILE + 5)


@pytest.fixture(autouse=True)
def compiled_at_once() -> Iterator[None]:
    if not tier.on():
        pytest.skip(f"nothing is compiled here: {tier.why_off()}")
    before = jit.mode
    jit.mode = "now"
    with np.errstate(all="ignore"):
        yield
    jit.mode = before


def group(*instructions: tuple[str, int, int], results: tuple[int, ...]) -> Body:
    """A body of two inputs of float32; an instruction is an op and its operands, -1 for none."""
    made = [Instruction(op, tuple([Value(v) for v in (x, y) if v >= 0]), float32) for op, x, y in instructions]
    return Body((float32, float32), tuple(made), tuple(map(Value, results)))


SAME = ("Cast", 0, -1)
BODIES: dict[str, tuple[Body, tuple[int | None, ...]]] = {
    # %2 = a - b over a, and then exp(a)
    "read by a function later": (
        group(("Sub", 0, 1), ("Exp", 0, -1), ("Add", 2, 3), results=(2, 4)), (0, None)),
    # sin(b) is computed first, exp(a) over a second, and then sin(b) - a
    "overwritten by a function": (
        group(("Sin", 1, -1), ("Exp", 0, -1), ("Sub", 2, 0), results=(4, 3)), (None, 0)),
    # both operands are overwritten, and read after that
    "two results": (
        group(("Sub", 0, 1), ("Add", 0, 1), ("Tanh", 2, -1), ("Mul", 4, 0), ("Mul", 5, 1), results=(2, 3, 6)),
        (0, 1, None)),
    # each takes the place of the operand that the other copies
    "exchanged": (group(("Abs", 0, -1), ("Abs", 1, -1), results=(3, 2)), (0, 1)),
    # what is overwritten is what the results are made of
    "one pass": (group(("Mul", 0, 1), ("Sqrt", 2, -1), ("Sub", 0, 3), results=(2, 4)), (1, 0)),
    "one function": (group(("Exp", 0, -1), results=(2,)), (0,)),
    "function of both": (group(("Atan2", 0, 1), ("Sub", 0, 1), ("Log", 3, -1), results=(2, 4)), (0, 1)),
}  # fmt: skip


def with_places(body: Body, over: tuple[int | None, ...], x: Any, y: Any) -> list[Any]:
    """The results, those with a place written over an operand; asserts that they lie there."""
    made = PromotedGroup(body, over=tuple([() if i is None else (i,) for i in over]))
    inputs = [x.copy(), y.copy()]
    places = [None if i is None else inputs[i] for i in over]
    writes = PendingWrites()
    results = made.over(writes, places, *inputs)
    for write in writes.calls:
        write()
    assert made.tier == "compiled"
    for place, result in zip(places, results, strict=True):
        assert place is None or result is place
    return results


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("threads", [False, True], ids=["one thread", "threads"])
def test_results_over_operands_have_the_bits_of_results_beside_them(
    name: str, size: int, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if threads:
        monkeypatch.setattr(thread_pool, "WORTH", 1e-12)
    body, over = BODIES[name]
    rng = np.random.default_rng(size)
    x, y = (rng.uniform(0.5, 2.0, size).astype("f4") for _ in range(2))
    wanted = PromotedGroup(body)(x, y)
    results = with_places(body, over, x, y)
    assert [a.tobytes() for a in results] == [b.tobytes() for b in wanted]


def test_copies_of_operands_are_read_before_they_are_overwritten() -> None:
    """A cast to the same dtype is a copy: the new value of each variable is the old one of the other."""
    casts = [Instruction("Cast", (Value(i), float32), float32) for i in range(2)]
    both = Instruction("Sub", (Value(0), Value(1)), float32)
    x, y = np.arange(600, dtype="f4"), np.arange(600, dtype="f4")[::-1].copy()
    exchanged = with_places(Body((float32, float32), tuple(casts), (Value(3), Value(2))), (0, 1), x, y)
    assert np.array_equal(exchanged[0], y) and np.array_equal(exchanged[1], x)
    body = Body((float32, float32), (casts[0], both), (Value(3), Value(2)))
    new, old = with_places(body, (0, None), x, y)
    assert np.array_equal(new, x - y) and np.array_equal(old, x)


def test_only_a_later_pass_makes_a_result_wait() -> None:
    aliases = in_passes([{0, 1}, {1}, {2}], 3)
    assert not aliases.must_wait(0, [Slot(0)]) and aliases.must_wait(0, [Slot(1)])
    assert not aliases.must_wait(1, [Slot(0), Slot(1)]) and aliases.must_wait(1, [Slot(0), Slot(2)])
    assert not aliases.must_wait(0, []) and not aliases.must_wait(2, [Slot(0), Slot(1), Slot(2)])


# ---- programs ------------------------------------------------------------------------------------


def runs_of(build: Any, mode: Any, times: int = 3) -> list[list[bytes]]:
    """What some runs of a program give and leave, in a mode of the compiled tier."""
    jit.mode = mode
    found: list[list[bytes]] = []
    with tf.Graph().as_default(), tf.Session() as session:
        fetches, variables = build(), tf.global_variables()
        session.run(tf.global_variables_initializer())
        for _ in range(times):
            given = [x for x in session.run(fetches) if x is not None]
            found.append([x.tobytes() for x in (*given, *session.run(variables))])
    return found


def a_read_after_a_write() -> list[Any]:
    a = tf.Variable(np.full(20_000, 4.0, "f4"))
    return [a.assign_sub(0.5 * tf.ones_like(a)) + tf.exp(a.value())]


def two_writes() -> list[Any]:
    a, b = (tf.Variable(np.full(20_000, start, "f4")) for start in (0.5, 0.25))
    before = a.value()
    first = a.assign_sub(tf.sin(b.value()) * 0.5)
    return [first, a.assign(tf.exp(-before)), b.assign_add(first * before)]


def ftrl() -> list[Any]:
    w = tf.Variable(np.linspace(-1, 1, 10_000, dtype="f4"))
    optimizer = tf.train.FtrlOptimizer(0.1, learning_rate_power=-0.6, l1_regularization_strength=0.01)
    return [optimizer.minimize(tf.reduce_sum(tf.square(w - 0.5)))]


@pytest.mark.parametrize("build", [a_read_after_a_write, two_writes, ftrl])
def test_a_compiled_run_has_the_bits_of_an_interpreted_one(build: Any) -> None:
    assert runs_of(build, "now") == runs_of(build, "off")


def test_adam_stays_one_group_in_place_and_one_loop() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(np.ones(5000, "f4"))
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.square(w)))
        session.run(tf.global_variables_initializer())
        groups = [step for step in session.plan(train).steps if any(slot is not None for slot in step.over)]
        assert len(groups) == 1 and len([slot for slot in groups[0].over if slot is not None]) == 3


def a_fetched_value_of_another_variable() -> list[Any]:
    a, b = (tf.Variable(np.linspace(0.5, 2, 3000, dtype="f4")) for _ in range(2))
    half = tf.exp(-a.value())
    return [a.assign_sub(half), b.assign(half * 2.0), b.assign_add(half)]


def one_value_of_two_variables() -> list[Any]:
    a, b, c = (tf.Variable(np.linspace(0.5, 2, 3000, dtype="f4")) for _ in range(3))
    half = tf.exp(-a.value())
    return [a.assign_sub(half).op, b.assign(half).op, c.assign(half)]


@pytest.mark.parametrize("build", [a_fetched_value_of_another_variable, one_value_of_two_variables])
def test_what_is_written_at_the_end_is_not_copied_before(build: Any) -> None:
    """A group that overwrites one variable makes the value of another one, which is fetched, or of two others."""
    assert runs_of(build, "now") == runs_of(build, "off")
