"""Live buffers never overlap, and the arena is near its minimum."""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.runtime.planning import offset_allocator
from penstock.runtime.planning.offset_allocator import ALIGNMENT, ArenaLayout, LiveBuffer, _closest_gap, lay_out


@st.composite
def programs(draw: st.DrawFn) -> list[LiveBuffer]:
    """Buffers in any order; donors are any slots, fitting or not, present or not."""
    count = draw(st.integers(0, 14))
    buffers = []
    for slot in range(count):
        first = draw(st.integers(-2, 12))
        last = first + draw(st.integers(0, 5))
        size = draw(st.sampled_from([0, 1, 64, 100, 640, 1000]) | st.integers(0, 5000))
        donors = draw(st.lists(st.integers(0, count + 1), max_size=3))
        buffers.append(LiveBuffer(slot, size, first, last, tuple(donors)))
    return buffers


def program(seed: int, count: int) -> list[LiveBuffer]:
    """A run of operations with results of very different sizes, most of them used soon, some much later."""
    rng = random.Random(seed)
    buffers: list[LiveBuffer] = []
    for step in range(count):
        last = min(count, step + (rng.randint(1, 4) if rng.random() < 0.85 else rng.randint(1, 60)))
        ending = tuple(live.slot for live in buffers[-6:] if live.last == step)
        donors = ending if rng.random() < 0.6 else ()
        buffers.append(LiveBuffer(step, int(2 ** rng.uniform(6, 24)), step, last, donors))
    return buffers


def complaints(buffers: Sequence[LiveBuffer], layout: ArenaLayout) -> list[str]:
    """What is wrong with a layout, if anything."""
    found = []
    by_slot = {live.slot: live for live in buffers}
    if layout.offsets.keys() != by_slot.keys():
        return ["not exactly the slots that were given"]
    for slot, donor in layout.in_place.items():
        taker, giver = by_slot[slot], by_slot[donor]
        if donor not in taker.donors or giver.last != taker.first or giver.size + 63 < taker.size:
            found.append(f"{slot} may not take over {donor}")
        if layout.offsets[slot] != layout.offsets[donor]:
            found.append(f"{slot} took over {donor} and lies elsewhere")
    if len(set(layout.in_place.values())) < len(layout.in_place):
        found.append("a buffer was taken over twice")
    for live in buffers:
        offset = layout.offsets[live.slot]
        if offset % ALIGNMENT or offset < 0 or offset + live.size > layout.total:
            found.append(f"{live.slot} lies at {offset} of {layout.total}")
    for one, two in combinations(buffers, 2):
        if one.last < two.first or two.last < one.first or not one.size or not two.size:
            continue
        is_pair = layout.in_place.get(one.slot) == two.slot or layout.in_place.get(two.slot) == one.slot
        if is_pair and min(one.last, two.last) == max(one.first, two.first):
            continue
        start, other = layout.offsets[one.slot], layout.offsets[two.slot]
        if start < other + two.size and other < start + one.size:
            found.append(f"{one.slot} and {two.slot} overlap")
    if layout.total < layout.minimum:
        found.append("smaller than the minimum")
    return found


