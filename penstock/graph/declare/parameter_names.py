"""What parameters are called in TensorFlow 1.x and NumPy, for errors of calls with a keyword of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..common.near_names import did_you_mean

_SAME: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "seq_axis seq_dim",
        "batch_axis batch_dim",
        "axes perm",
        "keepdims keep_dims",
        "num_or_size_splits num_split num",
        "cond condition mask",
        "axis dim dims concat_dim split_dim squeeze_dims dimension reduction_indices",
        "value values x input input_ tensor tensors inputs data t a params",
        "begin start",
        "limit stop",
        "seq_lengths sequence_length sequence_lengths",
        "feeds feed_dict",
        "colour color",
    )
)
_IN_V1 = {name: name for name in ("concat", "split", "reverse", "reverse_sequence", "gather", "expand_dims", "squeeze",
                                  "stack", "shape", "size")} | {"unpack": "unstack"}  # fmt: skip


def keyword_hint(function: str, parameters: Sequence[str], given: Mapping[str, Any], hint: str = "") -> str:
    """`; axis is called squeeze_dims here; penstock.compat.v1.squeeze ...` about the keywords that are not parameters.

    Args:
        function: the name of the function.
        parameters: the names of its parameters.
        given: the keywords of the call.
        hint: what the declaration says of TensorFlow's order.
    """
    strangers = [name for name in given if name not in parameters]
    parts = [f"{name} is called {own} here" for name, own in _own_names(strangers, parameters)]
    there = _IN_V1.get(function)
    if hint:
        parts.append(hint)
    elif there is not None and strangers:
        parts.append(f"penstock.compat.v1.{there} has TensorFlow 1.x's names")
    if not parts and strangers:
        return did_you_mean(strangers[0], parameters)
    return "".join(f"; {part}" for part in parts)


def _own_names(strangers: Iterable[str], parameters: Sequence[str]) -> Iterable[tuple[str, str]]:
    for name in strangers:
        own = next((p for names in _SAME if name in names for p in parameters if p in names), None)
        if own is not None:
            yield name, own
