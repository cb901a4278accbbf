"""The loop that reads numbers from strings.

It reads decimals of at most 19 digits and leaves the rest to its caller. Where the digits make a whole number m of at
most 2**53, times 10**e with |e| <= 22, both are floats without rounding, so that m * 10**e or m / 10**-e is rounded
once. Others go through a table (`decimal_to_double`). A float32 is that float64 rounded again, which goes wrong only
where the float64 lies halfway between two float32, or below float32's normal numbers; such a string is left to the
caller too, as is all that is spelled otherwise (inf, nan, hexadecimal, errors). Ints are digits, as far as they fit.

The strings are elements of fixed width, "S" (bytes) and "U" (4-byte code points), filled up with zeros, or "O":
pointers to Python's bytes objects, whose layout the caller found and checked. A pointer to anything else is left to
the caller.
"""

from __future__ import annotations

from typing import Final

from ...llvm.number_conversion import literal
from .decimal_to_double import LEAST, MOST, nearest_rule
from .loop_template import template

_UNIT: Final = {"S": "i8", "U": "i32", "O": "i8"}
_OUT: Final = {"f4": "float", "f8": "double", "i4": "i32", "i8": "i64"}


@template("numbers", "ppiipi", holds_gil=True)
def numbers_loop(source: str, layout: tuple[int, int, int], target: str) -> tuple[str, str]:
    """loop(out, strings, width of one in units, count, left, address of the type) -> how many were left.

    layout: where a bytes object keeps its type, its length and its characters. left: int64, `count` of them: takes the
    places of the strings that were not read. Holds the GIL, under which objects stay what they are.
    """
    if target[0] == "f":
        body, constants = _FLOAT.replace("FINISH", _FINISH[target]), _powers() + nearest_rule()
        body = body.replace("MINUS_LEAST", str(-LEAST)).replace("EXPONENTS", str(MOST - LEAST + 1))
    else:
        limit = 1 << (8 * int(target[1]) - 1)
        body, constants = _INT.replace("LIMIT", str(limit)).replace("BELOW", str(limit - 1)), ""
        narrow = "trunc i64 %signed to i32" if target == "i4" else "add i64 %signed, 0"
        body = body.replace("NARROW", narrow)
    element = _OBJECT.replace("FETCH", _FETCH) if source == "O" else _FIXED
    for name, offset in zip(("TYPE", "SIZE", "TEXT"), layout, strict=True):
        element = element.replace(f"{name}_AT", str(offset))
    text = constants + _CHARACTER + _LOOP.replace("ELEMENT", element).replace("BODY", body)
    return text.replace("UNIT", _UNIT[source]).replace("OUT", _OUT[target]).replace("WIDEN", _widen(source)), "numbers"


@template("bytes_only", "pii", holds_gil=True)
def bytes_only_loop(layout: tuple[int, int, int]) -> tuple[str, str]:
    """loop(objects, count, address of the type) -> how many are of exactly that type, up to the first that is not."""
    return _BYTES_ONLY.replace("FETCH", _FETCH).replace("TYPE_AT", str(layout[0])), "bytes_only"


def _widen(source: str) -> str:
    return "add i32 %unit, 0" if source == "U" else "zext i8 %unit to i32"


def _powers() -> str:
    values = ", ".join(f"double {literal(10.0**n)}" for n in range(23))
    return f"@powers = private unnamed_addr constant [23 x double] [{values}]\n"


# Behind the end there are zeros, which are part of no number; what is read instead is the first unit.
_CHARACTER: Final = """
define internal i32 @character(ptr %text, i64 %at, i64 %length) alwaysinline {
  %inside = icmp ult i64 %at, %length
  %safe = select i1 %inside, i64 %at, i64 0
  %place = getelementptr UNIT, ptr %text, i64 %safe
  %unit = load UNIT, ptr %place, align 1
  %wide = WIDEN
  %result = select i1 %inside, i32 %wide, i32 0
  ret i32 %result
}
define internal i1 @is_blank(i32 %c) alwaysinline {
  %is_space = icmp eq i32 %c, 32
  %from_tab = sub i32 %c, 9
  %is_tab = icmp ult i32 %from_tab, 5
  %result = or i1 %is_space, %is_tab
  ret i1 %result
}
"""


