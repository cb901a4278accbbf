"""Commands that move through the run: step, next, until, out, back, goto, continue, finish, quit, exit."""

from __future__ import annotations

from typing import NoReturn

from .command_words import CommandError, number_in, words_of
from .program_start import EndProgram
from .stopped_run import Decision, StoppedRun


def step(at: StoppedRun, rest: str) -> None:
    """step [n]"""
    at.show(at.dbg.step(number_in(rest, "number of steps", 1) if rest else 1))


def next_step(at: StoppedRun, rest: str) -> None:
    """next [n | pattern]"""
    if rest and not rest.isdigit():
        at.show(at.dbg.next(at.pattern(rest)))
        return
    for _ in range(number_in(rest, "number of steps", 1) if rest else 1):
        stop = at.dbg.next()
        if stop.reason or not stop.node:
            break
    at.show(stop)


def until(at: StoppedRun, rest: str) -> None:
    """until pattern"""
    if not rest:
        raise CommandError("until what? Write the name of a node, or a pattern such as layer1/*")
    pattern, time = at.pattern(rest), at.dbg.time
    at.show(at.dbg.until(pattern))
    if at.dbg.has_ended:
        at.say(f"no later step has the name {rest}; `back to {rest}` goes to one before, `goto {time}` to where it was")


def out(at: StoppedRun, rest: str) -> None:
    """out"""
    at.show(at.dbg.out())


def back(at: StoppedRun, rest: str) -> None:
    """back [n], back to pattern"""
    words = words_of(rest)
    if words[:1] == ["to"]:
        if len(words) != 2:
            raise CommandError("back to what? Write the name of a node, or a pattern such as layer1/*")
        at.show(at.dbg.back_to(at.pattern(words[1])))
    elif rest and not rest.isdigit():
        raise CommandError(f"{rest} is no number of steps; `back to {rest}` goes to where that node was next")
    else:
        at.show(at.dbg.back(number_in(rest, "number of steps", 1) if rest else 1))


def goto(at: StoppedRun, rest: str) -> None:
    """goto time"""
    if not rest:
        raise CommandError(f"goto which time? {at.dbg.time} steps have run; the furthest time so far is "
                           f"{at.dbg.latest}")  # fmt: skip
    at.show(at.dbg.goto(number_in(rest, "time")))


def go_on(at: StoppedRun, rest: str) -> Decision | None:
    """continue"""
    if at.dbg.error is None:
        stop = at.dbg.go() if at.dbg.breakpoints else at.dbg.run_to_failure()
        if not at.dbg.has_ended or stop.reason:
            at.show(stop)
            return None
    if at.is_earlier:
        at.show(at.dbg.here)
        at.say("the program has its results since then; `again` goes back to the run at hand")
        return None
    return Decision.CONTINUE


def finish(at: StoppedRun, rest: str) -> Decision:
    """finish"""
    return Decision.FINISH


def leave(at: StoppedRun, rest: str) -> Decision:
    """quit"""
    return Decision.QUIT


def end_program(at: StoppedRun, rest: str) -> NoReturn:
    """exit [code]"""
    raise EndProgram(number_in(rest, "exit code") if rest else 0)
