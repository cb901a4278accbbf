"""The loop that looks up ascending keys among others that are in order, in one walk along both."""

from __future__ import annotations

from .loop_template import template


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
