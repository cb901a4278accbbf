"""A script without what says nothing has the same tokens in the same lines."""

from __future__ import annotations

import pytest

from penstock.show.play.compact_script import compact_script


@pytest.mark.parametrize(
    ("script", "made"),
    [
        ("const a = 1; // one\n\n  return a + b;", "const a=1;\nreturn a+b;"),
        ('f("a  b // c", \'d  "e\')', 'f("a  b // c",\'d  "e\')'),
        ("`a  ${ g(`b  ${c}`, '}') }  // d`  +  e", "`a  ${ g(`b  ${c}`, '}') }  // d`+e"),
        ("x.replace(/a  [/\"] b/g, y) / 2", "x.replace(/a  [/\"] b/g,y)/2"),
        ("return /  x/.test(y) in z", "return/  x/.test(y)in z"),
        ("a + +b - -c", "a+ +b- -c"),
        ("a / b / c // d", "a/b/c"),
        ("x[y++ / 2] + z--  /  3 / w", "x[y++/2]+z--/3/w"),
        ("y++ / 2; // a / b\nz", "y++/2;\nz"),
        ("a + ++b / c / d", "a+ ++b/c/d"),
        ("a - /x  y/.exec(b).index", "a-/x  y/.exec(b).index"),
        ("f(++/  x/.lastIndex)", "f(++/  x/.lastIndex)"),
        ("let x = typeof  y;\n// only a comment\nlet z", "let x=typeof y;\nlet z"),
    ],
)
def test_only_comments_and_spaces_that_say_nothing_are_left_out(script: str, made: str) -> None:
    assert compact_script(script) == made


def test_what_is_compact_stays_as_it_is() -> None:
    script = "const f = (a) => `${a}  b`; // c\nf(/d e/);"
    assert compact_script(compact_script(script)) == compact_script(script)
