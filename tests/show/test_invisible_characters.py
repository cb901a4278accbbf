"""No export holds a raw control or direction mark, whatever the names in it."""

from __future__ import annotations

import itertools
import unicodedata
from pathlib import Path

import pytest

from penstock.show import Arrow, Box, Group, Picture, export_picture
from penstock.show.content.invisible_characters import visible

MARKS = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]  # that turn the direction of text
NAMES = [chr(code) for code in (*range(0x20), 0x7F, 0x85, 0x9B, 0xAD, 0x200B, 0x2028, 0x2029, 0xFEFF, *MARKS)]


def picture_of(names: list[str]) -> Picture:
    """Each name wherever a picture holds text."""
    boxes = [Box(f"{n}{i}", n, type=n, detail=(n,), group=(f"scope{n}",)) for i, n in enumerate(names)]
    arrows = [Arrow(a.id, b.id, f"label{a.label}", tensors=(a.id,)) for a, b in itertools.pairwise(boxes)]
    groups = tuple(Group((f"scope{n}",), label=f"scope{n}") for n in names)
    return Picture(f"title {''.join(names)}", tuple(boxes), tuple(arrows), groups)


@pytest.mark.parametrize("suffix", [".dot", ".mmd", ".svg", ".txt"])
def test_no_export_holds_a_character_that_is_not_seen(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"p{suffix}"
    export_picture(picture_of(NAMES), target)
    left = {c for c in target.read_text("utf-8") if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    assert left <= {"\n", "\t"}


@pytest.mark.parametrize("suffix", [".dot", ".mmd", ".svg", ".txt"])
def test_an_export_shows_the_mark_that_a_name_has(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"p{suffix}"
    export_picture(Picture("", (Box("a\u202eb", "a\u202eb"),)), target)
    assert "u202e" in target.read_text("utf-8")


def test_what_is_seen_stays() -> None:
    text = "plain, \u00fcml\u00e4ut, \u05d0\u05d1, \u4e2d, \U0001f469\u200d\U0001f4bb, two\nlines\tand a tab"
    assert visible(text) == text
