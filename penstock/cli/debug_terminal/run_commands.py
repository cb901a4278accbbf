"""Commands that go from run to run: runs, again."""

from __future__ import annotations

from ...graph.inspect.text_table import format_table
from ...runtime.session.run_hooks import RequestedRun
from .break_commands import keep_up
from .command_words import CommandError, number_in
from .earlier_runs import EarlierRun
from .stopped_run import StoppedRun

_SHOWN = 20


def list_runs(at: StoppedRun, rest: str) -> None:
    """runs [n]"""
    most = number_in(rest, "number of lines", 1) if rest else _SHOWN
    number, run = at.at_hand
    blocks: list[tuple[list[int], RequestedRun]] = []
    for each, asked in [*[(each.number, each.run) for each in at.kept.earlier], (number, run)]:
        if not blocks or blocks[-1][1].origin.place != asked.origin.place or blocks[-1][0][-1] + 1 != each:
            blocks.append(([], asked))
        blocks[-1][0].append(each)
    rows = []
    for numbers, asked in blocks[-most:]:
        marks = [f"{name} {each}" for name, each in (("here", at.number), ("at hand", number)) if each in numbers]
        shown = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        rows.append((shown, asked.origin.place, asked.origin.code, ", ".join(marks if at.is_earlier else marks[:1])))
    at.say(format_table(("runs", "line", "code", ""), rows, at.style.width))


def again(at: StoppedRun, rest: str) -> None:
    """again [n]"""
    if not rest and at.is_earlier:
        back_to_hand(at)
        at.say(at.title)
        at.show(at.dbg.here)
        return
    kept = list(at.kept.earlier)
    number = number_in(rest, "run", 1) if rest else kept[-1].number if kept else 0
    if number == at.at_hand[0]:
        return again(at, "") if at.is_earlier else at.show(at.dbg.here)
    found = at.kept.earlier.find(number)
    if found is None:
        raise CommandError(_not_kept(kept, number))
    back_to_hand(at)
    at.go_to(found)
    _renew(at)
    at.say(at.title)
    at.show(at.dbg.here)


def back_to_hand(at: StoppedRun) -> None:
    """Go back to the run that the program waits for."""
    if at.is_earlier:
        at.dbg.rewind()
        at.go_to_hand()
        _renew(at)


def _renew(at: StoppedRun) -> None:
    """Give the run the breakpoints and watches of now."""
    for each in at.dbg.breakpoints:
        at.dbg.delete(each)
    keep_up(at.dbg, at.kept)


def _not_kept(kept: list[EarlierRun], number: int) -> str:
    if not kept:
        return "no run before this one was under the debugger"
    return f"run {number} is not kept; kept are {kept[0].number} to {kept[-1].number}, as far as they were debugged"