def _digits(block: str, tag: int, starts: str, sums: str, more: str = "") -> str:
    """Blocks that read digits from `%at` on into `%m`: `starts` and `sums` say where both come from.

    `more`: another phi. It goes on at `behind_` with the place of the first unit that is none, which is `%c`.
    """
    return f"""{block}:
  %at{tag} = phi i64 {starts}, [%at{tag}n, %{block}_digit]
  {more}
  %m{tag} = phi i64 {sums}, [%m{tag}n, %{block}_digit]
  %c{tag} = call i32 @character(ptr %text, i64 %at{tag}, i64 %length)
  %d{tag} = sub i32 %c{tag}, 48
  %is_digit{tag} = icmp ult i32 %d{tag}, 10
  br i1 %is_digit{tag}, label %{block}_digit, label %behind_{block}
{block}_digit:
  %d{tag}w = zext i32 %d{tag} to i64
  %m{tag}x = mul i64 %m{tag}, 10
  %m{tag}n = add i64 %m{tag}x, %d{tag}w
  %at{tag}n = add i64 %at{tag}, 1
  br label %{block}"""


_LOOP: Final = """
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define i64 @numbers(ptr %out, ptr %strings, i64 %width, i64 %count, ptr %left, i64 %type) {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %element, label %done
element:
  %i = phi i64 [0, %entry], [%i1, %next]
  %lefts = phi i64 [0, %entry], [%lefts1, %next]
  %place = getelementptr OUT, ptr %out, i64 %i
  ELEMENT
start:
  br label %blanks
blanks:
  %at0 = phi i64 [0, %start], [%at0n, %blanks]
  %c0 = call i32 @character(ptr %text, i64 %at0, i64 %length)
  %blank0 = call i1 @is_blank(i32 %c0)
  %at0n = add i64 %at0, 1
  br i1 %blank0, label %blanks, label %sign
sign:
  %minus = icmp eq i32 %c0, 45
  %plus = icmp eq i32 %c0, 43
  %has_sign = or i1 %minus, %plus
  %sign_size = zext i1 %has_sign to i64
  %at1 = add i64 %at0, %sign_size
  br label %whole
WHOLE
behind_whole:
  %digits2 = sub i64 %at2, %at1
  BODY
leave:
  %left_at = getelementptr i64, ptr %left, i64 %lefts
  store i64 %i, ptr %left_at, align 1
  %one_more = add i64 %lefts, 1
  br label %next
next:
  %lefts1 = phi i64 [%lefts, %NEXT], [%one_more, %leave]
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %count
  br i1 %more, label %element, label %done
done:
  %result = phi i64 [0, %entry], [%lefts1, %next]
  ret i64 %result
}
""".replace("%NEXT", "%store").replace("WHOLE", _digits("whole", 2, "[%at1, %sign]", "[0, %sign]"))

# The object of string %i; that of string %i + 16 is on its way.
_FETCH: Final = """%slot = getelementptr ptr, ptr %strings, i64 %i
  %object = load ptr, ptr %slot, align 8
  %ahead0 = add i64 %i, 16
  %is_ahead = icmp slt i64 %ahead0, %count
  %ahead = select i1 %is_ahead, i64 %ahead0, i64 %i
  %slot_ahead = getelementptr ptr, ptr %strings, i64 %ahead
  %object_ahead = load ptr, ptr %slot_ahead, align 8
  call void @llvm.prefetch.p0(ptr %object_ahead, i32 0, i32 3, i32 1)
  %is_null = icmp eq ptr %object, null"""

_OBJECT: Final = """FETCH
  br i1 %is_null, label %leave, label %there
there:
  %type_place = getelementptr i8, ptr %object, i64 TYPE_AT
  %its_type = load i64, ptr %type_place, align 8
  %length_place = getelementptr i8, ptr %object, i64 SIZE_AT
  %text = getelementptr i8, ptr %object, i64 TEXT_AT
  %is_bytes = icmp eq i64 %its_type, %type
  br i1 %is_bytes, label %known, label %leave
known:
  %length = load i64, ptr %length_place, align 8
  br label %start"""

