"""Commands about breakpoints and watched values: break, delete, watch, unwatch. They stay from run to run."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from ...runtime.debugger.breakpoints import Breakpoint, WordedTest
from ...runtime.debugger.debugger import Debugger
from .command_words import CommandError, number_in, value_in, words_of
from .program_names import evaluated, parsed_expression
from .stopped_run import KeptSettings, StoppedRun


def add_break(at: StoppedRun, rest: str) -> None:
    """break [what]"""
    if not rest:
        at.say("\n".join(map(str, at.dbg.breakpoints)) or "there is no breakpoint; `help break` tells how to set one")
        return
    text = _resolved(at, rest)
    made = _set(at.dbg, words_of(text))
    at.kept.breaks[made.number] = text
    at.say(made)


def delete_break(at: StoppedRun, rest: str) -> None:
    """delete number"""
    if rest == "all":
        for each in at.dbg.breakpoints:
            at.dbg.delete(each)
        at.kept.breaks.clear()
        return
    if not rest:
        raise CommandError("delete what? Write the number of a breakpoint, or all; `break` lists them")
    number = number_in(rest, "breakpoint", 1)
    at.dbg.delete(number)
    at.kept.breaks.pop(number, None)


def watch(at: StoppedRun, rest: str) -> None:
    """watch [tensor]"""
    if not rest:
        at.say("\n".join(at.kept.watched) or "nothing is watched; write watch NAME")
        return
    name = at.name_in_run(rest)
    at.dbg.watch(name)
    if name not in at.kept.watched:
        at.kept.watched.append(name)
    at.show(at.dbg.here)


def unwatch(at: StoppedRun, rest: str) -> None:
    """unwatch tensor"""
    if not rest:
        raise CommandError("unwatch what? Write the name of a tensor that is watched")
    meant = [each for each in at.kept.watched if f"/{each}".removesuffix(":0").endswith(f"/{rest.removesuffix(':0')}")]
    name = rest if rest in at.kept.watched else meant[0] if len(meant) == 1 else at.name_in_run(rest)
    at.dbg.unwatch(name)
    at.kept.watched.remove(name)


def keep_up(dbg: Debugger, kept: KeptSettings) -> None:
    """Set the breakpoints and watches of earlier runs in another one."""
    texts = list(kept.breaks.values())
    kept.breaks = {_set(dbg, words_of(text)).number: text for text in texts}
    known = set(dbg.names)
    for name in kept.watched:
        if name in known:
            dbg.watch(name)


def is_broken_at(dbg: Debugger) -> bool:
    """Whether a breakpoint is at the step that is next: `go` stops at later ones only."""
    node = dbg.here.node
    return any(each.pattern and fnmatchcase(node, each.pattern) for each in dbg.breakpoints)


def _resolved(at: StoppedRun, text: str) -> str:
    """What was typed, with full names.

    Raises:
        CommandError: it is no breakpoint.
    """
    words = words_of(text)
    kind, names = words[0], words[1:]
    if kind in ("nan", "inf", "bad"):
        if len(names) > 1:
            raise CommandError(f"break {text}: write one name or pattern, such as break nan layer1/*")
        return " ".join([kind, *map(at.pattern, names)])
    if kind == "shape":
        if len(names) != 2:
            raise CommandError(f"break {text}: write a tensor and the shape it should have: break shape h [None, 3]")
        shape = value_in(names[1])
        if not isinstance(shape, (list, tuple)) or not all(each is None or isinstance(each, int) for each in shape):
            raise CommandError(f"break {text}: {names[1]} is no shape; write a list such as [None, 3]")
        return f"shape {at.name_in_run(names[0])} {list(shape)}"
    if names[:1] == ["if"]:
        condition = " ".join(names[1:])
        if parsed_expression(condition) is None:
            raise CommandError(f"break {text}: write an expression of Python behind `if`, in which `value` is the "
                               f"value of {kind}: break {kind} if step > 30 and value > 3")  # fmt: skip
        return f"{at.name_in_graph(kind)} if {condition}"
    if names:
        raise CommandError(f"break {text}: write nan, inf, bad, shape, or one name or pattern of nodes")
    return at.pattern(kind)


def _set(dbg: Debugger, words: list[str]) -> Breakpoint:
    kind, names = words[0], words[1:]
    if kind in ("nan", "inf", "bad"):
        return dbg.break_on(nan=kind != "inf", inf=kind != "nan", names=names[0] if names else "*")
    if kind == "shape":
        return dbg.break_on(shape=value_in(names[1]), names=names[0])
    if names[:1] == ["if"]:
        return dbg.break_on(_condition(dbg, " ".join(names[1:])), names=kind)
    return dbg.break_at(kind)


def _condition(dbg: Debugger, text: str) -> WordedTest:
    """A condition in the program's names; one that fails stops the run too, or it would look like a false one."""
    tree = parsed_expression(text)
    assert tree is not None  # `_resolved` has parsed it

    def reason(name: str, value: Any) -> str:
        try:
            holds = bool(evaluated(dbg, tree, {"value": value}))
        except (CommandError, ValueError, TypeError) as error:
            return f"{name}: the condition cannot be told: {error}"
        return f"{name}: {text}" if holds else ""

    return WordedTest(f"if {text}", reason)
