"""Operands of which an op reads only the shape: the fact `unread` says of each, and is true in all samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS, OpDef
from penstock.graph.declare.op_facts import facts_of

from ..op_samples import OF_VARIANTS, USERS_OPS, Array, Call, Place, calls

OTHERS: Final = {
    ("IdentityAfter", "after"): "it is there to be waited for",
    ("MaxPoolGradWithArgmax", "input"): "no other operand has its shape",
    ("ResizeBicubicGrad", "original_image"): "no other operand has its shape",
    ("ResizeBilinearGrad", "original_image"): "no other operand has its shape",
    ("CheckedTableKeys", "values"): "samples have no key twice",
}
"""Operands that seem not to be read and are no `unread`, and why."""


def results(call: Call, replaced: dict[Place, Array]) -> list[bytes] | None:
    """The bytes of all results of a sample without passes; None if the op refuses a value, which it has read then."""
    with tf.Graph().as_default():
        try:
            outputs = call.build({place: tf.constant(array) for place, array in replaced.items()})
            with tf.Session(config=tf.SessionConfig(passes=())) as session:
                return [np.asarray(each).tobytes() for each in session.run(outputs)]
        except Exception:  # of any kind: the builder's, the kernel's, NumPy's
            return None


def others(array: Array) -> Iterator[Array]:
    """Arrays of the same shape with other elements."""
    kind = array.dtype.kind
    if kind not in "biufc":
        yield np.full_like(array, "?" if kind == "U" else b"?")
        return
    rng = np.random.default_rng(0)
    for scale in (1, 3, 1000):
        numbers: Array = np.asarray(rng.standard_normal(array.shape) * scale)
        yield (numbers + 1j * numbers if kind == "c" else abs(numbers) if kind == "u" else numbers).astype(array.dtype)
    for number in (0, 1):
        yield np.full_like(array, number)


def is_unread(opdef: OpDef[Any, Any], position: int) -> bool:
    """Whether an operand may be anything of its shape in all samples, of which one at least says so."""
    is_told = False
    for call in calls(opdef):
        places = [place for place in call.free if place[0] == position and call.array(place).size]
        usual = results(call, {}) if places else None
        if not usual or not any(usual):
            continue
        for place in places:
            if any(results(call, {place: other}) != usual for other in others(call.array(place))):
                return False
            is_told = True
    return is_told


def of_kind() -> list[OpDef[Any, Any]]:
    """The pure ops that compute from elements."""
    return [
        opdef for type, opdef in USERS_OPS.items()
        if opdef.is_pure and type not in OF_VARIANTS and not opdef.bodies
        and not (opdef.facts.reads_shape_only or opdef.facts.fills or opdef.facts.is_constant or opdef.facts.must_feed)
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_the_fact_names_what_no_sample_reads() -> None:
    seen = {
        (opdef.type, name) for opdef in of_kind() for position, name, _ in opdef.operands if is_unread(opdef, position)
    }
    stated = {(type, opdef.facts.unread) for type, opdef in OPS.items() if opdef.facts.unread}
    assert ("MaxPoolGrad", "orig_output") in stated
    assert seen == stated | set(OTHERS)


def test_a_declaration_names_an_operand_it_has() -> None:
    operands = [(0, "x"), (1, "y")]
    assert facts_of({"unread": "y"}, operands, False, True).unread == "y"
    with pytest.raises(TypeError, match="unread: there is no operand z"):
        facts_of({"unread": "z"}, operands, False, True)