_FIXED: Final = """%skipped = mul i64 %i, %width
  %text = getelementptr UNIT, ptr %strings, i64 %skipped
  br label %filled
filled:
  %length = phi i64 [%width, %element], [%shorter, %filled_more]
  %shorter = sub i64 %length, 1
  %is_empty = icmp eq i64 %length, 0
  br i1 %is_empty, label %leave, label %filled_more
filled_more:
  %last_place = getelementptr UNIT, ptr %text, i64 %shorter
  %last = load UNIT, ptr %last_place, align 1
  %is_filler = icmp eq UNIT %last, 0
  br i1 %is_filler, label %filled, label %start"""

_FLOAT: Final = """%is_dot = icmp eq i32 %c2, 46
  br i1 %is_dot, label %dot, label %mantissa
dot:
  %at3s = add i64 %at2, 1
  %no_whole = icmp eq i64 %m2, 0
  br i1 %no_whole, label %zeros, label %fraction
zeros:
  %at3z = phi i64 [%at3s, %dot], [%at3zn, %zeros]
  %c3z = call i32 @character(ptr %text, i64 %at3z, i64 %length)
  %is_zero = icmp eq i32 %c3z, 48
  %at3zn = add i64 %at3z, 1
  br i1 %is_zero, label %zeros, label %fraction
FRACTION
behind_fraction:
  %digits3 = sub i64 %at3, %at3s
  %leading = sub i64 %at3f, %at3s
  %leading_whole = select i1 %no_whole, i64 %digits2, i64 0
  %empty = add i64 %leading, %leading_whole
  br label %mantissa
mantissa:
  %at4 = phi i64 [%at2, %behind_whole], [%at3, %behind_fraction]
  %m = phi i64 [%m2, %behind_whole], [%m3, %behind_fraction]
  %c4 = phi i32 [%c2, %behind_whole], [%c3, %behind_fraction]
  %behind_dot = phi i64 [0, %behind_whole], [%digits3, %behind_fraction]
  %not_counted = phi i64 [0, %behind_whole], [%empty, %behind_fraction]
  %digits = add i64 %digits2, %behind_dot
  %some_digits = icmp sgt i64 %digits, 0
  %counted = sub i64 %digits, %not_counted
  %few = icmp ule i64 %counted, 19 ; 10**19 - 1 fits 64 bits
  %readable = and i1 %few, %some_digits
  br i1 %readable, label %exponent, label %leave
exponent:
  %lower = or i32 %c4, 32
  %has_exponent = icmp eq i32 %lower, 101
  br i1 %has_exponent, label %exponent_sign, label %ending ; E, e
exponent_sign:
  %at5 = add i64 %at4, 1
  %c5 = call i32 @character(ptr %text, i64 %at5, i64 %length)
  %minus5 = icmp eq i32 %c5, 45
  %plus5 = icmp eq i32 %c5, 43
  %has_sign5 = or i1 %minus5, %plus5
  %sign_size5 = zext i1 %has_sign5 to i64
  %at6s = add i64 %at5, %sign_size5
  br label %power
POWER
behind_power:
  %digits6 = sub i64 %at6, %at6s
  %digits6_less = sub i64 %digits6, 1
  %few6 = icmp ult i64 %digits6_less, 4
  %m6_minus = sub i64 0, %m6
  %m6_signed = select i1 %minus5, i64 %m6_minus, i64 %m6
  br i1 %few6, label %ending, label %leave
ending:
  %at7s = phi i64 [%at4, %exponent], [%at6, %behind_power]
  %given_power = phi i64 [0, %exponent], [%m6_signed, %behind_power]
  %e = sub i64 %given_power, %behind_dot
  br label %trailing
trailing:
  %at7 = phi i64 [%at7s, %ending], [%at7n, %trailing]
  %c7 = call i32 @character(ptr %text, i64 %at7, i64 %length)
  %blank7 = call i1 @is_blank(i32 %c7)
  %at7n = add i64 %at7, 1
  br i1 %blank7, label %trailing, label %judged
judged:
  %ended = icmp eq i64 %at7, %length
  br i1 %ended, label %whole_text, label %leave
whole_text:
  %exact_m = icmp ule i64 %m, 9007199254740992
  %e_moved = add i64 %e, 22
  %small_e = icmp ult i64 %e_moved, 45
  %is_exact = and i1 %exact_m, %small_e
  br i1 %is_exact, label %exact, label %looked_up
looked_up:
  %e_row = add i64 %e, MINUS_LEAST
  %in_table = icmp ult i64 %e_row, EXPONENTS
  %is_number = icmp ne i64 %m, 0
  %can_look = and i1 %in_table, %is_number
  br i1 %can_look, label %look, label %leave
look:
  %found = call { i64, i1 } @nearest(i64 %m, i64 %e)
  %found_bits = extractvalue { i64, i1 } %found, 0
  %is_known = extractvalue { i64, i1 } %found, 1
  %looked = bitcast i64 %found_bits to double
  br i1 %is_known, label %store_sign, label %leave
exact:
  %float = uitofp i64 %m to double
  %divides = icmp slt i64 %e, 0
  %e_minus = sub i64 0, %e
  %e_size = select i1 %divides, i64 %e_minus, i64 %e
  %power_place = getelementptr double, ptr @powers, i64 %e_size
  %power10 = load double, ptr %power_place, align 8
  %quotient = fdiv double %float, %power10
  %product = fmul double %float, %power10
  %computed = select i1 %divides, double %quotient, double %product
  br label %store_sign
store_sign:
  %number = phi double [%computed, %exact], [%looked, %look]
  %turned = fneg double %number
  %signed = select i1 %minus, double %turned, double %number
  br label %store
store:
FINISH""".replace(
    "FRACTION",
    _digits(
        "fraction",
        3,
        "[%at3s, %dot], [%at3z, %zeros]",
        "[%m2, %dot], [0, %zeros]",
        "%at3f = phi i64 [%at3s, %dot], [%at3z, %zeros], [%at3f, %fraction_digit]",
    ),
).replace("POWER", _digits("power", 6, "[%at6s, %exponent_sign]", "[0, %exponent_sign]"))

