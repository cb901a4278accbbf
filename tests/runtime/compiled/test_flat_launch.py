"""Small compiled groups on contiguous arrays: results, places, and what takes more than one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base.pending_writes import PendingWrites
from penstock.runtime.compiled.compiled_code import CompiledCode
from penstock.runtime.compiled.flat_launch import FlatLaunch
from penstock.runtime.compiled.promoted_group import PromotedGroup
from penstock.runtime.compiled.shaped_group import ShapedEntry
from penstock.runtime.ir.fused_ir import Body, Instruction, Value
from penstock.runtime.llvm import tier

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="nothing is compiled here")

F4 = np.dtype(np.float32)


class Recorder(CompiledCode):
    """Stands for compiled code: y = 2 x by the ufunc."""

    def __init__(self) -> None:
        self.calls = 0
        self.ufunc = self.double

    def double(self, x: Any, out: Any) -> None:
        """What the code does."""
        self.calls += 1
        np.multiply(x, 2, out=out)


def launch() -> FlatLaunch:
    entry = ShapedEntry()
    double = Body((tf.float32,), (Instruction("Add", (Value(0), Value(0)), tf.float32),), (Value(1),))
    PromotedGroup(double)._lowered(entry, ((3,),))
    assert isinstance(entry.launch, FlatLaunch) and entry.launch.is_direct
    return entry.launch


def test_a_result_is_an_array_of_its_own_or_the_given_memory() -> None:
    x = np.arange(3, dtype=F4)
    (made,) = launch().direct(Recorder(), [x], None) or [None]
    assert made is not x and made.tolist() == [0, 2, 4]
    place = np.empty(3, F4)
    (made,) = launch().direct(Recorder(), [x], place) or [None]
    assert np.shares_memory(made, place) and place.tolist() == [0, 2, 4]


def test_a_result_may_take_the_memory_of_an_operand() -> None:
    x, writes = np.arange(3, dtype=F4), PendingWrites()
    (made,) = launch().over(writes, Recorder(), [x], [x]) or [None]
    assert made is x and x.tolist() == [0, 1, 2], "it is written when the run ends"
    (write,) = writes.calls
    write()
    assert x.tolist() == [0, 2, 4]
    (made,) = launch().over(writes, Recorder(), [x], [None]) or [None]
    writes.calls[1]()
    assert made is not x and made.tolist() == [0, 4, 8]
    writes.seconds = 1.0
    assert launch().over(writes, Recorder(), [x], [x]) is None, "the run's writes would take too long"


@pytest.mark.parametrize("x", [
    np.arange(4, dtype=F4), np.arange(3, dtype=np.float64), np.arange(6, dtype=F4)[::2], np.arange(3).astype(">f4"),
    np.frombuffer(bytes(13), np.uint8)[1:].view(F4), np.ma.zeros(3, F4),
])  # fmt: skip
def test_other_arrays_take_more_than_one_call(x: Any) -> None:
    code = Recorder()
    assert launch().direct(code, [x], None) is None and launch().over(PendingWrites(), code, [x], [None]) is None
    assert not code.calls


def test_switching_the_tier_off_is_heard_by_groups_that_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "mode", "now")
    met: list[bool] = []
    run = FlatLaunch.direct

    def counted(self: FlatLaunch, *args: Any) -> Any:
        met.append(True)
        return run(self, *args)

    monkeypatch.setattr(FlatLaunch, "direct", counted)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [8, 9])
        y = tf.sqrt(x + 1.0) * tf.placeholder_with_default(np.ones(9, np.float32), [9])
        first = session.run(y, {x: np.ones((8, 9))})
        session.run(y, {x: np.ones((8, 9))})
        assert met
        monkeypatch.setattr(jit, "mode", "off")
        met.clear()
        assert session.run(y, {x: np.ones((8, 9))}).tobytes() == first.tobytes()
        assert not met
