"""The table of the debugger's commands, their help, and what a word may be completed to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ...graph.common.near_names import nearest
from ...runtime.debugger.debugger import Debugger
from . import break_commands as breaks
from . import looking_commands as looking
from . import moving_commands as moving
from . import run_commands as runs
from . import value_commands as values
from .command_words import CommandError
from .stopped_run import Decision, StoppedRun

Kind = Literal["tensor", "node", "command", "file", ""]
"""What the words after a command are."""


@dataclass(frozen=True, slots=True)
class DebugCommand:
    """One command.

    Attributes:
        name: its name.
        short: its short forms.
        words: what is written after it.
        summary: what it does, in one line.
        more: what else there is to know.
        call: carries it out; a decision ends the run.
        kind: what its words are.
        heading: the group in which `help` lists it.
    """

    name: str
    short: tuple[str, ...]
    words: str
    summary: str
    more: str
    call: Callable[[StoppedRun, str], Decision | None]
    kind: Kind
    heading: str

    @property
    def usage(self) -> str:
        """How it is written: `step, s [n]`."""
        return f"{', '.join([self.name, *self.short])} {self.words}".rstrip()


def show_help(at: StoppedRun, rest: str) -> None:
    """help [command]"""
    if rest:
        command = _found(rest)
        at.say(f"{command.usage}\n  {command.summary}")
        if command.more:
            at.say(_indented(command.more))
        return
    widest = max(len(command.usage) for command in COMMANDS)
    lines: list[str] = []
    heading = ""
    for command in COMMANDS:
        if command.heading != heading:
            heading = command.heading
            lines.append(f"{heading}:")
        lines.append(f"  {command.usage.ljust(widest)}  {command.summary}")
    lines.append("A node or tensor is written by its name, or the end of it that only it has. Enter repeats the last "
                 "command; a line may hold several, with `;` between them. `help step` tells more of one.")  # fmt: skip
    at.say("\n".join(lines))


def find_command(text: str) -> tuple[DebugCommand, str]:
    """The command of a line, and what stands after its name.

    Raises:
        CommandError: there is none of that name.
    """
    if text.startswith("!"):
        return _BY_NAME["!"], text[1:].strip()
    found = re.match(r"\S+", text)
    word = found[0] if found is not None else ""
    return _found(word), text[len(word) :].strip()


def possible_words(before: str, dbg: Debugger) -> list[str]:
    """What the last word of a line may become: commands, names of tensors or nodes, files."""
    part = re.split(r";\s*", before)[-1].lstrip()
    words = re.split(r"\s+", part)
    if len(words) == 1:
        return _beginning(words[0], [command.name for command in COMMANDS])
    command = _BY_NAME.get(words[0])
    last = words[-1]
    if command is None or not command.kind:
        return []
    if command.kind == "command":
        return _beginning(last, [each.name for each in COMMANDS])
    if command.kind == "file":
        return _files(last)
    names = [name.removesuffix(":0") for name in dbg.names]
    return _beginning(last, [name.partition(":")[0] for name in names] if command.kind == "node" else names)


def _found(word: str) -> DebugCommand:
    command = _BY_NAME.get(word)
    if command is not None:
        return command
    begun = [name for name in _BY_NAME if name.startswith(word) and len(name) > 2]
    if len(begun) == 1:
        return _BY_NAME[begun[0]]
    other = _ELSEWHERE.get(word)
    if other is not None:
        raise CommandError(f"{word} is no command; here it is `{other}`")
    meant = f"; {' and '.join(begun)} begin so" if begun else ""
    near = nearest(word, _BY_NAME)
    hint = meant or (f"; did you mean {near}?" if near else "")
    raise CommandError(f"{word} is no command{hint or '; `help` lists them'}")


def _beginning(word: str, names: Sequence[str]) -> list[str]:
    """The names that begin with a word; if none does, those of which a part does, where all begin with one of them."""
    found = sorted({name for name in names if name.startswith(word)})
    if found or not word:
        return found
    # Of several, an editor would put what they have in common in place of the word.
    found = sorted({name for name in names if f"/{word}" in name})
    shortest = min(found, key=len, default="")
    return found if all(each.startswith(shortest) for each in found) else []


def _files(word: str) -> list[str]:
    folder, start = os.path.split(word)
    try:
        found = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in found if name.startswith(start)]


def _indented(text: str) -> str:
    return "\n".join([f"  {line}" for line in text.split("\n")])


_MOVE, _LOOK, _STOP = "to move", "to look", "to stop by itself"
_CHANGE, _RUNS, _KEEP, _END = "to change", "other runs", "to keep", "to end"

COMMANDS = (
    DebugCommand("step", ("s",), "[n]", "run one step, or n; go into loops, branches, fused groups", "",
                 moving.step, "", _MOVE),
    DebugCommand("next", ("n",), "[n | pattern]", "run one step with all inside, or n, or those of a scope",
                 "next layer1/* runs on to the first step whose name does not match.",
                 moving.next_step, "node", _MOVE),
    DebugCommand("until", ("u",), "pattern", "run on until a node is next, such as until layer2/*", "",
                 moving.until, "node", _MOVE),
    DebugCommand("out", ("o",), "", "run to the end of the loop, branch or group here", "", moving.out, "", _MOVE),
    DebugCommand("continue", ("c",), "", "run on to a breakpoint or failure, in later runs too",
                 "Where neither comes, the program goes on, and later runs stop only there. At a step that has failed, "
                 "it gives the error to the program.",
                 moving.go_on, "", _MOVE),
    DebugCommand("back", ("b",), "[n | to node]", "go back one step, or n, or to where a node was next",
                 "Values are those of the first time. What prints or calls Python does so once.",
                 moving.back, "node", _MOVE),
    DebugCommand("goto", (), "time", "go to the state after so many steps, backwards or forwards", "",
                 moving.goto, "", _MOVE),
    DebugCommand("list", ("l",), "[n]", "the steps around here with what they made, n before and after", "",
                 looking.list_steps, "", _LOOK),
    DebugCommand("where", ("w",), "", "the next step, its operands with values and lines, what it is inside of", "",
                 looking.where, "", _LOOK),
    DebugCommand("why", (), "[tensor]", "why a value is NaN, a gradient zero, a shape unknown, a step slow",
                 "Without a name it is about the step that failed, or is next.",
                 looking.why, "tensor", _LOOK),
    DebugCommand("print", ("p",), "tensor ...", "print values, parts of them, or an expression: p h[0], p h.mean()",
                 "In an expression, a name is a tensor of the run or a variable of the program. A variable that holds\n"
                 "a tensor stands for its value in the run.",
                 values.print_values, "tensor", _LOOK),
    DebugCommand("values", ("v",), "[pattern]", "list the last values, or those of a pattern", "",
                 values.list_values, "tensor", _LOOK),
    DebugCommand("frames", (), "", "the loops and branches around here, with iteration and loop variables", "",
                 looking.show_frames, "", _LOOK),
    DebugCommand("graph", ("g",), "[node] [hops]", "the nodes around here, or around a node",
                 "Each line says what the run has done with the node. => marks the one that you\n"
                 "asked for, or else the next one. Two hops if you write no number.",
                 looking.show_graph, "node", _LOOK),
    DebugCommand("shape", (), "[tensor]", "where the sizes of a tensor come from, and why one is unknown", "",
                 looking.show_shape, "tensor", _LOOK),
    DebugCommand("times", (), "[n]", "the steps so far that took longest, one by one as they are debugged", "",
                 looking.show_times, "", _LOOK),
    DebugCommand("profile", (), "[runs]", "run the optimised plan some times: the time of each step",
                 "Variables have their values of before afterwards. A run that prints, calls Python or writes files "
                 "is refused.",
                 looking.profile, "", _LOOK),
    DebugCommand("break", (), "[what]", "stop at a node or pattern, or at nan, inf, bad, shape; list them",
                 "break train/*            before these nodes\n"
                 "break nan               at the first NaN; inf: infinity; bad: either\n"
                 "break nan layer1/*      only among these\n"
                 "break shape h [None, 3] where h has another shape\n"
                 "break h if epoch > 3 and value.max() > 9\n"
                 "                        once h is computed, where that holds: `value` is that of h, other\n"
                 "                        names are tensors of the run and variables of the program\n"
                 "`continue` and `until` stop there, in later runs too. A step that fails needs no breakpoint.",
                 breaks.add_break, "node", _STOP),
    DebugCommand("delete", ("d",), "number", "remove a breakpoint; `delete all` removes all", "",
                 breaks.delete_break, "", _STOP),
    DebugCommand("watch", (), "[tensor]", "show a value at each stop from now on", "",
                 breaks.watch, "tensor", _STOP),
    DebugCommand("unwatch", (), "tensor", "end watch", "", breaks.unwatch, "tensor", _STOP),
    DebugCommand("set", (), "tensor value", "set a value, or a part: set h[0] nan; what depends on it follows",
                 "set h [[1, 2], [3, 4]] gives all of h. Everything after it is computed again from there.",
                 values.set_value, "tensor", _CHANGE),
    DebugCommand("unset", (), "tensor", "take back what was set", "", values.unset, "tensor", _CHANGE),
    DebugCommand("changed", (), "", "list the values that differ because of what was set", "",
                 values.list_changed, "", _CHANGE),
    DebugCommand("!", (), "statement", "carry out a statement of Python, with the variables of the program",
                 "!print(rows). Variables of a module that it sets stay set, those of a function do not.",
                 values.run_statement, "", _CHANGE),
    DebugCommand("runs", (), "[n]", "list the last runs of the program, or the last n", "",
                 runs.list_runs, "", _RUNS),
    DebugCommand("again", (), "[n]", "go back to run n, with its feeds and variables, or to the one before",
                 "It can be looked at and changed; the program keeps the results that it got. The program's own "
                 "variables are those of now. `again` once more goes back to the run at hand, and so does `finish`.",
                 runs.again, "", _RUNS),
    DebugCommand("show", (), "file.html", "write the run up to here as a page", "", looking.show_page, "file", _KEEP),
    DebugCommand("repro", (), "folder", "write the run to a folder, from which it runs again elsewhere", "",
                 looking.write_repro, "file", _KEEP),
    DebugCommand("finish", ("f",), "", "end this run; the program goes on to the next one",
                 "The program gets the results, of what was set too. At a step that has failed, it gets the error.",
                 moving.finish, "", _END),
    DebugCommand("quit", ("q",), "", "let the program go on without the debugger", "", moving.leave, "", _END),
    DebugCommand("exit", (), "[code]", "end the program now", "", moving.end_program, "", _END),
    DebugCommand("help", ("h", "?"), "[command]", "list the commands, or tell more of one", "",
                 show_help, "command", _END),
)  # fmt: skip

_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.short)}
_ELSEWHERE = {
    "history": "runs", "restart": "again", "r": "finish", "kill": "exit", "stepi": "step", "si": "step",
    "advance": "until",
    "pt": "print", "print_tensor": "print", "pp": "print", "lt": "values", "list_tensors": "values", "tbreak": "until",
    "display": "watch", "undisplay": "unwatch", "bt": "where", "backtrace": "where", "info": "where", "ni": "where",
    "node_info": "where", "li": "graph", "lo": "graph", "list_inputs": "graph", "list_outputs": "graph",
    "return": "finish", "reverse-step": "back", "rs": "back", "up": "frames", "down": "frames", "ll": "list",
    "ps": "list", "print_source": "list", "clear": "delete", "cont": "continue", "invoke_stepper": "step",
}  # fmt: skip
"""Commands of gdb, pdb and TensorFlow's debugger that have another name here."""
