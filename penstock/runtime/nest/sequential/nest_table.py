"""The sequential nests by the name of their template, and their code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from . import example_nests, fused_nests, index_nests, row_nests, running_nests, table_nests, text_nests
from .nest_builder import Build
from .sequential_ir import SequentialNest
from .sequential_writer import code_of

BUILDS: Final[Mapping[str, Build]] = {
    "add": index_nests.add,
    "add_made": fused_nests.add_made,
    "add_runs": index_nests.add_runs,
    "add_runs_made": fused_nests.add_runs_made,
    "bytes_only": text_nests.bytes_only,
    "cast": row_nests.cast,
    "column_sums": running_nests.column_sums,
    "copy_rows": row_nests.copy_rows,
    "count_labels": row_nests.count_labels,
    "cut": row_nests.cut,
    "fill_examples": example_nests.fill_examples,
    "join": row_nests.join,
    "merge": table_nests.merge,
    "numbers": text_nests.numbers,
    "part": row_nests.part,
    "part_by_lines": row_nests.part_by_lines,
    "pick": row_nests.pick,
    "put": index_nests.put,
    "reverse_starts": row_nests.reverse_starts,
    "running_sums": running_nests.running_sums,
    "running_sums_of_rows": running_nests.running_sums_of_rows,
    "scan_elements": fused_nests.scan_elements,
    "scan_rows": fused_nests.scan_rows,
    "scan_examples": example_nests.scan_examples,
    "select": row_nests.select,
    "shuffle_buffer": index_nests.shuffle_buffer,
    "shuffle_order": index_nests.shuffle_order,
    "sorted_match": index_nests.sorted_match,
    "sparse_product": index_nests.sparse_product,
    "strided_rows": table_nests.strided_rows,
    "subtract": index_nests.subtract,
    "take": index_nests.take,
    "take_made": fused_nests.take_made,
    "take_sums": fused_nests.take_sums,
    "unzip": row_nests.unweave,
    "where": index_nests.where,
    "woven_rows": table_nests.woven_rows,
    "zip": row_nests.weave,
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
