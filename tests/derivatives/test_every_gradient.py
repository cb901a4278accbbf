"""Every op states its derivative, and the gradients of its samples equal differences."""

from collections.abc import Iterable, Iterator

import numpy as np

import penstock as tf
from penstock.derivatives.gradient_paths import is_differentiable, why_no_gradient

from ..helpers import EVERY, case, every_case, shares
from ..op_samples import OF_VARIANTS, USERS_OPS, Call, calls, is_new
from .differences import Array, is_free, places_of, slopes, wide

SOME_ELEMENTS = 12
"""Every run compares so many elements of each operand, of the first sample of each kind; the slow one all of all."""


def test_every_op_states_its_derivative_or_why_it_has_none() -> None:
    silent = [op.type for op in USERS_OPS.values() if op.gradient_rule is None and why_no_gradient(op) is None]
    assert silent == []


def samples() -> Iterator[Call]:
    for op in USERS_OPS.values():
        if op.gradient_rule is not None and not op.facts.gradient_note and op.type not in OF_VARIANTS:
            for call in calls(op):
                if any(is_free(call, place) for place in call.free):
                    yield call


def by_op(calls: Iterable[Call]) -> dict[str, list[Call]]:
    """The samples of each op."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        found.setdefault(call.op.type, []).append(call)
    return found


SAMPLES = by_op(samples())


@every_case("op_type", SAMPLES, parts=4, by_day=2)
@shares(SOME_ELEMENTS)
def test_the_gradients_of_the_samples_of_an_op_equal_differences(op_type: str, most: int) -> None:
    for call in SAMPLES[op_type]:
        if most == EVERY or is_new(call, 1):
            with case(call):
                check_gradient(call, most)


def check_gradient(call: Call, most: int) -> None:
    rng = np.random.default_rng(call.number)
    with tf.Graph().as_default():
        places = [place for place in places_of(call) if is_differentiable(tf.as_dtype(call.array(place).dtype))]
        moved = {place: np.array(off_kinks(rng, wide(call.array(place)))) for place in places}
        xs = {place: tf.placeholder(moved[place].dtype, moved[place].shape) for place in places if place in call.free}
        outputs = call.build({place: xs.get(place, moved[place]) for place in places})
        if not any(is_differentiable(t.dtype) for t in outputs):
            return
        found = slopes(outputs, list(xs.values()), {xs[place]: moved[place] for place in xs}, call.number, most)
        for slope in found:
            got = np.zeros_like(slope.numeric) if slope.symbolic is None else slope.symbolic
            assert got.shape == slope.numeric.shape
            usable = np.isfinite(got) & np.isfinite(slope.numeric)
            near = slope.tolerance
            assert np.allclose(got[usable], slope.numeric[usable], rtol=near, atol=near / 10)


def off_kinks(rng: np.random.Generator, array: Array) -> Array:
    """The values moved a little at random: away from ties, zeros, ends and cuts, where there is no derivative."""
    small = rng.uniform(1e-3, 3e-3, array.shape)
    moved = np.where(array == 0, small, array * (1 - small))
    return moved + 0.05j if array.dtype.kind == "c" else moved
