"""The loops of softmax and its kin: each block of rows is read once, and stays in the first cache until it is done.

For a row x with the greatest element m, and s = sum(exp(x - m)):

    softmax                exp(x - m) / s
    log_softmax            x - m - log(s)
    cross_entropy          loss = sum((log(s) - (x - m)) * labels), backprop = exp(x - m) / s - labels
    sparse_cross_entropy   loss = log(s) - (x - m)[label], backprop = exp(x - m) / s, minus 1 at the label

exp and log are NumPy's own loops, and sums have NumPy's order, so the bits are those of the plain kernels. The greatest
element may be a zero of the other sign than NumPy's; then a row has two zeros at least, log(s) is not 0, and no bit of
the results depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from ..llvm import pairwise_sum
from ..llvm.array_head import load_data
from ..llvm.ufunc_loops import Loop, numpy_loop
from .loop_template import template

WIDEST: Final = 4096
"""The most elements of a row."""
_BLOCK: Final = 1024
"""Elements of the rows of a block, if it has several."""
_TYPES: Final = {"f4": "float", "f8": "double"}
_SAVES: Final = 6e-9  # 1,000 rows of 10 float32: 61 us and 14; 1e5 rows: 6.4 ms and 1.3


@cache
def is_ready() -> bool:
    """True if the loops give NumPy's bits: the order of its sums and its loops of exp and log are known."""
    return pairwise_sum.is_known() and all(_loop(name, t) is not None for name in ("exp", "log") for t in _TYPES)


def _loop(name: str, kind: str) -> Loop | None:
    letter = {"f4": "f", "f8": "d"}[kind]
    return numpy_loop(name, f"{letter}->{letter}")


