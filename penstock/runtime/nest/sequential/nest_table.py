"""The sequential nests by the name of their template, and their code."""

from __future__ import annotations

from typing import Any, Final

from . import (
    compaction_nests,
    example_nests,
    fused_nests,
    index_nests,
    row_nests,
    running_nests,
    table_nests,
    text_nests,
)
from .nest_builder import NestTemplate
from .sequential_ir import SequentialNest
from .sequential_writer import code_of

_MODULES: Final = (
    compaction_nests, example_nests, fused_nests, index_nests, row_nests, running_nests, table_nests, text_nests,
)  # fmt: skip
BUILDS: Final = {
    each.name: each for module in _MODULES for each in vars(module).values() if isinstance(each, NestTemplate)
}


def nest_of(name: str, *key: Any) -> SequentialNest:
    """The nest of a template for a key."""
    return BUILDS[name](*key)


def code(name: str, *key: Any) -> str:
    """Its code.

    Raises:
        CannotLower: a step has no instructions.
    """
    return code_of(nest_of(name, *key))
