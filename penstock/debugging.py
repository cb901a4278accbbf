"""Assertions and checks: the names of `tf.debugging`."""

from .graph.building.tensor_kinds import assert_proper_iterable, assert_same_float_dtype, is_numeric_tensor
from .ops.checks.assert_elements import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near, assert_negative,
    assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
)
from .ops.checks.assert_kinds import (
    assert_integer, assert_rank, assert_rank_at_least, assert_rank_in, assert_scalar, assert_type,
)
from .ops.checks.assert_shapes import assert_shapes
from .ops.checks.assertion import Assert
from .ops.checks.check_numerics import assert_all_finite, check_numerics
from .ops.checks.value_predicates import is_non_decreasing, is_strictly_increasing
from .ops.elementwise.round_and_classify import is_finite, is_inf, is_nan

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type", "check_numerics",
    "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing",
]  # fmt: skip