def _calls(kind: str, *_: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for name in ("exp", "log"):
        loop = _loop(name, kind)
        assert loop is not None  # the fast kernel asked `is_ready`
        found[f"numpy_{name}_{kind}"] = loop.address
        if loop.data:
            found[f"numpy_{name}_{kind}_data"] = loop.data
    return found


@template("softmax", "aaii", saves=_SAVES, calls=_calls)
def softmax_loop(kind: str) -> tuple[str, str]:
    """loop(out, x, rows, width) -> 0. kind: "f4" or "f8"."""
    t = _TYPES[kind]
    return _module(kind, "ptr %out_object, ptr %x_object", "out x", "%piece", "%out_b", f"""
  %total = load {t}, ptr %sum_r, align 1
  call void @divide(ptr %out_r, {t} %total, i64 %width)""")


@template("log_softmax", "aaii", saves=_SAVES, calls=_calls)
def log_softmax_loop(kind: str) -> tuple[str, str]:
    """loop(out, x, rows, width) -> 0. kind: "f4" or "f8"."""
    t = _TYPES[kind]
    return _module(kind, "ptr %out_object, ptr %x_object", "out x", "%out_b", "%piece", f"""
  %log = load {t}, ptr %log_r, align 1
  call void @shift(ptr %out_r, ptr %out_r, {t} %log, i64 %width)""")


@template("cross_entropy", "aaaaii", saves=_SAVES, calls=_calls)
def cross_entropy_loop(kind: str) -> tuple[str, str]:
    """loop(backprop, x, labels, loss, rows, width) -> 0. kind: "f4" or "f8"."""
    t, parameters = _TYPES[kind], "ptr %out_object, ptr %x_object, ptr %labels_object, ptr %loss_object"
    return _module(kind, parameters, "out x labels", "%piece", "%out_b", f"""
  %total = load {t}, ptr %sum_r, align 1
  %log = load {t}, ptr %log_r, align 1
  call void @divide_and_weigh(ptr %out_r, ptr %piece_r, ptr %labels_r, {t} %total, {t} %log, i64 %width)
  %sum = call {t} @sum_{t}(ptr %piece_r, i64 %width)
  %made = fadd {t} %sum, 0.0
  %loss_r = getelementptr {t}, ptr %loss, i64 %row
  store {t} %made, ptr %loss_r, align 1""")


@template("sparse_cross_entropy", "aaaaii", saves=_SAVES, calls=_calls)
def sparse_cross_entropy_loop(kind: str, label: str) -> tuple[str, str]:
    """loop(backprop, x, labels, loss, rows, width) -> 0, or 1 at a label that is no class.

    kind: "f4" or "f8". label: "i4" or "i8".
    """
    t, bits = _TYPES[kind], 8 * int(label[1])
    parameters = "ptr %out_object, ptr %x_object, ptr %labels_object, ptr %loss_object"
    return _module(kind, parameters, "out x", "%piece", "%out_b", f"""
  %label_at = getelementptr i{bits}, ptr %labels, i64 %row
  %stored = load i{bits}, ptr %label_at, align 1
  %label = {"sext i32 %stored to i64" if bits == 32 else "add i64 %stored, 0"}
  %inside = icmp ult i64 %label, %width
  br i1 %inside, label %class, label %outside
class:
  %total = load {t}, ptr %sum_r, align 1
  %log = load {t}, ptr %log_r, align 1
  call void @divide(ptr %out_r, {t} %total, i64 %width)
  %shifted_at = getelementptr {t}, ptr %piece_r, i64 %label
  %shifted = load {t}, ptr %shifted_at, align 1
  %made = fsub {t} %log, %shifted
  %loss_r = getelementptr {t}, ptr %loss, i64 %row
  store {t} %made, ptr %loss_r, align 1
  %power_at = getelementptr {t}, ptr %out_r, i64 %label
  %power = load {t}, ptr %power_at, align 1
  %less = fsub {t} %power, 1.0
  store {t} %less, ptr %power_at, align 1""", "outside:\n  ret i64 1\n", "class")  # fmt: skip


def _module(
    kind: str, parameters: str, rowwise: str, shifted: str, powers: str, end: str, stop: str = "", last: str = "finish"
) -> tuple[str, str]:
    """The module of a loop.

    Args:
        kind: the dtype.
        parameters: the arrays.
        rowwise: the names of the arrays that have rows: %out_r ... are rows, as %piece_r.
        shifted: where x - m of a block is written.
        powers: where exp(x - m) is written.
        end: what finishes row %row, whose sum is at %sum_r and the logarithm of it at %log_r.
        stop: blocks that leave the function early.
        last: the block in which `end` ends.
    """
    t, size = _TYPES[kind], int(kind[1])
    names = [word.removeprefix("%").removesuffix("_object") for word in parameters.replace(",", "").split()[1::2]]
    loads = "\n  ".join(load_data(f"%{name}", f"%{name}_object") for name in names)
    calls = _calls(kind)
    data = {name: f"@numpy_{name}_{kind}_data" if f"numpy_{name}_{kind}_data" in calls else "null"
            for name in ("exp", "log")}  # fmt: skip
    declared = "\n".join(f"declare void @{name}(ptr, ptr, ptr, ptr)" for name in calls)
    block_of = "\n  ".join(
        f"%{name}_b = getelementptr {t}, ptr %{name}, i64 %start" for name in rowwise.split()
    )
    row_of = "\n  ".join(
        f"%{name}_r = getelementptr {t}, ptr %{name}{'' if name == 'piece' else '_b'}, i64 %place"
        for name in ("piece", *rowwise.split())
    )
    return f"""{declared}
{pairwise_sum.rule(t)}
{_greatest(t)}
{_each("shift", "ptr %out, ptr %x, T %less, i64 %n", ["%y = load T, ptr %x[i]", "%z = fsub T %y, %less",
       "store T %z, ptr %out[i]"], t)}
{_each("divide", "ptr %out, T %by, i64 %n", ["%y = load T, ptr %out[i]", "%z = fdiv T %y, %by",
       "store T %z, ptr %out[i]"], t)}
{_each("divide_and_weigh", "ptr noalias %out, ptr noalias %piece, ptr %labels, T %by, T %log, i64 %n",
       ["%label = load T, ptr %labels[i]", "%y = load T, ptr %out[i]", "%z = fdiv T %y, %by",
        "%d = fsub T %z, %label", "store T %d, ptr %out[i]", "%p = load T, ptr %piece[i]", "%q = fsub T %log, %p",
        "%w = fmul T %q, %label", "store T %w, ptr %piece[i]"], t)}
define i64 @softmax({parameters}, i64 %rows, i64 %width) #0 {{
entry:
  %piece = alloca [{WIDEST} x {t}], align 64
  %sums = alloca [{_BLOCK} x {t}], align 64
  %logs = alloca [{_BLOCK} x {t}], align 64
  %args = alloca [2 x ptr]
  %args1 = getelementptr ptr, ptr %args, i64 1
  %steps = alloca [2 x i64]
  %steps1 = getelementptr i64, ptr %steps, i64 1
  %dims = alloca i64
  store i64 {size}, ptr %steps
  store i64 {size}, ptr %steps1
  {loads}
  %fitting = udiv i64 {_BLOCK}, %width
  %several = icmp ugt i64 %fitting, 1
  %most = select i1 %several, i64 %fitting, i64 1
  %some = icmp sgt i64 %rows, 0
  br i1 %some, label %block, label %done
block:
  %b = phi i64 [0, %entry], [%b1, %next_block]
  %left = sub i64 %rows, %b
  %fits = icmp slt i64 %left, %most
  %m = select i1 %fits, i64 %left, i64 %most
  %start = mul i64 %b, %width
  %count = mul i64 %m, %width
  {block_of}
  br label %begin
begin:
  %i = phi i64 [0, %block], [%i1, %begin]
  %i_at = mul i64 %i, %width
  %x_i = getelementptr {t}, ptr %x_b, i64 %i_at
  %to_i = getelementptr {t}, ptr {shifted}, i64 %i_at
  %greatest = call {t} @greatest(ptr %x_i, i64 %width)
  call void @shift(ptr %to_i, ptr %x_i, {t} %greatest, i64 %width)
  %i1 = add i64 %i, 1
  %more_i = icmp slt i64 %i1, %m
  br i1 %more_i, label %begin, label %exp
exp:
  store ptr {shifted}, ptr %args
  store ptr {powers}, ptr %args1
  store i64 %count, ptr %dims
  call void @numpy_exp_{kind}(ptr %args, ptr %dims, ptr %steps, ptr {data["exp"]})
  br label %add
add:
  %j = phi i64 [0, %exp], [%j1, %add]
  %j_at = mul i64 %j, %width
  %powers_j = getelementptr {t}, ptr {powers}, i64 %j_at
  %sum_j = call {t} @sum_{t}(ptr %powers_j, i64 %width)
  %to_j = getelementptr {t}, ptr %sums, i64 %j
  store {t} %sum_j, ptr %to_j
  %j1 = add i64 %j, 1
  %more_j = icmp slt i64 %j1, %m
  br i1 %more_j, label %add, label %log_all
log_all:
  store ptr %sums, ptr %args
  store ptr %logs, ptr %args1
  store i64 %m, ptr %dims
  call void @numpy_log_{kind}(ptr %args, ptr %dims, ptr %steps, ptr {data["log"]})
  br label %finish
finish:
  %k = phi i64 [0, %log_all], [%k1, %{last}]
  %row = add i64 %b, %k
  %place = mul i64 %k, %width
  {row_of}
  %sum_r = getelementptr {t}, ptr %sums, i64 %k
  %log_r = getelementptr {t}, ptr %logs, i64 %k
  {end.strip()}
  %k1 = add i64 %k, 1
  %more_k = icmp slt i64 %k1, %m
  br i1 %more_k, label %finish, label %next_block
next_block:
  %b1 = add i64 %b, %m
  %more_b = icmp slt i64 %b1, %rows
  br i1 %more_b, label %block, label %done
{stop}done:
  ret i64 0
}}
attributes #0 = {{ nounwind "prefer-vector-width"="512" }}
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.vectorize.enable", i1 true}}
""", "softmax"


def _each(name: str, parameters: str, lines: list[str], kind: str) -> str:
    """A function that does `lines` for each %i below %n, which is not 0; "ptr %x[i]" is element %i of %x."""
    body = []
    for line in lines:
        head, bracket, _ = line.partition("[i]")
        if not bracket:
            body.append(line)
            continue
        operand = head.rpartition("%")[2]
        body.append(f"%{operand}_{len(body)} = getelementptr T, ptr %{operand}, i64 %i")
        body.append(f"{head}_{len(body) - 1}, align 1")
    text = "\n  ".join(body)
    return f"""define internal void @{name}({parameters}) #0 {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  {text}
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}}""".replace("T,", f"{kind},").replace("T %", f"{kind} %")


def _greatest(t: str) -> str:
    """`@greatest(x, n)`: the greatest of n elements, NaN if one of them is NaN."""
    v = f"<8 x {t}>"
    short = {"float": "f32", "double": "f64"}[t]
    return f"""declare {t} @llvm.vector.reduce.fmax.v8{short}({v})
declare i1 @llvm.vector.reduce.or.v8i1(<8 x i1>)
define internal {t} @greatest(ptr %x, i64 %n) #0 {{
entry:
  %end = and i64 %n, -8
  %short = icmp eq i64 %end, 0
  br i1 %short, label %rest, label %lanes
lanes:
  %i = phi i64 [0, %entry], [%i1, %lanes]
  %best = phi {v} [splat ({t} 0xFFF0000000000000), %entry], [%better, %lanes]
  %nan = phi <8 x i1> [zeroinitializer, %entry], [%nan1, %lanes]
  %p = getelementptr {t}, ptr %x, i64 %i
  %y = load {v}, ptr %p, align 1
  %is_more = fcmp ogt {v} %y, %best
  %better = select <8 x i1> %is_more, {v} %y, {v} %best
  %is_nan = fcmp uno {v} %y, %y
  %nan1 = or <8 x i1> %nan, %is_nan
  %i1 = add i64 %i, 8
  %again = icmp slt i64 %i1, %end
  br i1 %again, label %lanes, label %across
across:
  %best8 = call nnan {t} @llvm.vector.reduce.fmax.v8{short}({v} %better)
  %nan8 = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %nan1)
  br label %rest
rest:
  %best_r = phi {t} [0xFFF0000000000000, %entry], [%best8, %across]
  %nan_r = phi i1 [false, %entry], [%nan8, %across]
  %left = icmp slt i64 %end, %n
  br i1 %left, label %tail, label %done
tail:
  %k = phi i64 [%end, %rest], [%k1, %tail]
  %best_k = phi {t} [%best_r, %rest], [%better_k, %tail]
  %nan_k = phi i1 [%nan_r, %rest], [%nan_k1, %tail]
  %q = getelementptr {t}, ptr %x, i64 %k
  %z = load {t}, ptr %q, align 1
  %is_more_k = fcmp ogt {t} %z, %best_k
  %better_k = select i1 %is_more_k, {t} %z, {t} %best_k
  %is_nan_k = fcmp uno {t} %z, %z
  %nan_k1 = or i1 %nan_k, %is_nan_k
  %k1 = add i64 %k, 1
  %on = icmp slt i64 %k1, %n
  br i1 %on, label %tail, label %done
done:
  %best_d = phi {t} [%best_r, %rest], [%better_k, %tail]
  %nan_d = phi i1 [%nan_r, %rest], [%nan_k1, %tail]
  %found = select i1 %nan_d, {t} 0x7FF8000000000000, {t} %best_d
  ret {t} %found
}}"""
