"""The command `penstock debug`: runs a program and stops at its runs."""

from __future__ import annotations

import argparse
import sys

from ..graph.common.lazy_import import load
from ..printable_text import print_safely
from .graph_commands import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="PROGRAM", help="a Python program; with -m the name of a module")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="its own command line")
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is the name of a module, as in python -m")
    parser.add_argument("--run", metavar="N", type=_number, action="append", default=[],
                        help="stop at the N-th Session.run only; may be given again")  # fmt: skip
    parser.add_argument("--fetch", metavar="NAME", action="append", default=[],
                        help="stop only at runs that fetch this name, or a pattern such as '*/loss'")  # fmt: skip
    parser.add_argument("--on-error", action="store_true", help="open only where a run has failed, with its values")
    parser.add_argument("--fused", action="store_true", help="step through the optimised plan, group by group")
    parser.add_argument("--commands", metavar="TEXT", help="commands with `;` between them, instead of the prompt")


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("runs are counted from 1")
    return number


_OPTIONS = ("--run", "--fetch", "--on-error", "--fused", "--commands")


def _debug(arguments: argparse.Namespace) -> int:
    late = [each for each in arguments.arguments if each.partition("=")[0] in _OPTIONS]
    if late:
        print_safely(f"penstock debug: {late[0]} comes after the program and is given to it; to use it here, write it "
                     f"before {arguments.program}", sys.stderr)  # fmt: skip
    load("penstock.cli.debug_terminal.debugged_program")
    from .debug_terminal.debugged_program import debug_program  # it imports the session, the debugger and more

    return debug_program(
        arguments.program, arguments.arguments, arguments.module, arguments.run, arguments.fetch, arguments.on_error,
        arguments.fused, arguments.commands,
    )  # fmt: skip


DEBUG = Command(
    "debug",
    "run a program and stop at its runs: step, back, print, set",
    "Runs a Python program as `python PROGRAM` does and opens a prompt at each Session.run, before its first step. "
    "`help` there lists the commands. Without a terminal, commands are read from the standard input.",
    "  penstock debug train.py                     stop at each run\n"
    "  penstock debug train.py --epochs 3          options after the program are its own\n"
    "  penstock debug --run 3 train.py             stop at the third run only\n"
    "  penstock debug --fetch loss train.py        stop where the loss is fetched\n"
    "  penstock debug --on-error train.py          open where a run has failed\n"
    "  penstock debug --commands 'next; print x; quit' train.py\n",
    _arguments,
    _debug,
    runs_program=True,
)
