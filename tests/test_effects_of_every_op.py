"""Every op, given an effect, beside everything that looks at operations: none may do more with it than effects allow.

The table of consumers is the list of those that would otherwise compute a node early, merge, rewrite, fuse, compile,
move, repeat or lose it. An op that is added is tested here by its samples.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

import penstock as tf
from penstock.graph.building.constant_evaluation import known_entries, known_value
from penstock.graph.declare.effects import WORLD_CHANGING, Effects
from penstock.graph.declare.op_declaration import OPS
from penstock.graph.model.nodes import Operation, Tensor
from penstock.runtime.compiled.single_op import is_worth_it
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.execution.inter_op import parallel_segments
from penstock.runtime.passes.pipeline import ALL_PASSES, first_stage, optimise
from penstock.runtime.planning.plan import Plan, first_that_may_not_repeat

from .helpers import at_most, every_case, shares
from .op_samples import USERS_OPS, Call, all_known, calls, runnable
from .package_modules import package_modules

READING = Effects(reads=frozenset({"v"}))
WRITING = Effects(writes=frozenset({"v"}))
WITH_SAMPLES = {type: op for type, op in USERS_OPS.items() if op.sample_rule is not None}
TYPES = [type for type, op in WITH_SAMPLES.items() if not op.facts.must_feed and not op.facts.is_constant]


def each_effect(type_: str) -> Iterator[Effects]:
    """The effects in turn, each after the op has been given it."""
    facts = OPS[type_].facts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPS[type_], "is_pure", False)
        for effects in (READING, WRITING, WORLD_CHANGING):
            patch.setattr(OPS[type_], "facts", replace(facts, effects=effects))
            yield effects


def built(call: Call, constants: bool) -> tuple[list[Tensor | Operation], list[Tensor], list[Operation]]:
    """What a call made twice gives, its placeholders, and its nodes."""
    graph = tf.get_default_graph()
    fed: list[Tensor] = []
    outputs: list[Tensor] = []
    for _ in range(2):
        if constants:
            outputs += call.build()
        else:
            made, feeds = call.with_placeholders(all_known(call))
            outputs += made
            fed += feeds
    nodes = [op for op in graph.get_operations() if op.opdef is call.op]
    return [*outputs, *[op for op in nodes if not op.outputs]], fed, nodes


def samples(type: str) -> Iterator[Call]:
    yield from [call for call in calls(USERS_OPS[type]) if runnable(call)][:2]


def plans(fetches: list[Tensor | Operation], fed: list[Tensor]) -> Iterator[tuple[str, Plan]]:
    """The plans with every pass, with none, and with each that changes something alone."""

    def plan(passes: tuple[str, ...] | None) -> Plan:
        return tf.Session(config=tf.SessionConfig(passes=passes, verify=True)).plan(fetches, fed)

    yield "all passes", plan(None)
    yield "no pass", plan(())
    tensors = [t for t in fetches if isinstance(t, Tensor)]
    written = first_stage(tensors, [o for o in fetches if isinstance(o, Operation)], fed)
    for name in ALL_PASSES:
        # Of an unchanged stage the plan is the one without passes, but beside `fuse` steps are joined.
        if name == "fuse" or optimise(written, kernel_for, (name,), check=True) is not written:
            yield f"only {name}", plan((name,))


@shares(1)
@every_case("type_", TYPES, parts=8, by_day=1)
def test_it_is_planned_as_it_was_written(type_: str, most: int) -> None:
    every = at_most(samples(type_), most)
    for effects in each_effect(type_):
        for call, constants in itertools.product(every, (True, False)):
            with tf.Graph().as_default():
                fetches, fed, nodes = built(call, constants)
                names = [op.name for op in nodes]
                for which, plan in plans(fetches, fed):
                    steps = [step.node for step in plan.steps if step.op == type_]
                    assert steps == names, f"{call} that {effects}, {which}: {steps} of {names} are left"


@every_case("type_", TYPES, parts=2, by_day=1)
def test_it_is_not_evaluated_while_building(type_: str) -> None:
    every = list(samples(type_))
    for effects in each_effect(type_):
        for call in every:
            with tf.Graph().as_default():
                _, _, nodes = built(call, constants=True)
                for tensor in [t for op in nodes for t in op.outputs]:
                    assert known_value(tensor) is None, f"{call} that {effects}"
                    entries = known_entries(tensor)
                    unknown = entries is None or (isinstance(entries, tuple) and set(entries) <= {None})
                    assert unknown, f"{call} that {effects}"


@every_case("type_", TYPES, parts=4, by_day=1)
def test_it_runs_on_the_callers_thread_and_is_no_part_of_a_capture(type_: str) -> None:
    every = list(samples(type_))
    for effects in each_effect(type_):
        for call in every:
            what = f"{call} that {effects}"
            with tf.Graph().as_default():
                fetches, fed, nodes = built(call, constants=False)
                plan = tf.Session(config=tf.SessionConfig(passes=())).plan(fetches, fed)
                for part in parallel_segments(plan) or []:
                    steps = plan.steps[part.start : part.stop]
                    assert not part.independent or all(step.op != type_ for step in steps), what
                places = [i for i, step in enumerate(plan.steps) if step.op == type_]
                assert len(places) == len(nodes), what
                if effects.writes and len(places) == 2:
                    assert plan.steps[places[1]].after == (places[0],), what
                first = first_that_may_not_repeat(plan)
                assert (first is None) == (not effects.writes or not places), what


@every_case("type_", TYPES)
def test_its_kernel_is_called_and_not_traced(type_: str) -> None:
    for effects in each_effect(type_):
        assert not any(is_worth_it(OPS[type_], dtype) for dtype in (tf.float32, tf.float16, tf.int32)), effects


def test_nobody_asks_for_effects_in_other_words_than_those_of_the_record() -> None:
    """Consumers ask a predicate of `Effects`; reading its sets elsewhere would be a rule of one's own."""
    for path in package_modules():
        text = "" if path.name == "effects.py" else path.read_text()
        assert not re.search(r"effects[^\n]*\.(reads|writes)\b|opdef\.(pure|stateful)\b", text), path
