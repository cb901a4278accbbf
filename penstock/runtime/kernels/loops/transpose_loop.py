"""The function that exchanges rows and columns of a block in registers: what nests of transposes call.

A square block is loaded into registers, row by row, exchanged there, and stored row by row: each line of the
cache is read and written once, by whole vectors. The exchange is a butterfly: first the halves of the block change
places, then the quarters of each half, down to single elements.

    a b c d        a b i j       a e i m
    e f g h   ->   e f m n   ->  b f j n
    i j k l        c d k l       c g k o
    m n o p        g h o p       d h l p
"""

from __future__ import annotations

from ...llvm.toolchain import features


def lanes(itemsize: int) -> int:
    """Rows and columns of a block: as many elements as one of the processor's registers holds, but 4 to 16."""
    there = features()
    width = 64 if "avx512f" in there else 32 if "avx2" in there else 16
    return min(16, max(4, width // itemsize))


def side_of(itemsize: int, most: int = 16) -> int:
    """Rows and columns of the blocks of a transpose that may have `most`."""
    return min(most, lanes(itemsize))


def exchange(itemsize: int, most: int = 16) -> str:
    """`@exchange4(to, from, row of x, row of out)`: the rows of a block at `from` are the columns of one at `to`.

    Strides are in bytes.
    """
    side = side_of(itemsize, most)
    lines = _by_elements(side) if itemsize == 16 else _in_registers(f"i{8 * itemsize}", side)
    return f"""define internal void @exchange{itemsize}(ptr %to, ptr %from, i64 %x_row, i64 %out_row) #0 {{
  {lines}
  ret void
}}"""


def _in_registers(kind: str, side: int) -> str:
    """Lines that move `side` rows at %from, %x_row bytes apart, to columns at %to, %out_row bytes apart."""
    vector = f"<{side} x {kind}>"
    lines = []
    for r in range(side):
        lines += [
            f"%from{r}_at = mul i64 %x_row, {r}",
            f"%from{r} = getelementptr i8, ptr %from, i64 %from{r}_at",
            f"%v0_{r} = load {vector}, ptr %from{r}, align 1",
        ]
    stage, distance = 0, side // 2
    while distance:
        for r in range(side):
            if r & distance:
                continue
            pair = f"{vector} %v{stage}_{r}, {vector} %v{stage}_{r | distance}"
            low = [side + (i & ~distance) if i & distance else i for i in range(side)]
            high = [side + i if i & distance else i | distance for i in range(side)]
            for to, mask in ((r, low), (r | distance, high)):
                chosen = ", ".join(f"i32 {m}" for m in mask)
                lines.append(f"%v{stage + 1}_{to} = shufflevector {pair}, <{side} x i32> <{chosen}>")
        stage, distance = stage + 1, distance // 2
    for r in range(side):
        lines += [
            f"%to{r}_at = mul i64 %out_row, {r}",
            f"%to{r} = getelementptr i8, ptr %to, i64 %to{r}_at",
            f"store {vector} %v{stage}_{r}, ptr %to{r}, align 1",
        ]
    return "\n  ".join(lines)


def _by_elements(side: int) -> str:
    """Elements that fill a register alone are moved one by one."""
    lines = []
    for r in range(side):
        lines += [f"%from{r}_at = mul i64 %x_row, {r}", f"%from{r} = getelementptr i8, ptr %from, i64 %from{r}_at"]
        lines += [f"%to{r}_at = mul i64 %out_row, {r}", f"%to{r} = getelementptr i8, ptr %to, i64 %to{r}_at"]
    for c in range(side):
        for r in range(side):
            lines += [
                f"%from{r}_{c} = getelementptr i8, ptr %from{r}, i64 {16 * c}",
                f"%v{r}_{c} = load <2 x i64>, ptr %from{r}_{c}, align 1",
                f"%to{c}_{r} = getelementptr i8, ptr %to{c}, i64 {16 * r}",
                f"store <2 x i64> %v{r}_{c}, ptr %to{c}_{r}, align 1",
            ]
    return "\n  ".join(lines)
