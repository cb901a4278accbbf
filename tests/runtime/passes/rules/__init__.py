"""Examples of the rewrite rules, for the tests that go through all rules."""

from . import (
    broadcast_examples,
    cut_examples,
    movement_examples,
    number_examples,
    operand_examples,
    partition_examples,
)
from .rule_examples import EXAMPLES, NEAR_MISSES, Example

__all__ = [
    "EXAMPLES",
    "NEAR_MISSES",
    "Example",
    "broadcast_examples",
    "cut_examples",
    "movement_examples",
    "number_examples",
    "operand_examples",
    "partition_examples",
]