# The 29 bits that float32 does not have are 1000...0: halfway. Below 2**-126 it has fewer.
_FINISH: Final = {
    "f8": """  store double %signed, ptr %place, align 1
  br label %next
""",
    "f4": """  %bits = bitcast double %signed to i64
  %beyond = and i64 %bits, 536870911
  %halfway = icmp eq i64 %beyond, 268435456
  %size = and i64 %bits, 9223372036854775807
  %size_less = sub i64 %size, 1
  %tiny = icmp ult i64 %size_less, 4039728865751334911
  %again = or i1 %halfway, %tiny
  %single = fptrunc double %signed to float
  store float %single, ptr %place, align 1
  br i1 %again, label %leave, label %next
""",
}

_INT: Final = """%digits_less = sub i64 %digits2, 1
  %few = icmp ult i64 %digits_less, 19
  %bound = select i1 %minus, i64 LIMIT, i64 BELOW
  %fits = icmp ule i64 %m2, %bound
  %readable = and i1 %few, %fits
  br i1 %readable, label %trailing, label %leave
trailing:
  %at7 = phi i64 [%at2, %behind_whole], [%at7n, %trailing]
  %c7 = call i32 @character(ptr %text, i64 %at7, i64 %length)
  %blank7 = call i1 @is_blank(i32 %c7)
  %at7n = add i64 %at7, 1
  br i1 %blank7, label %trailing, label %judged
judged:
  %ended = icmp eq i64 %at7, %length
  br i1 %ended, label %store, label %leave
store:
  %turned = sub i64 0, %m2
  %signed = select i1 %minus, i64 %turned, i64 %m2
  %number = NARROW
  store OUT %number, ptr %place, align 1
  br label %next"""

_BYTES_ONLY: Final = """
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define i64 @bytes_only(ptr %strings, i64 %count, i64 %type) {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %element, label %done
element:
  %i = phi i64 [0, %entry], [%i1, %next]
  FETCH
  br i1 %is_null, label %done, label %there
there:
  %type_place = getelementptr i8, ptr %object, i64 TYPE_AT
  %its_type = load i64, ptr %type_place, align 8
  %is_bytes = icmp eq i64 %its_type, %type
  br i1 %is_bytes, label %next, label %done
next:
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %count
  br i1 %more, label %element, label %done
done:
  %result = phi i64 [0, %entry], [%i, %element], [%i, %there], [%i1, %next]
  ret i64 %result
}
"""
