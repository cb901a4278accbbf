"""Which scopes are open at first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.show.content.open_at_first import Openable, choose_open
from penstock.show.content.picture import Box, Group, Picture
from penstock.show.page.page_scopes import page_scopes


def opened(picture: Picture) -> set[str]:
    return {scope.path for _, scope in page_scopes(picture)[0] if scope.open and scope.path}


def scope(name: str, count: int, type: str = "Add") -> tuple[Box, ...]:
    path = tuple(name.split("/"))
    return tuple(Box(f"{name}/n{number}", f"n{number}", type=type, group=path) for number in range(count))


def test_all_scopes_of_a_small_picture_are_open() -> None:
    assert opened(Picture("", (*scope("a", 5), *scope("a/b", 3, "Mul"), *scope("c", 9, "Sub")))) == {"a", "a/b", "c"}


def test_small_scopes_are_opened_before_large_ones_and_outer_before_inner() -> None:
    picture = Picture("", (*scope("large", 60, "Mul"), *scope("small", 5, "Sub"), *scope("small/in", 50)))
    assert opened(picture) == {"small"}


def test_equal_scopes_are_open_together_or_closed_together() -> None:
    four = [box for name in ("north", "east", "south", "west") for box in scope(name, 12)]
    assert opened(Picture("", (*four[:36],))) == {"north", "east", "south"}
    assert opened(Picture("", tuple(four))) == set()
    # Inside another scope too, although there would be room for one of them.
    inner = scope("outer/again", 12)
    assert opened(Picture("", (*four[:36], *inner))) == {"outer"}


def test_a_row_is_open_only_with_its_members() -> None:
    few = [box for number in range(3) for box in scope(f"step_{number}", 6)]
    assert opened(Picture("", tuple(few))) == {"step x3", "step_0", "step_1", "step_2"}
    many = [box for number in range(9) for box in scope(f"step_{number}", 6)]
    assert opened(Picture("", tuple(many))) == set()


def test_a_mark_opens_and_closes_whatever_the_budget_says() -> None:
    boxes = (*scope("a", 60), *scope("b", 2, "Mul"))
    marks = (Group(("a",), open=True), Group(("b",), collapsed=True))
    assert opened(Picture("", boxes, groups=marks)) == {"a"}


def trees() -> st.SearchStrategy[Openable]:
    leaf = st.builds(Openable, st.integers(1, 9), st.integers(0, 3))
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            lambda inside, more, structure: Openable(len(inside) + more, structure, inside),
            st.lists(inner, min_size=1, max_size=4), st.integers(0, 6), st.integers(4, 6)),
        max_leaves=12)  # fmt: skip


@given(trees(), st.integers(1, 40))
def test_the_budget_is_kept_and_equal_scopes_in_view_are_alike(root: Openable, limit: int) -> None:
    choose_open(root, limit)
    seen: list[Openable] = [root]
    for each in seen:
        seen += each.inner if each.open else []
    boxes = root.size + sum(each.size - 1 for each in seen[1:] if each.open)
    assert boxes <= max(limit, root.size)
    for structure in range(7):
        assert len({each.open for each in seen[1:] if each.structure == structure}) <= 1
