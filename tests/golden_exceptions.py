"""Where does Penstock do something else than the recorded systems, and why?

One entry per case: the aspects (see `golden_cases`) in which it may differ, and the reason. A case that does not differ
in exactly these aspects is a failing test, so that this list stays as short as it can be.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exempt:
    """Cases that may differ in some aspects, for one reason."""

    reason: str
    aspects: tuple[str, ...]
    cases: tuple[str, ...]


EXCEPTIONS: tuple[Exempt, ...] = ()

BY_CASE = {case: exempt for exempt in EXCEPTIONS for case in exempt.cases}

DTYPE_EXCEPTIONS: dict[tuple[str, str], str] = {}
"""(op, dtype) of the table of dtypes -> why the result is another one."""

NAME_EXCEPTIONS: dict[str, str] = {}
"""op -> the name of its node where TensorFlow's would say what the node is not."""
