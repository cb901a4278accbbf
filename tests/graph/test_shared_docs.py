"""Docstrings that a family shares."""

import inspect
import subprocess
import sys

from penstock.graph.declare.shared_docs import documented_like, named


def first(x: int, /, y: int = 0, *rest: int, name: str = "", other: int = 1) -> int:
    """The first one (of many) is what the first is.

    Args:
        x, other: numbers,
            which are said together.
        y: one more.
        *rest: all others.
        name: what it is called.

    Returns:
        An int.

    Raises:
        ValueError: never.

    >>> first(1)
    1

    Source: nowhere, `first`.
    """
    return x


def test_what_a_docstring_lacks_is_taken_from_the_sibling() -> None:
    @documented_like(first)
    def second(y: int, x: int) -> int:
        """The second one."""
        return y

    assert second.__doc__ == inspect.cleandoc("""
        The second one.

        Args:
            y: one more.
            x: numbers,
                which are said together.

        Returns:
            An int.

        Raises:
            ValueError: never.

        >>> second(1)
        1

        Source: nowhere, `second`.
    """) + "\n"  # fmt: skip


def test_what_a_docstring_says_stays() -> None:
    @documented_like(first)
    def second(x: int, z: int, *rest: int) -> int:
        """The second one.

        More about it.

        Args:
            z: a letter.
            x: a number.

        Raises:
            TypeError: always.
        """
        return z

    parts = (second.__doc__ or "").split("\n\n")
    assert parts[:2] == ["The second one.", "More about it."]
    assert parts[2] == "Args:\n    x: a number.\n    z: a letter.\n    *rest: all others."
    assert parts[4] == "Raises:\n    TypeError: always."


def test_a_class_describes_the_parameters_of_its_constructor() -> None:
    @documented_like(first)
    class Third:
        """The third one."""

        def __init__(self, x: int, *, other: int = 0) -> None: ...

    parts = (Third.__doc__ or "").split("\n\n")
    assert parts[1] == "Args:\n    x, other: numbers,\n        which are said together."
    assert "Third(1)" in parts[4]


def test_without_parameters_there_are_no_arguments() -> None:
    @documented_like(first)
    def fourth() -> int:
        """The fourth one."""
        return 4

    assert "Args" not in (fourth.__doc__ or "")


def test_a_member_of_a_family_has_its_name_and_words() -> None:
    @named("fifth", law="x\n+ 1")
    def function(x: int) -> int:
        """{name}: {law}.

        >>> {x: fifth}
        """
        return x + 1

    assert (function.__name__, function.__qualname__) == ("fifth", "fifth")
    assert function.__doc__ == "fifth: x\n+ 1.\n\n>>> {x: fifth}\n"


def test_without_docstrings_there_is_nothing_to_share() -> None:
    program = "import penstock as tf; print(tf.assert_less.__name__, tf.assert_less.__doc__)"
    command = [sys.executable, "-OO", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.split() == ["assert_less", "None"]
