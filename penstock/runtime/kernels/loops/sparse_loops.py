"""Loops of sparse tensors: a sparse matrix times a dense one, and ascending keys looked up among others.

The product is out[row] += value * b[column], for one value after the other.

Without values it adds rows: out[row] += b[column], the sums of chosen rows by segment.

The sums of a row stay in registers while the values are of that row, as they are where the indices are in order. Where
they are not (the transpose of a sparse matrix), each value loads its row of the result and stores it: no sorting.
Each product and each sum is rounded, as NumPy rounds them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .loop_ir import AS_WRITTEN, load_index
from .loop_template import template

NARROW = 64
"""The most columns that are part of the key: a row is one vector."""
_BLOCKS = (64, 8, 1)
"""Columns that are computed at a time in wider rows."""


@template("sparse_product", "pppppiiiii", saves=4e-9)  # for each product
def sparse_product_loop(dtype: str, kinds: tuple[str, str], step: int, width: int, weighted: bool) -> tuple[str, str]:
    """loop(out, values, left, right, b, count, rows, inner, columns, apart) -> the values in range before one that is
    not.

    dtype: "f4" or "f8". kinds: the dtypes of `left`, the rows of the result, of which there are `rows`, and of `right`,
    which are below `inner`; step: the entries from one of them to the next. width: `columns`, or 0 for any number.
    weighted: whether there are values. apart: the elements from one row of `out` and of `b` to the next.
    """
    block = partial(_block, t={"f4": "float", "f8": "double"}[dtype], kinds=kinds, step=step, weighted=weighted)
    if width:
        body, head = block("whole", "0", width, following="done"), "br label %whole"
    else:
        parts, before = [], ("entry", "0")
        for count, following in zip(_BLOCKS, [*[f"try{n}" for n in _BLOCKS[1:]], "done"], strict=True):
            parts.append(_blocks(*before, count, following, block))
            before = (f"try{count}", f"%from{count}")
        body, head = "\n".join(parts), f"br label %try{_BLOCKS[0]}"
    arrays = "ptr noalias %out, ptr noalias %values, ptr noalias %left, ptr noalias %right, ptr noalias %b"
    return f"""
define i64 @sparse_product({arrays}, i64 %count, i64 %rows, i64 %inner, i64 %columns, i64 %apart) #0 {{
entry:
  %last = sub i64 %count, 1
  {head}
{body}
done:
  ret i64 %count
}}
{AS_WRITTEN}""", "sparse_product"


def _block(
    name: str, column: str, count: int, following: str, t: str, kinds: tuple[str, str], step: int, weighted: bool
) -> str:
    """All values for `count` columns from `column` on; then it goes to `following`."""
    v = f"<{count} x {t}>"
    row, inner = f"%row.{name}", f"%column.{name}"
    read = [
        f"%entry.{name} = mul i64 %i.{name}, {step}",
        load_index(row, "%left", f"%entry.{name}", kinds[0]),
        load_index(inner, "%right", f"%entry.{name}", kinds[1]),
        f"%row.fits.{name} = icmp ult i64 {row}, %rows",  # unsigned: a negative one is too large
        f"%inner.fits.{name} = icmp ult i64 {inner}, %inner",
        f"%fits.{name} = and i1 %row.fits.{name}, %inner.fits.{name}",
        f"br i1 %fits.{name}, label %inside.{name}, label %outside.{name}",
    ]
    weigh = [
        f"%value.at.{name} = getelementptr {t}, ptr %values, i64 %i.{name}",
        f"%one.{name} = load {t}, ptr %value.at.{name}, align 1",
        f"%single.{name} = insertelement {v} poison, {t} %one.{name}, i64 0",
        f"%all.{name} = shufflevector {v} %single.{name}, {v} poison, <{count} x i32> zeroinitializer",
        f"%product.{name} = fmul {v} %all.{name}, %y.{name}",
    ]
    reading, weighing = "\n  ".join(read), "\n  ".join(weigh if weighted else [])
    added = f"%product.{name}" if weighted else f"%y.{name}"
    return f"""{name}:
  %out.{name} = getelementptr {t}, ptr %out, i64 {column}
  %b.{name} = getelementptr {t}, ptr %b, i64 {column}
  br label %value.{name}
value.{name}:
  %i.{name} = phi i64 [0, %{name}], [%next.{name}, %again.{name}]
  %to.{name} = phi ptr [%out.{name}, %{name}], [%place.{name}, %again.{name}]
  %of.{name} = phi i64 [-1, %{name}], [{row}, %again.{name}]
  %sums.{name} = phi {v} [zeroinitializer, %{name}], [%more.{name}, %again.{name}]
  {reading}
