"""The command line `penstock`.

Each command is one function from parsed arguments to an exit code: 0 for done, 1 for a difference or a mistake that was
found, 2 for input that cannot be used. The reason is printed on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from .. import __version__
from ..errors import PenstockError
from ..graph.common.lazy_import import load
from ..printable_text import print_safely
from . import demo, graph_commands
from .debug_command import DEBUG
from .learn_command import LEARN
from .minify_command import MINIFY
from .play_command import PLAY
from .tf1_command import TF1

_EXAMPLES = """examples:
  penstock demo                                 a small program, its graph, plan and pictures
  penstock demo train                           a training, a checkpoint, and how it goes on
  penstock demo --csv flowers.csv               the same with your own table
  penstock learn                                lessons with exercises that are checked
  penstock tf1 program.py                       run a TensorFlow 1 program unchanged
  penstock debug program.py                     stop at its runs: step, back, print, set
  penstock play program.py                      a page that computes: edit a value, see what changes
  penstock inspect model.json                   list the nodes of a saved graph
  penstock export model.pb -o model.svg         draw it
  penstock run model.json --feed x=x.npy --fetch y:0
  penstock run model.json --feed x=x.npy --trace  print every value; also --profile 20, --watch
  penstock diff before.json after.json          list the nodes that differ
  penstock explain model.json --fetch y:0       list what each pass changes before a run
  penstock explain model.json --cost --size batch=64
  penstock minify failed                        make a failing run small; see PENSTOCK_REPRO

environment variables, for any program that uses Penstock:
  PENSTOCK_SHOW=out.svg python program.py       when it ends, draw the graph that it ran last
  PENSTOCK_SHOW=out.html python program.py      the same as a page, with its last run step by step
  PENSTOCK_REPRO=failed python program.py       write each run that fails to a folder
  PENSTOCK_TRACEBACK=full                       show the functions inside Penstock in tracebacks
  PENSTOCK_JIT=off                              compile nothing to machine code

exit codes: 0 done; 1 diff found a difference, --watch a NaN, learn --check a mistake, a command of
  debug failed; 2 the input cannot be used
"""

_DEMO_EXAMPLES = """examples:
  penstock demo                            Fisher's iris measurements
  penstock demo --out pictures             the same; writes its files into this folder
  penstock demo --graph                    every operation of the graph, with its shape and line
  penstock demo --csv flowers.csv          your own table: a header, then measurements and a species
  penstock demo train                      train a classifier of them; also with --csv, --out
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = _parser()
    words = sys.argv[1:] if argv is None else argv
    if not words:
        parser.print_help(sys.stderr)
        return 2
    if not words[0].startswith("-") and words[0] not in _NAMES:
        near = get_close_matches(words[0], _NAMES, 1, 0.5)
        meant = f"; did you mean {near[0]}?" if near else "."
        print_safely(f"penstock: there is no command {words[0]!r}{meant} The commands are {', '.join(_NAMES)}; "
                     "penstock --help says what they do", sys.stderr)  # fmt: skip
        return 2
    arguments = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # the terminal may not have all letters of a name
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe (`penstock demo | head`) has closed it; Python must not report that again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


_NAMES = ("demo", *(each.name for each in (TF1, DEBUG, LEARN, PLAY, *graph_commands.COMMANDS, MINIFY)))


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps the description of a command and leaves its examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penstock",
        description="Builds, checks, draws and runs computation graphs over arrays. The commands work on saved graphs.",
        epilog=_EXAMPLES,
        formatter_class=_HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    tour = commands.add_parser(
        "demo",
        help="run a small program: its results, graph, plan and pictures",
        description="Reads a table as text and standardises it species by species. Prints the results, then the graph "
        "and the plan in short. Writes a page and two pictures.",
        epilog=_DEMO_EXAMPLES,
        formatter_class=_HelpFormatter,
    )
    tour.add_argument("what", nargs="?", choices=["train"], help="train: a classifier of the flowers, with gradients, "
                      "Adam, summaries, a checkpoint and a session that goes on from it")  # fmt: skip
    tour.add_argument("--csv", metavar="FILE", help="the table: a header, then measurements and last the species' name "
                      "(default: Fisher's iris measurements)")  # fmt: skip
    tour.add_argument("--out", metavar="DIR", default=".", help="the folder for the page and the pictures (default: .)")
    listing = tour.add_mutually_exclusive_group()
    listing.add_argument("--graph", action="store_true", help="print every operation of the graph; nothing is run")
    listing.add_argument("--plan", action="store_true", help="print every step of the plan; nothing is run")
    tour.set_defaults(command=_demo)
    for command in (TF1, DEBUG, LEARN, PLAY, *graph_commands.COMMANDS, MINIFY):
        one = commands.add_parser(command.name, help=command.help, description=command.description,
                                  epilog="examples:\n" + command.examples,
                                  formatter_class=_HelpFormatter)  # fmt: skip
        command.arguments(one)
        one.set_defaults(command=_checked(command))
    return parser


def _checked(command: graph_commands.Command) -> Callable[[argparse.Namespace], int]:
    """The command, which reports bad input in one line instead of a traceback."""

    def call(arguments: argparse.Namespace) -> int:
        try:
            if command.runs_program:
                return command.call(arguments)  # its warnings tell the user's lines
            with warnings.catch_warnings():
                # The line of our code that warns does not help the user; the message does.
                warnings.showwarning = lambda message, *_: _say(command.name, str(message))
                return command.call(arguments)
        except BrokenPipeError:
            raise
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            return _refuse(command.name, f"{name}{error.strerror or error}")
        except (PenstockError, ValueError, KeyError, TypeError, RuntimeError, ImportError) as error:
            return _refuse(command.name, str(error.args[0]) if isinstance(error, KeyError) else str(error))

    return call


def _demo(arguments: argparse.Namespace) -> int:
    try:
        table = demo.read_table(arguments.csv)
        if arguments.what == "train":
            if arguments.graph or arguments.plan:
                return _refuse("demo", "--graph and --plan show the other demo; leave out train")
            load("penstock.cli.training_demo")
            from . import training_demo  # it imports optimizers and summaries

            training_demo.show(table, arguments.out)
        elif arguments.graph:
            demo.show_graph(table)
        elif arguments.plan:
            demo.show_plan(table)
        else:
            demo.show(table, arguments.out)
    except demo.TableError as error:
        return _refuse("demo", str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refuse("demo", f"cannot write into {arguments.out}: {error.strerror or error}")
    return 0


def _refuse(command: str, reason: str) -> int:
    _say(command, reason)
    return 2


def _say(command: str, text: str) -> None:
    print_safely(f"penstock {command}: {text}", sys.stderr)
