"""The loop of matrix products: tiles of the result are summed up in registers, straight from both matrices.

    out[i, j] = a[i, 0] * b[0, j], then + a[i, k] * b[k, j] for each further k, each with one rounding (fma)

A tile is up to 12 rows times two vectors of columns. For each k it loads two vectors of b, and multiplies them by one
number of a for each row. Nothing is packed: b is row-major, and the columns of b that one tile reads stay in the second
cache for the rows that follow; a may have any strides, so a transposed one costs the same.

A library for large matrices packs both operands first, which products of few rows cannot make up for. GFLOP/s of
NumPy's BLAS (OpenBLAS 0.3.30) and of this loop, float32, one thread of a Zen 5 server: 32x784x256 141 and 241,
32x256x256 158 and 242, 128x784x256 216 and 264, 784x128x256 with a transposed a 242 and 266, 64x256x512 196 and 258.
"""

from __future__ import annotations

from typing import Final

from ...llvm.array_head import load_data
from ...llvm.toolchain import features
from ..loops.loop_ir import AS_WRITTEN
from ..loops.loop_template import template

MOST_ROWS: Final = 12
"""Rows of the largest tile: 24 sums, two vectors of b and one number of a fit into 32 registers."""
_TYPES: Final = {"f4": ("float", "f32", 4), "f8": ("double", "f64", 8)}


@template("matrix_product", "aaaaaiiiiiiiiiiii", saves=3e-12)  # the work is the multiplications
def matrix_product_loop(kind: str, rows: int, rest: int) -> tuple[str, str]:
    """loop(out, a, b, c, d, row, tiles, larger, columns, from, to, a_row, a_col, b_row, out_row, c_row, how) -> 0.

    With s, the sum of products of k in [from, to), it writes to `tiles` tiles of rows of `out` from `row` on: s if
    `how` is 1, c + s if it is 0, and c - s * d, d being one number, if it is 2. c may be `out`, or one row for all
    (c_row is 0). Strides are in elements.

    kind: "f4" or "f8". rows: of a tile; the first `larger` tiles have one more. rest: the columns beyond whole panels
    of two vectors.
    """
    t, suffix, size = _TYPES[kind]
    lanes, panel = 64 // size, panel_of(kind)
    widths = [panel, rest] if rest else [panel]
    parts = [_tile(t, suffix, lanes, rows + more, width) for width in widths for more in (0, 1)]
    parts += [_panel(t, rows, width) for width in widths]
    v = f"<{lanes} x {t}>"
    whole = ("ptr %a, i64 %ar, i64 %ac, ptr {0}, i64 %br, ptr {1}, i64 %or, ptr {2}, i64 %cr, i64 %depth, i64 %how, "
             + t + " %d, i64 %tiles, i64 %larger")  # fmt: skip
    last = f"""%b.rest = getelementptr {t}, ptr %b, i64 %whole
  %o.rest = getelementptr {t}, ptr %o, i64 %whole
  %c.rest = getelementptr {t}, ptr %c, i64 %whole
  call void @panel{rest}({whole.format("%b.rest", "%o.rest", "%c.rest")})""" if rest else ""  # fmt: skip
    text = "\n".join(parts)
    return f"""declare {v} @llvm.fma.v{lanes}{suffix}({v}, {v}, {v})
declare {v} @llvm.masked.load.v{lanes}{suffix}.p0(ptr, i32, <{lanes} x i1>, {v})
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.masked.store.v{lanes}{suffix}.p0({v}, ptr, i32, <{lanes} x i1>)
{text}
define i64 @matrix_product(ptr %out_object, ptr %a_object, ptr %b_object, ptr %c_object, ptr %d_object,
    i64 %row, i64 %tiles, i64 %larger, i64 %columns, i64 %from, i64 %to, i64 %ar, i64 %ac, i64 %br, i64 %or, i64 %cr,
    i64 %how) #0 {{
entry:
  {load_data("%out", "%out_object")}
  {load_data("%x", "%a_object")}
  {load_data("%y", "%b_object")}
  {load_data("%z", "%c_object")}
  {load_data("%n", "%d_object")}
  %d = load {t}, ptr %n, align 1
  %depth = sub i64 %to, %from
  %a.columns = mul i64 %from, %ac
  %a.rows = mul i64 %row, %ar
  %a.begin = add i64 %a.columns, %a.rows
  %a = getelementptr {t}, ptr %x, i64 %a.begin
  %b.begin = mul i64 %from, %br
  %b = getelementptr {t}, ptr %y, i64 %b.begin
  %o.begin = mul i64 %row, %or
  %o = getelementptr {t}, ptr %out, i64 %o.begin
  %c.begin = mul i64 %row, %cr
  %c = getelementptr {t}, ptr %z, i64 %c.begin
  %whole = sub i64 %columns, {rest}
  %some = icmp sgt i64 %whole, 0
  br i1 %some, label %panels, label %rest
panels:
  %j = phi i64 [0, %entry], [%j.next, %panels]
  %b.j = getelementptr {t}, ptr %b, i64 %j
  %o.j = getelementptr {t}, ptr %o, i64 %j
  %c.j = getelementptr {t}, ptr %c, i64 %j
  call void @panel{panel}({whole.format("%b.j", "%o.j", "%c.j")})
  %j.next = add i64 %j, {panel}
  %more = icmp slt i64 %j.next, %whole
  br i1 %more, label %panels, label %rest, !llvm.loop !0
rest:
  {last}
  ret i64 0
}}
{AS_WRITTEN}""", "matrix_product"


