"""Where an op that holds graphs has room for variables: what `@op.carries` says.

A run makes data flow of reads and writes (`runtime.passes.versions`). A body that writes a variable then gets its value
as one more input and gives the new value as one more result; the op that holds the body gets one more operand and one
more result:

    While(operands=[i], body)    body(i) -> i; writes w
    While(operands=[i, w], body)    body(i, w) -> i, w; pure
"""

from __future__ import annotations

from ..common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StatePlaces:
    """The places that one use of an op has for variables.

    Args:
        carried: the place among its operands, and among the inputs of its bodies, before which the values of variables
            stand that the bodies write.
        captures: the place of the first operand that bodies capture; it stands for one value wherever it is used.
        results: the place among its results, and among those of its returning bodies, before which new values stand.
        returning: the parameters that are bodies which give new values; other bodies must not write.
        counted: the parameter that counts carried operands; "" if there is none.
    """

    carried: int
    captures: int
    results: int
    returning: tuple[str, ...]
    counted: str = ""
