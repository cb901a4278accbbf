"""Loops that interleave a few arrays element by element, and deinterleave one.

    zip     a0 a1 a2 ..., b0 b1 b2 ..., c0 c1 c2 ...   ->   a0 b0 c0 a1 b1 c1 a2 b2 c2 ...        unzip: backwards

Stacking along the last axis is a zip, and so is NCHW to NHWC with few channels; NHWC to NCHW is an unzip. A register
is loaded from each part, or from as many places of the whole, and fixed shuffles make each register of the result. The
remainder is moved element by element.
"""

from __future__ import annotations

from typing import Final

from .loop_ir import AS_WRITTEN
from .loop_template import template
from .transpose_loop import lanes


@template("zip", "pppiiii", fewest=1 << 15, saves=0.4e-9)
def zip_loop(itemsize: int, parts: int) -> tuple[str, str]:
    """loop(out, addresses, strides, count, images, image of a part, image of out) -> 0.

    out[k, i, p] = part p [k, i] for i < count, k < images, p < parts. addresses, strides: int64, of each part, the
    strides in bytes; vectors are used where the stride of all is an element's size. Image strides are in bytes.
    """
    lane = lanes(itemsize)
    vector, element = f"<{lane} x i{8 * itemsize}>", f"i{8 * itemsize}"
    blocks, singles = [], []
    for p in range(parts):
        blocks += [
            f"%b{p} = getelementptr i8, ptr %part{p}, i64 %b_bytes",
            f"%v{p} = load {vector}, ptr %b{p}, align 1",
        ]
        singles += [
            f"%s{p}_at = mul i64 %s, %stride{p}",
            f"%s{p} = getelementptr i8, ptr %part{p}, i64 %s{p}_at",
            f"%x{p} = load {element}, ptr %s{p}, align 1",
            f"%t{p} = getelementptr {element}, ptr %row, i64 {p}",
            f"store {element} %x{p}, ptr %t{p}, align 1",
        ]
    for v in range(parts):
        wanted = [divmod(v * lane + t, parts)[::-1] for t in range(lane)]  # (part, place in it) of each lane
        blocks += _gathered(f"r{v}", vector, wanted, parts)
        blocks += [
            f"%to{v} = getelementptr {vector}, ptr %rows, i64 {v}",
            f"store {vector} %r{v}, ptr %to{v}, align 1",
        ]
    return _filled(_ZIP, _parts(parts), blocks, singles, itemsize, parts, lane), "zip"


@template("unzip", "pppiiii", fewest=1 << 15, saves=0.4e-9)
def unzip_loop(itemsize: int, parts: int) -> tuple[str, str]:
    """loop(x, addresses, strides, count, images, image of a part, image of x) -> 0: the parts are written."""
    lane = lanes(itemsize)
    vector, element = f"<{lane} x i{8 * itemsize}>", f"i{8 * itemsize}"
    blocks, singles = [], []
    for v in range(parts):
        blocks += [
            f"%from{v} = getelementptr {vector}, ptr %rows, i64 {v}",
            f"%v{v} = load {vector}, ptr %from{v}, align 1",
        ]
    for p in range(parts):
        wanted = [divmod(t * parts + p, lane) for t in range(lane)]  # (register, place in it) of each lane
        blocks += _gathered(f"r{p}", vector, wanted, parts)
        blocks += [
            f"%b{p} = getelementptr i8, ptr %part{p}, i64 %b_bytes",
            f"store {vector} %r{p}, ptr %b{p}, align 1",
        ]
        singles += [
            f"%t{p} = getelementptr {element}, ptr %row, i64 {p}",
            f"%x{p} = load {element}, ptr %t{p}, align 1",
            f"%s{p}_at = mul i64 %s, %stride{p}",
            f"%s{p} = getelementptr i8, ptr %part{p}, i64 %s{p}_at",
            f"store {element} %x{p}, ptr %s{p}, align 1",
        ]
    text = _filled(_ZIP, _parts(parts), blocks, singles, itemsize, parts, lane)
    return text.replace("@zip", "@unzip"), "unzip"


