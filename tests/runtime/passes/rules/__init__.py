"""Examples of the rewrite rules, for the tests that go through all rules."""

from . import movement_examples, number_examples
from .rule_examples import EXAMPLES, NEAR_MISSES, Example

__all__ = ["EXAMPLES", "NEAR_MISSES", "Example", "movement_examples", "number_examples"]
