"""The command `penstock tf1`: runs a TensorFlow 1 program unchanged, or tells whether it could."""

from __future__ import annotations

import argparse
import sys

from ..errors import UseError
from ..graph.common.lazy_import import load
from ..printable_text import print_safely
from .graph_commands import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="PROGRAM", nargs="?", help="a Python program; with -m the name of a module")
    parser.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="its own command line")
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is the name of a module, as in python -m")
    parser.add_argument("--era", metavar="0|1", choices=["0", "1", "0.x", "1.x"],
                        help="the signatures: TensorFlow 0.x or 1.x (default: read from the program)")  # fmt: skip
    parser.add_argument("--check", action="store_true",
                        help="run nothing; tell what of the programs is here, and what is not")  # fmt: skip


_OPTIONS = ("--era", "--check")


def _tf1(arguments: argparse.Namespace) -> int:
    if arguments.program is None:
        raise UseError("a program is missing: penstock tf1 program.py, or penstock tf1 --check program.py")
    era = None if arguments.era is None else arguments.era[0]
    if arguments.check:
        if arguments.module:
            raise UseError("--check reads files; write the path of the module's file instead of -m")
        load("penstock.tf1.checked_programs")
        from ..tf1.checked_programs import check_programs  # it imports all of the public names

        texts, code = check_programs([arguments.program, *arguments.arguments], era)
        for text in texts:
            print_safely(text)
        return code
    late = [each for each in arguments.arguments if each.partition("=")[0] in _OPTIONS]
    if late:
        print_safely(f"penstock tf1: {late[0]} comes after the program and is given to it; to use it here, write it "
                     f"before {arguments.program}", sys.stderr)  # fmt: skip
    load("penstock.tf1.started_program")
    from ..tf1.started_program import run_program

    return run_program(arguments.program, arguments.arguments, arguments.module, era)


TF1 = Command(
    "tf1",
    "run a TensorFlow 1 program unchanged, or tell what it lacks",
    "Runs a Python program as `python PROGRAM` does, with Penstock in the place of TensorFlow: `import tensorflow` and "
    "the module paths below it are Penstock's. Whether it was written for TensorFlow 0.x or 1.x is read from the "
    "program. With --check nothing runs. Exit code: the program's own; of --check 0 if every name is here, 1 if one "
    "is missing, 2 if a file cannot be read.",
    "  penstock tf1 train.py --epochs 3            options after the program are its own\n"
    "  penstock tf1 -m package.train               a module\n"
    "  penstock tf1 --era 0 old.py                 with the signatures of TensorFlow 0.x\n"
    "  penstock tf1 --check *.py notebook.ipynb    what is here, what is not, what to use instead\n",
    _arguments,
    _tf1,
    runs_program=True,
)
