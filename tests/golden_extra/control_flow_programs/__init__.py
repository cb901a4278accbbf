"""Programs with branches, loops and TensorArrays that TensorFlow and Penstock both run.

`record_control_flow.py` records what TensorFlow 2.21 does with them; `tests/control_flow/test_control_flow_recorded.py`
compares. Each program is a function of a namespace (`tensorflow.compat.v1` or `penstock.compat.v1`).
"""

from . import (
    array_gradients,
    arrays_in_loops,
    branches,
    cases,
    effects,
    gradients,
    loop_bodies,
    loop_gradients,
    loops,
    misuse,
    needed,
    rows,
    tensor_arrays,
    whole_programs,
)
from .program import PROGRAMS, Program, evaluate

__all__ = [
    "PROGRAMS", "Program", "array_gradients", "arrays_in_loops", "branches", "cases", "effects", "evaluate",
    "gradients", "loop_bodies", "loop_gradients", "loops", "misuse", "needed", "rows", "tensor_arrays",
    "whole_programs",
]  # fmt: skip
