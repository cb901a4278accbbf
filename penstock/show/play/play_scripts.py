"""The scripts of the play page that compute: their order, and the ops that they have kernels for.

A script declares a kernel with a line that begins with `playOp("Type"`, `playUnary("Type"` or another `play...("Type"`;
the list of ops is read from these lines, so it stands in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ..page.page_document import page_part

CORE = ("number_types", "tensor", "kernel_table", "elementwise", "elementwise_arithmetic", "elementwise_functions")
RUNNING = ("interpreter", "control_flow", "variables")
MOVING = ("moved_elements", "shape_moves", "cutting", "indexing", "joining", "gathering", "partitions", "filling")
COMBINING = ("combining", "summation", "scatters", "reductions", "segments", "products", "convolutions", "pooling",
             "argmax_pooling", "image_blocks", "resized_images", "normalization", "beam_paths", "sorting")  # fmt: skip
KERNELS = ("plain_ops", *MOVING, *COMBINING, "softmax", "strings", "random_numbers", "stateless_numbers", "sampling",
           "unigrams", "array_elements", "tensor_arrays", "array_gradients")  # fmt: skip
"""Kernels beside the elementwise ones, a script for each family."""
PLAY_SCRIPTS = (*CORE, *RUNNING, *KERNELS)
ALWAYS = ("number_types", "tensor", "kernel_table", *RUNNING)
VIEW_SCRIPTS = ("play_values", "play_edits", "play_cells", "play_tables", "play_editor", "play_origins", "play_marks",
                "play_flow", "play_loops", "play_fetches", "loss_curve", "play_bar",
                "play_address", "play_layer")  # fmt: skip
"""What a reader sees and touches; they follow the scripts of the usual page."""

_DECLARED = re.compile(r'^play[A-Z]\w*\("(\w+)"', re.MULTILINE)
_NAMED = re.compile(r"^(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
_ASKED = re.compile(r'PLAY_KERNELS\.get\("(\w+)"\)')
_WORD = re.compile(r"\w+")


@cache
def play_script() -> str:
    """All scripts that compute, one after the other; they use nothing of the page around them."""
    return "\n".join([page_part(f"{name}.js") for name in PLAY_SCRIPTS])


def needed_scripts(types: Iterable[str], around: str = "") -> tuple[str, ...]:
    """The names of the scripts that a page needs to compute ops of these types, in their order.

    around: other scripts of the page, which may use functions of these.
    """
    texts = {name: page_part(f"{name}.js") for name in PLAY_SCRIPTS}
    owners = {each: name for name, text in texts.items() for each in _NAMED.findall(text)}
    kernels = {each: name for name, text in texts.items() for each in _DECLARED.findall(text)}
    needed = {*ALWAYS, *(kernels[type] for type in types if type in kernels)}
    needed |= {owners[word] for word in _WORD.findall(around) if word in owners}
    waiting = list(needed)
    while waiting:
        text = texts[waiting.pop()]
        words = {owners[word] for word in _WORD.findall(text) if word in owners}
        found = words | {kernels[type] for type in _ASKED.findall(text)}
        waiting += found - needed
        needed |= found
    return tuple([name for name in PLAY_SCRIPTS if name in needed])


@cache
def play_kernels() -> frozenset[str]:
    """The types of the ops that the page has kernels for."""
    return frozenset(_DECLARED.findall(play_script()))
