"""What is typed after a command: words, tensors with an index, literal values.

    set h[0, 1:3] [nan, 2.0]        the words `h[0, 1:3]` and `[nan, 2.0]`

A word ends at a blank outside of brackets and quotes. In values `nan` and `inf` stand for the numbers.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from ...errors import UseError

_OPENING, _CLOSING = "([{", ")]}"
_NUMBERS = {"nan": float("nan"), "inf": float("inf"), "true": True, "false": False}


class CommandError(UseError):
    """A command that cannot be carried out, and why; the message is for the user."""


def commands_in(line: str) -> list[str]:
    """The commands of a line, which semicolons separate; empty ones and comments are left out.

    >>> commands_in("next; set name 'a;b'  # a comment")
    ['next', "set name 'a;b'"]
    """
    return [command for command in _parts(_without_comment(line), ";") if command]


def words_of(text: str) -> list[str]:
    """The words of a text.

    >>> words_of("h[0, 1]  [1, 2] 'a b'")
    ['h[0, 1]', '[1, 2]', "'a b'"]
    """
    return [word for word in _parts(text, " \t") if word]


def tensor_and_index(word: str) -> tuple[str, Any]:
    """The name of a tensor, and the index that follows it; None without one.

    Raises:
        CommandError: what stands in the brackets is no index.

    >>> tensor_and_index("layer/h:0"), tensor_and_index("h[0, 1:]")
    (('layer/h:0', None), ('h', (0, slice(1, None, None))))
    >>> tensor_and_index("steps[3]/h"), tensor_and_index("steps[3]/h[0]")
    (('steps[3]/h', None), ('steps[3]/h', 0))
    """
    found = re.fullmatch(r"((?:[^\[\]]+\[\d+\]/)*[^\[\]]+)\[(.*)\]", word, re.DOTALL)
    if found is None:
        return word, None
    try:
        tree = ast.parse(f"_[{found[2]}]", mode="eval").body
        assert isinstance(tree, ast.Subscript)  # that is what was parsed
        return found[1], _index(tree.slice)
    except (SyntaxError, ValueError, AssertionError):
        raise CommandError(f"[{found[2]}] is no index; write numbers and slices, such as {found[1]}[0, 1:3]") from None


def value_in(text: str) -> Any:
    """The value of a literal.

    Raises:
        CommandError: it is none.

    >>> value_in("[1, -inf]"), value_in("true")
    ([1, -inf], True)
    """
    try:
        return ast.literal_eval(_WithNumbers().visit(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise CommandError(f"{text.strip()} is no value; write a number, a list such as [[1.5, nan], [0, 2]], "
                           "or a text in quotes") from None  # fmt: skip


def number_in(word: str, what: str, least: int = 0) -> int:
    """A whole number.

    Raises:
        CommandError: it is none, or below the least.
    """
    if not re.fullmatch(r"\d+", word) or int(word) < least:
        raise CommandError(f"{word} is no {what}; write a number from {least} on")
    return int(word)


class _WithNumbers(ast.NodeTransformer):
    """Puts the numbers in place of `nan` and `inf`, which Python has no literals for."""

    def visit_Name(self, node: ast.Name) -> ast.AST:  # the name that `ast` calls
        return ast.Constant(_NUMBERS[node.id.lower()]) if node.id.lower() in _NUMBERS else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        is_number = isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, float)
        return ast.Constant(-node.operand.value) if is_number and isinstance(node.op, ast.USub) else node  # type: ignore[attr-defined]


def _index(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple([_index(each) for each in node.elts])
    if isinstance(node, ast.Slice):
        parts = (node.lower, node.upper, node.step)
        return slice(*[None if part is None else ast.literal_eval(part) for part in parts])
    found = ast.literal_eval(node)
    if not isinstance(found, (int, list, type(...), type(None))):
        raise ValueError(found)
    return found


def _without_comment(line: str) -> str:
    return next(iter(_parts(line, "#")), "")


def _parts(text: str, ends: str) -> list[str]:
    """The parts of a text between certain characters, those in brackets and quotes left out."""
    parts, depth, quote, start = [], 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
        elif letter in ends and depth <= 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]
