"""The words of a gradient rule, one clause for each operand: what `explain_gradient` and the table of ops show.

A declaration says "x: g * y; y: g * x", or one sentence for all operands. A part without an operand in front of it, as
the last of "start: ...; stop: ...; t goes from 0 to 1", belongs to every clause.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..graph.declare.op_declaration import OpDef


def clauses(opdef: OpDef[Any, Any]) -> Mapping[str, str]:
    """Operand -> the words for its gradient, in the order of the declaration; "" -> those for all operands.

    >>> import penstock as tf
    >>> dict(clauses(tf.multiply))
    {'x': 'g * conj(y)', 'y': 'g * conj(x)'}
    >>> dict(clauses(tf.cumprod))
    {'': 'cumsum(g * out) from the other end, / x; 0 where x is 0'}
    """
    words: str = opdef.gradient_words
    names = "|".join(re.escape(name) for _, name, _ in opdef.operands)
    by_label: dict[str, str] = {}
    common: list[str] = []
    for part in words.split("; "):
        match = re.match(rf"({names})(\[\w\])?: ", part) if names else None
        if match is None:
            common.append(part)
        else:
            by_label[match[1] + (match[2] or "")] = part[match.end() :]
    if not by_label:
        return {"": words}
    return {label: "; ".join([clause, *common]) for label, clause in by_label.items()}


def clause_of(opdef: OpDef[Any, Any], operand: str) -> str:
    """The words for the gradient of one operand."""
    found = {label.partition("[")[0]: clause for label, clause in clauses(opdef).items()}
    return found.get(operand, found.get("", opdef.gradient_words))