def _gathered(name: str, vector: str, wanted: list[tuple[int, int]], sources: int) -> list[str]:
    """%name, each lane of which is the wanted (source, lane) of %v0, %v1 ...; one shuffle mixes in one source."""
    lane, lines, so_far = len(wanted), [], "%v0"
    if sources == 1:
        return [f"%{name} = select i1 true, {vector} %v0, {vector} %v0"]
    for source in range(1, sources):
        mask = []
        for t, (of, place) in enumerate(wanted):
            if of == source:
                mask.append(f"i32 {lane + place}")
            elif of < source:
                mask.append(f"i32 {place if source == 1 else t}")
            else:
                mask.append("i32 poison")
        into = f"%{name}" if source == sources - 1 else f"%{name}_{source}"
        chosen = ", ".join(mask)
        lines.append(f"{into} = shufflevector {vector} {so_far}, {vector} %v{source}, <{lane} x i32> <{chosen}>")
        so_far = into
    return lines


def _parts(count: int) -> list[str]:
    lines = []
    for p in range(count):
        lines += [
            f"%address{p}_at = getelementptr i64, ptr %addresses, i64 {p}",
            f"%address{p} = load i64, ptr %address{p}_at, align 8",
            f"%start{p} = inttoptr i64 %address{p} to ptr",
            f"%part{p} = getelementptr i8, ptr %start{p}, i64 %part_at",
            f"%stride{p}_at = getelementptr i64, ptr %strides, i64 {p}",
            f"%stride{p} = load i64, ptr %stride{p}_at, align 8",
            f"%dense{p} = icmp eq i64 %stride{p}, SIZE",
            f"%all{p} = and i1 %dense{p}, {'true' if p == 0 else f'%all{p - 1}'}",
        ]
    return [*lines, f"%all = and i1 %all{count - 1}, true"]


def _filled(
    text: str, parts: list[str], blocks: list[str], singles: list[str], itemsize: int, count: int, lane: int
) -> str:
    for name, lines in (("PARTS", parts), ("BLOCKS", blocks), ("SINGLES", singles)):
        text = text.replace(name, "\n  ".join(lines))
    return text.replace("ROW", str(itemsize * count)).replace("LANES", str(lane)).replace("SIZE", str(itemsize))


_ZIP: Final = """
define i64 @zip(ptr %whole, ptr %addresses, ptr %strides, i64 %count, i64 %images, i64 %part_image,
                i64 %whole_image) #0 {
entry:
  %some = icmp sgt i64 %images, 0
  br i1 %some, label %image, label %done
image:
  %k = phi i64 [0, %entry], [%k1, %image_end]
  %part_at = mul i64 %k, %part_image
  %whole_at = mul i64 %k, %whole_image
  %whole_k = getelementptr i8, ptr %whole, i64 %whole_at
  PARTS
  %blocks = udiv i64 %count, LANES
  %covered0 = mul i64 %blocks, LANES
  %covered = select i1 %all, i64 %covered0, i64 0
  %any_block = icmp sgt i64 %covered, 0
  br i1 %any_block, label %block, label %rest
block:
  %b = phi i64 [0, %image], [%b_next, %block]
  %b_bytes = mul i64 %b, SIZE
  %rows_at = mul i64 %b, ROW
  %rows = getelementptr i8, ptr %whole_k, i64 %rows_at
  BLOCKS
  %b_next = add i64 %b, LANES
  %more_blocks = icmp slt i64 %b_next, %covered
  br i1 %more_blocks, label %block, label %rest, !llvm.loop !0
rest:
  %any_rest = icmp slt i64 %covered, %count
  br i1 %any_rest, label %single, label %image_end
single:
  %s = phi i64 [%covered, %rest], [%s_next, %single]
  %row_at = mul i64 %s, ROW
  %row = getelementptr i8, ptr %whole_k, i64 %row_at
  SINGLES
  %s_next = add i64 %s, 1
  %more_singles = icmp slt i64 %s_next, %count
  br i1 %more_singles, label %single, label %image_end, !llvm.loop !0
image_end:
  %k1 = add i64 %k, 1
  %more_images = icmp slt i64 %k1, %images
  br i1 %more_images, label %image, label %done
done:
  ret i64 0
}
""" + AS_WRITTEN
