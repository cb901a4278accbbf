"""A lesson as one HTML file that can be read offline, with its pictures inside."""

from __future__ import annotations

import html
import re

from .lesson_folders import Lesson
from .lesson_text import Block, blocks, without_links

_STYLE = """:root { color-scheme: light dark; }
body { font: 1.05em/1.6 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
pre { overflow-x: auto; padding: 0.7em 1em; border-left: 3px solid #8888; font-size: 0.9em; line-height: 1.4; }
pre.python { background: #8881; }
code { font-family: ui-monospace, monospace; }
figure { margin: 1em 0; overflow-x: auto; background: #fff; }
svg { max-width: 100%; height: auto; }
"""


def page_text(lesson: Lesson) -> str:
    """The page: the text, then the program of the exercise and how to check it."""
    parts = _joined([_markup(block, lesson) for block in blocks(lesson.text)])
    commands = f"penstock learn {lesson.word} --start mine.py\npenstock learn {lesson.word} --check mine.py"
    exercise = [_markup(Block("code", lesson.start.strip("\n"), "python"), lesson), "<p>In a terminal:</p>",
                f"<pre><code>{html.escape(commands)}</code></pre>"]  # fmt: skip
    return "\n".join([
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(lesson.title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<main>",
        *parts, "<h2>The program</h2>", *exercise, "</main>\n</body>\n</html>\n",
    ])  # fmt: skip


def _markup(block: Block, lesson: Lesson) -> str:
    if block.kind == "code":
        return f'<pre class="{html.escape(block.mark or "text")}"><code>{html.escape(block.text)}</code></pre>'
    if block.kind == "picture":
        _, found, drawing = lesson.read(block.mark).partition("<svg")
        if not found:
            raise ValueError(f"{lesson.folder / block.mark}: the picture is no SVG: it has no <svg>")
        drawing = found + drawing
        return f'<figure role="img" aria-label="{html.escape(block.text)}">{drawing}</figure>'
    text = _words(without_links(block.text))
    if block.kind == "heading":
        return f"<h{len(block.mark)}>{text}</h{len(block.mark)}>"
    if block.kind == "item":
        return f"<li>{text}</li>" if block.mark == "-" else f'<li value="{block.mark[:-1]}">{text}</li>'
    return f"<p>{text}</p>"


def _words(text: str) -> str:
    """Code, bold and emphasis; what stands in code is left as it is."""
    parts = re.split(r"`([^`]+)`", html.escape(text, quote=False))
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = f"<code>{part}</code>"
        else:
            part = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", part)
            parts[i] = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", part)
    return "".join(parts)


def _joined(parts: list[str]) -> list[str]:
    """The parts with the items of a list in one list."""
    joined_parts: list[str] = []
    for part in parts:
        is_item = part.startswith("<li")
        if is_item and joined_parts and joined_parts[-1].endswith(("</ul>", "</ol>")):
            end = joined_parts[-1][-5:]
            joined_parts[-1] = joined_parts[-1][:-5] + part + end
        elif is_item:
            kind = "ul" if part.startswith("<li>") else "ol"
            joined_parts.append(f"<{kind}>{part}</{kind}>")
        else:
            joined_parts.append(part)
    return joined_parts
