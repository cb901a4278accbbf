"""The command `penstock play`: a page that computes, of a saved graph or of a run of a program."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from ..graph.common.lazy_import import load
from ..graph.shapes.dtypes import string
from ..printable_text import print_safely
from ..runtime.arguments.fetches import Fetches
from ..runtime.session.run_hooks import RequestedRun, runs_given_to
from .graph_commands import Command, element_of, feed_of
from .graph_reading import load_saved

_PROGRAM = ".py"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE",
                        help="a saved graph (.json, .pb, .pbtxt, .onnx), or a Python program (.py)")  # fmt: skip
    parser.add_argument("-o", "--out", metavar="OUT.html", help="the page (default: FILE with the suffix .html)")
    parser.add_argument("--feed", metavar="NAME=VALUE", action="append", default=[],
                        help="what a saved graph is fed: a .npy file, or a value in JSON: 3, [1, 2]")  # fmt: skip
    parser.add_argument("--fetch", metavar="NAME", action="append", default=[],
                        help="what to compute (default: every result that nothing reads); of a program: the run that "
                        "fetches this name, or a pattern such as '*/loss'")  # fmt: skip
    parser.add_argument("--run", metavar="N", type=int, help="the N-th run of a program (default: the first that "
                        "fetches a value)")  # fmt: skip
    parser.add_argument("--args", metavar="TEXT", default="",
                        help="the command line of the program, such as '--lr 0.1'")  # fmt: skip
    parser.add_argument("--title", metavar="TEXT", default="", help="the title of the page")


def _play(arguments: argparse.Namespace) -> int:
    is_program = arguments.file.lower().endswith(_PROGRAM)
    out = arguments.out or f"{arguments.file.rpartition('.')[0]}.html"
    if not out.lower().endswith(".html"):
        raise ValueError(f"--out {out}: a page that computes is written as .html")
    if is_program:
        if arguments.feed:
            raise ValueError("--feed: a program feeds its runs itself; leave it out")
        return _of_program(arguments, out)
    if arguments.args or arguments.run is not None:
        raise ValueError(f"{arguments.file}: a saved graph has no command line and no runs; leave them out")
    graph = load_saved(arguments.file)
    feeds = dict(feed_of(graph, text) for text in arguments.feed)
    fetches = [element_of(graph, name) for name in arguments.fetch] or None
    load("penstock.show.play.play_data")
    from ..show.play.play_data import missing_feeds  # it imports the session's planner

    missing = ", ".join(f"{t.name} {t.dtype} {t.shape}" for t in missing_feeds(graph, fetches, tuple(feeds)))
    if missing:
        raise ValueError(f"{missing} must be fed; write --feed NAME=VALUE, or --fetch results that do not need it")
    print_safely(graph.export(out, fetches=fetches, feeds=feeds, title=arguments.title, play=True))
    return 0


class _FirstRun:
    """Writes the page of one run of a program, and ends the program there."""

    def __init__(self, choice: Any, end: type[BaseException], out: str, title: str) -> None:
        self._choice = choice
        self._end = end
        self._out = out
        self._title = title
        self.count = 0
        self.failed: Exception | None = None

    def __call__(self, requested: RequestedRun) -> Any:
        self.count += 1
        graph = requested.session.graph
        found = Fetches(graph, requested.fetches)
        names = [*(tensor.name for tensor in found.tensors), *(op.name for op in found.operations)]
        # Handles of iterators and queues say nothing to a reader.
        values = [each for each in found.tensors if each.dtype != string or not each.op.opdef.facts.of_session]
        is_asked = self._choice.numbers or (self._choice.fetches and found.tensors)
        if not self._choice.takes(self.count, names) or not (values or is_asked):
            return requested.go()
        try:
            print_safely(graph.export(self._out, fetches=requested.fetches, feeds=requested.feeds,
                                      session=requested.session, title=self._title, play=True))  # fmt: skip
        except Exception as error:  # the program must not catch it: it is the command that fails
            self.failed = error
        raise self._end(0)


def _of_program(arguments: argparse.Namespace, out: str) -> int:
    load("penstock.cli.debug_terminal.program_start")
    from .debug_terminal.program_start import EndProgram, run_as_main  # it imports runpy

    load("penstock.cli.debug_terminal.run_choice")
    from .debug_terminal.run_choice import RunChoice

    choice = RunChoice(() if arguments.run is None else (arguments.run,), tuple(arguments.fetch))
    first = _FirstRun(choice, EndProgram, out, arguments.title)
    try:
        with runs_given_to(first):
            end = run_as_main(arguments.file, shlex.split(arguments.args))
    except EndProgram:
        if first.failed is not None:
            raise first.failed from None
        return 0
    if end.code:
        return end.code
    made = "no run" if not first.count else f"{first.count} run{'s' if first.count > 1 else ''}"
    if arguments.run is not None:
        raise ValueError(f"--run {arguments.run}: the program has made {made}")
    wanted = f"has fetched {arguments.fetch[0]}" if arguments.fetch else "fetches a value"
    raise ValueError(f"{arguments.file}: the program has made {made}; none {wanted}")


PLAY = Command(
    "play",
    "write a page that computes: edit a value and see what changes",
    "Writes a page in which cells of feeds, constants and variables can be edited, and everything behind them is "
    "computed anew. Of a program it takes one run, with its feeds and the variables it begins with, and ends the "
    "program there.",
    "  penstock play model.json --feed x=[[1,2],[3,4]]       writes model.html\n"
    "  penstock play model.pb -o play.html --feed x=x.npy --fetch y:0\n"
    "  penstock play program.py                              its first run that fetches a value\n"
    "  penstock play train.py --run 3 --args '--lr 0.1' -o third.html\n",
    _arguments,
    _play,
    runs_program=True,
)