inside.{name}:
  %same.{name} = icmp eq i64 {row}, %of.{name}
  br i1 %same.{name}, label %add.{name}, label %other.{name}
other.{name}:
  %is.first.{name} = icmp slt i64 %of.{name}, 0
  br i1 %is.first.{name}, label %open.{name}, label %close.{name}
close.{name}:
  store {v} %sums.{name}, ptr %to.{name}, align 1
  br label %open.{name}
open.{name}:
  %row.start.{name} = mul i64 {row}, %apart
  %new.{name} = getelementptr {t}, ptr %out.{name}, i64 %row.start.{name}
  %old.{name} = load {v}, ptr %new.{name}, align 1
  br label %add.{name}
add.{name}:
  %place.{name} = phi ptr [%to.{name}, %inside.{name}], [%new.{name}, %open.{name}]
  %before.{name} = phi {v} [%sums.{name}, %inside.{name}], [%old.{name}, %open.{name}]
  %b.start.{name} = mul i64 {inner}, %apart
  %from.{name} = getelementptr {t}, ptr %b.{name}, i64 %b.start.{name}
  %y.{name} = load {v}, ptr %from.{name}, align 1
  {weighing}
  %more.{name} = fadd {v} %before.{name}, {added}
  %is.last.{name} = icmp sge i64 %i.{name}, %last
  br i1 %is.last.{name}, label %end.{name}, label %again.{name}
again.{name}:
  %next.{name} = add i64 %i.{name}, 1
  br label %value.{name}, !llvm.loop !0
outside.{name}:
  ret i64 %i.{name}
end.{name}:
  store {v} %more.{name}, ptr %place.{name}, align 1
  br label %{following}"""


def _blocks(before: str, start: str, count: int, following: str, block: Callable[..., str]) -> str:
    """As many blocks of `count` columns as fit, from `start` on."""
    name = f"some{count}"
    return f"""try{count}:
  %from{count} = phi i64 [{start}, %{before}], [%end{count}, %end.{name}]
  %end{count} = add i64 %from{count}, {count}
  %fits{count} = icmp sle i64 %end{count}, %columns
  br i1 %fits{count}, label %{name}, label %{following}
{block(name, f"%from{count}", count, following=f"try{count}")}"""


@template("sorted_match", "ppppii", saves=1.5e-8)  # for each key
def sorted_match_loop(item_bytes: int) -> tuple[str, str]:
    """loop(out, values, of_values, keys, values' count, count) -> count: out[j] = the first value whose key is keys[j].

    It is zero where there is none. The keys are int64; values have `item_bytes` (4 or 8).
    """
    one = f"i{8 * item_bytes}"
    parameters = "ptr noalias %out, ptr noalias %values, ptr noalias %of_values, ptr noalias %keys, i64 %n, i64 %count"
    return f"""
define i64 @sorted_match({parameters}) {{
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %each, label %done
each:
  %j = phi i64 [0, %entry], [%j.next, %store]
  %start = phi i64 [0, %entry], [%i, %store]
  %key.at = getelementptr inbounds i64, ptr %keys, i64 %j
  %key = load i64, ptr %key.at, align 1
  br label %walk
walk:
  %i = phi i64 [%start, %each], [%i.next, %less]
  %is.inside = icmp slt i64 %i, %n
  br i1 %is.inside, label %compare, label %store
compare:
  %other.at = getelementptr inbounds i64, ptr %of_values, i64 %i
  %other = load i64, ptr %other.at, align 1
  %is.less = icmp slt i64 %other, %key
  br i1 %is.less, label %less, label %match
less:
  %i.next = add nuw nsw i64 %i, 1
  br label %walk
match:
  %is.equal = icmp eq i64 %other, %key
  br i1 %is.equal, label %equal, label %store
equal:
  %value.at = getelementptr inbounds {one}, ptr %values, i64 %i
  %value = load {one}, ptr %value.at, align 1
  br label %store
store:
  %result = phi {one} [0, %walk], [0, %match], [%value, %equal]
  %to = getelementptr inbounds {one}, ptr %out, i64 %j
  store {one} %result, ptr %to, align 1
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j.next, %count
  br i1 %more, label %each, label %done
done:
  ret i64 %count
}}
""", "sorted_match"
