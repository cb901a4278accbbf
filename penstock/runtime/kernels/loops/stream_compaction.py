"""Functions of whole registers that the nests of stream compaction call: bits of labels, chosen elements to the front.

Nests of 64 elements at a time (`nest.sequential.compaction_nests`) call them by name.
"""

from __future__ import annotations

from typing import Final

from ...llvm.toolchain import features

_NEEDED: Final = {1: "avx512vbmi2", 2: "avx512vbmi2", 4: "avx512f", 8: "avx512f"}
"""The feature of a processor that moves the chosen elements of so many bytes to the front of a register of 64 bytes."""
_LANES: Final = 16


def has_compress(element_bytes: int) -> bool:
    """Whether the processor moves the chosen elements of so many bytes."""
    return _NEEDED.get(element_bytes) in features()


def bits_of_labels(label_bytes: int, binary: bool) -> str:
    """`@bits_of_labels(word, seen, ones, labels)`: one bit of each of 64 labels, set where it is not 0, lowest first.

    Labels that are to be `binary` are or-ed to the 16 numbers at `seen`; the number of set bits is added to the one at
    `ones`.
    """
    many = f"<{_LANES} x i{8 * label_bytes}>"
    quarters, word, seen = [], "0", "%seen"
    for q in range(64 // _LANES):
        quarters.append(f"""  %from.{q} = getelementptr inbounds {many}, ptr %labels.at, i64 {q}
  %some.{q} = load {many}, ptr %from.{q}, align 1
  %true.{q} = icmp ne {many} %some.{q}, zeroinitializer
  %mask.{q} = bitcast <{_LANES} x i1> %true.{q} to i{_LANES}
  %wide.{q} = zext i{_LANES} %mask.{q} to i64
  %shifted.{q} = shl i64 %wide.{q}, {_LANES * q}
  %word.{q} = or i64 {word}, %shifted.{q}
  %seen.{q} = or {many} {seen}, %some.{q}""")
        word, seen = f"%word.{q}", f"%seen.{q}"
    lines = "\n".join(quarters)
    return f"""declare i64 @llvm.ctpop.i64(i64)
define internal void @bits_of_labels(ptr %word.at, ptr %seen.at, ptr %ones.at, ptr %labels.at) #0 {{
  %seen = load {many}, ptr %seen.at, align 1
{lines}
  {f"store {many} {seen}, ptr %seen.at, align 1" if binary else ""}
  store i64 {word}, ptr %word.at, align 8
  %set = call i64 @llvm.ctpop.i64(i64 {word})
  %ones = load i64, ptr %ones.at, align 8
  %more = add i64 %ones, %set
  store i64 %more, ptr %ones.at, align 8
  ret void
}}"""


def compress(element_bytes: int, both: bool) -> str:
    """`@compress(zeros, ones, elements, gained, word)`: those of 64 elements whose bit of the word is set go to `ones`,
    the others to `zeros` if `both`, as whole registers; `gained` is how many. Nothing where the processor cannot.
    """
    if not has_compress(element_bytes):
        return ""
    lanes, bits = 64 // element_bytes, f"i{64 // element_bytes}"
    many = f"<{lanes} x i{8 * element_bytes}>"
    moved = f"@llvm.x86.avx512.mask.compress.v{lanes}i{8 * element_bytes}"
    lines = []
    for c in range(element_bytes):
        lines += [
            f"%at.{c} = getelementptr inbounds i8, ptr %elements, i64 {64 * c}",
            f"%lanes.{c} = load {many}, ptr %at.{c}, align 1",
            f"%shifted.{c} = lshr i64 %word, {lanes * c}",
            f"%one.bits.{c} = {'trunc' if lanes < 64 else 'bitcast'} i64 %shifted.{c} to {bits}",
            f"%zero.bits.{c} = xor {bits} %one.bits.{c}, -1",
        ]
        for name in ("one", "zero")[: 1 + both]:
            to = f"%{name}.to.{c}" if c else f"%{name}s"
            lines += [
                f"%{name}.mask.{c} = bitcast {bits} %{name}.bits.{c} to <{lanes} x i1>",
                f"%{name}.moved.{c} = call {many} {moved}({many} %lanes.{c}, {many} zeroinitializer, "
                f"<{lanes} x i1> %{name}.mask.{c})",
                f"store {many} %{name}.moved.{c}, ptr {to}, align 1",
                f"%{name}.set.{c} = call {bits} @llvm.ctpop.{bits}({bits} %{name}.bits.{c})",
                f"%{name}.count.{c} = {'zext' if lanes < 64 else 'bitcast'} {bits} %{name}.set.{c} to i64",
                f"%{name}.to.{c + 1} = getelementptr inbounds i{8 * element_bytes}, ptr {to}, i64 %{name}.count.{c}",
            ]
    body = "\n  ".join(lines)
    declared = {f"declare {each} @llvm.ctpop.{each}({each})" for each in ("i64", bits)}
    return "\n".join([*declared, f"""declare {many} {moved}({many}, {many}, <{lanes} x i1>)
define internal void @compress(ptr %zeros, ptr %ones, ptr %elements, ptr %gained, i64 %word) #0 {{
  {body}
  %set = call i64 @llvm.ctpop.i64(i64 %word)
  store i64 %set, ptr %gained, align 8
  ret void
}}"""])
