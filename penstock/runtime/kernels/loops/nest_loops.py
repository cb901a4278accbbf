"""Templates of the loops that are written as sequential nests, in a later storey: what a call of them needs to know."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from ....graph.common.lazy_import import load
from .decimal_to_double import functions_of_numbers
from .loop_template import SAVES, Template
from .merge_windows import merge_window
from .stream_compaction import bits_of_labels, compress
from .transpose_loop import exchange

_WHERE: Final = "penstock.runtime.nest.sequential.nest_table"


def _of_nest(
    name: str, takes: str, fewest: int = 0, saves: float = SAVES, functions: Callable[..., str] | None = None,
    holds_gil: bool = False,
) -> Template:  # fmt: skip
    """functions: key -> those of the module that the nest calls."""

    def code(*key: Any) -> tuple[str, str]:
        load(_WHERE)
        ir: str = sys.modules[_WHERE].code(name, *key)
        return ir if functions is None else f"{functions(*key)}\n{ir}", name

    return Template(name, takes, code, fewest, saves, holds_gil)


def _exchanges(transposed: tuple[int, ...], gathered: tuple[int, ...]) -> str:
    return "\n".join(map(exchange, transposed))


def _windows(element_bytes: int, past_caches: bool) -> str:
    return merge_window(element_bytes)


NARROW: Final = 64
"""The most columns that are part of the key of `column_sums` and `sparse_product`: their sums are one vector."""

NEST_LOOPS: Final = (
    _of_nest("add", "aaaaii"),
    _of_nest("add_made", "ppppii"),
    _of_nest("add_runs", "ppppii"),
    _of_nest("add_runs_made", "ppppii"),
    _of_nest("bytes_only", "pii", holds_gil=True),
    _of_nest("cast", "ppi", saves=2.3e-9),  # float32 as float16
    _of_nest("column_sums", "aaii", saves=1.3e-8),  # for each row of 10 float32; the work is the rows
    _of_nest("compact", "ppppiii", saves=4e-9, functions=compress),
    _of_nest("copy_rows", "ppiiiii", saves=0.3e-9),
    _of_nest("count_labels", "pppii", saves=5e-9),
    _of_nest("cut", "ppii", fewest=1 << 15, saves=0.6e-9),
    _of_nest("fill_examples", "pppppppii", saves=500e-9),
    _of_nest("gathered_rows", "aaaii", saves=4e-9),  # for each line of 64 bytes
    _of_nest("join", "pppi", fewest=1 << 15, saves=0.3e-9),
    _of_nest("mask_bits", "ppi", functions=bits_of_labels),
    _of_nest("merge", "ppppppiiii"),
    _of_nest("merge_two", "pppppii", saves=0.2e-9, functions=_windows),
    _of_nest("numbers", "pppiii", functions=functions_of_numbers, holds_gil=True),
    _of_nest("part", "pppii", saves=5e-9),
    _of_nest("part_by_lines", "pppppii", saves=5e-9),
    _of_nest("pick", "pppiii"),  # 5 ms to compile; 1e6 rows of 16 float32 out of 4 arrays then save 25 ms
    _of_nest("put", "ppppii"),
    _of_nest("reverse_starts", "pppiii", saves=12e-9),
    _of_nest("running_sums", "ppiiiiiii", saves=3e-9),
    _of_nest("running_sums_of_rows", "ppiiiiii", saves=2e-9),
    _of_nest("scan_elements", "pii", saves=2e-9),
    _of_nest("scan_rows", "ppiii", saves=3e-9),
    _of_nest("scan_examples", "ppppppppiii", saves=500e-9),
    _of_nest("select", "ppppi", saves=5e-9),  # np.where guesses: 8 ms for 1e6 float32 and a random condition
    _of_nest("shuffle_buffer", "aaaaiiii", saves=250e-9),
    _of_nest("shuffle_order", "ppi", saves=60e-9),
    _of_nest("sorted_match", "ppppii", saves=1.5e-8),  # for each key
    _of_nest("sparse_product", "pppppiiiii", saves=4e-9),  # for each product
    _of_nest("strided_rows", "piiii", saves=0.8e-9, functions=_exchanges),
    _of_nest("subtract", "aaaaii"),
    _of_nest("take", "aaaaii"),
    _of_nest("take_made", "pppppii"),
    _of_nest("take_sums", "ppppiii"),
    _of_nest("transpose", "ppiiiiiiii", saves=0.8e-9, functions=exchange),
    _of_nest("unzip", "pppiiii", fewest=1 << 15, saves=0.4e-9),
    _of_nest("where", "pppi", saves=1e-9),
    _of_nest("woven_rows", "pii", saves=0.1e-9),
    _of_nest("zip", "pppiiii", fewest=1 << 15, saves=0.4e-9),
)
