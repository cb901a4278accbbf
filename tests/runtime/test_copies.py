"""Is a row-major copy equal to its source, whatever that is a view of?"""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from penstock.runtime.copies import row_major_copy

SHAPES = [(), (0, 3), (5,), (300, 400), (64, 70, 64), (3, 200, 5, 90), (1, 257, 1, 700)]


@pytest.mark.parametrize("dtype", ["?", "f2", "f4", "f8", "c16", object], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_order_of_dimensions_is_copied_row_by_row(dtype: str, shape: tuple[int, ...]) -> None:
    x = (np.arange(np.prod(shape, dtype=int)) % 2003).reshape(shape).astype(dtype)
    for order in permutations(range(x.ndim)):
        for step in (1, -1, 2):
            cut: Any = (..., *(slice(None, None, step) for _ in order))
            view = x.transpose(order)[cut]
            copy = row_major_copy(view)
            assert copy.flags.c_contiguous
            assert copy.flags.writeable
            assert copy.dtype == x.dtype
            assert not np.shares_memory(copy, x)
            np.testing.assert_array_equal(copy, view)


def test_broadcast_and_read_only_arrays_are_copied() -> None:
    row = np.arange(1000.0)
    wide = np.broadcast_to(row, (300, 1000))
    for view in (wide, wide.T, np.broadcast_to(row[:, None], (1000, 300))):
        copy = row_major_copy(view)
        assert copy.flags.c_contiguous
        assert copy.flags.writeable
        np.testing.assert_array_equal(copy, view)
