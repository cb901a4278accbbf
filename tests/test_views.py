"""Ops return memory of the operands that they name in `views=`, and of no other."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import penstock as tf
from penstock.graph.building.constant_evaluation import known_value
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.dtypes import ALL

from .helpers import every_case
from .op_samples import USERS_OPS, Array, Call, all_known, calls, is_new

RUN_ALONE = [type for type, op in USERS_OPS.items() if not op.facts.must_feed and op.draws_rule is None]


@every_case("type", RUN_ALONE)
def test_an_op_returns_memory_of_the_operands_that_it_names_and_of_no_other(type: str) -> None:
    """`views=` is what a plan relies on when it hands memory to the next step."""
    sharing = USERS_OPS[type].facts.sharing
    for call in calls(USERS_OPS[type]):
        for layout in (np.asarray, column_major, read_only):
            inputs, results = kernel_call(call, layout)
            for (place, given), (number, result) in itertools.product(inputs, enumerate(results)):
                if place not in sharing.viewed_by(number):
                    name = call.op.parameters[place]
                    assert not np.shares_memory(given, result), f"{call}, {layout}: set views={name!r}, or copy"


def kernel_call(call: Call, layout: Callable[[Array], Array]) -> tuple[list[tuple[int, Array]], list[Array]]:
    """The arrays that the kernel for the CPU is given for one sample, each with the place of its operand, and those
    that it returns."""
    with tf.Graph().as_default() as graph:
        call.build()
    made = [o for o in graph.get_operations() if o.opdef is call.op]
    if len(made) != 1:
        return [], []  # the call needs no node of this op
    arguments = list(made[0].args)
    inputs: list[tuple[int, Array]] = []
    for position, _, operand in call.op.operands:
        value = call.values[position]
        if value is not None and operand.many:
            arguments[position] = [layout(v) for v in value]
            inputs += [(position, array) for array in arguments[position]]
        elif value is None and isinstance(arguments[position], Tensor):
            arguments[position] = known_value(arguments[position])  # the default that the op itself puts there
        elif value is not None:
            arguments[position] = layout(value)
            inputs.append((position, arguments[position]))
    kernel = call.op.kernels.get("numpy") or call.op.kernels["*"]
    with np.errstate(all="ignore"):
        results = kernel(np, *arguments)
    listed = results if isinstance(results, (list, tuple)) else [results]
    return inputs, [r for r in listed if isinstance(r, np.ndarray)]


def column_major(array: Array) -> Array:
    """The same values, first axis fastest."""
    return np.array(array, order="F")


def read_only(array: Array) -> Array:
    """The same values, write-protected."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


@pytest.mark.parametrize(
    "type", ["Reshape", "Squeeze", "ExpandDims", "Transpose", "Slice", "Split", "Unpack", "Identity", "StridedSlice"]
)
def test_ops_that_only_look_at_memory_otherwise_do_not_copy_it(type: str) -> None:
    shared = [
        np.shares_memory(given[1], result)
        for call in calls(USERS_OPS[type])
        for given, result in itertools.product(*kernel_call(call, np.asarray))
    ]
    assert any(shared)


@every_case("type", [type for type, op in USERS_OPS.items() if not op.facts.must_feed], parts=4, by_day=2)
def test_a_checked_run_of_every_sample_finds_nothing(type: str) -> None:
    """All ways a step may be bound count here, not the plain kernel alone; and every dtype that the op takes."""
    for call in calls(USERS_OPS[type]):
        configs = tf.SessionConfig(check=True), tf.SessionConfig(check=True, passes=())
        for config in configs[: 1 + is_new(call)]:
            with tf.Graph().as_default() as graph:
                tensors, feeds = call.with_placeholders(all_known(call))
                tf.Session(graph=graph, config=config).run(tensors, feeds)


@pytest.mark.parametrize("size", [5, 40_000])
def test_casts_between_all_dtypes_share_no_memory(size: int) -> None:
    for source, target in itertools.permutations([d for d in ALL if not d.is_string], 2):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(source, ["n"])
            session = tf.Session(graph=graph, config=tf.SessionConfig(check=True))
            session.run(tf.reverse(tf.cast(x, target), [True]), {x: np.ones(size, source.np)})
