"""A function of whole registers that the nest `merge_two` calls: the elements of two sorted lists in their order.

It needs a processor that spreads elements over chosen lanes, as `stream_compaction` one that moves chosen ones.
"""

from __future__ import annotations

from typing import Final

from .loop_keys import IN_WINDOWS
from .stream_compaction import has_compress

WINDOW: Final = 32
"""Places that are filled at a time: the bits of a mask."""
_PLACE: Final = 4
_LANES: Final = 64 // _PLACE
_PLACES: Final = f"<{_LANES} x i32>"
_HALVES: Final = range(WINDOW // _LANES)


def has_windows(element_bytes: int) -> bool:
    """Whether elements of so many bytes are merged by windows here."""
    return element_bytes in IN_WINDOWS and has_compress(element_bytes) and has_compress(_PLACE)


def merge_window(element_bytes: int) -> str:
    """`@merge_window(out, elements, others, places, their places, gained, begin)`: the `WINDOW` elements whose places
    follow each other from `begin` on, of two lists. Of each `WINDOW` entries are read.

    `gained` is how many come from the first list, or -1 if a place is missing, stands twice or in a wrong order; `out`
    then holds anything. Nothing where the processor cannot.

    The places of the first list become the bits of a mask. Its elements are spread where the mask is set, those of the
    other list where it is not. So are the places, and each has to come to stand at itself: that checks both lists.
    """
    if not has_windows(element_bytes):
        return ""
    lines = [
        "%low = trunc i64 %begin to i32",
        f"%low.one = insertelement {_PLACES} poison, i32 %low, i64 0",
        f"%lows = shufflevector {_PLACES} %low.one, {_PLACES} poison, {_PLACES} zeroinitializer",
        *[line for h in _HALVES for line in _bits(h)],
        f"%bits = or {_PLACES} %bits.0, %bits.1",
        f"%mask = call i32 @llvm.vector.reduce.or.v{_LANES}i32({_PLACES} %bits)",
        "%set = call i32 @llvm.ctpop.i32(i32 %mask)",
        "%count = add i32 %count.0, %count.1",
        "%right = icmp eq i32 %set, %count",
        *_spread("place", _PLACE, "%places", "%their.places"),
        *[line for h in _HALVES for line in _checks(h)],
        f"%all.right = and i1 %right.{_HALVES[-1]}, %right",
        *_spread("element", element_bytes, "%elements", "%others"),
    ]
    for c in range(WINDOW * element_bytes // 64):
        lines += [f"%to.{c} = getelementptr inbounds i8, ptr %out, i64 {64 * c}",
                  f"store {_register(element_bytes)} %element.all.{c}, ptr %to.{c}, align 1"]  # fmt: skip
    body = "\n  ".join(lines)
    function = f"""define internal void @merge_window(
    ptr noalias %out, ptr %elements, ptr %others, ptr %places, ptr %their.places, ptr noalias %gained, i64 %begin) #0 {{
  {body}
  %gain = zext i32 %count to i64
  %result = select i1 %all.right, i64 %gain, i64 -1
  store i64 %result, ptr %gained, align 8
  ret void
}}"""
    return "\n".join([*sorted(_declared(element_bytes)), function])


def _register(size: int) -> str:
    return f"<{64 // size} x i{8 * size}>"


def _spreading(size: int) -> str:
    return f"{_register(size)} @llvm.x86.avx512.mask.expand.v{64 // size}i{8 * size}"


def _declared(element_bytes: int) -> set[str]:
    return {
        *[f"declare {_spreading(size)}({_register(size)}, {_register(size)}, <{64 // size} x i1>)"
          for size in (_PLACE, element_bytes)],
        *[f"declare i{bits} @llvm.ctpop.i{bits}(i{bits})" for bits in (_LANES, 32)],
        f"declare i32 @llvm.vector.reduce.or.v{_LANES}i32({_PLACES})",
        f"declare {_PLACES} @llvm.x86.avx512.psllv.d.512({_PLACES}, {_PLACES})",
    }  # fmt: skip


def _bits(h: int) -> list[str]:
    """The bits of half h of the first list's places, none for those outside of the window, and how many are inside."""
    return [
        f"%half.{h} = getelementptr inbounds {_PLACES}, ptr %places, i64 {h}",
        f"%some.{h} = load {_PLACES}, ptr %half.{h}, align 1",
        f"%off.{h} = sub {_PLACES} %some.{h}, %lows",
        f"%bits.{h} = call {_PLACES} @llvm.x86.avx512.psllv.d.512({_PLACES} splat (i32 1), {_PLACES} %off.{h})",
        f"%is.inside.{h} = icmp ult {_PLACES} %off.{h}, splat (i32 {WINDOW})",
        f"%inside.{h} = bitcast <{_LANES} x i1> %is.inside.{h} to i{_LANES}",
        f"%few.{h} = call i{_LANES} @llvm.ctpop.i{_LANES}(i{_LANES} %inside.{h})",
        f"%count.{h} = zext i{_LANES} %few.{h} to i32",
    ]


def _checks(h: int) -> list[str]:
    """Whether the places of half h and those before it stand at themselves."""
    numbers = ", ".join([f"i32 {_LANES * h + k}" for k in range(_LANES)])
    lines = [
        f"%due.{h} = add {_PLACES} %lows, <{numbers}>",
        f"%equal.{h} = icmp eq {_PLACES} %due.{h}, %place.all.{h}",
        f"%equals.{h} = bitcast <{_LANES} x i1> %equal.{h} to i{_LANES}",
        f"%{'whole' if h else 'right'}.{h} = icmp eq i{_LANES} %equals.{h}, -1",
    ]
    return [*lines, f"%right.{h} = and i1 %right.{h - 1}, %whole.{h}"] if h else lines


def _spread(name: str, size: int, first: str, second: str) -> list[str]:
    """Registers `%name.all.c` of a window: entries of two lists in order, where the mask's bits are set and not set."""
    lanes, many, lines = 64 // size, _register(size), list[str]()
    bits = f"i{lanes}"
    for c in range(WINDOW // lanes):
        one = f"{name}.{c}"
        lines += [
            f"%before.{one} = and i32 %mask, {(1 << lanes * c) - 1}",
            f"%few.{one} = call i32 @llvm.ctpop.i32(i32 %before.{one})",
            f"%done.{one} = zext i32 %few.{one} to i64",
            f"%rest.{one} = sub i64 {lanes * c}, %done.{one}",
            f"%first.at.{one} = getelementptr inbounds i{8 * size}, ptr {first}, i64 %done.{one}",
            f"%first.{one} = load {many}, ptr %first.at.{one}, align 1",
            f"%second.at.{one} = getelementptr inbounds i{8 * size}, ptr {second}, i64 %rest.{one}",
            f"%second.{one} = load {many}, ptr %second.at.{one}, align 1",
            f"%high.{one} = lshr i32 %mask, {lanes * c}",
            f"%set.{one} = {'trunc' if lanes < WINDOW else 'bitcast'} i32 %high.{one} to {bits}",
            f"%unset.{one} = xor {bits} %set.{one}, -1",
            f"%is.set.{one} = bitcast {bits} %set.{one} to <{lanes} x i1>",
            f"%is.unset.{one} = bitcast {bits} %unset.{one} to <{lanes} x i1>",
            f"%{name}.half.{c} = call {_spreading(size)}({many} %first.{one}, {many} zeroinitializer, "
            f"<{lanes} x i1> %is.set.{one})",
            f"%{name}.all.{c} = call {_spreading(size)}({many} %second.{one}, {many} %{name}.half.{c}, "
            f"<{lanes} x i1> %is.unset.{one})",
        ]
    return lines
