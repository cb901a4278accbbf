"""Random loops give the same bits as machine code and on the plain path."""

from __future__ import annotations

import pytest

from penstock.errors import OpError
from penstock.runtime.ir.scalar_ir import CannotLower
from penstock.runtime.llvm import tier

from ...helpers import nightly, slow
from .loop_programs import agree
from .random_bodies import random_loop

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="the compiled tier is off")
EACH = 10


@pytest.mark.parametrize(
    "first", [0, *nightly(range(EACH, 200, EACH)), *slow(range(200, 400, EACH))]
)
def test_random_loops_have_the_bits_of_the_plain_path(first: int) -> None:
    compared = 0
    for seed in range(first, first + EACH):
        loop = random_loop(seed)
        try:
            native = loop.native()
        except CannotLower:
            continue
        if not native.ended:  # an iteration that the plain path has to run, perhaps to raise an error
            try:
                plain = loop.plain()
            except OpError:
                continue
            assert native.iterations < plain.iterations
            continue
        assert agree(loop.plain(), native), f"seed {seed}"
        compared += 1
    assert compared > EACH // 2
