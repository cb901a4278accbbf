"""StaticRegexFullMatch: whether strings have the form that a simple pattern says. Savers of TensorFlow have such nodes.

A pattern is plain text with at most one `.*`, between `^` and `$` or without them: "^s3://.*". So a match takes as long
as the string is, whatever a file says.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np

from ...errors import ValueRuleError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bool_
from ..declare.failure_rules import never
from ..declare.shape_checks import shape_of_first
from ..declare.string_arguments import Strings, array_of, as_bytes

_TEXT = rb"((?:[^\\.^$*+?{}\[\]()|]|\\[^A-Za-z0-9])*+)"
_PLAIN = re.compile(rb"\^?" + _TEXT + rb"(\.\*)?" + _TEXT + rb"\$?")


def _simple(value: Any) -> bytes:
    pattern = as_bytes(value)
    if _PLAIN.fullmatch(pattern) is None:
        raise ValueRuleError(f"must be plain text with at most one .* in it, not {pattern!r}")
    return pattern


@op("StaticRegexFullMatch", graphdef="pattern", out=bool_, host_only=True, shape=shape_of_first, distributes=same_axes,
    fails=never, no_gradient="it reads text")  # fmt: skip
def static_regex_full_match(
    input: Strings, pattern: Annotated[str | bytes, Attr(_simple)], name: str | None = None
) -> Tensor:
    """Whether each string has the form of `pattern`: plain text with at most one `.*`."""


@static_regex_full_match.kernel
def static_regex_full_match_kernel(xp: Any, input: Any, pattern: bytes) -> Any:
    found = _PLAIN.fullmatch(pattern)
    assert found is not None  # the attribute was checked
    before, any_text, behind = (re.sub(rb"\\(.)", rb"\1", part or b"") for part in found.groups())

    def fits(text: bytes) -> bool:
        if not any_text:
            return text == before + behind
        rest = text[len(before) : len(text) - len(behind)]
        long_enough = len(text) >= len(before) + len(behind)
        return long_enough and text.startswith(before) and text.endswith(behind) and b"\n" not in rest

    flat = [fits(each if isinstance(each, bytes) else str(each).encode()) for each in input.reshape(-1).tolist()]
    return np.array(flat, bool).reshape(input.shape)


@static_regex_full_match.samples
def static_regex_full_match_samples(rng: np.random.Generator) -> Samples:
    texts = array_of([b"s3://a", b"/tmp", b"s3:/", b""], (2, 2))
    yield sample(texts, "^s3://.*")
    yield sample(texts, r"/tmp")
    yield sample(np.array(b"a.b", object), r"a\.b$")
    yield sample(np.zeros((0, 2), object), ".*")
