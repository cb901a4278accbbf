"""Commands about values: print, values, set, unset, changed."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import GraphError
from ...graph.common.near_names import did_you_mean
from ...graph.inspect.text_table import format_table
from ...graph.shapes.dtypes import of_numpy
from ...runtime.debugger.addressed_values import address_in
from ...runtime.observe.value_summary import summary_of
from .command_words import CommandError, tensor_and_index, value_in, words_of
from .program_names import carry_out, element_called, evaluated, parsed_expression, variables_here
from .stopped_run import StoppedRun, in_words_of_commands

_MOST_ELEMENTS = 400


def type_of(value: Any) -> str:
    """The dtype and the shape of a value: `float32 (2, 3)`."""
    dtype = getattr(value, "dtype", None)
    return f"{'string' if dtype is None else of_numpy(dtype).name} {getattr(value, 'shape', ())}"


def value_lines(name: str, value: Any, width: int) -> str:
    """A value with its name, as text: one line if that is enough.

    >>> print(value_lines("h:0", np.array([1.0, float("nan")]), 80))
    h:0  float64 (2,)  1 NaN
    [ 1. nan]
    >>> print(value_lines("n:0", np.int32(3), 80))
    n:0  int32 ()  3
    """
    array = np.asarray(value)
    head = f"{name}  {type_of(value)}"
    if not array.ndim:
        return f"{head}  {_scalar(value)}"
    found = summary_of(array)
    told = found.bad if found.brief else str(found) if array.dtype.kind in "biufcV" else ""
    elements = np.array2string(array, threshold=_MOST_ELEMENTS, max_line_width=width)
    return f"{head}  {told}\n{elements}" if told else f"{head}\n{elements}"


def value_in_a_line(value: Any, width: int) -> str:
    """A value in one line: its elements if they are few, else their range."""
    array = np.asarray(value)
    found = summary_of(array)
    text = _scalar(value) if not array.ndim else found.brief or str(found)
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."


def _scalar(value: Any) -> str:
    return repr(value) if isinstance(value, bytes) else str(value)


_MOST_ROWS = 20
_ADDRESS = re.compile(r"(?:[A-Za-z_][\w/]*\[\d+\]/)+[A-Za-z_][\w/]*")


def print_values(at: StoppedRun, rest: str) -> None:
    """print tensor[index] ..."""
    if not rest:
        raise CommandError("print what? Write the name of a tensor, or a part of it such as h[0, 1:3]; `values` lists "
                           "what there is")  # fmt: skip
    try:
        texts = [_printed(at, word) for word in words_of(rest)]
    except CommandError as refusal:
        texts = [_printed_expression(at, rest, refusal)]
    for text in texts:
        at.print(at.style.lines(text))


def _printed(at: StoppedRun, word: str) -> str:
    """A tensor, or a part of one."""
    name, index = tensor_and_index(word)
    full, value = _value(at, name)
    if index is not None:
        value = _part(value, index, word)
    return value_lines(full if index is None else f"{full}{word[len(name):]}", value, at.style.width)


def _printed_expression(at: StoppedRun, text: str, refusal: CommandError) -> str:
    """An expression in the program's names; `refusal` says why the text is no tensor."""
    plain, iterations = _without_addresses(at, text)
    tree = parsed_expression(plain)
    if tree is None:
        raise refusal
    if isinstance(tree.body, ast.Name):
        name = tree.body.id
        if name not in variables_here() or element_called(name) is not None:
            raise refusal
    try:
        value = evaluated(at.dbg, tree, iterations)
    except CommandError as failure:
        raise (refusal if isinstance(tree.body, ast.Subscript) or address_in(text) else failure) from None
    return value_lines(text, value, at.style.width) if isinstance(value, (np.ndarray, np.generic)) else repr(value)


