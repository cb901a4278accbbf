"""`penstock minify`: a folder of a run becomes one of a smaller run that does the same."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..graph.common.lazy_import import load
from ..printable_text import print_safely
from .graph_commands import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="what session.repro or PENSTOCK_REPRO wrote")
    parser.add_argument("--nan", action="store_true",
                        help="look for a NaN that is made of finite numbers, and not for the error")  # fmt: skip
    parser.add_argument("--differs", metavar="CHANGE", action="append", default=[],
                        help="look for results that differ after this change of the configuration: passes=none, "
                        "threads=1, arena=off, jit=off; twice: between two changes")  # fmt: skip
    parser.add_argument("--seconds", metavar="N", type=float, default=60.0, help="how long to search (default: 60)")
    parser.add_argument("-o", "--out", metavar="DIR", help="where to write it (default: FOLDER/minified)")


def _minify(arguments: argparse.Namespace) -> int:
    load("penstock.repro.minified_run")
    from ..repro.minified_run import minify_folder  # it imports sessions and passes

    def tell(text: str) -> None:
        print_safely(text, sys.stderr)

    folder = Path(arguments.folder)
    out = Path(arguments.out) if arguments.out else folder / "minified"
    print_safely(minify_folder(folder, out, arguments.nan, arguments.differs, arguments.seconds, tell))
    return 0


MINIFY = Command(
    "minify",
    "make a failing run smaller while it fails in the same way",
    "Drops nodes, feeds recorded values in their place, shrinks arrays and simplifies numbers while the run keeps "
    "failing with the same error: its class, the type of the operation, and its message but for the numbers. Prints "
    "what is left as a program, and writes it to a folder.",
    "  penstock minify failed\n  penstock minify failed/001-InvalidArgumentError --seconds 10\n"
    "  penstock minify wrong --nan\n  penstock minify wrong --differs passes=none\n",
    _arguments,
    _minify,
)