def has_tiles() -> bool:
    """Whether tiles of this size fit into the vector registers: 32 of 64 bytes."""
    return "avx512f" in features()


def panel_of(kind: str) -> int:
    """The columns of a panel."""
    return 128 // _TYPES[kind][2]


def _panel(t: str, rows: int, width: int) -> str:
    """All tiles of a few columns, one below the other: the function @panel{width}."""
    call = ("ptr %a.i, i64 %ar, i64 %ac, ptr %b, i64 %br, ptr %o.i, i64 %or, ptr %c.i, i64 %cr, i64 %depth, "
            f"i64 %how, {t} %d")  # fmt: skip
    return f"""define internal void @panel{width}(ptr %a, i64 %ar, i64 %ac, ptr %b, i64 %br, ptr %o, i64 %or,
    ptr %c, i64 %cr, i64 %depth, i64 %how, {t} %d, i64 %tiles, i64 %larger) noinline #0 {{
entry:
  br label %tile
tile:
  %i = phi i64 [0, %entry], [%i.next, %next]
  %a.i = phi ptr [%a, %entry], [%a.next, %next]
  %o.i = phi ptr [%o, %entry], [%o.next, %next]
  %c.i = phi ptr [%c, %entry], [%c.next, %next]
  %is_larger = icmp slt i64 %i, %larger
  br i1 %is_larger, label %one_more, label %usual
one_more:
  call void @tile{rows + 1}x{width}({call})
  br label %next
usual:
  call void @tile{rows}x{width}({call})
  br label %next
next:
  %height = phi i64 [{rows + 1}, %one_more], [{rows}, %usual]
  %a.step = mul i64 %height, %ar
  %a.next = getelementptr {t}, ptr %a.i, i64 %a.step
  %o.step = mul i64 %height, %or
  %o.next = getelementptr {t}, ptr %o.i, i64 %o.step
  %c.step = mul i64 %height, %cr
  %c.next = getelementptr {t}, ptr %c.i, i64 %c.step
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %tiles
  br i1 %more, label %tile, label %end, !llvm.loop !0
end:
  ret void
}}"""


