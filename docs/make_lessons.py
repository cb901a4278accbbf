"""Makes the pages `docs/lessons/*.md` of the lessons in `penstock/lessons`, and the output and pictures in their texts.

A page is the text of the lesson, its program, and its hints behind a click each. The text's programs run as those of a
document do (run_blocks).

    python docs/make_lessons.py            says what is out of date
    python docs/make_lessons.py --write    writes it
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "docs")) if path not in sys.path]

import run_blocks  # noqa: E402  # the folder is known only now

from penstock.lessons.lesson_folders import Lesson, course  # noqa: E402
from penstock.lessons.program_run import taken_back  # noqa: E402

PAGES = ROOT / "docs" / "lessons"


def made(lesson: Lesson) -> dict[Path, bytes]:
    """The content of each file that is made for a lesson: its text, its pictures, its page."""
    with taken_back():  # a text may declare an op
        real = run_blocks.real(lesson.text)
    files = {lesson.folder / path: content for path, content in real.pictures.items()}
    files[lesson.folder / "text.md"] = real.text.encode()
    files[PAGES / f"{lesson.folder.name.replace('_', '-')}.md"] = page(lesson, real.text).encode()
    return files


def page(lesson: Lesson, text: str) -> str:
    """The page of a lesson."""
    folder = lesson.folder.relative_to(ROOT).as_posix()
    text = re.sub(r"<!-- notebook: .*? -->\n+", "", text)
    text = re.sub(r"(!\[[^\]]*\]\()(pictures/)", rf"\1../../{folder}/\2", text)
    title, _, rest = text.partition("\n")
    number = lesson.number
    played = f'On the documentation site the page is ready: <a href="play/{number}.html">play with it</a>.'
    hints = "\n".join(
        f"<details>\n<summary>Hint {i}</summary>\n\n{hint}\n\n</details>\n" for i, hint in enumerate(lesson.hints, 1)
    )
    return f"""# {number}. {title.removeprefix("# ")}
{rest.rstrip()}

{played}

## The program

`penstock learn {number} --start mine.py` writes it, and `penstock learn {number} --check mine.py` checks what you make
of it. The same as a notebook: `penstock learn {number} --notebook`.

```py
{lesson.start.strip()}
```

{hints}"""


def outdated() -> Iterator[tuple[Path, bytes | None]]:
    """The files that are not what is made now, with what they have to be; None for a page without a lesson."""
    pages = set()
    for lesson in course():
        for path, content in made(lesson).items():
            pages.add(path)
            if not path.exists() or path.read_bytes() != content:
                yield path, content
    for path in sorted(set(PAGES.glob("*.md")) - pages):
        yield path, None


def main() -> int:
    """Compare, or write; the exit code is 1 if anything was out of date."""
    code = 0
    for path, content in outdated():
        print(f"{path.relative_to(ROOT)} is not what the lessons make now")
        code = 1
        if "--write" in sys.argv[1:]:
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    return code


if __name__ == "__main__":
    sys.exit(main())
