"""What kernels say of operands whose shapes do not fit."""

from __future__ import annotations

import re

import numpy as np
import pytest

import penstock as tf
from penstock.ops.declare.shape_checks import require_shapes


def test_a_size_that_another_operand_has_set_is_told() -> None:
    boxes, scores = np.zeros((5, 4)), np.zeros(5)
    require_shapes(boxes=(boxes, "n4"), scores=(scores, "n"), count=(np.array(3), ""))
    for arrays, words in (
        ({"boxes": (boxes, "n4"), "scores": (scores[:3], "n")}, "scores must be [n], but is [3]; n is 5"),
        ({"boxes": (boxes[:, :3], "n4")}, "boxes must be [n, 4], but is [5,3]; n is 5"),
        ({"boxes": (boxes[0], "n4")}, "boxes must be [n, 4], but is [4]"),
        ({"count": (scores, "")}, "count must be that of a scalar, but is [5]"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{re.escape(words)}$"):
            require_shapes(**arrays)
