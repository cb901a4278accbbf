"""The recorded gradients from which ours differ, with reasons. A case that does not differ is a failing test."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Differing:
    """Cases that differ for one reason."""

    reason: str
    cases: tuple[str, ...]


EXCEPTIONS = (
    Differing(
        "The derivative does not depend on x at all, so the second gradient is None; TensorFlow gives zeros.",
        ("reduce_prod-grad-x037", "reduce_prod-grad-x039", "reduce_prod-grad-x049"),
    ),
    Differing(
        "0 to a complex power has a derivative where the power is 1; TensorFlow takes a logarithm of 0 on the way.",
        ("pow-grad-x040", "pow-grad-x041"),
    ),
    Differing(
        "TensorFlow leaves out the conjugate in its gradient of complex cumprod; ours equals differences.",
        ("cumprod-grad-x026", "cumprod-grad-x027"),
    ),
    Differing(
        "Where several elements of a segment are 0, TensorFlow's second derivative is NaN.",
        ("unsorted_segment_prod-grad-x005", "unsorted_segment_prod-grad-x011"),
    ),
)  # fmt: skip

BY_CASE = {case: exempt for exempt in EXCEPTIONS for case in exempt.cases}
