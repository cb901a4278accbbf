"""A JavaScript program without comments and without spaces that say nothing: a page that computes must stay small.

Lines stay lines, so no semicolon is needed that the program does not have. Texts, patterns and templates stay as they
are. A slash begins a pattern if what stands before it cannot end a value.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<word>[\w$]+)
    |(?P<line>[ \t]*\n\s*)
    |(?P<space>[ \t]+)
    |(?P<sign>.)""",
    re.VERBOSE,
)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_BEFORE_PATTERN = frozenset(["return", "typeof", "case", "in", "of", "void", "delete", "yield"])


def compact_script(script: str) -> str:
    """The program with the same tokens in the same lines."""
    tokens: list[str] = []
    before = ""  # the last token that is neither space nor comment; `++` and `--` are one
    ends, ended = False, False  # whether a value may end with it, and with the token before it
    space = False
    at = 0
    while at < len(script):
        if script[at] == "`":
            end = _end_of_template(script, at)
            token, at = script[at:end], end
        elif script[at] == "/" and script[at : at + 2] != "//" and not ends:
            pattern = _PATTERN.match(script, at)
            token = "/" if pattern is None else pattern[0]
            at += len(token)
        else:
            match = _TOKEN.match(script, at)
            assert match is not None  # the last alternative is any character
            token, at = match[0], match.end()
            if match["comment"]:
                continue
            if match["space"]:
                space = True
                continue
            if match["line"]:
                if tokens and tokens[-1] != "\n":
                    tokens.append("\n")
                space = False
                continue
        is_double = token in ("+", "-") and token == before and not space and tokens[-1:] == [token]
        if space and tokens and tokens[-1] != "\n" and _would_join(before, token):
            tokens.append(" ")
        space = False
        tokens.append(token)
        if is_double:
            before, ends = token * 2, ended  # behind a value it is a part of that: y++ / 2
        else:
            before, ended, ends = token, ends, _ends_value(token)
    return "".join(tokens).strip()


def _ends_value(token: str) -> bool:
    """Whether a value may end with this token, so that a slash after it divides."""
    if re.fullmatch(r"[\w$]+", token):
        return token not in _BEFORE_PATTERN
    return token[-1:] in {")", "]", "}", '"', "'", "`"}


def _would_join(before: str, token: str) -> bool:
    """Whether two tokens would read as one without a space."""
    both = before[-1:] + token[0]
    after_pattern = len(before) > 1 and before.endswith("/")  # what follows would be its flags
    return re.fullmatch(r"[\w$]{2}|\+\+|--|//", both) is not None or (after_pattern and token[0].isalpha())


def _end_of_template(script: str, at: int) -> int:
    """The place behind a template that begins at `at`; its parts may hold templates and texts."""
    at += 1
    while script[at] != "`":
        if script[at] == "\\":
            at += 2
        elif script.startswith("${", at):
            at = _end_of_part(script, at + 2)
        else:
            at += 1
    return at + 1


def _end_of_part(script: str, at: int) -> int:
    depth = 1
    while depth:
        letter = script[at]
        if letter == "`":
            at = _end_of_template(script, at)
            continue
        if letter in "\"'":
            found = _TOKEN.match(script, at)
            assert found is not None
            at = found.end()
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        at += 1
    return at