def _without_addresses(at: StoppedRun, text: str) -> tuple[str, dict[str, Any]]:
    """An expression with names in the place of addresses such as `steps[3]/h`, and what these names stand for."""
    values: dict[str, Any] = {}

    def name(found: re.Match[str]) -> str:
        try:
            value = at.dbg.value(found[0])
        except GraphError:
            return found[0]  # a quotient
        values[called := f"iteration_{len(values)}_"] = value
        return called

    return _ADDRESS.sub(name, text), values


def list_values(at: StoppedRun, rest: str) -> None:
    """values [pattern]"""
    there = at.dbg.computed
    names = [name for name in there if fnmatchcase(name, rest) or fnmatchcase(name, f"{rest}:*")]
    if not rest:
        find = at.run.session.graph.find_anywhere
        makers = {name: find(name.partition(":")[0]) for name in there}
        names = [name for name, op in makers.items() if op is None or not op.opdef.facts.is_constant]
    if not names:
        raise CommandError(f"no value that has been computed is called {rest}{did_you_mean(rest, there)}"
                           if rest else "nothing is computed yet; the first step is next")  # fmt: skip
    shown, changed = names[-_MOST_ROWS:], set(at.dbg.changed)
    rows = []
    for name in shown:
        value = at.dbg.value(name)
        mark = "set" if name in changed else ""
        rows.append((name, type_of(value), value_in_a_line(value, at.style.width // 2), mark))
    if len(names) > len(shown):
        at.say(f"{len(names) - len(shown)} before these; `values layer/*` lists those of a pattern")
    at.say(format_table(("tensor", "type", "value", ""), rows, at.style.width))


def set_value(at: StoppedRun, rest: str) -> None:
    """set tensor[index] value"""
    words = words_of(rest)
    if len(words) < 2:
        raise CommandError("set what? Write a tensor and a value: set h [1.5, 2.0], or set h[0] nan")
    name, index = tensor_and_index(words[0])
    value = value_in(rest[rest.index(words[0]) + len(words[0]) :])
    full, held = _value(at, name)
    before, part = held, words[0][len(name) :]
    if index is not None:
        held = np.array(held)
        try:
            held[index] = value
        except (IndexError, ValueError, TypeError, OverflowError) as error:
            raise CommandError(f"{words[0]}: {error}; {full} is {type_of(held)}") from None
        value = held
    at.dbg.set(full, value)
    now = at.dbg.value(full)
    if index is not None:
        before, now = _part(before, index, words[0]), _part(now, index, words[0])
    room = at.style.width // 3
    text = f"{full}{part}  {type_of(now)}  {value_in_a_line(now, room)}  was {value_in_a_line(before, room)}"
    at.print(at.style.yellow(at.style.lines(text)))
    at.show_watched()


def unset(at: StoppedRun, rest: str) -> None:
    """unset tensor"""
    if not rest:
        raise CommandError("unset what? Write the name of a tensor that was set")
    full = at.value_name(rest)
    at.dbg.unset(full)
    at.say(value_lines(full, at.dbg.value(full), at.style.width))
    at.show_watched()


def run_statement(at: StoppedRun, rest: str) -> None:
    """! statement"""
    if not rest:
        raise CommandError("! what? Write a statement of Python behind it, such as !print(rows)")
    carry_out(rest)


def list_changed(at: StoppedRun, rest: str) -> None:
    """changed"""
    at.say("\n".join(at.dbg.changed) or "nothing was set; every value is the run's own")


def _value(at: StoppedRun, name: str) -> tuple[str, Any]:
    """The full name and the value of a tensor, or the address and the value in an iteration."""
    if address_in(name):
        try:
            return name, at.dbg.value(name)
        except GraphError as error:
            raise CommandError(in_words_of_commands(str(error))) from None
    full = at.value_name(name)
    return full, at.dbg.value(full)


def _part(value: Any, index: Any, word: str) -> Any:
    try:
        return np.asarray(value)[index]
    except (IndexError, TypeError, ValueError) as error:
        raise CommandError(f"{word}: {error}") from None
