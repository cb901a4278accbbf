"""How the ops of a family, all of one form, are declared."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.graph.opdef import OPS
from penstock.graph.signature import REALS
from penstock.ops.families import binary, unary


@pytest.mark.parametrize("declare", [unary, binary])
def test_an_op_of_a_family_has_a_ufunc_or_a_kernel(declare: Any) -> None:
    with pytest.raises(TypeError, match="the op 'Neither' needs a ufunc or a kernel"):
        declare("neither", "Neither", REALS, "nothing.", example=("tf.neither(1)", "1"))
    assert "Neither" not in OPS
