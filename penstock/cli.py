"""What can be done from the command line?

Each command is one function from parsed arguments to an exit code: 0 done, 2 for input that cannot be used, told in one
line on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from . import __version__, demo

_EXAMPLES = """examples:
  penstock demo                            the tour, on Fisher's iris measurements
  penstock demo --out pictures             the same; the pictures go into the folder pictures
  penstock demo --csv flowers.csv          your own table: a header, measurements, last the species
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = _parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a species may be spelled in letters the terminal does not have
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe (`penstock demo | head`) has left; Python must not complain again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penstock",
        description="A lazy computation-graph engine: nothing flows until you open the gate.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    tour = commands.add_parser(
        "demo",
        help="standardise a table by species: the graph, the plan, the results, a picture",
        description="Reads a table as text, standardises it species by species in a graph, and shows every stage.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tour.add_argument("--csv", metavar="FILE", help="the table: a header, then measurements and last the species' name "
                      "(default: Fisher's iris measurements)")  # fmt: skip
    tour.add_argument("--out", metavar="DIR", default=".", help="the folder for the pictures (default: this one)")
    tour.set_defaults(command=_demo)
    return parser


def _demo(arguments: argparse.Namespace) -> int:
    try:
        demo.show(demo.read_table(arguments.csv), arguments.out)
    except demo.TableError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refuse(f"cannot write into {arguments.out}: {error.strerror or error}")
    return 0


def _refuse(reason: str) -> int:
    print(f"penstock demo: {reason}", file=sys.stderr)
    return 2
