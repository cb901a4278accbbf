"""The known differences from the recorded systems, with reasons.

One entry per reason: the cases, and the aspects (see `golden_cases`) in which they differ. A case that does not differ
in exactly these aspects is a failing test, so that this list stays as short as it can be.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exempt:
    """Cases that differ in some aspects, for one reason."""

    reason: str
    aspects: tuple[str, ...]
    cases: tuple[str, ...]


EXCEPTIONS = (
    # ---- better sense -------------------------------------------------------------------------------
    Exempt(
        "A Python int outside the dtype is refused where NumPy would wrap it.",
        ("kind",),
        ("constant-v073",),
    ),
    Exempt(
        "True is no axis; TensorFlow reads it as 1.",
        ("kind",),
        ("reduce_sum-x061",),
    ),
    Exempt(
        "A mask along the last axis works; TensorFlow compares it with an empty slice of the shape.",
        ("kind",),
        ("boolean_mask-x024",),
    ),
    Exempt(
        "The reversed shape of a partly known shape is a shape; TensorFlow's error about it is spurious.",
        ("kind",),
        ("fill-x047",),
    ),
    Exempt(
        "A softmax along any axis works on an operand of unknown rank; TensorFlow's own arithmetic fails there.",
        ("kind",),
        ("softmax-x033",),
    ),
    Exempt(
        "`where` takes operands of any rank; TensorFlow has kernels up to rank 8.",
        ("kind",),
        ("where-x075",),
    ),
    Exempt(
        "A default that contradicts the declared shape is refused by the run, which otherwise contradicts the graph.",
        ("kind",),
        ("placeholder_with_default-x020",),
    ),
    Exempt(
        "The node cannot run, so what its static shape would be means nothing: depth is put last there.",
        ("static",),
        ("one_hot-x026",),
    ),
    Exempt(
        "Rows and ids whose known numbers differ are refused while building; TensorFlow leaves it to the run.",
        ("kind",),
        ("segment_sum-x024", "segment_mean-x024", "segment_prod-x024", "segment_max-x024", "segment_min-x024",
         "searchsorted-x044", "searchsorted-x045"),
    ),
    # ---- better values ------------------------------------------------------------------------------
    Exempt(
        "1/2 is exact; the recorded machine multiplies by an estimate of the reciprocal.",
        ("value",),
        ("reciprocal-x007",),
    ),
    Exempt(
        "erf of an infinity is 1 or -1; TensorFlow's float64 polynomial gives nan.",
        ("value",),
        ("erf-x002",),
    ),
    Exempt(
        "0 to the power 0 is 1 for complex numbers as for all others; TensorFlow takes a logarithm of 0.",
        ("value",),
        ("pow-x039", "op_pow-x019"),
    ),
    Exempt(
        "NumPy's complex 1/0 is nan in both parts; TensorFlow's has an infinite real part.",
        ("value",),
        ("reciprocal-x017",),
    ),
    Exempt(
        "The difference of two uint8 bounds is negative; TensorFlow's wraps around before it becomes a float.",
        ("value",),
        ("linspace-x001",),
    ),
    Exempt(
        "A mean of ints is the quotient of their sum in 64 bits, as in reduce_mean; TensorFlow's sum wraps in 8.",
        ("value",),
        ("segment_mean-x019",),
    ),
    # ---- other words or classes ---------------------------------------------------------------------
    Exempt(
        "An error of a build is a ValueError here; TensorFlow raises the class it has for runs.",
        ("class",),
        ("softmax-x029", "softmax-x030"),
    ),
    Exempt(
        "The first operand's dtype holds for Python values beside it: 1.5 is refused before dtypes are compared.",
        ("fragment",),
        ("add-v008", "add-x026", "op_add-x005"),
    ),
    Exempt(
        "The message says which items differ in shape; TensorFlow adds NumPy's words about setting an element.",
        ("fragment",),
        ("bitwise_and-x028", "equal-x031", "floordiv-x043", "identity-x017", "less-x050", "logical_and-x027",
         "maximum-x043", "op_sub-x021", "stop_gradient-x017", "subtract-x043"),
    ),
    Exempt(
        "A string among the sizes is refused as a dtype that sizes cannot have, not as a value that is no int32.",
        ("fragment",),
        ("ones-v039", "zeros-v039"),
    ),
    Exempt(
        "One message for everything that is no dtype, wherever one is expected: it lists the dtypes.",
        ("fragment",),
        ("placeholder-v015",),
    ),
    Exempt(
        "Paddle's words; operands of different dtypes are told in TensorFlow's words everywhere.",
        ("fragment",),
        ("stack-v018",),
    ),
    Exempt(
        "TensorFlow builds linspace from other ops, and its messages are about these.",
        ("fragment",),
        ("linspace-x013", "linspace-x026"),
    ),
    Exempt(
        "TensorFlow builds sort and argsort from other ops, and its messages about the axis speak of a slice.",
        ("fragment",),
        ("sort-x040", "sort-x041", "sort-x042", "sort-x043", "sort-x061", "sort-x062", "sort-x063", "sort-x064",
         "sort-x074", "argsort-x040", "argsort-x041", "argsort-x042", "argsort-x043", "argsort-x061", "argsort-x062",
         "argsort-x063", "argsort-x064", "argsort-x074"),
    ),
    Exempt(
        "TensorFlow builds searchsorted from other ops, and its messages are about these.",
        ("fragment",),
        ("searchsorted-x047", "searchsorted-x048"),
    ),
    # ---- left out -----------------------------------------------------------------------------------
    Exempt(
        "`optimize` chose between two ways of building; there is one.",
        ("kind",),
        ("ones_like-x026", "zeros_like-x026"),
    ),
    Exempt(
        "gather_nd has no batch_dims: the reference pages do not either.",
        ("kind",),
        ("gather_nd-x054",),
    ),
)  # fmt: skip

BY_CASE = {case: exempt for exempt in EXCEPTIONS for case in exempt.cases}

DTYPE_EXCEPTIONS: dict[tuple[str, str], str] = {}
"""(op, dtype) of the table of dtypes -> why the result is another one."""

NAME_EXCEPTIONS = {
    "boolean_mask": "boolean_mask",  # one node here, eleven in TensorFlow
    "linspace": "linspace",  # one node here, dozens in TensorFlow
}
"""op -> the name of its node, where TensorFlow's is that of the last of several nodes."""