def counted_minimum(buffers: Sequence[LiveBuffer], layout: ArenaLayout) -> int:
    """The minimum by its definition, step by step."""

    def at(step: int) -> int:
        alive = [live for live in buffers if live.first <= step <= live.last]
        counted = [live for live in alive if not (live.slot in layout.in_place and live.first == step)]
        return sum(-(-live.size // ALIGNMENT) * ALIGNMENT for live in counted)

    steps = range(min(live.first for live in buffers), max(live.last for live in buffers) + 1)
    return max(map(at, steps))


@given(programs())
def test_no_two_buffers_alive_at_one_step_overlap(buffers: list[LiveBuffer]) -> None:
    layout = lay_out(buffers)
    assert complaints(buffers, layout) == []
    if buffers:
        assert layout.minimum == counted_minimum(buffers, layout)


@pytest.mark.parametrize("way", ["_by_first_use", "_largest_first"])
@given(buffers=programs())
def test_each_way_by_itself_keeps_the_rule(way: str, buffers: list[LiveBuffer]) -> None:
    chosen = lay_out(buffers)
    ordered = sorted(buffers, key=lambda live: live.first)
    sizes = {live.slot: -(-live.size // ALIGNMENT) * ALIGNMENT for live in ordered}
    offsets, total = getattr(offset_allocator, way)(ordered, sizes, chosen.in_place)
    assert complaints(buffers, ArenaLayout(offsets, total, chosen.minimum, chosen.in_place)) == []
    assert chosen.total <= total


@given(programs(), st.randoms(use_true_random=False))
def test_equal_programs_get_equal_layouts(buffers: list[LiveBuffer], rng: random.Random) -> None:
    layout = lay_out(buffers)
    assert lay_out(list(buffers)) == layout
    shuffled = rng.sample(buffers, len(buffers))
    assert complaints(shuffled, lay_out(shuffled)) == []


@pytest.mark.parametrize(
    ("offsets", "in_place", "complaint"),
    [
        ({0: 0, 1: 64}, {}, "0 and 1 overlap"),
        ({0: 0, 1: 100}, {}, "1 lies at 100 of 256"),
        ({0: 0, 1: 192}, {}, "1 lies at 192 of 256"),
        ({0: 0}, {}, "not exactly the slots that were given"),
        ({0: 0, 1: 128}, {1: 0}, "1 took over 0 and lies elsewhere"),
        ({0: 0, 1: 0}, {0: 1}, "0 may not take over 1"),
    ],
)
def test_the_check_of_layouts_sees_a_violation(
    offsets: dict[int, int], in_place: dict[int, int], complaint: str
) -> None:
    buffers = [LiveBuffer(0, 100, 0, 3), LiveBuffer(1, 100, 3, 4, (0,))]
    assert complaint in complaints(buffers, ArenaLayout(offsets, 256, 256, in_place))


@pytest.mark.parametrize("length", [1, 2, 3, 50, 1000])
def test_a_chain_needs_two_buffers_and_one_if_it_works_in_place(length: int) -> None:
    size = 40_000
    plain = [LiveBuffer(step, size, step, step + 1) for step in range(length)]
    assert lay_out(plain).total == size * min(length, 2)
    in_place = [LiveBuffer(step, size, step, step + 1, (step - 1,)) for step in range(length)]
    layout = lay_out(in_place)
    assert layout.total == layout.minimum == size
    assert layout.in_place == {step: step - 1 for step in range(1, length)}


def test_buffers_of_one_size_always_reach_the_minimum() -> None:
    for seed in range(30):
        buffers = [LiveBuffer(live.slot, 640, live.first, live.last) for live in program(seed, 300)]
        layout = lay_out(buffers)
        assert layout.total == layout.minimum


def test_of_several_donors_the_closest_fit_is_taken_and_each_gives_once() -> None:
    rows: list[tuple[Any, ...]] = [(0, 1000, 0, 2), (1, 300, 1, 2), (2, 250, 2, 3, (0, 1)), (3, 250, 2, 3, (0, 1))]
    buffers = [LiveBuffer(*row) for row in rows]
    assert lay_out(buffers).in_place == {2: 1, 3: 0}


@pytest.mark.parametrize(
    "donor",
    [
        LiveBuffer(0, 99, 0, 2), LiveBuffer(0, 500, 0, 1), LiveBuffer(0, 500, 0, 3), LiveBuffer(0, 500, 2, 2),
        LiveBuffer(7, 500, 0, 2),
    ],
    ids=["too small", "ends before", "ends after", "begins with it", "not named"],
)
def test_a_buffer_that_does_not_fit_is_not_taken_over(donor: LiveBuffer) -> None:
    assert lay_out([donor, LiveBuffer(1, 200, 2, 4, (0,))]).in_place == {}


def test_what_remains_of_a_larger_donor_is_free_again() -> None:
    buffers = [LiveBuffer(0, 1024, 0, 1), LiveBuffer(1, 64, 1, 5, (0,)), LiveBuffer(2, 960, 2, 5)]
    layout = lay_out(buffers)
    assert layout.total == 1024
    assert complaints(buffers, layout) == []


def test_random_programs_come_close_to_the_minimum() -> None:
    ratios = []
    for count in (10, 30, 100, 250, 1000):
        for seed in range(20 if count < 1000 else 5):
            buffers = program(seed, count)
            layout = lay_out(buffers)
            if count <= 100:
                assert complaints(buffers, layout) == []
            ratios.append(layout.total / layout.minimum)
    ratios.sort()
    assert ratios[len(ratios) // 2] <= 1.05
    assert ratios[len(ratios) * 9 // 10] <= 1.3
    assert ratios[-1] <= 1.6


def test_many_small_buffers_need_no_quadratic_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the slow way was taken")

    monkeypatch.setattr(offset_allocator, "_largest_first", refuse)
    rng = random.Random(1)
    buffers = [LiveBuffer(s, rng.choice((64, 256, 4096)), s, s + rng.randint(1, 9)) for s in range(40_000)]
    layout = lay_out(buffers)
    assert layout.total <= 1.3 * layout.minimum


@pytest.mark.parametrize(
    ("buffers", "message"),
    [
        ([LiveBuffer(0, -1, 0, 1)], "-1 bytes from step 0 to step 1; a buffer has 0 or more"),
        ([LiveBuffer(0, 8, 2, 1)], "8 bytes from step 2 to step 1; a buffer has 0 or more"),
        ([LiveBuffer(0, 8, 0, 1), LiveBuffer(0, 8, 1, 2)], "slot 0 has several buffers; a slot has one"),
    ],
)
def test_buffers_that_make_no_sense_are_refused(buffers: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lay_out(buffers)


def test_nothing_needs_nothing() -> None:
    assert lay_out([]) == ArenaLayout({}, 0, 0, {})
    assert lay_out([LiveBuffer(3, 0, 0, 4)]) == ArenaLayout({3: 0}, 0, 0, {})


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_neighbours_that_die_one_after_the_other_make_room_for_one_as_large_as_both(order: tuple[int, int]) -> None:
    """Whichever of two gaps is there first, the other is joined to it."""
    size = 10 * ALIGNMENT
    ends = [2 + order[0], 2 + order[1]]
    first, second = LiveBuffer(0, size, 0, ends[0]), LiveBuffer(1, size, 0, ends[1])
    large = LiveBuffer(2, 2 * size, max(ends) + 1, max(ends) + 2)
    assert lay_out([first, second, large]).total == 2 * size
    walk = offset_allocator._by_first_use([first, second, large], {0: size, 1: size, 2: 2 * size}, {})
    assert walk[0][2] == 0 and walk[1] == 2 * size


def test_of_the_gaps_that_fit_the_smallest_is_taken() -> None:
    met = [(0, 64), (128, 192), (320, 384)]
    assert [_closest_gap(met, size) for size in (64, 128, 192)] == [64, 192, 384]
    assert _closest_gap([(0, 64), (192, 256), (320, 384)], 64) == 256
