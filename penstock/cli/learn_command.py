"""The command `penstock learn`: lists the lessons, shows one, writes its program, checks the student's."""

from __future__ import annotations

import argparse

from ..errors import UseError
from ..graph.common.lazy_import import load
from .graph_commands import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lesson", metavar="LESSON", nargs="?",
                        help="the number of a lesson, or a folder with a lesson of your own")  # fmt: skip
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--start", metavar="FILE", help="write the program of the exercise, which has a gap for you")
    what.add_argument("--check", metavar="FILE", help="run your program and look at its graph and its runs")
    what.add_argument("--hint", metavar="N", nargs="?", type=int, const=...,
                      help="the next of three hints, or hint N")  # fmt: skip
    what.add_argument("--solution", action="store_true", help="a program that passes; until you pass, ask twice")
    what.add_argument("--notebook", metavar="FILE", nargs="?", const="", help="write the lesson as a notebook (.ipynb)")
    what.add_argument("--page", metavar="FILE", nargs="?", const="", help="write the lesson as a page (.html)")
    what.add_argument("--play", metavar="FILE", nargs="?", const="", help="write the play page of the lesson (.html)")
    what.add_argument("--prove", action="store_true", help="for authors: try every solution, mistake and hint")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=10.0,
                        help="how long your program may run in a check (default: 10)")  # fmt: skip
    parser.add_argument("--isolated", action="store_true",
                        help="with --check: confine the program, as far as this machine can")  # fmt: skip
    parser.add_argument("--table", metavar="FILE",
                        help="with --check FOLDER --isolated: mark them all in this table (.csv)")  # fmt: skip
    parser.add_argument("--memory", metavar="MIB", type=int, default=4096,
                        help="how much memory an isolated program may have (default: 4096)")  # fmt: skip


def _learn(arguments: argparse.Namespace) -> int:
    load("penstock.lessons.learning")
    from ..lessons import learning  # it imports the session, the passes and more

    lesson = arguments.lesson
    if lesson is None:
        options = ("start", "check", "hint", "solution", "notebook", "page", "play", "prove")
        given = [name for name in options if not any(getattr(arguments, name) is empty for empty in (None, False))]
        if given:
            raise UseError(f"--{given[0]} needs the number of a lesson: penstock learn 1 --{given[0]}")
        return learning.list_lessons()
    if arguments.table is not None:
        if arguments.check is None or not arguments.isolated:
            raise UseError("--table marks a folder: penstock learn 1 --check FOLDER --isolated --table FILE")
        return learning.mark_class(lesson, arguments.check, arguments.limit, arguments.memory, arguments.table,
                                   arguments.force)  # fmt: skip
    if arguments.check is not None:
        return learning.check(lesson, arguments.check, arguments.limit, arguments.isolated, arguments.memory)
    if arguments.start is not None:
        return learning.write_start(lesson, arguments.start, arguments.force)
    if arguments.hint is not None:
        return learning.give_hint(lesson, None if arguments.hint is ... else arguments.hint)
    if arguments.solution:
        return learning.show_solution(lesson)
    for form in ("notebook", "page", "play"):
        if getattr(arguments, form) is not None:
            return learning.write_form(lesson, form, getattr(arguments, form), arguments.force)
    if arguments.prove:
        return learning.prove(lesson)
    return learning.show(lesson)


LEARN = Command(
    "learn",
    "lessons with exercises whose check looks at your graph",
    "Lists the lessons with your progress, or shows one. Each ends with a small program that has a gap; the check runs "
    "your program and looks at its graph, its plan and its runs. Progress is kept in your folder for data, or in "
    "PENSTOCK_DATA_DIR.",
    "  penstock learn                        list the lessons\n"
    "  penstock learn 1                      read lesson 1\n"
    "  penstock learn 1 --start mine.py      write its program\n"
    "  penstock learn 1 --check mine.py      check what you made of it\n"
    "  penstock learn 1 --hint               a hint; there are three\n"
    "  penstock learn 1 --notebook           the lesson as a notebook\n"
    "  penstock learn 1 --check handed-in --isolated --table marks.csv\n"
    "                                        mark a class\n"
    "  penstock learn ./myfolder             a lesson of your own; see docs/teaching.md\n",
    _arguments,
    _learn,
)