def _tile(t: str, suffix: str, lanes: int, rows: int, width: int) -> str:
    """The function @tile{rows}x{width}: the sums stay in registers until all k are added."""
    v = f"<{lanes} x {t}>"
    columns = range(-(-width // lanes))
    masks = {c: width - c * lanes for c in columns if width - c * lanes < lanes}

    def load(name: str, place: str, c: int) -> str:
        if c not in masks:
            return f"{name} = load {v}, ptr {place}, align 1"
        arguments = f"ptr {place}, i32 1, {_mask(lanes, masks[c])}, {v} zeroinitializer"
        return f"{name} = call {v} @llvm.masked.load.v{lanes}{suffix}.p0({arguments})"

    def store(value: str, place: str, c: int) -> str:
        if c not in masks:
            return f"store {v} {value}, ptr {place}, align 1"
        mask = _mask(lanes, masks[c])
        return f"call void @llvm.masked.store.v{lanes}{suffix}.p0({v} {value}, ptr {place}, i32 1, {mask})"

    lines = [f"""define internal void @tile{rows}x{width}(ptr %a, i64 %ar, i64 %ac, ptr %b, i64 %br, ptr %o, i64 %or,
    ptr %c, i64 %cr, i64 %depth, i64 %how, {t} %d) noinline #0 {{
entry:"""]  # fmt: skip
    for r in range(rows):
        lines += [f"  %a{r}.row = mul i64 %ar, {r}", f"  %a{r} = getelementptr {t}, ptr %a, i64 %a{r}.row"]
    # What is added comes from memory while the sums are computed: the processor does not fetch 12 pieces of 128 bytes
    # ahead. 50 products of 32x128x512, each with another matrix of 64 KiB, in a loop: 2.5 ms instead of 2.8.
    lines += ["  %is_new = icmp eq i64 %how, 1", "  br i1 %is_new, label %sum, label %ahead", "ahead:"]
    for r in range(rows):
        lines += [f"  %ahead{r}.row = mul i64 %cr, {r}", f"  %ahead{r} = getelementptr {t}, ptr %c, i64 %ahead{r}.row"]
        for c in columns:
            lines += [f"  %ahead{r}.{c} = getelementptr {t}, ptr %ahead{r}, i64 {c * lanes}",
                      f"  call void @llvm.prefetch.p0(ptr %ahead{r}.{c}, i32 0, i32 3, i32 1)"]
    lines += ["  br label %sum", "sum:"]
    lines.append("""  br label %loop
loop:
  %k = phi i64 [0, %sum], [%k.next, %loop]
  %ak = phi i64 [0, %sum], [%ak.next, %loop]
  %bk = phi ptr [%b, %sum], [%bk.next, %loop]""")
    for r in range(rows):
        lines += [f"  %s{r}.{c} = phi {v} [zeroinitializer, %sum], [%t{r}.{c}, %loop]" for c in columns]
    for c in columns:
        lines += [f"  %b{c}.at = getelementptr {t}, ptr %bk, i64 {c * lanes}", "  " + load(f"%b{c}", f"%b{c}.at", c)]
    for r in range(rows):
        lines.append(f"""  %x{r}.at = getelementptr {t}, ptr %a{r}, i64 %ak
  %x{r} = load {t}, ptr %x{r}.at, align 1
  %x{r}.one = insertelement {v} poison, {t} %x{r}, i32 0
  %x{r}.all = shufflevector {v} %x{r}.one, {v} poison, <{lanes} x i32> zeroinitializer""")
        for c in columns:
            arguments = f"{v} %x{r}.all, {v} %b{c}, {v} %s{r}.{c}"
            lines.append(f"  %t{r}.{c} = call {v} @llvm.fma.v{lanes}{suffix}({arguments})")
    lines.append(f"""  %k.next = add i64 %k, 1
  %ak.next = add i64 %ak, %ac
  %bk.next = getelementptr {t}, ptr %bk, i64 %br
  %more = icmp slt i64 %k.next, %depth
  br i1 %more, label %loop, label %summed, !llvm.loop !0
summed:
  %d.one = insertelement {v} poison, {t} %d, i32 0
  %d.all = shufflevector {v} %d.one, {v} poison, <{lanes} x i32> zeroinitializer
  switch i64 %how, label %old [ i64 1, label %new
    i64 2, label %less ]""")
    for name in ("new", "old", "less"):
        lines.append(f"{name}:")
        for r in range(rows):
            row = f"%{name}{r}"
            lines += [f"  {row}.row = mul i64 %or, {r}", f"  {row} = getelementptr {t}, ptr %o, i64 {row}.row"]
            if name != "new":
                lines.append(f"  {row}.c.row = mul i64 %cr, {r}")
                lines.append(f"  {row}.c = getelementptr {t}, ptr %c, i64 {row}.c.row")
            for c in columns:
                at, total = f"%{name}{r}.{c}", f"%{name}{r}.{c}.sum"
                lines.append(f"  {at}.at = getelementptr {t}, ptr {row}, i64 {c * lanes}")
                lines.append(f"  {total} = fadd {v} %t{r}.{c}, zeroinitializer")  # BLAS adds to zeros: no -0.0
                if name != "new":
                    lines.append(f"  {at}.c.at = getelementptr {t}, ptr {row}.c, i64 {c * lanes}")
                    lines.append("  " + load(f"{at}.before", f"{at}.c.at", c))
                if name == "less":
                    lines.append(f"  {at}.part = fmul {v} {total}, %d.all")
                    total = f"{at}.part"
                if name != "new":
                    lines.append(f"  {at}.end = {'fadd' if name == 'old' else 'fsub'} {v} {at}.before, {total}")
                    total = f"{at}.end"
                lines.append("  " + store(total, f"{at}.at", c))
        lines.append("  ret void")
    return "\n".join([*lines, "}"])


def _mask(lanes: int, count: int) -> str:
    bits = ", ".join([f"i1 {str(i < count).lower()}" for i in range(lanes)])
    return f"<{lanes} x i1> <{bits}>"
